/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of cpufreq, and turbo, in the kernel's files. */
#ifndef ISST_SYSFS_CPUFREQ_H
#define ISST_SYSFS_CPUFREQ_H

#include "sysfs/kernel_files.h"

#include <stdbool.h>

/** Written to remove a limit, which then reads as the processor's: a limit equal to that is none.
 */
#define CPUFREQ_NO_LIMIT 2147483647u

enum cpufreq_limit { CPUFREQ_MIN, CPUFREQ_MAX };
enum turbo_state { TURBO_UNKNOWN, TURBO_ON, TURBO_OFF };

/** Reads a scaling limit of a CPU in kHz; none: CPUFREQ_NO_LIMIT (max) or 0 (min). Returns 0,
 * -ENOENT (no cpufreq, or CPU offline), or an error with a message. */
int cpufreq_read_limit(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
		       uint64_t *khz);

/** The same with the processor's limit. */
int cpufreq_read_limit_of(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			  uint64_t *khz, uint64_t *processor);

/** Reads a word, such as scaling_governor, cut to the length for a message. To be freed; NULL on
 * error. Returns as kernel_files_text(). */
int cpufreq_read_word(struct kernel_files *files, unsigned int cpu, const char *name, char **word);

/** What cpufreq_read_limit() will return after a write: the kernel clamps to the processor's range.
 */
int cpufreq_clamp(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
		  uint64_t written, uint64_t *khz);

/** Whether upper limits from a CPU's base frequency on read as none: with turbo off most kernels
 * call that the highest frequency. With turbo on again they show. A CPU without cpufreq hides
 * nothing. */
int cpufreq_hides_limit(struct kernel_files *files, unsigned int cpu, enum turbo_state turbo,
			bool *hidden);

/** Writes a scaling limit, with 0 or CPUFREQ_NO_LIMIT as above. */
int cpufreq_write_limit(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			uint64_t khz);

/** Other owners of a CPU's limit, which shows the tightest request: cooling device, BIOS, and
 * passive intel_pstate. *@owners names their files and values; to be freed, NULL: none. Errors as
 * above. */
int cpufreq_limit_owners(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			 char **owners);

/** The same if the limit reads as their tightest one: then the user may have set none. */
int cpufreq_limit_owners_of(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			    uint64_t khz, char **owners);

/** CPUFREQ_NO_LIMIT or 0. */
static inline uint64_t cpufreq_no_limit(enum cpufreq_limit limit)
{
	return limit == CPUFREQ_MAX ? CPUFREQ_NO_LIMIT : 0;
}

bool cpufreq_is_tighter(enum cpufreq_limit limit, uint64_t khz, uint64_t than);

/** Reads a number such as base_frequency. -ENOENT: there is none, or the CPU is offline. */
int cpufreq_read(struct kernel_files *files, unsigned int cpu, const char *name, uint64_t *khz);

/** Unknown where intel_pstate is not the driver. */
int cpufreq_turbo_state(struct kernel_files *files, enum turbo_state *state);

/** A limit of intel_pstate for all CPUs, in percent of the highest frequency; 0: none. */
int cpufreq_percentage(struct kernel_files *files, enum cpufreq_limit limit,
		       unsigned int *percentage);

#endif
