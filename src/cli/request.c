/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Understands a command line by the tables of options and commands: [OPTIONS] FEATURE COMMAND
 * [ARGUMENTS]. Must not know machines.
 */
#include "request.h"

#include "../common/memory_stream.h"
#include "../common/suggest.h"
#include "arguments.h"
#include "option_hints.h"
#include "request_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A word such as help, which other programs have as a command. */
static bool names_switch(const struct option_row *rows, const char *word)
{
	for (; rows->name; rows++) {
		if (rows->kind == VALUE_NONE && strcmp(rows->name, word) == 0)
			return true;
	}
	return false;
}

/** The option before the feature that took for its value what looks like a word of its own: the
 * feature, or another option. NULL: none did. */
static const struct option_row *greedy_option(const struct request *request)
{
	for (const struct option_row *row = global_options; row->name; row++) {
		const char *value = request_text(request, row->id);

		if (row->kind == VALUE_TEXT && value &&
		    ((value[0] == '-' && value[1]) || feature_find(value) ||
		     single_command_find(value)))
			return row;
	}
	return NULL;
}

/** The features that have a command of that name, as "base-freq, turbo-freq"; "" if none has it,
 * NULL without memory. */
static char *features_having(const char *name)
{
	struct memory_stream memory;
	const char *separator = "";

	if (memory_stream_open(&memory))
		return NULL;
	for (const struct feature *feature = features; feature->name; feature++) {
		if (!command_find(feature, name))
			continue;
		fprintf(memory.stream, "%s%s", separator, feature->name);
		separator = ", ";
	}
	return memory_stream_close(&memory) ? NULL : memory.text;
}

/** A command in the place of the feature. Returns 0 if it is none. */
static int lost_feature(const char *word, char **problem)
{
	char *having = features_having(word);
	int error = 0;

	if (!having)
		return -ENOMEM;
	if (*having)
		error = usage_problem(problem, "unknown feature '%s'; it is a command of %s", word,
				      having);
	free(having);
	return error;
}

static int unknown_feature(const struct request *request, const char *word, char **problem)
{
	const struct option_row *greedy = greedy_option(request);
	struct suggestion suggestion = { .word = word };
	int error = option_foreign_dash(global_options, word, problem);

	if (error)
		return error;
	if (greedy)
		return usage_problem(problem,
				     "unknown feature '%s'; option --%s took '%s' for its value",
				     word, greedy->name, request_text(request, greedy->id));
	if (names_switch(global_options, word))
		return usage_problem(problem, "unknown feature '%s'; did you mean '--%s'?", word,
				     word);

	error = lost_feature(word, problem);
	if (error)
		return error;
	for (const struct feature *feature = features; feature->name; feature++)
		suggestion_consider(&suggestion, feature->name);
	for (const struct command *command = single_commands; command->name; command++)
		suggestion_consider(&suggestion, command->name);
	if (suggestion.best)
		return usage_problem(problem, "unknown feature '%s'; did you mean '%s'?", word,
				     suggestion.best);
	return usage_problem(problem, "unknown feature '%s'; --help lists the features", word);
}

static int unknown_command(const struct feature *feature, const char *word, char **problem)
{
	struct suggestion suggestion = { .word = word };
	int error = option_foreign_dash(anywhere_options, word, problem);

	if (error)
		return error;
	if (names_switch(anywhere_options, word))
		return usage_problem(problem, "unknown command '%s' of %s; did you mean '--%s'?",
				     word, feature->name, word);

	for (const struct command *command = feature->commands; command->name; command++)
		suggestion_consider(&suggestion, command->name);
	if (suggestion.best)
		return usage_problem(problem, "unknown command '%s' of %s; did you mean '%s'?",
				     word, feature->name, suggestion.best);
	return usage_problem(problem, "unknown command '%s' of %s; %s --help lists its commands",
			     word, feature->name, feature->name);
}

/** Options of a command, and those that work anywhere behind them; to be freed. */
static struct option_row *rows_of(const struct command *command)
{
	size_t count = 0, anywhere = 0;
	struct option_row *rows;

	while (command->options && command->options[count].name)
		count++;
	while (anywhere_options[anywhere].name)
		anywhere++;
	rows = calloc(count + anywhere + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	for (size_t i = 0; i < count; i++)
		rows[i] = command->options[i];
	for (size_t i = 0; i < anywhere; i++)
		rows[count + i] = anywhere_options[i];
	return rows;
}

/** The option that a command has first of all, --level or --clos, where the word can be its value
 * and it has no other; NULL: that was not meant. */
static const struct option_row *forgotten_option(const struct request *request, const char *word)
{
	const struct option_row *row = request->command->options;
	struct option_values values = { 0 };
	char *problem = NULL;
	int error;

	while (row && row->name && row->kind == VALUE_NONE)
		row++;
	if (!row || !row->name || request_has(request, row->id))
		return NULL;
	error = argument_read(row, word, &values, &problem);
	free(problem);
	option_values_clear(&values);
	return error ? NULL : row;
}

/** A word that is none of the command's; @before: the one that stands before it. */
static int unexpected_word(const struct request *request, const struct option_place *place,
			   const char *before, const char *word, char **problem)
{
	const struct option_row *forgotten;
	int error = option_foreign_dash(place->rows, word, problem);

	if (error)
		return error;
	/* Behind the command -o is another option, which takes no value. */
	if (strcmp(before, "-o") == 0)
		return usage_problem(problem,
				     "unexpected word '%s' after %s; -o is --out only before the "
				     "feature",
				     word, place->command);
	/* Any word could be a statement. */
	if (request->command->flags & COMMAND_CONFIG)
		return usage_problem(problem,
				     "unexpected word '%s' after %s: it takes one file; a "
				     "statement is one word behind --set",
				     word, place->command);
	forgotten = forgotten_option(request, word);
	if (forgotten)
		return usage_problem(problem,
				     "unexpected word '%s' after %s; did you mean '--%s %s'?", word,
				     place->command, forgotten->name, word);
	return usage_problem(problem, "unexpected word '%s' after %s", word, place->command);
}

/** Reads what stands behind FEATURE COMMAND: options, and for some commands a word among them. */
static int read_arguments(struct request *request, const struct option_place *place, int argc,
			  char **argv, char **problem)
{
	bool operand = request->command->flags & COMMAND_TAKES_WORD;
	int error = 0, end = 0;

	while (!error && argc > 1) {
		error = options_read(argc, argv, place, &request->options, &end, problem);
		if (error || end >= argc || request_has(request, OPTION_HELP))
			break;
		if (!operand || request->operand)
			error = unexpected_word(request, place, argv[end - 1], argv[end], problem);
		request->operand = argv[end];
		argc -= end;
		argv += end;
	}
	return error;
}

/** Reads what stands behind the command that was found. */
static int read_behind_command(struct request *request, int argc, char **argv, char **problem)
{
	struct option_row *rows = rows_of(request->command);
	struct option_place place = {
		.rows = rows,
		.before = global_options,
		.behind = argument_options,
		.reference = request->reference && request->feature->in_reference,
	};
	char *name;
	int error;

	if (asprintf(&name, "%s %s", request->feature->name, request->command->name) < 0)
		name = NULL;
	place.command = name;
	error = rows && name ? read_arguments(request, &place, argc, argv, problem) : -ENOMEM;
	/* Of commands that write to a file: standard output, as without one. */
	if (!error && request->command->flags & COMMAND_HAS_TARGET && request->operand &&
	    strcmp(request->operand, "-") == 0)
		request->operand = NULL;
	free(name);
	free(rows);
	return error;
}

/** Behind --help may stand the command that help is asked for. The reference tool ignores words
 * that it does not know there. */
static int read_helped_command(struct request *request, int argc, char **argv, char **problem)
{
	if (argc < 1 || argv[0][0] == '-')
		return 0;
	request->command = command_find(request->feature, argv[0]);
	return request->command || request->reference
		       ? 0
		       : unknown_command(request->feature, argv[0], problem);
}

/** The same of a feature, and of a command behind it. */
static int read_helped(struct request *request, int argc, char **argv, char **problem)
{
	if (argc < 1 || argv[0][0] == '-')
		return 0;
	request->command = single_command_find(argv[0]);
	if (request->command)
		return 0;
	request->feature = feature_find(argv[0]);
	if (request->feature)
		return read_helped_command(request, argc - 1, argv + 1, problem);
	return request->reference ? 0 : unknown_feature(request, argv[0], problem);
}

static int read_command(struct request *request, int argc, char **argv, char **problem)
{
	/* Only help and version can stand between feature and command. */
	const struct option_place place = { .rows = anywhere_options,
					    .before = global_options,
					    .behind = argument_options };
	int end, error = options_read(argc, argv, &place, &request->options, &end, problem);

	if (error)
		return error;
	if (request_has(request, OPTION_HELP))
		return read_helped_command(request, argc - end, argv + end, problem);
	if (end >= argc) {
		request->action = ACTION_NO_COMMAND;
		return 0;
	}
	request->command = command_find(request->feature, argv[end]);
	if (!request->command)
		return unknown_command(request->feature, argv[end], problem);
	return read_behind_command(request, argc - end, argv + end, problem);
}

/** Reads a command that stands in the place of a feature, and the program behind it, if it takes
 * one. */
static int read_single_command(struct request *request, int argc, char **argv, char **problem)
{
	struct option_row *rows = rows_of(request->command);
	const struct option_place place = { .rows = rows,
					    .before = global_options,
					    .behind = argument_options,
					    .command = request->command->name };
	int error, end = argc;

	if (!rows)
		return -ENOMEM;
	if (request->command->flags & COMMAND_HAS_PROGRAM) {
		error = options_read(argc, argv, &place, &request->options, &end, problem);
		if (!error && end < argc)
			request->program = argv + end;
	} else {
		error = read_arguments(request, &place, argc, argv, problem);
	}
	free(rows);
	return error;
}

static int read_feature(struct request *request, int argc, char **argv, char **problem)
{
	if (argc < 1)
		return 0;
	/* The reference tool looks at nothing behind it. */
	if (request_has(request, OPTION_INFO) && request->reference)
		return option_values_note(&request->options,
					  "'%s' has no effect: --info takes no feature", argv[0]);
	if (request_has(request, OPTION_INFO))
		return usage_problem(problem, "unexpected word '%s': --info takes no feature",
				     argv[0]);
	request->command = single_command_find(argv[0]);
	if (request->command)
		return read_single_command(request, argc, argv, problem);
	request->feature = feature_find(argv[0]);
	if (!request->feature)
		return unknown_feature(request, argv[0], problem);
	return read_command(request, argc, argv, problem);
}

static int no_feature(const struct request *request, char **problem)
{
	const struct option_row *greedy = greedy_option(request);

	if (greedy)
		return usage_problem(problem,
				     "no feature given; option --%s took '%s' for its value",
				     greedy->name, request_text(request, greedy->id));
	return usage_problem(problem, "no feature given; --help lists the features");
}

/** Checks what no single option shows. */
static int check_whole(struct request *request, char **problem)
{
	static const struct {
		enum option_id id;
		const char *name;
	} emulation[] = {
		{ OPTION_EMULATE, "emulate" },
		{ OPTION_EMULATE_STATE, "emulate-state" },
		{ OPTION_EMULATE_UNLOCK, "emulate-unlock" },
	};

	for (size_t i = 0; i < sizeof(emulation) / sizeof(emulation[0]); i++) {
		if (request_has(request, OPTION_REAL) && request_has(request, emulation[i].id))
			return usage_problem(problem, "option --real cannot be combined with --%s",
					     emulation[i].name);
	}
	if (request_has(request, OPTION_VERSION)) {
		request->action = ACTION_VERSION;
		return 0;
	}
	if (request->action == ACTION_NO_COMMAND)
		return usage_problem(problem, "%s requires a command; %s --help lists its commands",
				     request->feature->name, request->feature->name);
	if (request_has(request, OPTION_INFO))
		request->command = &info_command;
	if (!request->command)
		return no_feature(request, problem);
	return request_check(request, problem);
}

/**
 * Finds the format of the message about a command line that could not be read as a whole: where a
 * mistake takes, or leaves, a word too many, it is not known what the next one is meant to be. So
 * each one before the feature is tried.
 */
static void find_format(struct request *request, const struct option_place *place, int argc,
			char **argv)
{
	struct option_value *format = &request->options.value[OPTION_FORMAT];

	for (; argc > 1 && !format->given && !feature_find(argv[1]); argc--, argv++) {
		struct option_values values = { 0 };
		char *problem = NULL;
		int end;

		if (options_read(argc, argv, place, &values, &end, &problem) != -ENOMEM)
			*format = values.value[OPTION_FORMAT];
		free(problem);
		option_values_clear(&values);
	}
}

int request_read(struct request *request, bool reference, int argc, char **argv, char **problem)
{
	const struct option_place place = { .rows = global_options,
					    .behind = argument_options,
					    .reference = reference };
	int error, end;

	*request = (struct request){ .action = ACTION_RUN, .reference = reference };
	*problem = NULL;
	if (argc <= 1) {
		request->action = ACTION_HELP;
		return 0;
	}
	error = options_read(argc, argv, &place, &request->options, &end, problem);
	if (!error)
		error = (request_has(request, OPTION_HELP) ? read_helped : read_feature)(
			request, argc - end, argv + end, problem);
	/* A program may be run by it: then the statuses are those of env(1). */
	else if (end < argc)
		request->command = single_command_find(argv[end]);
	if (error) {
		find_format(request, &place, argc, argv);
		return error;
	}
	if (request_has(request, OPTION_HELP)) {
		request->action = ACTION_HELP;
		return 0;
	}
	return check_whole(request, problem);
}

void request_clear(struct request *request)
{
	option_values_clear(&request->options);
}
