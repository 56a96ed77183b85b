/* SPDX-License-Identifier: BSD-3-Clause */
/* A captured machine: a directory with the answers of a server's kernel, driver and firmware
 * (docs/internals/captured-machines.md). */
#ifndef EMULATOR_CAPTURE_H
#define EMULATOR_CAPTURE_H

#include "emulator/model/machines.h"
#include "emulator/model/platform.h"

#include <sys/types.h>

#define CPU_DIRECTORY "/sys/devices/system/cpu"
#define CAPTURE_DEBUGFS "sys/kernel/debug"

enum { HIGHEST_ID = INT16_MAX }; /* of a package */

/** A text file of the capture: its lines without white space at both ends. */
struct captured_file {
	const struct capture *capture;
	char *path; /* for messages */
	char *text, **lines;
	unsigned int line_count;
};

/** A processor of proc/cpuinfo. */
struct captured_cpu {
	unsigned int number, package, die, core_id, family, model, stepping;
	unsigned int min_khz, max_khz; /* the user's limits; 0: not captured */
	unsigned int line;
	unsigned int keys; /* that its lines have, a bit each */
};

/** A file of the kernel. */
struct captured_entry {
	const char *path, *value;
	unsigned int line;
};

/** The registers of one power domain, and their offset as debugfs shows it. */
struct captured_instance {
	unsigned int line;
	uint64_t offset;
	uint64_t *registers;
	size_t count;
};

/** What debugfs shows of a TPMI device: one package. */
struct captured_dump {
	char *address; /* of the PCI device */
	struct captured_file file;
	struct captured_instance *instances; /* by number */
	size_t count;
};

/** A request, by the numbers of its line that stand before the answer. */
enum answer_kind {
	ANSWER_MSR,	  /* address, CPU */
	ANSWER_MAILBOX,	  /* package, die, command, sub-command, parameter, data */
	ANSWER_MMIO,	  /* package, die, offset */
	ANSWER_INSTANCES, /* socket */
	ANSWER_DRIVER,
	ANSWER_NO_DRIVER,
};
enum { REQUEST_NUMBERS = 7 };

/** What processor, firmware or driver answered to a request. */
struct captured_answer {
	enum answer_kind kind;
	uint64_t request[REQUEST_NUMBERS];
	uint64_t value;
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
	char **error;  /* NULL once it is read */
	bool unlocked; /* its lock is cleared */
	uint64_t hash; /* of everything that was read */

	struct captured_file cpuinfo, msr_file, entry_file, answer_file;
	char *vendor, *model_name; /* into cpuinfo */
	struct captured_cpu *cpus; /* those that were online, ascending by number */
	size_t cpu_count;
	struct captured_entry *entries; /* ascending by path */
	size_t entry_count;
	struct captured_dump *dumps; /* ascending by address */
	size_t dump_count;
	struct captured_driver driver;
	struct captured_answer *answers; /* ascending, for finding them */
	size_t answer_count, msr_count;	 /* of all CPUs, of MSRs */
};

/* ---- read.c ---- */

/** Reads all files. Returns 0, -EINVAL with the error set, or -ENOMEM. */
int capture_read_files(struct capture *capture);
void capture_free(struct capture *capture);
/** Sets the error to `FILE:LINE: ...` and returns -EINVAL. Line 0 is the last one, where something
 * is missing at the end. */
int capture_error(const struct captured_file *file, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Index of the CPU of that number, or -1. */
ssize_t capture_cpu(const struct capture *capture, unsigned int number);
/** The entry of a path, or NULL. */
__attribute__((format(printf, 2, 3))) const struct captured_entry *
capture_entry(const struct capture *capture, const char *format, ...);
/** Its number; @otherwise without an entry. *@result becomes -EINVAL, with the error set, where it
 * is none. */
unsigned int capture_number(const struct capture *capture, const struct captured_entry *entry,
			    unsigned int max, unsigned int otherwise, int *result);
/** The same of a file of a CPU, by its name below the CPU's directory. */
unsigned int capture_cpu_number(const struct capture *capture, unsigned int cpu, const char *name,
				unsigned int max, unsigned int otherwise, int *result);
/** The CPUs of a list file; none where there is no such file. Returns 0, -EINVAL or -ENOMEM; the
 * set is to be freed in any case. */
int capture_set(const struct capture *capture, const char *path, struct isst_cpuset **set);

/** The answer to a request, or NULL where it was not captured. */
const struct captured_answer *capture_answer(const struct capture *capture,
					     const struct captured_answer *request);
/** One of a domain; an MMIO register's offset is the command, else command << 8 | sub-command. */
const struct captured_answer *capture_domain_answer(const struct capture *capture,
						    enum answer_kind kind,
						    const struct platform_domain *domain,
						    uint32_t command, uint32_t parameter,
						    uint32_t data);
/** The value of an MSR of a CPU, or of the lowest CPU of a domain that was online; or NULL. */
const struct captured_answer *capture_msr(const struct capture *capture, uint32_t address,
					  unsigned int cpu);
const struct captured_answer *capture_domain_msr(const struct platform *platform,
						 const struct platform_domain *domain,
						 uint32_t address);

/* ---- topology.c, platform.c. Each returns 0, -EINVAL with the error set, or -ENOMEM. ---- */

/* The highest frequency that a ratio of 8 bits can hold. */
enum { KHZ_PER_RATIO = 100000, HIGHEST_KHZ = 25500000 };
enum { MSR_HWP_CAPABILITIES = 0x771 /* highest [7:0], guaranteed [15:8], lowest [31:24] */ };

/** A value as if it came from a platform file. */
static inline struct number_value known_number(unsigned int value)
{
	return (struct number_value){ value, 1 };
}

int capture_make_domains(struct platform *platform);
int capture_make_cpus(struct platform *platform);

/** Makes the platform of what was read. */
int capture_fill(struct platform *platform);
/** A captured uncore limit; @otherwise where there is none. *@result as of capture_number(). */
unsigned int capture_uncore_khz(const struct platform *platform,
				const struct platform_domain *domain, const char *name,
				unsigned int otherwise, int *result);

/* ---- load.c: the platform that a user names ---- */

/** Reads the captured machine in @directory and makes the platform @name of it, both to be freed by
 * platform_unload(). Returns 0, -EINVAL with *@error set, or -ENOMEM. */
int capture_read(const char *name, const char *directory, struct platform **platform, char **error);
/** What `platform show` prints of it; to be freed, NULL without memory. */
char *capture_describe(const struct platform *platform);
/** Reads a platform, and clears its lock where the target asks for it. Returns and sets *@error as
 * isst_emulator_open() does; to be given to platform_unload(). */
int platform_load(const struct isst_emulator_target *target, struct platform **platform,
		  char **error);
/** Frees it with what was captured of it; NULL is none. */
void platform_unload(struct platform *platform);
/** isst_emulator_show() */
int platform_show(const struct isst_emulator_target *target, char **text, char **error);

#endif
