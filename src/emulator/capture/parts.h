/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recorded machine on its way to a platform, for the files of this folder alone: lines, the parts
 * that are read, and the steps that platform.c leads through. Each returns 0, -EINVAL with the
 * error set, or -ENOMEM unless noted otherwise.
 */
#ifndef EMULATOR_CAPTURE_PARTS_H
#define EMULATOR_CAPTURE_PARTS_H

#include "emulator/capture/recording.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu"

/* The highest frequency that a ratio of 8 bits can hold, and the highest number of a package. */
enum { KHZ_PER_RATIO = 100000, HIGHEST_KHZ = 25500000, HIGHEST_ID = INT16_MAX };

enum {
	MSR_THREAD_ID = 0x53, /* mailbox: thread [0], core [8:1] */
	MSR_PM_LOGICAL_ID = 0x54,
	MSR_PLATFORM_INFO = 0xce, /* [47:40] lowest ratio, [15:8] base */
	MSR_TURBO_RATIO_LIMIT = 0x1ad,
	MSR_TURBO_RATIO_LIMIT_CORES = 0x1ae,
	MSR_HWP_ENABLE = 0x770,
	MSR_HWP_CAPABILITIES = 0x771, /* highest [7:0], guaranteed [15:8], lowest [31:24] */
};

/* ---- lines.c: files and lines ---- */

/** Reads a file below the recording's directory. Returns 0, -ENOENT (no such file; no message),
 * -EINVAL or -ENOMEM. */
int recorded_file_read(struct recording *recording, const char *name, struct recorded_file *file);
/** The same for a file that every recording has: where it is not there is -EINVAL, with a message.
 */
int recorded_file_require(struct recording *recording, const char *name,
			  struct recorded_file *file);
void recorded_file_free(struct recorded_file *file);
/** Takes the content of a line. Returns 0 or a negative errno. */
typedef int recorded_line_reader(struct recording *recording, const struct recorded_text *line);
/** Reads all lines, up to the first that fails; returns what @read returned for it. */
int recorded_each_line(struct recording *recording, const struct recorded_file *file,
		       recorded_line_reader *read);
/** Sets the error to `FILE:LINE: ...` and returns -EINVAL. */
int recorded_error(const struct recorded_file *file, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** The number of the last line: where something is missing at the end. */
unsigned int recorded_end(const struct recorded_file *file);

/* ---- cpuinfo.c, msrs.c, files.c, registers.c, answers.c: the parts that are read ---- */

int recording_read_cpuinfo(struct recording *recording);
int recording_read_msrs(struct recording *recording);
int recording_read_entries(struct recording *recording);
int recording_read_dumps(struct recording *recording);
int recording_read_answers(struct recording *recording);

/* ---- driver.c, domains.c, cpus.c, nodes.c, uncore.c, levels.c: the steps to a platform ---- */

/** A value as if it came from a platform file. */
static inline struct number_value known_number(unsigned int value)
{
	return (struct number_value){ value, 1 };
}
int recording_replace_text(struct text_value *target, const char *text);

int recording_fill_identity(const struct recording *recording, struct platform *platform);
int recording_fill_kernel(const struct recording *recording, struct platform *platform);
int recording_fill_driver(const struct recording *recording, struct platform *platform);
int recording_make_domains(struct recording *recording, struct platform *platform);
/** Index of a domain, or -1. @die is for mailbox platforms, @power_domain for others. */
ssize_t recording_find_domain(const struct platform *platform, unsigned int package,
			      unsigned int die, unsigned int power_domain);
int recording_make_cpus(struct recording *recording, struct platform *platform);
int recording_number_nodes(const struct recording *recording, struct platform *platform);
int recording_fill_uncore(const struct recording *recording, struct platform *platform);
int recording_fill_levels(struct recording *recording, struct platform *platform);

/* ---- platform.c ---- */

int recording_fill(struct recording *recording, struct platform *platform);

#endif
