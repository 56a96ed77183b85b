/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_OPTIONS_H
#define ISST_CLI_OPTIONS_H

#include "isst.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Lists of CPUs (values.c) ---- */

/** CPUs by number, and by names such as @package:1 of a machine not known yet. */
struct cpu_list {
	struct isst_cpuset *numbers; /* NULL: the option was not given */
	char **names;		     /* without the @ */
	size_t name_count;
};

/* ---- Options ---- */

enum output_format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_JSON_V2,
	FORMAT_OPENMETRICS,
	FORMAT_NFD,
	FORMAT_FACTS,
	FORMATS,
};

enum option_id {
	/* before the feature */
	OPTION_ALL_ONLINE = 1,
	OPTION_CPU,
	OPTION_CGROUP,
	OPTION_CPU0_WORKAROUND,
	OPTION_DEBUG,
	OPTION_DRY_RUN,
	OPTION_FORMAT,
	OPTION_GET,
	OPTION_HELP,
	OPTION_INFO,
	OPTION_LOCK_TIMEOUT,
	OPTION_NO_DAEMON,
	OPTION_OOB,
	OPTION_OUT,
	OPTION_PAUSE,
	OPTION_POLL_INTERVAL,
	OPTION_RETRY,
	OPTION_VERSION,
	OPTION_EMULATE,
	OPTION_EMULATE_STATE,
	OPTION_EMULATE_UNLOCK,
	OPTION_REAL,
	/* of commands */
	OPTION_LEVEL,
	OPTION_BUCKET,
	OPTION_TRL_TYPE,
	OPTION_CLOS,
	OPTION_CLEAR,
	OPTION_ONLINE,
	OPTION_AUTO,
	OPTION_LIMITS,
	OPTION_PRIORITY,
	OPTION_EPP,
	OPTION_WEIGHT,
	OPTION_MIN,
	OPTION_MAX,
	OPTION_DESIRED,
	OPTION_AS_USER,
	OPTION_READ_ONLY,
	OPTION_WRITABLE,
	OPTION_HIGH_PRIORITY,
	OPTION_WITHIN,
	OPTION_AVOID,
	OPTION_ALLOW_LOWER_TURBO,
	OPTION_BY_CLOS,
	OPTION_ALL,
	OPTION_SET,
	OPTION_ONLY,
	OPTION_BOOT,
	OPTION_TIMEOUT,
	OPTION_WAIT,
	OPTION_CONFIG,
	OPTION_NO_AFFINITY,
	OPTION_MAP,
	OPTION_ADVISORIES,
	OPTION_MEASURE,
	OPTION_COLOR,
	OPTION_WATCH,
	OPTION_INCLUDE_ISOLATED,
	OPTION_APPLY,
	OPTION_FOLLOW,
	OPTION_INTERVAL,
	OPTION_NO_EVENTS,
	OPTION_UNTIL_DIFFERENT,
	OPTIONS,
};

enum value_kind {
	VALUE_NONE,
	VALUE_NUMBER,	 /* a decimal number from @lowest to @highest, which mean @words if given */
	VALUE_FREQUENCY, /* 0, or MHz from @lowest to @highest, which the first of @words stands for
			  */
	VALUE_LIMITS,	 /* a bit pattern of at least @lowest: 0x and 1 to 16 digits */
	VALUE_WORD,	 /* one of @words */
	VALUE_WORDS,	 /* some of @words, separated by commas: a bit for each */
	VALUE_TEXT,	 /* any text that is not empty */
	VALUE_TEXTS,	 /* the same; every further one is added */
	VALUE_CPU_LIST,	 /* CPUs, ranges and names; every further one adds to the first */
	VALUE_CORES,	 /* N, N/package or `bucket N`: a number of cores, see enum cores_form */
};

enum cores_form {
	CORES_IN_ALL,
	CORES_PER_PACKAGE,
	CORES_OF_BUCKET, /* the number of a bucket, at most @highest of the row */
};

struct option_row {
	enum option_id id;
	char letter;	  /* 0: it has none */
	const char *name; /* NULL: the end of a table */
	const char *argument;
	enum value_kind kind;
	unsigned int lowest, highest;
	bool required;
	bool own;	     /* the reference tool does not have it */
	bool idle_on_preset; /* means nothing on preset platforms: help does not offer it there */
	/* The value if the next word is none; NULL: a value is required. */
	const char *otherwise;
	const char *const *words; /* ended by NULL */
	const char *help;
};

struct option_value {
	bool given;
	uint64_t number; /* the number; of a word its index, of words a bit for each */
	enum cores_form form;
	const char *text; /* as given */
};

struct option_values {
	struct option_value value[OPTIONS];
	struct cpu_list cpus;	       /* of --cpu */
	struct cpu_list within, avoid; /* of the options of these names */
	const char **texts;	       /* of VALUE_TEXTS, ended by NULL; NULL: none */
	size_t text_count;
	char **notes; /* what was accepted though it is not as it ought to be */
	size_t note_count;
};

struct command;

/** A place of the command line, and what may stand there. */
struct option_place {
	const struct option_row *rows;	 /* the options that have a meaning here */
	const struct option_row *before; /* those that stand before the feature; NULL: here */
	const struct option_row *behind; /* those that stand behind commands */
	const char *command;		 /* behind which command this is; NULL: behind none */
	const struct command *of;	 /* the same */
	/* The end of a message: which other commands have the option. To be freed; "": none. */
	char *(*find_elsewhere)(const struct command *of, const char *name, size_t length);
	/* As the reference tool: options of @behind have no effect here, the last of repeated ones
	 * holds. */
	bool reference;
};

extern const struct option_row global_options[];

/* Options that work anywhere, at the end of the table of each command, or alone. */
#define ANYWHERE_ROWS \
	{ OPTION_HELP, 'h', "help", .help = "Print help for the program, FEATURE or COMMAND" }, \
		{ OPTION_VERSION, 'v', "version", .help = "Print the version" }, \
	{ \
		.name = NULL \
	}
extern const struct option_row anywhere_options[];

/* ---- Reading: what is wrong is a message, to be freed; NULL: nothing is ---- */

/** Reads options up to the first other word, whose index becomes @end; argv[0] is skipped. All
 * words are read even after a mistake, for the format of its message. */
char *options_read(int argc, char **argv, const struct option_place *place,
		   struct option_values *values, int *end);

/** Stores @text as the value of an option (values.c). */
char *option_read_value(const struct option_row *row, const char *text,
			struct option_values *values);

/** Refuses a word that begins with a dash other than ASCII's, as word processors make them.
 * @rows: the options that may be meant. */
char *option_foreign_dash(const struct option_row *rows, const char *word);

/** Notes what was accepted though it is not as it ought to be. */
void option_values_note(struct option_values *values, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void option_values_clear(struct option_values *values);

void cpu_list_clear(struct cpu_list *list); /* values.c */

#endif
