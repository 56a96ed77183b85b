/* SPDX-License-Identifier: BSD-3-Clause */
#include "request_read.h"

#include "../common/memory_stream.h"
#include "../common/suggest.h"
#include "command_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct option_row *request_greedy_option(const struct request *request)
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

/** The features that have a command, separated by commas. To be freed; NULL without memory. */
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

/** "unknown feature 'x'; @before@meant@after", or with @feature a command of it. */
static int unknown_word(const struct feature *feature, const char *word, const char *before,
			const char *meant, const char *after, char **problem)
{
	return usage_problem(problem, "unknown %s '%s'%s%s; %s%s%s",
			     feature ? "command" : "feature", word, feature ? " of " : "",
			     feature ? feature->name : "", before, meant, after);
}

#define UNDO \
	"'config reset --boot' undoes all changes since boot; 'config apply FILE' undoes one " \
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
		     (feature && command_find(feature, meant))))
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

/** @feature: where the word stands behind one, as its command. */
static int problem_unknown_word(const struct feature *feature, const char *word, char **problem)
{
	const struct option_row *rows = feature ? anywhere_options : global_options;
	struct suggestion suggestion = { .word = word };
	const char *meant = other_name(feature, word);
	char *having;
	int error;

	/* Such as help, which other programs have as a command. */
	for (; rows->name; rows++)
		if (rows->kind == VALUE_NONE && strcmp(rows->name, word) == 0)
			return unknown_word(feature, word, "did you mean '--", word, "'?", problem);
	if (meant && strchr(meant, ' '))
		return unknown_word(feature, word, meant, "", "", problem);
	if (feature && (feature_find(word) || single_command_find(word)))
		return unknown_word(feature, word, "did you mean 'isst ", word, "'?", problem);
	having = meant ? strdup("") : features_having(word);
	if (!having)
		return -ENOMEM;
	error = *having ? unknown_word(feature, word, "it is a command of ", having, "", problem)
			: 0;
	free(having);
	if (error)
		return error;

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
				    meant, "'?", problem);
	return feature ? unknown_word(feature, word, feature->name, " --help lists its commands",
				      "", problem)
		       : unknown_word(feature, word, "--help lists the features", "", "", problem);
}

int problem_unknown_feature(const struct request *request, const char *word, char **problem)
{
	const struct option_row *greedy = request_greedy_option(request);
	int error = option_foreign_dash(global_options, word, problem);

	if (error)
		return error;
	if (greedy)
		return usage_problem(problem,
				     "unknown feature '%s'; option --%s took '%s' for its value",
				     word, greedy->name, request_text(request, greedy->id));
	return problem_unknown_word(NULL, word, problem);
}

int problem_unknown_command(const struct feature *feature, const char *word, char **problem)
{
	int error = option_foreign_dash(anywhere_options, word, problem);

	return error ? error : problem_unknown_word(feature, word, problem);
}

static bool has_option(const struct command *command, const char *name, size_t length)
{
	for (const struct option_row *row = command->options; row && row->name; row++)
		if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
			return true;
	return false;
}

char *problem_find_elsewhere(const struct command *of, const char *name, size_t length)
{
	static const char FILE_OPTION[] = "config";
	const char *separator = of ? ", but of " : ": ";
	struct memory_stream memory;

	if (of && of->flags & COMMAND_CONFIG && length == strlen(FILE_OPTION) &&
	    strncmp(name, FILE_OPTION, length) == 0)
		return strdup("; give FILE as an argument");
	if (memory_stream_open(&memory))
		return NULL;
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
	return memory_stream_close(&memory) ? NULL : memory.text;
}

/** The first option with a value, if it is missing and the word can be its value; or NULL. */
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
	error = option_read_value(row, word, &values, &problem);
	free(problem);
	option_values_clear(&values);
	return error ? NULL : row;
}

int problem_unexpected_word(const struct request *request, const struct option_place *place,
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
				     "unexpected word '%s' after %s: it takes one file; quote the "
				     "statement of --set as one argument",
				     word, place->command);
	forgotten = forgotten_option(request, word);
	if (forgotten)
		return usage_problem(problem,
				     "unexpected word '%s' after %s; did you mean '--%s %s'?", word,
				     place->command, forgotten->name, word);
	return usage_problem(problem, "unexpected word '%s' after %s", word, place->command);
}
