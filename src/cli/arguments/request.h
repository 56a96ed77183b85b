/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_REQUEST_H
#define ISST_CLI_REQUEST_H

#include "options.h"

struct change_command;
struct question;
struct run;

enum command_flags {
	COMMAND_NEEDS_CPUS = 1,	    /* makes no sense without --cpu */
	COMMAND_NO_MACHINE = 2,	    /* works without a machine to ask */
	COMMAND_HAS_OPERAND = 4,    /* takes one word more: a platform */
	COMMAND_CHANGES = 8,	    /* changes the machine: privileges, lock, signals */
	COMMAND_ALL_CPUS = 16,	    /* without --cpu it is about each CPU, not each power domain */
	COMMAND_HAVING_CPUS = 128,  /* is not about power domains without CPUs */
	COMMAND_HAS_DIRECTORY = 64, /* takes one word more, which it needs: a directory */
	COMMAND_PRESET = 32,	    /* works where the BIOS has set up Speed Select for good */
	COMMAND_JOURNAL = 512,	    /* is about the journal, which nothing else is done with then */
	COMMAND_HAS_PROGRAM = 256,  /* takes a program with its arguments, which it needs */
	COMMAND_SWITCHES_OFF = 1024,  /* has nothing to do where its feature is not there */
	COMMAND_NO_DRY_RUN = 2048,    /* writes, or runs what may, without a plan to list */
	COMMAND_CONFIG = 4096,	      /* takes a configuration: a file, and --set */
	COMMAND_HAS_TARGET = 8192,    /* takes one word more: a file to write to */
	COMMAND_WHOLE = 16384,	      /* is about the machine as a whole */
	COMMAND_HOLDS = 32768,	      /* makes a change that it can roll back until it ends */
	COMMAND_REGISTERS = 65536,    /* reads registers of CPUs, which needs a privilege */
	COMMAND_EXPORTS = 1 << 20,    /* has the formats for programs that watch many machines */
	COMMAND_COMPARES = 1 << 22,   /* takes the option --config, to compare the machine with */
	COMMAND_EVERYWHERE = 1 << 23, /* is made in all packages or in none, also without --cpu */
	COMMAND_WATCHES = 1 << 24,    /* runs until it is ended, and reports what changes */
	COMMAND_OFFLINE = 1 << 26,    /* CPUs that --cpu names may be offline */
	COMMAND_HELPS = 1 << 25, /* the option --help as a word: takes a feature and a command */
};

#define COMMAND_TAKES_WORD \
	(COMMAND_HAS_OPERAND | COMMAND_HAS_DIRECTORY | COMMAND_HAS_TARGET | COMMAND_CONFIG)

struct command {
	const char *name;
	const char *help;		  /* one line */
	const char *more;		  /* more for its own help, or NULL */
	const struct option_row *options; /* NULL: anywhere_options */
	unsigned int flags;
	/** Asks the library and fills the run's report; NULL of those that watch or help, or are
	 * nothing but one change or one question. */
	void (*handler)(struct run *run);
	const struct change_command *change;
	const struct question *question;
};

struct feature {
	const char *name;
	const char *help; /* one line */
	const char *more;
	const struct command *commands; /* ended by a NULL name */
	bool in_reference;		/* the reference tool has it as well */
};

/** Whether a command works, with @preset on machines that the BIOS has set up. */
static inline bool command_available(const struct command *command, bool preset)
{
	return !preset || command->flags & (COMMAND_PRESET | COMMAND_NO_MACHINE);
}

/** Whether a command runs a program on the machine, and so ends with the statuses of env(1). */
static inline bool command_wraps_program(const struct command *command)
{
	return command->flags & COMMAND_HAS_PROGRAM && command->flags & COMMAND_CHANGES;
}

enum action {
	ACTION_RUN,  /* run @command */
	ACTION_HELP, /* help of @command, @feature, or all */
	ACTION_VERSION,
	ACTION_NO_COMMAND, /* a feature alone: its help, and an error */
};

struct request {
	enum action action;
	bool reference; /* read as the reference tool reads its command line */
	const struct feature *feature;
	const struct command *command;
	const char *operand;  /* the word behind the command; NULL: none */
	char *const *program; /* the words of a program to run, ended by NULL; NULL: none */
	struct option_values options;
};

static inline bool request_has(const struct request *request, enum option_id option)
{
	return request->options.value[option].given;
}

static inline enum output_format request_format(const struct request *request)
{
	/* Paths are those of json-v2. */
	if (request_has(request, OPTION_GET))
		return FORMAT_JSON_V2;
	return (enum output_format)request->options.value[OPTION_FORMAT].number;
}

static inline unsigned int request_number(const struct request *request, enum option_id option)
{
	return (unsigned int)request->options.value[option].number;
}

static inline const char *request_text(const struct request *request, enum option_id option)
{
	return request->options.value[option].text;
}

/** The file of a configuration that is named; NULL: none is. */
static inline const char *request_config_file(const struct request *request)
{
	const char *option = request_text(request, OPTION_CONFIG);

	if (!(request->command->flags & (COMMAND_CONFIG | COMMAND_COMPARES)))
		return NULL;
	return option ? option : request->operand;
}

#endif
