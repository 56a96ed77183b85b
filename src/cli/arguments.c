/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the values of options: exactly what the option's row describes, or a message. Must not
 * know which command they are for.
 */
#include "arguments.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_nothing(const struct option_row *row, const char *text,
			struct option_values *values)
{
	(void)row;
	(void)text;
	(void)values;
	return 0;
}

static int read_number(const struct option_row *row, const char *text, struct option_values *values)
{
	uint64_t number;
	int error = isst_parse_number(text, 10, row->highest, &number);

	if (error)
		return error;
	if (number < row->lowest)
		return -ERANGE;
	values->value[row->id].number = number;
	return 0;
}

/** Zero, a frequency that a ratio of 8 bits can hold, or the word for none such limit; what is no
 * multiple of 100 MHz is dealt with later. */
static int read_frequency(const struct option_row *row, const char *text,
			  struct option_values *values)
{
	bool no_limit = row->words && strcmp(text, row->words[0]) == 0;
	uint64_t mhz = row->highest;
	int error = no_limit ? 0 : isst_parse_number(text, 10, row->highest, &mhz);

	if (error)
		return error;
	if (mhz > 0 && mhz < row->lowest)
		return -ERANGE;
	values->value[row->id].number = mhz;
	return 0;
}

/** The digits of a pattern are counted: leading zeros beyond its width are a slip of the pen. */
static int read_limits(const struct option_row *row, const char *text, struct option_values *values)
{
	uint64_t limits;
	int error;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || strlen(text) > 2 + 16)
		return -EINVAL;
	error = isst_parse_number(text, 16, UINT64_MAX, &limits);
	if (error)
		return error;
	if (limits < row->lowest)
		return -ERANGE;
	values->value[row->id].number = limits;
	return 0;
}

static int read_word(const struct option_row *row, const char *text, struct option_values *values)
{
	for (size_t i = 0; row->words[i]; i++) {
		if (strcmp(row->words[i], text) == 0) {
			values->value[row->id].number = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int read_text(const struct option_row *row, const char *text, struct option_values *values)
{
	(void)row;
	(void)values;
	return *text ? 0 : -EINVAL;
}

/** Whether a number is to come next, behind what was read of a list. */
static bool number_begins(const char *list, const char *end)
{
	return end == list || strchr(",-.", end[-1]) != NULL;
}

/**
 * Copies a list without what scripts that put lists together leave in it: commas before, behind and
 * between CPUs, and blanks before a number.
 */
static int tidy_list(const char *text, char *list)
{
	char *end = list;

	while (*text) {
		size_t blanks = number_begins(list, end) ? strspn(text, " \t\n\v\f\r") : 0;

		text += blanks;
		if (blanks && !isdigit((unsigned char)*text))
			return -EINVAL;
		if (*text != ',' || (end > list && end[-1] != ','))
			*end++ = *text;
		text++;
	}
	if (end > list && end[-1] == ',')
		end--;
	*end = '\0';
	return end > list ? 0 : -EINVAL;
}

static int read_cpu_list(const struct option_row *row, const char *text,
			 struct option_values *values)
{
	char *list = strdup(text);
	int error = list ? tidy_list(text, list) : -ENOMEM;

	(void)row;
	if (!error && !values->cpus)
		values->cpus = isst_cpuset_new();
	if (!error)
		error = values->cpus ? isst_cpuset_add_list(values->cpus, list, NULL) : -ENOMEM;
	free(list);
	return error;
}

static int (*const readers[])(const struct option_row *row, const char *text,
			      struct option_values *values) = {
	[VALUE_NONE] = read_nothing,	    [VALUE_NUMBER] = read_number,
	[VALUE_FREQUENCY] = read_frequency, [VALUE_LIMITS] = read_limits,
	[VALUE_WORD] = read_word,	    [VALUE_TEXT] = read_text,
	[VALUE_CPU_LIST] = read_cpu_list,
};

static void expect_nothing(const struct option_row *row, FILE *stream)
{
	(void)row;
	fputs("nothing", stream);
}

/** Few numbers with meanings are listed one by one. */
static void expect_number(const struct option_row *row, FILE *stream)
{
	for (unsigned int i = 0; row->words && row->words[i]; i++)
		fprintf(stream, "%s%u (%s)",
			i == 0		    ? ""
			: row->words[i + 1] ? ", "
					    : " or ",
			row->lowest + i, row->words[i]);
	if (!row->words)
		fprintf(stream, "a number from %u to %u", row->lowest, row->highest);
}

static void expect_frequency(const struct option_row *row, FILE *stream)
{
	if (row->words)
		fprintf(stream, "0, a number from %u to %u (MHz), or %s", row->lowest, row->highest,
			row->words[0]);
	else
		fprintf(stream, "0 or a number from %u to %u (MHz)", row->lowest, row->highest);
}

static void expect_limits(const struct option_row *row, FILE *stream)
{
	fprintf(stream, "0x and 1 to 16 hexadecimal digits%s", row->lowest > 0 ? ", not zero" : "");
}

static void expect_word(const struct option_row *row, FILE *stream)
{
	for (size_t i = 0; row->words[i]; i++)
		fprintf(stream, "%s%s",
			i == 0		    ? ""
			: row->words[i + 1] ? ", "
					    : " or ",
			row->words[i]);
}

static void expect_text(const struct option_row *row, FILE *stream)
{
	fprintf(stream, "%s", row->argument);
}

static void expect_cpu_list(const struct option_row *row, FILE *stream)
{
	(void)row;
	fputs("CPU numbers below 1048576 and ranges such as 1,3-5", stream);
}

static void (*const expectations[])(const struct option_row *row, FILE *stream) = {
	[VALUE_NONE] = expect_nothing,	      [VALUE_NUMBER] = expect_number,
	[VALUE_FREQUENCY] = expect_frequency, [VALUE_LIMITS] = expect_limits,
	[VALUE_WORD] = expect_word,	      [VALUE_TEXT] = expect_text,
	[VALUE_CPU_LIST] = expect_cpu_list,
};

char *argument_expected(const struct option_row *row)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	expectations[row->kind](row, stream);
	if (fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int refuse(const struct option_row *row, const char *text, char **problem)
{
	char *expected = argument_expected(row);

	if (!expected)
		return -ENOMEM;
	if (asprintf(problem, "invalid value '%s' for option --%s: expected %s", text, row->name,
		     expected) < 0)
		*problem = NULL;
	free(expected);
	return *problem ? -EINVAL : -ENOMEM;
}

int argument_read(const struct option_row *row, const char *text, struct option_values *values,
		  char **problem)
{
	int error = readers[row->kind](row, text, values);

	if (error == -EINVAL || error == -ERANGE)
		return refuse(row, text, problem);
	if (error)
		return error;
	values->value[row->id].given = true;
	values->value[row->id].text = text;
	return 0;
}
