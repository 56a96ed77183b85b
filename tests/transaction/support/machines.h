/* SPDX-License-Identifier: BSD-3-Clause */
/* An emulated machine for one test, and requests on it as made by a program. */
#ifndef TESTS_TRANSACTION_MACHINES_H
#define TESTS_TRANSACTION_MACHINES_H

#include "emulator/model/machines.h"
#include "support/check.h"
#include "support/keep.h"
#include "transaction/support/requests.h"
#include "transaction/support/seam.h"
#include "transaction/tracked.h"

/** A machine in a scratch directory of its own. */
struct machine {
	const char *name;
	char *scratch, *state, *platform;
	struct isst_emulator_target target;
	struct kept **fresh; /* as after power-on, once it was restarted */
	struct drawn_pictures *drawn;
	struct outcomes *outcomes;
};

/** A test on a machine of each of the platforms; @machine is its parameter. */
#define MACHINE_TEST(name, ...) \
	static void name(struct machine *machine); \
	static void run_##name(void **state) \
	{ \
		name(*state); \
	} \
	REGISTER_AS(#name, name, run_##name, machine_setup, machine_teardown, __VA_ARGS__) \
	static void name(struct machine *machine)
int machine_setup(void **state);
int machine_teardown(void **state);

/** @name: a built-in platform, or one of tests/platforms written as `tests/NAME`. */
struct machine machine_begin(const char *name);
/** As above, with lines that are put before the first section of the platform's domains. */
struct machine machine_begin_with(const char *name, const char *from, const char *to);
void machine_end(struct machine *machine);
/** It ends with its block. */
#define automachine __attribute__((cleanup(machine_end)))
/** Begins it anew, as the latter does. */
void machine_change(struct machine *machine, const char *from, const char *to);

/** The emulator's rules from now on; capabilities are granted besides. "" for none. */
__attribute__((format(printf, 2, 3))) void machine_faults(const struct machine *machine,
							  const char *format, ...);
struct isst_machine *machine_open(const struct machine *machine);
/** As after power-on, with requests made as by machine_prepare(). */
bool machine_restart(const struct machine *machine, const char *before);
/** What a file of the kernel (an absolute path) or of the state directory holds, to be freed; NULL
 * where it cannot be read. */
char *machine_text(const struct machine *machine, const char *path);
/** Fails unless that is a line with this text; NULL: unless there is no such file. */
void machine_check_file(const struct machine *machine, const char *path, const char *expected);
void machine_check_no_journal(const struct machine *machine, const char *what);
/** Writes a file of the kernel, as another process does. */
void machine_set_file(const struct machine *machine, const char *path, const char *text);
void machine_set_online(const struct machine *machine, unsigned int first, unsigned int last,
			bool online);
/** Writes a file of the state directory. */
void machine_write(const struct machine *machine, const char *path, const char *text);
struct isst_emulator_statistics machine_statistics(const struct machine *machine);

/** Discovers the machine, so that what is remembered of it is there. */
void machine_look(const struct machine *machine);

/** All that the machine holds, as text; to be freed. */
char *machine_picture(const struct machine *machine);
/** The same without the registers in which levels and features are requested by TPMI, of which the
 * driver shows nothing. */
char *machine_answers(const struct machine *machine);
/** Fails if @now, except for lines that begin with @domain, is not as in @before. */
void machine_check_without(const struct machine *machine, const char *before, const char *now,
			   const char *domain, const char *what);
/** Fails where the machine, but for its turbo ratio limits, is not as in @before. */
void machine_check_but_limits(const struct machine *machine, const char *before, const char *what);
/** Fails where the machine is not as in @before; @format describes what was done. */
__attribute__((format(printf, 3, 4))) void
machine_check(const struct machine *machine, const char *before, const char *format, ...);

/** A moment of a machine, to which it can go back. */
struct moment {
	char *picture;
	struct kept *kept;
};

/** To be cleared. */
struct moment moment_take(const struct machine *machine);
/** Puts the machine back, runtime directory and logs included. */
void moment_return(const struct moment *moment);
/** Fails where the machine is not as it was then; what is compared is the picture. */
__attribute__((format(printf, 3, 4))) void
moment_check(const struct machine *machine, const struct moment *moment, const char *format, ...);
void moment_clear(struct moment *moment);

/** How a request is made. */
struct making {
	const struct seam_plan *seam; /* NULL: the emulator alone */
	int (*interrupted)(void *data);
	void (*progress)(void *data, unsigned int cpu, int online, unsigned int done,
			 unsigned int count);
	unsigned int lock_ms;
	bool dauntless; /* goes on with some domains where others refuse */
	/* Where not NULL, the change is held, and this called when it is; what it returns is the
	 * result. */
	int (*held)(struct isst_context *context, struct isst_change *change);
	bool reversible;
};

/** How it ended. Texts are lines, "" for none. */
struct outcome {
	bool here; /* the machine has what is asked for, and nothing stood against it */
	int lock, discovery, planning, result;
	bool unchanged;
	unsigned int written;	   /* steps that wrote something */
	struct seam_counts counts; /* with a seam */
	/* @notices: with what discovery left out */
	char *message, *refusals, *notices, *warnings, *differences, *steps;
	/* Power domains of I/O, a line each: ` of 0.2, domain 2 ` (the driver's numbers of package
	 * and power domain, the emulator's one). */
	char *without_cpus;
	bool cpus_unknown; /* these may be power domains with CPUs, for all that the library knows
			    */
};

/** Whether grace periods could not be expedited: hotplug is only slower without, and the change is
 * made with a warning. */
bool outcome_did_without_haste(const struct outcome *outcome);

/** Makes one request on the machine. @making may be NULL. The outcome is the machine's, which
 * keeps the last few. */
struct outcome *machine_make(const struct machine *machine, const struct request *request,
			     const struct making *making);
/**
 * Fails unless a request is refused and nothing written. @error: what it ends with (-EOPNOTSUPP:
 * for its targets alone); @refusals: as in the outcome
 */
void machine_refuses(const struct machine *machine, const struct request *request, int error,
		     const char *refusals);
/** The first error of an outcome, or 0. */
int outcome_error(const struct outcome *outcome);

/** Makes requests (names joined by "; "; NULL: none), which must succeed. Returns false where the
 * machine lacks what one of them asks for. */
bool machine_prepare(const struct machine *machine, const char *requests);
/** Makes one by name, however it ends. */
const struct outcome *machine_try(const struct machine *machine, const char *name);
/** Fails unless it ends with @error. */
const struct outcome *machine_expect(const struct machine *machine, const char *name, int error);
/** Both under rules of faults. */
const struct outcome *machine_try_under(const struct machine *machine, const char *rules,
					const char *name);
const struct outcome *machine_expect_under(const struct machine *machine, const char *rules,
					   const char *name, int error);
/** Makes one in a process that @rules (of faults) kill in the midst of it, or that kills itself. */
void machine_make_killed(const struct machine *machine, const struct request *request,
			 const struct making *making, const char *rules);
void machine_try_killed(const struct machine *machine, const char *name, const char *rules);
/** Makes one in a process that is killed right after its @k-th change. */
void machine_kill_after(const struct machine *machine, const struct request *request,
			const struct making *making, unsigned int k);
/** Opens a context that has discovered the machine, or one that holds the lock. */
struct isst_context *machine_discover(const struct machine *machine);
struct isst_context *machine_lock(const struct machine *machine);
/** A run that discovers the machine under the lock, and so recovers; it ends with @error, whose
 * message holds @part. */
void machine_next_run(const struct machine *machine, int error, const char *part);

/** `make check-all`: what `make check` takes samples of is taken as a whole. */
bool suite_is_large(void);

#endif
