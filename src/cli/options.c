/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options before the feature, and the reading of options by their rows. Must not know features
 * or commands.
 */
#include "options.h"

#include "arguments.h"
#include "suggest.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const format_words[] = { "text", "json", NULL };

#define HELP_ROW \
	{ \
		OPTION_HELP, 'h', "help", .help = "Print help: of all, of FEATURE, or of COMMAND" \
	}
#define VERSION_ROW \
	{ \
		OPTION_VERSION, 'v', "version", .help = "Print the version" \
	}

const struct option_row global_options[] = {
	{ OPTION_ALL_ONLINE, 'a', "all-cpus-online", .help = "First bring every CPU online" },
	{ OPTION_CPU, 'c', "cpu", "LIST", VALUE_CPU_LIST,
	  .help = "Only these CPUs, such as 1,3-5,8..10; may be given repeatedly.\n"
		  "Default: all power domains of the machine" },
	{ OPTION_CGROUP, 'g', "cgroupv2",
	  .help = "Take CPUs away by cgroup v2 partitions instead of setting them offline" },
	{ OPTION_CPU0_WORKAROUND, 'u', "cpu0-workaround",
	  .help = "Take CPU 0 away by a cgroup v2 partition, never set it offline" },
	{ OPTION_DEBUG, 'd', "debug", .help = "Trace what is asked of the hardware" },
	{ OPTION_DRY_RUN, 0, "dry-run",
	  .help = "Check everything and list what would be written, but write nothing" },
	{ OPTION_FORMAT, 'f', "format", "FORMAT", VALUE_WORD, .words = format_words,
	  .help = "Write results as text or json. Default: text" },
	HELP_ROW,
	{ OPTION_INFO, 'i', "info", .help = "Print what this machine supports" },
	{ OPTION_LOCK_TIMEOUT, 0, "lock-timeout", "SECONDS", VALUE_NUMBER, 0, 3600,
	  .help = "How long to wait for another run that changes the machine; 0: not at\n"
		  "all. Default: 10" },
	{ OPTION_OUT, 'o', "out", "FILE", VALUE_TEXT, .help = "Write results to FILE" },
	{ OPTION_PAUSE, 'p', "pause", "MS", VALUE_NUMBER, 0, 60000,
	  .help = "Pause before each mailbox command, in milliseconds" },
	{ OPTION_RETRY, 'r', "retry", "COUNT", VALUE_NUMBER, 1, 1000,
	  .help = "Tries for a mailbox command while the firmware is busy. Default: 3" },
	VERSION_ROW,
	{ OPTION_EMULATE, 0, "emulate", "NAME|PATH", VALUE_TEXT,
	  .help = "Work on an emulated machine: a platform that `platform list` names,\n"
		  "a platform file, or the directory of a recorded machine (paths hold a\n"
		  "slash). Also: ISST_EMULATE in the environment" },
	{ OPTION_EMULATE_STATE, 0, "emulate-state", "DIR", VALUE_TEXT,
	  .help = "Where the emulated machine lives. Default: a private directory for each\n"
		  "user and platform. Also: ISST_EMULATE_STATE in the environment" },
	{ OPTION_EMULATE_UNLOCK, 0, "emulate-unlock",
	  .help = "Take off the lock that keeps an emulated machine, such as a recorded\n"
		  "one, at its performance level" },
	{ OPTION_REAL, 0, "real", .help = "Refuse to work on an emulated machine" },
	{ .name = NULL },
};

const struct option_row anywhere_options[] = { HELP_ROW, VERSION_ROW, { .name = NULL } };

/** getopt's view of the rows. What getopt returns for row i is ROW_BASE + i. */
struct getopt_table {
	struct option *options;
	char *letters;
};

enum { ROW_BASE = 0x100 };

static size_t count_rows(const struct option_row *rows)
{
	size_t count = 0;

	while (rows[count].name)
		count++;
	return count;
}

static int make_table(const struct option_row *rows, struct getopt_table *table)
{
	size_t count = count_rows(rows);
	char *letter;

	/* Stop at the first other word; tell a missing value from an unknown option. */
	table->options = calloc(count + 1, sizeof(*table->options));
	table->letters = calloc(2 * count + 3, 1);
	if (!table->options || !table->letters)
		return -ENOMEM;
	letter = stpcpy(table->letters, "+:");
	for (size_t i = 0; i < count; i++) {
		table->options[i].name = rows[i].name;
		table->options[i].has_arg = rows[i].kind == VALUE_NONE ? no_argument
								       : required_argument;
		table->options[i].val = ROW_BASE + (int)i;
		if (rows[i].letter == 0)
			continue;
		*letter++ = rows[i].letter;
		if (rows[i].kind != VALUE_NONE)
			*letter++ = ':';
	}
	return 0;
}

/** The row for what getopt returned or left in optopt; NULL: none. */
static const struct option_row *find_row(const struct option_row *rows, int code)
{
	for (size_t i = 0; rows[i].name; i++) {
		if (code == ROW_BASE + (int)i || (code != 0 && code == rows[i].letter))
			return &rows[i];
	}
	return NULL;
}

/** The name within a word such as --name=value; to be freed. */
static char *name_in(const char *word)
{
	word += strspn(word, "-");
	return strndup(word, strcspn(word, "="));
}

static bool is_prefix(const char *prefix, const char *name)
{
	return strncmp(prefix, name, strlen(prefix)) == 0;
}

/** Lists the options that @name may stand for; "" if it stands for none or one. */
static char *list_ambiguous(const struct option_row *rows, const char *name)
{
	char *text = NULL;
	size_t size, count = 0;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	for (size_t i = 0; *name && rows[i].name; i++) {
		if (is_prefix(name, rows[i].name))
			fprintf(stream, "%s--%s", count++ > 0 ? " or " : "", rows[i].name);
	}
	if (fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	if (count < 2)
		*text = '\0';
	return text;
}

static const char *suggest_option(const struct option_row *rows, const char *name)
{
	struct suggestion suggestion = { .word = name };

	for (size_t i = 0; rows[i].name; i++)
		suggestion_consider(&suggestion, rows[i].name);
	return suggestion.best;
}

/** True if the word is an option of @rows, exactly. */
static bool is_option(const struct option_row *rows, const char *word, const char *name)
{
	for (size_t i = 0; rows && rows[i].name; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return true;
		if (rows[i].letter && word[0] == '-' && word[1] == rows[i].letter && !word[2])
			return true;
	}
	return false;
}

static int explain_unknown_name(const char *word, const char *name, const struct option_row *rows,
				const struct option_row *elsewhere, char **problem)
{
	char *ambiguous = list_ambiguous(rows, name);
	const char *nearest = suggest_option(rows, name);
	int length;

	if (!ambiguous)
		return -ENOMEM;
	if (*ambiguous)
		length = asprintf(problem, "option '%s' is ambiguous: %s", word, ambiguous);
	else if (is_option(elsewhere, word, name))
		length = asprintf(problem, "option '%s' belongs before the feature", word);
	else if (nearest)
		length = asprintf(problem, "unknown option '%s'; did you mean '--%s'?", word,
				  nearest);
	else
		length = asprintf(problem, "unknown option '%s'", word);
	free(ambiguous);
	return length < 0 ? -ENOMEM : -EINVAL;
}

/** Puts into words why getopt did not understand @word. */
static int explain(int code, const char *word, const struct option_row *rows,
		   const struct option_row *elsewhere, char **problem)
{
	const struct option_row *row = find_row(rows, optopt);
	char *name;
	int error;

	if (row && code == ':')
		error = asprintf(problem, "option --%s needs a value: %s", row->name,
				 row->argument);
	else if (row)
		error = asprintf(problem, "option --%s takes no value: '%s'", row->name, word);
	else if (optopt)
		error = asprintf(problem, "unknown option '-%c' in '%s'", optopt, word);
	else
		error = 0;
	if (error < 0) {
		*problem = NULL;
		return -ENOMEM;
	}
	if (error > 0)
		return -EINVAL;
	name = name_in(word);
	if (!name)
		return -ENOMEM;
	error = explain_unknown_name(word, name, rows, elsewhere, problem);
	free(name);
	return error;
}

/** Takes in one option. A second problem does not hide the first. */
static int take(int code, const char *word, const struct option_row *rows,
		const struct option_row *elsewhere, struct option_values *values, char **problem)
{
	const struct option_row *row = code == ':' || code == '?' ? NULL : find_row(rows, code);
	char *message = NULL;
	int error;

	if (row)
		error = argument_read(row, optarg ? optarg : "", values, &message);
	else
		error = explain(code, word, rows, elsewhere, &message);
	if (*problem)
		free(message);
	else
		*problem = message;
	return error;
}

int options_read(int argc, char **argv, const struct option_row *rows,
		 const struct option_row *elsewhere, struct option_values *values, int *end,
		 char **problem)
{
	struct getopt_table table = { 0 };
	int error = make_table(rows, &table), code, word = 1;

	*problem = NULL;
	optind = 0;
	while (error != -ENOMEM && !values->value[OPTION_HELP].given) {
		int next;

		code = getopt_long_only(argc, argv, table.letters, table.options, NULL);
		if (code == -1)
			break;
		next = take(code, argv[word], rows, elsewhere, values, problem);
		if (error == 0 || next == -ENOMEM)
			error = next;
		word = optind;
	}
	*end = optind > 0 ? optind : 1;
	free(table.options);
	free(table.letters);
	return error;
}

void option_values_clear(struct option_values *values)
{
	isst_cpuset_free(values->cpus);
	*values = (struct option_values){ 0 };
}
