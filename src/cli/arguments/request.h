/* SPDX-License-Identifier: BSD-3-Clause */
/* A command line understood: what is asked for, every value validated. Must not know machines. */
#ifndef ISST_CLI_REQUEST_H
#define ISST_CLI_REQUEST_H

#include "command.h"
#include "options.h"

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

/** The value as it was given; NULL: it was not. */
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
