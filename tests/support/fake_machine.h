/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine for one test: scripted device, table of files, a runtime directory of its own. */
#ifndef TESTS_SUPPORT_FAKE_MACHINE_H
#define TESTS_SUPPORT_FAKE_MACHINE_H

#include "base/machine.h"
#include "support/fake_device.h"
#include "support/fake_files.h"

struct fake_machine {
	struct isst_machine machine;
	struct fake_device device;
	struct fake_files files;
	char *scratch; /* directory that everything of the test is in; exists */
	char *runtime; /* runtime directory within it; does not exist yet */
	unsigned int released;
};

/** To be used as a test's setup and teardown; *state is a struct fake_machine of model 0x6a. */
int fake_machine_setup(void **state);
int fake_machine_teardown(void **state);
/** A test on what @begin makes of such a machine, and @end frees: its parameter. */
#define FAKE_TEST_OF(name, parameter, begin, end) \
	static void name(parameter); \
	static void run_##name(void **state) \
	{ \
		void *made = begin(*state); \
\
		name(made); \
		end(made); \
	} \
	REGISTER_AS(#name, name, run_##name, fake_machine_setup, fake_machine_teardown, NULL) \
	static void name(__attribute__((unused)) parameter)
/** On the machine itself. */
#define FAKE_TEST(name) FAKE_TEST_OF(name, struct fake_machine *fake, , (void))

/** The kernel's three lists of CPUs; @possible and @present are alike. */
void fake_cpus(struct fake_machine *fake, const char *present, const char *online);

/** The topology files of the CPUs of a die, @cpus as a list. */
void fake_die(struct fake_machine *fake, unsigned int package, unsigned int die, const char *cpus);

/** A file of the topology directory of a CPU. */
void fake_topology_file(struct fake_machine *fake, unsigned int cpu, const char *name,
			const char *content);
void fake_topology_file_error(struct fake_machine *fake, unsigned int cpu, const char *name,
			      int error);

/** What GET_PHY_ID tells of a CPU, encoded as on API version 1. */
void fake_place(struct fake_machine *fake, unsigned int cpu, unsigned int core,
		unsigned int thread);

/** One package, one die: CPUs 0-3 of cores 0-3, all online. */
void fake_small_machine(struct fake_machine *fake);

/** Content of a file of the runtime directory, to be freed; NULL if there is none. */
char *fake_runtime_text(const struct fake_machine *fake, const char *name);
void fake_runtime_write(const struct fake_machine *fake, const char *name, const char *text);

#endif
