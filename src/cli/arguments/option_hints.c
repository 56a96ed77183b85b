/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include "../../common/memory_stream.h"
#include "../../common/suggest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage_problem(char **problem, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(problem, format, arguments);
	va_end(arguments);
	if (length < 0)
		*problem = NULL;
	return length < 0 ? -ENOMEM : -EINVAL;
}

#define PLATFORM "platform"
#define EMULATE "emulate"

struct unknown {
	const char *word; /* as given */
	const char *name; /* in it; of @length */
	size_t length;
	bool letter;	   /* the name is a letter behind one dash */
	const char *shown; /* the word or, of letters joined in it, the one with its dash */
};

static const struct option_row *find_exact(const struct option_row *rows,
					   const struct unknown *unknown)
{
	for (; rows && rows->name; rows++) {
		if (unknown->letter
			    ? rows->letter == *unknown->name
			    : strlen(rows->name) == unknown->length &&
				      memcmp(rows->name, unknown->name, unknown->length) == 0)
			return rows;
	}
	return NULL;
}

/** An option of other commands only: the message names them. Returns 0 if there are none. */
static int explain_elsewhere(const struct option_place *place, const struct unknown *unknown,
			     char **problem)
{
	char *elsewhere;
	int error = 0;

	if (!place->find_elsewhere || unknown->letter)
		return 0;
	elsewhere = place->find_elsewhere(place->of, unknown->name, unknown->length);
	if (!elsewhere)
		return -ENOMEM;
	if (*elsewhere && place->command)
		error = usage_problem(problem, "option '%s' is not an option of %s%s",
				      unknown->shown, place->command, elsewhere);
	else if (*elsewhere)
		error = usage_problem(problem, "option '%s' belongs after the command%s",
				      unknown->shown, elsewhere);
	free(elsewhere);
	return error;
}

/** An option of another place: the message names the place. Returns 0 if there is none. */
static int explain_misplaced(const struct option_place *place, const struct unknown *unknown,
			     char **problem)
{
	const struct option_row *before = find_exact(place->before, unknown);
	const struct option_row *behind = find_exact(place->behind, unknown);
	const char *where = "belongs after the command";

	if (place->command && behind)
		return usage_problem(problem, "option '%s' is not an option of %s%s%s",
				     unknown->shown, place->command,
				     before ? "; before the feature it is --" : "",
				     before ? before->name : "");
	if (!before && !behind)
		return explain_elsewhere(place, unknown, problem);
	/* Beside those two there is no command. */
	if (before && !behind && place->command && before->id != OPTION_INFO &&
	    before->id != OPTION_OOB)
		return usage_problem(problem, "option '%s' belongs before the feature: --%s%s%s %s",
				     unknown->shown, before->name, before->argument ? " " : "",
				     before->argument ? before->argument : "", place->command);
	if (before)
		where = behind ? "belongs before the feature or after the command"
			       : "belongs before the feature";
	return usage_problem(problem, "option '%s' %s", unknown->shown, where);
}

/** Names the options that a name may stand for. Returns 0 if it can stand for one at most. */
static int explain_ambiguous(const struct option_row *rows, const struct unknown *unknown,
			     char **problem)
{
	struct memory_stream memory;
	size_t count = 0;
	char *names;
	int error;

	if (memory_stream_open(&memory) != 0)
		return -ENOMEM;
	for (; unknown->length > 1 && rows && rows->name; rows++)
		if (strncmp(unknown->name, rows->name, unknown->length) == 0)
			fprintf(memory.stream, "%s--%s", count++ > 0 ? " or " : "", rows->name);
	names = memory_stream_text(&memory);
	error = names ? 0 : -ENOMEM;
	if (names && count > 1)
		error = usage_problem(problem, "option '%s' is ambiguous: %s", unknown->word,
				      names);
	free(names);
	return error;
}

static const char *nearest_name(const struct option_row *rows, const char *name)
{
	struct suggestion suggestion = { .word = name };

	for (; rows && rows->name; rows++)
		suggestion_consider(&suggestion, rows->name);
	return suggestion.best;
}

static int explain_name(const struct option_row *rows, const struct unknown *unknown,
			char **problem)
{
	const struct unknown letter = { .name = unknown->name, .letter = true };
	char *name = strndup(unknown->name, unknown->length);
	const char *nearest = name ? nearest_name(rows, name) : NULL;
	int error;

	if (!name)
		return -ENOMEM;
	if (unknown->length == 1 && find_exact(rows, &letter))
		error = usage_problem(problem, "unknown option '%s'; did you mean '-%s'?",
				      unknown->word, name);
	else if (nearest)
		error = usage_problem(problem, "unknown option '%s'; did you mean '--%s'?",
				      unknown->word, nearest);
	else
		error = usage_problem(problem, "unknown option '%s'", unknown->word);
	free(name);
	return error;
}

int option_unknown(const struct option_place *place, const char *word, const char *name,
		   size_t length, char **problem)
{
	const bool letter = length == 1 && word[1] != '-';
	const char one[] = { '-', *name, '\0' };
	struct unknown unknown = { word, name, length, letter, letter ? one : word };
	int error = explain_ambiguous(place->rows, &unknown, problem);

	/* The machine is a platform in all other words. */
	if (length == strlen(PLATFORM) && memcmp(name, PLATFORM, length) == 0) {
		unknown.name = EMULATE;
		unknown.length = strlen(EMULATE);
	}
	if (!error)
		error = explain_misplaced(place, &unknown, problem);
	if (error)
		return error;
	if (!letter)
		return explain_name(place->rows, &unknown, problem);
	return word[2] ? usage_problem(problem, "unknown option '%s' in '%s'", one, word)
		       : usage_problem(problem, "unknown option '%s'", one);
}

static const struct {
	const char *dash;
	const char *name;
} foreign_dashes[] = {
	{ "\u2010", "U+2010" }, { "\u2011", "U+2011" }, { "\u2012", "U+2012" },
	{ "\u2013", "U+2013" }, { "\u2014", "U+2014" }, { "\u2015", "U+2015" },
	{ "\u2212", "U+2212" }, { "\ufe58", "U+FE58" }, { "\ufe63", "U+FE63" },
	{ "\uff0d", "U+FF0D" },
};

/** The name of the dash that @word begins with; NULL: none, or ASCII's. Moves @word behind it. */
static const char *skip_foreign_dash(const char **word)
{
	for (size_t i = 0; i < sizeof(foreign_dashes) / sizeof(foreign_dashes[0]); i++) {
		size_t length = strlen(foreign_dashes[i].dash);

		if (strncmp(*word, foreign_dashes[i].dash, length) == 0) {
			*word += length;
			return foreign_dashes[i].name;
		}
	}
	return NULL;
}

int option_foreign_dash(const struct option_row *rows, const char *word, char **problem)
{
	const char *name = word, *dash = skip_foreign_dash(&name), *nearest;

	if (!dash)
		return 0;
	while (*name == '-' || skip_foreign_dash(&name))
		name += *name == '-';
	if (*name && !name[1] &&
	    find_exact(rows, &(struct unknown){ .name = name, .letter = true }))
		return usage_problem(problem, "'%s' begins with %s, not '-': did you mean -%s?",
				     word, dash, name);
	nearest = nearest_name(rows, name);
	if (nearest)
		return usage_problem(problem, "'%s' begins with %s, not '-': did you mean --%s?",
				     word, dash, nearest);
	return usage_problem(problem, "'%s' begins with %s, not '-'", word, dash);
}
