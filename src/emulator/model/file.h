/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A platform file on its way to a platform, for the files of this folder alone: sections and
 * settings, and the steps that parse.c leads through.
 */
#ifndef EMULATOR_MODEL_FILE_H
#define EMULATOR_MODEL_FILE_H

#include "emulator/model/platform.h"

struct platform_file;
struct key;

/** Sets the number, text, ... at @target from @text. */
typedef int value_parser(struct platform_file *file, const struct key *key, const char *text,
			 unsigned int line, void *target);

struct key {
	const char *name;
	value_parser *parse;
	size_t offset;		  /* of the value in what the section describes */
	unsigned int min, max;	  /* of numbers */
	const char *const *words; /* that stand for 0, 1, ...; ended by NULL */
	bool numbered;		  /* the name is followed by a number, which is part of the value */
	enum { FOR_BOTH, FOR_MAILBOX, FOR_TPMI } driver; /* whose platforms know it */
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

/* ---- The steps, in their order; each returns 0, -EINVAL with the error set, or -ENOMEM ---- */

int platform_make_domains(struct platform_file *file, struct platform *platform);
int platform_make_cpus(struct platform_file *file, struct platform *platform);
/** Refuses what contradicts itself, and completes levels (check.c). */
int platform_check(struct platform_file *file, struct platform *platform);
/** TPMI registers of every power domain (registers.c). */
int platform_make_registers(struct platform_file *file, struct platform *platform);

/* ---- values.c: how values are written, by kinds that many keys share ---- */

/** Sets the error to `FILE:LINE: ...` and returns -EINVAL. */
int file_error(struct platform_file *file, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Applies the settings of section @index to what it describes. */
int platform_file_apply(struct platform_file *file, size_t index, void *target);

/* Of a struct text_value: */
value_parser value_text;      /* any text but none */
value_parser value_processes; /* `tuned:812 kubelet:900` */

/* Of a struct number_value: */
value_parser value_number; /* min..max of the key, decimal or hexadecimal */
value_parser value_word;   /* the index of one of the key's words */
value_parser value_device; /* a PCI device id among the key's words; "none" is 0 */
value_parser value_mhz;	   /* a multiple of 100 MHz */
value_parser value_kernel; /* `6.12` */

/* Of a struct list_value, a value for each bucket: */
value_parser value_limits;  /* MHz */
value_parser value_counts;  /* numbers of cores */
value_parser value_modules; /* numbers of modules, of up to three buckets */

/* A list such as 0-3,8 of numbers up to the key's max: */
value_parser value_set;	 /* of a struct set_value */
value_parser value_mask; /* of a struct mask_value */

value_parser value_commands; /* of a struct commands_value: `0x7f/0x0c 0x7f/0x0a` */
value_parser value_register; /* of a struct raw_value: an offset and a value, added to the others */

#endif
