/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A captured machine: a directory with the answers of a server's kernel, driver and firmware
 * (docs/internals/captured-machines.md). Groups of functions are named after their files.
 */
#ifndef EMULATOR_CAPTURE_H
#define EMULATOR_CAPTURE_H

#include "base/capture_format.h"
#include "emulator/model/machines.h"
#include "emulator/model/platform.h"

#include <sys/types.h>

/** A text file of the capture, every line cut off with its number. */
struct captured_file {
	char *path; /* for messages */
	char *text;
	uint64_t hash;
	struct captured_text {
		char *text;
		unsigned int number;
	} * lines;
	size_t line_count;
	char **error; /* where the first mistake is reported */
};

/** A processor of proc/cpuinfo. */
struct captured_cpu {
	unsigned int number, package, die, core_id;
	/* Composed: its place in the core, that of the core among all of the die */
	unsigned int thread, core_index;
	unsigned int min_khz, max_khz; /* the user's limits; 0: not captured */
	unsigned int line;
};

/** An MSR, with the value of every online CPU. */
struct captured_msr {
	uint32_t address;
	unsigned int line;
	uint64_t *values; /* by index of the CPU in cpuinfo's order of numbers */
	bool *known;
};

/** A file of the kernel. */
struct captured_entry {
	const char *path, *value;
	unsigned int line;
	bool writable;
};

/** The registers of one power domain, and their offset as debugfs shows it. */
struct captured_instance {
	unsigned int number, line;
	uint64_t offset;
	uint64_t *registers;
	size_t count; /* of 64-bit words */
};

/** What debugfs shows of a TPMI device: one package. */
struct captured_dump {
	char *address; /* of the PCI device */
	struct captured_file file;
	struct captured_instance *instances; /* ascending by number */
	size_t count;
};

/** What firmware answered to a request for a package x die; the driver, for a socket (@package). */
struct captured_answer {
	enum capture_keyword kind;
	unsigned int package, die;
	uint32_t command; /* command << 8 | sub-command, or the register's offset */
	uint32_t parameter, data;
	uint32_t value;
	int error; /* 0 or the negative errno */
	unsigned int line;
};

/** What the driver reported of itself. */
struct captured_driver {
	unsigned int line; /* 0: it is not captured */
	bool present;
	unsigned int api_version, driver_version, max_commands;
	bool mailbox, mmio;
};

struct capture {
	char *directory;
	char **error;
	char *late_error; /* where mistakes go that are found after all was read: there are none */
	bool unlocked;	  /* its lock is cleared */

	struct captured_file cpuinfo, msr_file, entry_file, answer_file;
	char *vendor, *model_name; /* into cpuinfo */
	unsigned int family, model, stepping;
	struct captured_cpu *cpus; /* those that were online, ascending by number */
	size_t cpu_count;
	struct captured_msr *msrs;
	size_t msr_count;
	struct captured_entry *entries; /* ascending by path */
	size_t entry_count;
	struct captured_dump *dumps; /* ascending by address */
	size_t dump_count;
	struct captured_driver driver;
	struct captured_answer *answers; /* ascending, for finding them */
	size_t answer_count;
};

/* files.c, answers.c, platform.c: what was captured */

/** Index of the CPU of that number, or -1. */
ssize_t capture_cpu(const struct capture *capture, unsigned int number);
/** The MSR of that address, or NULL. */
const struct captured_msr *capture_msr(const struct capture *capture, uint32_t address);
/** The entry of a path, or NULL. */
const struct captured_entry *capture_entry(const struct capture *capture, const char *path);
/** The entry of a file below a CPU's directory, or NULL. */
const struct captured_entry *capture_cpu_entry(const struct capture *capture, unsigned int cpu,
					       const char *name);
/** Its number. Returns 0, -ENOENT or -EINVAL with the error set. */
int capture_number(const struct capture *capture, const struct captured_entry *entry,
		   unsigned int max, unsigned int *number);
/** Adds the CPUs of its list to a set. Returns as above, or -ENOMEM. */
int capture_list(const struct capture *capture, const struct captured_entry *entry,
		 struct isst_cpuset *set);
/** The CPUs of a list file; none where there is no such file. Returns 0, -EINVAL or -ENOMEM. */
int capture_set(const struct capture *capture, const char *path, struct isst_cpuset **set);

/** The answer to a request, or NULL where it was not captured. */
const struct captured_answer *capture_answer(const struct capture *capture,
					     const struct captured_answer *request);
/** A mailbox answer for a domain. */
const struct captured_answer *capture_mailbox(const struct capture *capture,
					      const struct platform_domain *domain,
					      uint32_t command, uint32_t parameter, uint32_t data);

/** An uncore limit of a domain as it was captured. Returns 0, -ENOENT or -EINVAL with the error
 * set. */
int capture_uncore_khz(const struct capture *capture, const struct platform *platform,
		       const struct platform_domain *domain, const char *name, unsigned int *khz);

/* load.c: the platform that a user names */

/**
 * Reads the captured machine in @directory and makes the platform @name of it, both to be freed by
 * platform_unload(). Returns 0, -EINVAL with *@error set, or -ENOMEM.
 */
int capture_read(const char *name, const char *directory, struct platform **platform, char **error);
/** What `platform show` prints of it; to be freed, NULL without memory. */
char *capture_describe(const struct platform *platform);
/** Reads a platform, and clears its lock where the target asks for it. Returns and sets *@error as
 * isst_emulator.open does; to be given to platform_unload(). */
int platform_load(const struct isst_emulator_target *target, struct platform **platform,
		  char **error);
/** Frees it with what was captured of it; NULL is none. */
void platform_unload(struct platform *platform);
/** isst_emulator.show */
int platform_show(const struct isst_emulator_target *target, char **text, char **error);

#endif
