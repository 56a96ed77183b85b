/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A captured machine on its way to a platform, for the files of this folder alone: lines, the parts
 * that are read, and the steps that platform.c leads through. Each returns 0, -EINVAL with the
 * error set, or -ENOMEM unless noted otherwise.
 */
#ifndef EMULATOR_CAPTURE_PARTS_H
#define EMULATOR_CAPTURE_PARTS_H

#include "emulator/capture/capture.h"

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

/* ---- files.c: files and lines ---- */

/** Reads a file below the capture's directory. Returns 0, -ENOENT (no such file; no message),
 * -EINVAL or -ENOMEM. */
int captured_file_read(struct capture *capture, const char *name, struct captured_file *file);
void captured_file_free(struct captured_file *file);
/** Takes the content of a line. Returns 0 or a negative errno. */
typedef int captured_line_reader(struct capture *capture, const struct captured_text *line);
/** Reads all lines, up to the first that fails; returns what @read returned for it. */
int captured_each_line(struct capture *capture, const struct captured_file *file,
		       captured_line_reader *read);
/** Sets the error to `FILE:LINE: ...` and returns -EINVAL. */
int captured_error(const struct captured_file *file, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** The number of the last line: where something is missing at the end. */
unsigned int captured_end(const struct captured_file *file);

/* ---- files.c, registers.c, answers.c: the parts that are read ---- */

int capture_read_cpuinfo(struct capture *capture);
int capture_read_msrs(struct capture *capture);
int capture_read_entries(struct capture *capture);
int capture_read_dumps(struct capture *capture);
int capture_read_answers(struct capture *capture);

/* ---- platform.c, topology.c, levels.c: the steps to a platform ---- */

int capture_fill(struct capture *capture, struct platform *platform);
int capture_make_domains(struct capture *capture, struct platform *platform);
int capture_make_cpus(struct capture *capture, struct platform *platform);
int capture_fill_levels(struct capture *capture, struct platform *platform);

/** A value as if it came from a platform file. */
static inline struct number_value known_number(unsigned int value)
{
	return (struct number_value){ value, 1 };
}

#endif
