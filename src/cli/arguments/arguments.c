/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the values of options: exactly what the option's row describes, or a message. Must not
 * know which command they are for.
 */
#include "arguments.h"

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

/** The bit of a word among those of the row; 0: it is none of them. */
static uint64_t bit_of_word(const struct option_row *row, const char *word, size_t length)
{
	for (size_t i = 0; row->words[i]; i++) {
		if (strlen(row->words[i]) == length && memcmp(row->words[i], word, length) == 0)
			return (uint64_t)1 << i;
	}
	return 0;
}

static int read_words(const struct option_row *row, const char *text, struct option_values *values)
{
	uint64_t bits = 0;
	bool more = true;

	while (more) {
		size_t length = strcspn(text, ",");
		uint64_t bit = bit_of_word(row, text, length);

		if (!bit)
			return -EINVAL;
		bits |= bit;
		more = text[length] == ',';
		text += length + more;
	}
	values->value[row->id].number = bits;
	return 0;
}

static int read_text(const struct option_row *row, const char *text, struct option_values *values)
{
	(void)row;
	(void)values;
	return *text ? 0 : -EINVAL;
}

static int read_texts(const struct option_row *row, const char *text, struct option_values *values)
{
	const char **texts;

	(void)row;
	if (!*text)
		return -EINVAL;
	texts = reallocarray(values->texts, values->text_count + 1, sizeof(*texts));
	if (!texts)
		return -ENOMEM;
	values->texts = texts;
	texts[values->text_count++] = text;
	return 0;
}

/** The list that an option adds to. */
static struct cpu_list *list_of(enum option_id id, struct option_values *values)
{
	switch (id) {
	case OPTION_WITHIN:
		return &values->within;
	case OPTION_AVOID:
		return &values->avoid;
	default:
		return &values->cpus;
	}
}

static int read_cpu_list(const struct option_row *row, const char *text,
			 struct option_values *values)
{
	return cpu_list_read(list_of(row->id, values), text);
}

/** A number of cores, from 1, also of each package; or the number of a bucket, from 0. */
static int read_cores(const struct option_row *row, const char *text, struct option_values *values)
{
	static const char BUCKET[] = "bucket ", PER_PACKAGE[] = "/package";
	struct option_value *value = &values->value[row->id];
	bool bucket = strncmp(text, BUCKET, strlen(BUCKET)) == 0;
	const char *digits = bucket ? text + strlen(BUCKET) : text, *slash = strchr(digits, '/');
	char *number;
	int error;

	if (slash && (bucket || strcmp(slash, PER_PACKAGE) != 0))
		return -EINVAL;
	number = slash ? strndup(digits, (size_t)(slash - digits)) : strdup(digits);
	if (!number)
		return -ENOMEM;
	error = isst_parse_number(number, 10, bucket ? row->highest : UINT32_MAX, &value->number);
	free(number);
	if (!error && !bucket && value->number == 0)
		error = -ERANGE;
	value->form = bucket ? CORES_OF_BUCKET : slash ? CORES_PER_PACKAGE : CORES_IN_ALL;
	return error;
}

static int (*const readers[])(const struct option_row *row, const char *text,
			      struct option_values *values) = {
	[VALUE_NONE] = read_nothing,	    [VALUE_NUMBER] = read_number,
	[VALUE_FREQUENCY] = read_frequency, [VALUE_LIMITS] = read_limits,
	[VALUE_WORD] = read_word,	    [VALUE_WORDS] = read_words,
	[VALUE_TEXT] = read_text,	    [VALUE_TEXTS] = read_texts,
	[VALUE_CPU_LIST] = read_cpu_list,   [VALUE_CORES] = read_cores,
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

static void expect_words(const struct option_row *row, FILE *stream)
{
	for (size_t i = 0; row->words[i]; i++)
		fprintf(stream, "%s%s",
			i == 0		    ? "some of "
			: row->words[i + 1] ? ", "
					    : " and ",
			row->words[i]);
	fputs(", separated by commas", stream);
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

static void expect_cores(const struct option_row *row, FILE *stream)
{
	fprintf(stream,
		"a number of cores from 1, N/package, or 'bucket B' (one argument) with B from 0 "
		"to %u",
		row->highest);
}

static void (*const expectations[])(const struct option_row *row, FILE *stream) = {
	[VALUE_NONE] = expect_nothing,	      [VALUE_NUMBER] = expect_number,
	[VALUE_FREQUENCY] = expect_frequency, [VALUE_LIMITS] = expect_limits,
	[VALUE_WORD] = expect_word,	      [VALUE_WORDS] = expect_words,
	[VALUE_TEXT] = expect_text,	      [VALUE_TEXTS] = expect_text,
	[VALUE_CPU_LIST] = expect_cpu_list,   [VALUE_CORES] = expect_cores,
};

/** What the option takes, in words ("a number from 0 to 3"); to be freed, NULL without memory. */
static char *argument_expected(const struct option_row *row)
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

/** Refuses a name in a list of CPUs, as which @text is known. */
static int refuse_name(const struct option_row *row, const char *text, char **problem)
{
	if (asprintf(problem,
		     "invalid value '%s' for option --%s: expected @clos:N (0 to 3), "
		     "@high-priority, @package:N, @domain:P.D, @node:N or @isolated",
		     text, row->name) < 0)
		*problem = NULL;
	return *problem ? -EINVAL : -ENOMEM;
}

static int refuse(const struct option_row *row, const char *text, char **problem)
{
	char *expected, *name = NULL;
	int error = row->kind == VALUE_CPU_LIST ? cpu_list_find_wrong_name(text, &name) : 0;

	if (!error && name)
		error = refuse_name(row, name, problem);
	free(name);
	if (error)
		return error;
	expected = argument_expected(row);
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
