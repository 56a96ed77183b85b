/* SPDX-License-Identifier: BSD-3-Clause */
/* A platform file on its way to a platform: sections and settings, and the steps of parse.c. */
#ifndef EMULATOR_MODEL_FILE_H
#define EMULATOR_MODEL_FILE_H

#include "emulator/model/platform.h"
#include "emulator/model/tpmi_layout.h"

struct platform_file;
struct setting;

/** Sets the number, text, ... at @target. */
typedef int value_parser(struct platform_file *file, const struct setting *setting, void *target);

struct key {
	const char *name;
	value_parser *parse;
	size_t offset;		  /* of the value in what the section describes */
	unsigned int min, max;	  /* of numbers */
	unsigned int step;	  /* of frequencies, which are numbers of MHz */
	unsigned int most;	  /* values in a list; 0: one for each bucket */
	const char *const *words; /* that stand for 0, 1, ...; ended by NULL */
	bool numbered;		  /* the name is followed by a number, which is part of the value */
	enum { ANY, MAILBOX, TPMI } only; /* whose platforms know it */
	unsigned int otherwise;		  /* the number where the file has none */
	const char *text;		  /* the text where the file has none */
	/* The register that takes the number in this unit (0: 1), a byte of each in a list */
	enum tpmi_field field;
	unsigned int index, unit;
	unsigned int revision; /* of the perf-profile header, that has it */
};

enum section_target { TARGET_PLATFORM, TARGET_DOMAIN, TARGET_CLOS, TARGET_LEVEL };

struct section_kind {
	const char *name;
	enum section_target target;
	const struct key *keys; /* ended by a NULL name */
	unsigned int numbers;	/* the name is followed by a number below this; 0: by none */
};

/** One section of the file: `[level 0 package 1]`. */
struct section {
	const struct section_kind *kind;
	size_t first_setting;
	unsigned int line;
	unsigned int number, last;	   /* for these numbers */
	struct number_value package, die;  /* line 0: any */
	struct number_value power_domains; /* mask; line 0: any */
};

struct setting {
	size_t section;
	const struct key *key;
	unsigned int line;
	const char *value;
};

struct platform_file {
	const char *name;
	char **error;
	char *text; /* a copy, cut into strings */
	struct section *sections;
	size_t section_count;
	struct setting *settings;
	size_t setting_count;
};

/* ---- keys.c ---- */

/** Ended by a NULL name. */
extern const struct section_kind platform_sections[];
/** Sets the error to `FILE:LINE: ...` and returns -EINVAL. */
int file_error(struct platform_file *file, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** All of the names, @stride bytes apart and ended by NULL, for a message; to be freed. */
char *platform_file_list_names(const void *names, size_t stride);
/** Applies the settings of section @index to what it describes. */
int platform_file_apply(struct platform_file *file, size_t index, void *target);
/** Sets the defaults of what a section describes, which is empty. Returns 0 or -ENOMEM. */
int platform_file_set_defaults(enum section_target target, void *of);
/** Sets the TPMI registers that keys of a section have, of a level and from @index on. */
void platform_file_set_registers(enum section_target target, const void *of,
				 const struct tpmi_registers *to, unsigned int level,
				 unsigned int index);
/** Frees what keys have set in what their sections describe. */
void platform_file_free_values(enum section_target target, void *of);

/* ---- The steps, in their order; each returns 0, -EINVAL with the error set, or -ENOMEM ---- */

int platform_make_domains(struct platform_file *file, struct platform *platform);
int platform_make_cpus(struct platform_file *file, struct platform *platform);
/** Refuses what contradicts itself, and completes levels (check.c). */
int platform_check(struct platform_file *file, struct platform *platform);
/** TPMI registers of every power domain (registers.c). */
int platform_make_registers(struct platform_file *file, struct platform *platform);

#endif
