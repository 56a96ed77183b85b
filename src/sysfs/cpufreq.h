/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of cpufreq, and turbo, in the kernel's files. */
#ifndef ISST_SYSFS_CPUFREQ_H
#define ISST_SYSFS_CPUFREQ_H

#include "sysfs/kernel_files.h"

#include <stdbool.h>

/**
 * What is written to take a limit away. Read back the limit is then the processor's, so a limit
 * equal to that counts as none: it is saved and restored as none.
 */
#define CPUFREQ_NO_LIMIT 2147483647u

#define SMT_CONTROL CPU_DIRECTORY "/smt/control"

enum cpufreq_limit { CPUFREQ_MIN, CPUFREQ_MAX };
enum turbo_state { TURBO_UNKNOWN, TURBO_ON, TURBO_OFF };

/**
 * Reads a scaling limit of a CPU in kHz: CPUFREQ_NO_LIMIT (max), or 0 (min), for none. Returns 0,
 * -ENOENT (the CPU has no cpufreq, or is offline), or an error with a message.
 */
int cpufreq_read_limit(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
		       uint64_t *khz);

/** The same with the limit of the processor. */
int cpufreq_read_limit_of(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			  uint64_t *khz, uint64_t *processor);

/** Reads a word, such as scaling_governor, of which no more than a message can take; *@word is NULL
 * on error, else to be freed. Returns as kernel_files_text(). */
int cpufreq_read_word(struct kernel_files *files, unsigned int cpu, const char *name, char **word);

/** What cpufreq_read_limit() returns of a limit that was written, once the kernel has put it into
 * the range of the processor. As above. */
int cpufreq_clamp(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
		  uint64_t written, uint64_t *khz);

/**
 * Whether upper limits of a CPU read as none from its base frequency up: while turbo is off most
 * kernels give that as the processor's highest frequency. Once turbo is on again the limit is what
 * was written. As above, but that a CPU without cpufreq hides nothing.
 */
int cpufreq_hides_limit(struct kernel_files *files, unsigned int cpu, enum turbo_state turbo,
			bool *hidden);

/** Writes a scaling limit, with 0 or CPUFREQ_NO_LIMIT as above. */
int cpufreq_write_limit(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			uint64_t khz);

/**
 * Who else holds a limit of a CPU, which shows the tightest one of all requests: its cooling device
 * and its BIOS, and intel_pstate where it is passive. *@owners names their files with what they
 * hold, below the directory of the CPU or of all; it is to be freed. NULL: none of these. Errors as
 * above, but that a machine may lack all of them.
 */
int cpufreq_limit_owners(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			 char **owners);

/** The same where a limit reads as the tightest one of those of other owners: then nothing shows
 * that the user has set any. */
int cpufreq_limit_owners_of(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			    uint64_t khz, char **owners);

/** What stands for no limit. */
uint64_t cpufreq_no_limit(enum cpufreq_limit limit);

/** Whether a limit lets less through than another one. */
bool cpufreq_is_tighter(enum cpufreq_limit limit, uint64_t khz, uint64_t than);

/** Reads a number of a CPU's cpufreq directory, such as base_frequency. -ENOENT where there is
 * none, or none while the CPU is offline. */
int cpufreq_read(struct kernel_files *files, unsigned int cpu, const char *name, uint64_t *khz);

/** Whether the system has turbo on; unknown where intel_pstate is not the driver. */
int cpufreq_turbo_state(struct kernel_files *files, enum turbo_state *state);

/** Content of smt/control, to be freed: `off` or `forceoff` where the kernel keeps second threads
 * of cores offline. -ENOENT where there is no such file. */
int hotplug_smt_control(struct kernel_files *files, char **control);
bool hotplug_smt_is_off(const char *control);

/**
 * Notes which CPUs are online, so that what the kernel still shows of the others is not taken for
 * their limits; hotplug_write() keeps it up to date. Before the first call each file answers for
 * itself. Returns 0 or -ENOMEM.
 */
int hotplug_set_online(struct kernel_files *files, const struct isst_cpuset *online);

/** Whether a CPU is offline, by its own file; one without that file cannot go offline. */
bool hotplug_is_offline(struct kernel_files *files, unsigned int cpu);

/** Takes a CPU online or offline. -ENOENT for a CPU that cannot be unplugged. */
int hotplug_write(struct kernel_files *files, unsigned int cpu, bool online);

#endif
