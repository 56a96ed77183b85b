/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format of a captured machine (docs/internals/captured-machines.md), once for the library,
 * which writes captures, and for the emulator, which reads them: names of files, keywords, how
 * numbers and errors are written. What registers and messages mean is no part of it.
 */
#ifndef ISST_BASE_CAPTURE_FORMAT_H
#define ISST_BASE_CAPTURE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Files, named below the directory of the capture ---- */

#define CAPTURE_CPUINFO "proc/cpuinfo"
#define CAPTURE_MSRS "msr/msr.txt"
#define CAPTURE_FILES "sys/inlinefiles.txt"
#define CAPTURE_ANSWERS "isst/answers.txt"

/* TPMI machines: a directory for each device, CAPTURE_DEVICE and its PCI address, and files in it.
 */
#define CAPTURE_DEBUGFS "sys/kernel/debug"
#define CAPTURE_DEVICE "tpmi-"
#define CAPTURE_REGISTERS "tpmi-id-05/mem_dump" /* as debugfs prints it */
#define CAPTURE_FEATURES "pfs_dump"		/* for people; not read */

/** Begins a line that is a comment, in CAPTURE_MSRS, CAPTURE_FILES and CAPTURE_ANSWERS. */
enum { CAPTURE_COMMENT = '#' };

/* ---- CAPTURE_CPUINFO: lines as the kernel writes them ---- */

enum capture_cpuinfo_key {
	CAPTURE_PROCESSOR,
	CAPTURE_VENDOR,
	CAPTURE_FAMILY,
	CAPTURE_MODEL,
	CAPTURE_NAME,
	CAPTURE_STEPPING,
	CAPTURE_PACKAGE,
	CAPTURE_CORE,
	CAPTURE_REQUIRED_KEYS, /* those above; the others are for people */
	CAPTURE_MICROCODE = CAPTURE_REQUIRED_KEYS,
	CAPTURE_SIBLINGS,
	CAPTURE_CPU_CORES,
	CAPTURE_APICID,
	CAPTURE_CPUINFO_KEYS,
};
extern const char *const capture_cpuinfo_keys[CAPTURE_CPUINFO_KEYS];

/* ---- CAPTURE_MSRS: `ADDRESS:CPU|VALUE CPU|VALUE ...`, hexadecimal but for the CPUs ---- */

/** Behind the address, and between a CPU and its value. */
enum { CAPTURE_MSR_COLON = ':', CAPTURE_MSR_BAR = '|' };

void capture_put_msr(FILE *stream, uint32_t address);
void capture_put_msr_value(FILE *stream, bool first, unsigned int cpu, uint64_t value);
bool capture_parse_msr(const char *text, uint32_t *address);
/** `CPU|VALUE` */
bool capture_parse_msr_value(const char *text, unsigned int *cpu, uint64_t *value);

/* ---- CAPTURE_FILES: `MODE|PATH|VALUE` ---- */

enum { CAPTURE_FILE_BAR = '|' };
/** What the kernel lets root do: [false] read, [true] read and write. All of one length. */
extern const char *const capture_file_modes[2];

void capture_put_file(FILE *stream, bool writable, const char *path, const char *value);

/* ---- CAPTURE_ANSWERS: `KEYWORD FIELD... -> FIELD...` ---- */

#define CAPTURE_ARROW "->"

/** How a field is written. Numbers without another base may be decimal, or hexadecimal with 0x. */
enum capture_number {
	CAPTURE_DECIMAL,
	CAPTURE_HEXADECIMAL,
	CAPTURE_OFFSET,	 /* 0x08: hexadecimal, a multiple of 4 */
	CAPTURE_COMMAND, /* 0x7f/0x01: command << 8 | sub-command, both hexadecimal */
	CAPTURE_ANSWER,	 /* 0x00ff0000, or the name or number of an error: ENXIO, E524 */
};

struct capture_field {
	const char *name;
	enum capture_number number;
	uint32_t max;
};

enum { CAPTURE_MOST_FIELDS = 6 };

struct capture_syntax {
	const char *keyword;
	unsigned int before, behind; /* fields on either side of the arrow; 0 behind: no arrow */
	struct capture_field fields[CAPTURE_MOST_FIELDS];
};

enum capture_keyword {
	CAPTURE_DRIVER,
	CAPTURE_NO_DRIVER,
	CAPTURE_MAILBOX,
	CAPTURE_MMIO,
	CAPTURE_INSTANCES,
	CAPTURE_KEYWORDS,
};
extern const struct capture_syntax capture_syntaxes[CAPTURE_KEYWORDS];

/** The syntax as a text without line end: keyword and names of the fields. */
void capture_put_syntax(FILE *stream, const struct capture_syntax *syntax);

/** A line. @values: of all fields, in their order; @error: a negative errno in the place of the
 * answer, or 0. */
void capture_put_answer(FILE *stream, const struct capture_syntax *syntax, const uint32_t *values,
			int error);

/** False where @text is no such field. *@error is set to the negative errno of an answer that is an
 * error, and to 0 by every other field. */
bool capture_parse_field(const struct capture_field *field, const char *text, uint32_t *value,
			 int *error);

#endif
