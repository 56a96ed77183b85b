/* SPDX-License-Identifier: BSD-3-Clause */
#include "request_read.h"
#include "../common/memory_stream.h"
#include "../common/suggest.h"
#include "command_table.h"
#include "process/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words that are not understood ---- */

/** The option before the feature whose value looks like a feature or an option; NULL: none. */
static const struct option_row *request_greedy_option(const struct request *request)
{
	for (const struct option_row *row = global_options; row->name; row++) {
		const char *value = request_text(request, row->id);

		if (row->kind == VALUE_TEXT && value &&
		    ((value[0] == '-' && value[1]) || feature_find(value) ||
		     command_find(single_commands, value)))
			return row;
	}
	return NULL;
}

/** The features that have a command, separated by commas. To be freed. */
static char *features_having(const char *name)
{
	struct memory_stream memory;
	const char *separator = "";

	xcall(memory_stream_open(&memory));
	for (const struct feature *feature = features; feature->name; feature++) {
		if (!command_find(feature->commands, name))
			continue;
		fprintf(memory.stream, "%s%s", separator, feature->name);
		separator = ", ";
	}
	return xcheck(memory_stream_text(&memory));
}

/** "unknown feature 'x'; @before@meant@after", or with @feature a command of it. */
static char *unknown_word(const struct feature *feature, const char *word, const char *before,
			  const char *meant, const char *after)
{
	return xasprintf("unknown %s '%s'%s%s; %s%s%s", feature ? "command" : "feature", word,
			 feature ? " of " : "", feature ? feature->name : "", before, meant, after);
}

#define UNDO \
	"'config reset --boot' undoes what isst changed since boot; 'config apply FILE' undoes one " \
	"change, where 'config save --all FILE' was run before it"
#define POWER \
	"'status' prints the power of packages and its limits, which powercap (/sys/class/powercap) sets"
#define METRICS "'--format openmetrics status' prints metrics"

/** The command, feature or advice that another word stands for; NULL: unknown. */
static const char *other_name(const struct feature *feature, const char *word)
{
	static const struct {
		const char *word, *meant;
	} WORDS[] = {
		{ "undo", UNDO },
		{ "revert", UNDO },
		{ "rollback", UNDO },
		{ "restore", UNDO },
		{ "metrics", METRICS },
		{ "prometheus", METRICS },
		{ "power", POWER },
		{ "tdp", POWER },
		{ "clos", "core-power" },
		{ "trl", "turbo-mode" },
		{ "on", "enable" },
		{ "off", "disable" },
		{ "show", "info" },
		{ "show", "save" },
		{ "list", "info" },
		{ "load", "apply" },
		{ "set", "apply" },
		{ "diff", "check" },
		{ "set-level", "set-config-level" },
	};
	static const char GUIDE[] = "sst-";
	const char *name = word;

	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
		const char *meant = WORDS[i].meant;

		if (strcasecmp(word, WORDS[i].word) == 0 &&
		    (strchr(meant, ' ') || feature_find(meant) ||
		     (feature && command_find(feature->commands, meant))))
			return meant;
	}
	/* The help of a feature has what the guide calls it, such as (SST-PP). */
	if (strncasecmp(word, GUIDE, strlen(GUIDE)) == 0)
		name += strlen(GUIDE);
	for (const struct feature *known = features; known->name && *name; known++) {
		const char *guide = strcasestr(known->help, GUIDE);
		size_t length = guide ? strcspn(guide + strlen(GUIDE), ")") : 0;

		if (length == strlen(name) && strncasecmp(guide + strlen(GUIDE), name, length) == 0)
			return known->name;
	}
	return NULL;
}

/** A word that is neither a feature nor a command that stands in the place of one; @feature: where
 * it stands behind one, that is no command of it. */
static char *problem_unknown_word(const struct request *request, const struct feature *feature,
				  const char *word)
{
	const struct option_row *rows = feature ? anywhere_options : global_options;
	const struct option_row *greedy = feature ? NULL : request_greedy_option(request);
	struct suggestion suggestion = { .word = word };
	const char *meant = other_name(feature, word);
	char *having, *problem = option_foreign_dash(rows, word);

	if (problem)
		return problem;
	if (greedy)
		return xasprintf("unknown feature '%s'; option --%s took '%s' for its value", word,
				 greedy->name, request_text(request, greedy->id));
	/* Such as help, which other programs have as a command. */
	for (; rows->name; rows++)
		if (rows->kind == VALUE_NONE && strcmp(rows->name, word) == 0)
			return unknown_word(feature, word, "did you mean '--", word, "'?");
	if (meant && strchr(meant, ' '))
		return unknown_word(feature, word, meant, "", "");
	if (feature && (feature_find(word) || command_find(single_commands, word)))
		return unknown_word(feature, word, "did you mean 'isst ", word, "'?");
	having = meant ? xstrdup("") : features_having(word);
	if (*having)
		problem = unknown_word(feature, word, "it is a command of ", having, "");
	free(having);
	if (problem)
		return problem;
	for (const struct feature *known = features; !feature && known->name; known++)
		suggestion_consider(&suggestion, known->name);
	for (const struct command *command = feature ? feature->commands : single_commands;
	     command->name; command++)
		suggestion_consider(&suggestion, command->name);
	if (!meant)
		meant = suggestion.best;
	if (meant)
		return unknown_word(feature, word,
				    feature && feature_find(meant) ? "did you mean 'isst "
								   : "did you mean '",
				    meant, "'?");
	return unknown_word(feature, word, feature ? feature->name : "",
			    feature ? " --help lists its commands" : "--help lists the features",
			    "");
}

static bool has_option(const struct command *command, const char *name, size_t length)
{
	for (const struct option_row *row = command->options; row && row->name; row++)
		if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
			return true;
	return false;
}

/** As struct option_place has it. */
static char *problem_find_elsewhere(const struct command *of, const char *name, size_t length)
{
	static const char FILE_OPTION[] = "config";
	const char *separator = of ? ", but of " : ": ";
	struct memory_stream memory;

	if (of && of->flags & COMMAND_CONFIG && length == strlen(FILE_OPTION) &&
	    strncmp(name, FILE_OPTION, length) == 0)
		return xstrdup("; give FILE as an argument");
	xcall(memory_stream_open(&memory));
	for (const struct feature *feature = features; feature->name; feature++)
		for (const struct command *command = feature->commands; command->name; command++)
			if (has_option(command, name, length)) {
				fprintf(memory.stream, "%s%s %s", separator, feature->name,
					command->name);
				separator = ", ";
			}
	for (const struct command *command = single_commands; command->name; command++)
		if (has_option(command, name, length)) {
			fprintf(memory.stream, "%s%s", separator, command->name);
			separator = ", ";
		}
	return xcheck(memory_stream_text(&memory));
}

/** The first option with a value, if it is missing and the word can be its value; or NULL. */
static const struct option_row *forgotten_option(const struct request *request, const char *word)
{
	const struct option_row *row = request->command->options;
	struct option_values values = { 0 };
	char *problem;

	while (row && row->name && row->kind == VALUE_NONE)
		row++;
	if (!row || !row->name || request_has(request, row->id))
		return NULL;
	problem = option_read_value(row, word, &values);
	if (problem)
		row = NULL;
	free(problem);
	option_values_clear(&values);
	return row;
}

/** A word that is none of the command's; @before: the one that stands before it. */
static char *problem_unexpected_word(const struct request *request,
				     const struct option_place *place, const char *before,
				     const char *word)
{
	const struct option_row *forgotten;
	char *problem = option_foreign_dash(place->rows, word);

	if (problem)
		return problem;
	/* Behind the command -o is another option, which takes no value. */
	if (strcmp(before, "-o") == 0)
		return xasprintf("unexpected word '%s' after %s; -o is --out only before the "
				 "feature",
				 word, place->command);
	/* Any word could be a statement. */
	if (request->command->flags & COMMAND_CONFIG)
		return xasprintf("unexpected word '%s' after %s: it takes one file; quote the "
				 "statement of --set as one argument",
				 word, place->command);
	forgotten = forgotten_option(request, word);
	if (forgotten)
		return xasprintf("unexpected word '%s' after %s; did you mean '--%s %s'?", word,
				 place->command, forgotten->name, word);
	return xasprintf("unexpected word '%s' after %s", word, place->command);
}

/* ---- Reading ---- */

static char *read_arguments(struct request *request, const struct option_place *place, int argc,
			    char **argv)
{
	bool operand = request->command->flags & COMMAND_TAKES_WORD;
	char *problem = NULL;
	int end = 0;

	while (!problem && argc > 1) {
		problem = options_read(argc, argv, place, &request->options, &end);
		if (problem || end >= argc || request_has(request, OPTION_HELP))
			break;
		if (!operand || request->operand)
			problem = problem_unexpected_word(request, place, argv[end - 1], argv[end]);
		request->operand = argv[end];
		argc -= end;
		argv += end;
	}
	return problem;
}

static char *read_behind_command(struct request *request, int argc, char **argv)
{
	const struct feature *feature = request->feature;
	const struct command *command = request->command;
	struct option_place place = {
		.rows = command->options ? command->options : anywhere_options,
		.before = global_options,
		.behind = argument_options,
		.of = command,
		.find_elsewhere = problem_find_elsewhere,
		.reference = feature && request->reference && feature->in_reference,
	};
	char *name = xasprintf("%s%s%s", feature ? feature->name : "", feature ? " " : "",
			       command->name);
	int end = argc;
	char *problem;

	place.command = name;
	if (command->flags & COMMAND_HAS_PROGRAM) {
		problem = options_read(argc, argv, &place, &request->options, &end);
		if (!problem && end < argc)
			request->program = argv + end;
	} else {
		problem = read_arguments(request, &place, argc, argv);
	}
	/* Of commands that write to a file: standard output, as without one. */
	if (!problem && command->flags & COMMAND_HAS_TARGET && request->operand &&
	    strcmp(request->operand, "-") == 0)
		request->operand = NULL;
	free(name);
	return problem;
}

/** Behind --help may stand a feature, and a command of it. The reference tool ignores unknown words
 * there. */
static char *read_helped(struct request *request, int argc, char **argv)
{
	if (argc < 1 || argv[0][0] == '-')
		return NULL;
	if (!request->feature) {
		request->command = command_find(single_commands, argv[0]);
		request->feature = request->command ? NULL : feature_find(argv[0]);
		if (request->feature)
			return read_helped(request, argc - 1, argv + 1);
	} else {
		request->command = command_find(request->feature->commands, argv[0]);
	}
	return request->command || request->reference
		       ? NULL
		       : problem_unknown_word(request, request->feature, argv[0]);
}

static char *read_command(struct request *request, int argc, char **argv)
{
	/* Only help and version can stand between feature and command. */
	const struct option_place place = { .rows = anywhere_options,
					    .before = global_options,
					    .behind = argument_options,
					    .find_elsewhere = problem_find_elsewhere };
	int end;
	char *problem = options_read(argc, argv, &place, &request->options, &end);

	if (problem)
		return problem;
	if (request_has(request, OPTION_HELP))
		return read_helped(request, argc - end, argv + end);
	if (end >= argc) {
		request->action = ACTION_NO_COMMAND;
		return NULL;
	}
	request->command = command_find(request->feature->commands, argv[end]);
	if (!request->command)
		return problem_unknown_word(request, request->feature, argv[end]);
	return read_behind_command(request, argc - end, argv + end);
}

static char *read_feature(struct request *request, int argc, char **argv)
{
	const char *alone = request_has(request, OPTION_INFO)  ? "info"
			    : request_has(request, OPTION_OOB) ? "oob"
							       : NULL;

	if (argc < 1)
		return NULL;
	/* The reference tool looks at nothing behind them. */
	if (alone && request->reference) {
		option_values_note(&request->options, "'%s' has no effect: --%s takes no feature",
				   argv[0], alone);
		return NULL;
	}
	if (alone)
		return xasprintf("unexpected word '%s': --%s takes no feature", argv[0], alone);
	request->command = command_find(single_commands, argv[0]);
	if (request->command && request->command->flags & COMMAND_HELPS) {
		char *problem;

		if (argc > 1 && argv[1][0] == '-') {
			problem = read_behind_command(request, argc, argv);
		} else {
			request->command = NULL;
			problem = read_helped(request, argc - 1, argv + 1);
		}
		request->options.value[OPTION_HELP].given = !request_has(request, OPTION_VERSION);
		return problem;
	}
	if (request->command)
		return read_behind_command(request, argc, argv);
	request->feature = feature_find(argv[0]);
	if (!request->feature)
		return problem_unknown_word(request, NULL, argv[0]);
	return read_command(request, argc, argv);
}

/** The options of --oob mean nothing without it; to the reference tool they are idle. */
static char *check_without_oob(struct request *request)
{
	static const enum option_id ids[] = { OPTION_NO_DAEMON, OPTION_POLL_INTERVAL };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const char *name;

		if (!request_has(request, ids[i]))
			continue;
		name = request_option_row(request, ids[i])->name;
		if (!request->reference)
			return xasprintf("option --%s requires --oob", name);
		option_values_note(&request->options, "option --%s has no effect without --oob",
				   name);
	}
	return NULL;
}

static char *check_whole(struct request *request)
{
	struct option_value *values = request->options.value;
	const struct option_row *greedy;
	char *problem;

	if (request_has(request, OPTION_VERSION)) {
		request->action = ACTION_VERSION;
		return request_check_format(request);
	}
	if (request->action == ACTION_NO_COMMAND)
		return xasprintf("%s requires a command; %s --help lists its commands",
				 request->feature->name, request->feature->name);
	if (request_has(request, OPTION_OOB)) {
		/* It is `watch --follow`, as an option. */
		request->command = command_find(single_commands, "watch");
		values[OPTION_FOLLOW].given = true;
		values[OPTION_INTERVAL] = values[OPTION_POLL_INTERVAL];
		values[OPTION_NO_EVENTS].given = request_has(request, OPTION_POLL_INTERVAL);
	} else if ((problem = check_without_oob(request)) != NULL) {
		return problem;
	}
	if (request_has(request, OPTION_INFO))
		request->command = &info_command;
	if (request->command)
		return request_check(request);
	greedy = request_greedy_option(request);
	if (greedy)
		return xasprintf("no feature given; option --%s took '%s' for its value",
				 greedy->name, request_text(request, greedy->id));
	return xasprintf("no feature given; --help lists the features");
}

/** Finds the format of the message about a wrong command line: tries each word before the feature.
 */
static void find_format(struct request *request, const struct option_place *place, int argc,
			char **argv)
{
	struct option_value *format = &request->options.value[OPTION_FORMAT];

	for (; argc > 1 && !format->given && !feature_find(argv[1]); argc--, argv++) {
		struct option_values values = { 0 };
		int end;

		free(options_read(argc, argv, place, &values, &end));
		*format = values.value[OPTION_FORMAT];
		option_values_clear(&values);
	}
}

char *request_read(struct request *request, bool reference, int argc, char **argv)
{
	const struct option_place place = { .rows = global_options,
					    .behind = argument_options,
					    .find_elsewhere = problem_find_elsewhere,
					    .reference = reference };
	char *problem;
	int end;

	*request = (struct request){ .action = ACTION_RUN, .reference = reference };
	if (argc <= 1) {
		request->action = ACTION_HELP;
		return NULL;
	}
	problem = options_read(argc, argv, &place, &request->options, &end);
	if (!problem)
		problem = (request_has(request, OPTION_HELP) ? read_helped : read_feature)(
			request, argc - end, argv + end);
	/* A program may be run by it: then the statuses are those of env(1). */
	else if (end < argc)
		request->command = command_find(single_commands, argv[end]);
	if (problem) {
		find_format(request, &place, argc, argv);
		return problem;
	}
	if (request_has(request, OPTION_HELP)) {
		request->action = ACTION_HELP;
		return NULL;
	}
	return check_whole(request);
}

void request_clear(struct request *request)
{
	option_values_clear(&request->options);
}
