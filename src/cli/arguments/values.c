/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../common/memory_stream.h"
#include "../../common/number.h"
#include "../process/xalloc.h"
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists of CPUs ---- */

#define BLANKS " \t\n\v\f\r"

/** Adds numbers of a text, in which blanks may stand before numbers: `0- 3`. */
static int add_numbers(struct cpu_list *list, char *text)
{
	char *end = text;
	int error;

	for (const char *from = text; *from; from++) {
		size_t blanks = end > text && strchr("-.", end[-1]) ? strspn(from, BLANKS) : 0;

		from += blanks;
		if (blanks && !isdigit((unsigned char)*from))
			return -EINVAL;
		*end++ = *from;
	}
	*end = '\0';
	if (end == text)
		return -EINVAL;
	error = isst_cpuset_add_list(list->numbers, text, NULL);
	if (error == -ENOMEM)
		xalloc_fail(-ENOMEM);
	return error;
}

static int add_name(struct cpu_list *list, const char *name)
{
	if (!isst_cpus_is_name(name))
		return -EINVAL;
	list->names = xreallocarray(list->names, list->name_count + 1, sizeof(*list->names));
	list->names[list->name_count++] = xstrdup(name);
	return 0;
}

static int read_cpu_list(struct cpu_list *list, const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *part;
	bool empty = true;
	int error = 0;

	if (!list->numbers)
		list->numbers = xcheck(isst_cpuset_new());
	/* Stray commas are left out. */
	while (!error && (part = strsep(&rest, ",")) != NULL) {
		if (!*part)
			continue;
		empty = false;
		part += strspn(part, BLANKS);
		error = *part == '@' ? add_name(list, part + 1) : add_numbers(list, part);
	}
	free(copy);
	return error || !empty ? error : -EINVAL;
}

/** The first wrong name in a list, to be freed; NULL: none. */
static char *find_wrong_name(const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *part, *name = NULL;

	while (!name && (part = strsep(&rest, ",")) != NULL) {
		part += strspn(part, BLANKS);
		if (*part == '@' && !isst_cpus_is_name(part + 1))
			name = xstrdup(part);
	}
	free(copy);
	return name;
}

void cpu_list_clear(struct cpu_list *list)
{
	for (size_t i = 0; i < list->name_count; i++)
		free(list->names[i]);
	free(list->names);
	isst_cpuset_free(list->numbers);
	*list = (struct cpu_list){ 0 };
}

/* ---- Values of options ---- */

static int read_number(const struct option_row *row, const char *text, struct option_value *value)
{
	uint64_t number = 0;
	int error;

	if (row->kind == VALUE_FREQUENCY && row->words && strcmp(text, row->words[0]) == 0) {
		value->number = row->highest;
		return 0;
	}
	error = number_parse(text, 10, row->highest, &number);
	/* No limit; what is no multiple of 100 MHz is dealt with later. */
	if (!error && number < row->lowest && !(row->kind == VALUE_FREQUENCY && number == 0))
		error = -ERANGE;
	if (!error)
		value->number = number;
	return error;
}

/** The digits of a pattern are counted: leading zeros beyond its width are a slip of the pen. */
static int read_limits(const struct option_row *row, const char *text, struct option_value *value)
{
	uint64_t limits;
	int error;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || strlen(text) > 2 + 16)
		return -EINVAL;
	error = number_parse(text, 16, UINT64_MAX, &limits);
	if (!error && limits < row->lowest)
		error = -ERANGE;
	if (!error)
		value->number = limits;
	return error;
}

/** The index of a word or, of words between commas, a bit for each. */
static int read_words(const struct option_row *row, const char *text, struct option_value *value)
{
	uint64_t bits = 0;
	size_t i, length;

	do {
		length = row->kind == VALUE_WORDS ? strcspn(text, ",") : strlen(text);
		for (i = 0; row->words[i]; i++)
			if (strlen(row->words[i]) == length &&
			    memcmp(row->words[i], text, length) == 0)
				break;
		if (!row->words[i])
			return -EINVAL;
		bits |= (uint64_t)1 << i;
		text += length;
	} while (*text++ == ',');
	value->number = row->kind == VALUE_WORDS ? bits : i;
	return 0;
}

static int add_text(struct option_values *values, const char *text)
{
	if (!*text)
		return -EINVAL;
	values->texts = xreallocarray(values->texts, values->text_count + 2,
				      sizeof(*values->texts));
	values->texts[values->text_count++] = text;
	values->texts[values->text_count] = NULL;
	return 0;
}

/** A number of cores, from 1, also of each package; or the number of a bucket, from 0. */
static int read_cores(const struct option_row *row, const char *text, struct option_value *value)
{
	static const char BUCKET[] = "bucket ", PER_PACKAGE[] = "/package";
	bool bucket = strncmp(text, BUCKET, strlen(BUCKET)) == 0;
	const char *digits = bucket ? text + strlen(BUCKET) : text, *slash = strchr(digits, '/');
	char *number;
	int error;

	if (slash && (bucket || strcmp(slash, PER_PACKAGE) != 0))
		return -EINVAL;
	number = slash ? xstrndup(digits, (size_t)(slash - digits)) : xstrdup(digits);
	error = number_parse(number, 10, bucket ? row->highest : UINT32_MAX, &value->number);
	free(number);
	if (!error && !bucket && value->number == 0)
		error = -ERANGE;
	value->form = bucket ? CORES_OF_BUCKET : slash ? CORES_PER_PACKAGE : CORES_IN_ALL;
	return error;
}

static int read_value(const struct option_row *row, const char *text, struct option_values *values)
{
	struct option_value *value = &values->value[row->id];

	switch (row->kind) {
	case VALUE_NONE:
		return 0;
	case VALUE_FREQUENCY:
	case VALUE_NUMBER:
		return read_number(row, text, value);
	case VALUE_LIMITS:
		return read_limits(row, text, value);
	case VALUE_WORD:
	case VALUE_WORDS:
		return read_words(row, text, value);
	case VALUE_TEXT:
		return *text ? 0 : -EINVAL;
	case VALUE_TEXTS:
		return add_text(values, text);
	case VALUE_CPU_LIST:
		return read_cpu_list(row->id == OPTION_WITHIN  ? &values->within
				     : row->id == OPTION_AVOID ? &values->avoid
							       : &values->cpus,
				     text);
	case VALUE_CORES:
		break;
	}
	return read_cores(row, text, value);
}

static void list_words(const struct option_row *row, bool numbered, const char *last, FILE *stream)
{
	for (unsigned int i = 0; row->words[i]; i++) {
		fputs(i == 0 ? "" : row->words[i + 1] ? ", " : last, stream);
		if (numbered)
			fprintf(stream, "%u (%s)", row->lowest + i, row->words[i]);
		else
			fputs(row->words[i], stream);
	}
}

/** What the option takes, in words ("a number from 0 to 3"). */
static void write_expected(const struct option_row *row, FILE *stream)
{
	switch (row->kind) {
	case VALUE_NONE:
		fputs("nothing", stream);
		break;
	case VALUE_NUMBER:
		if (row->words)
			list_words(row, true, " or ", stream);
		else
			fprintf(stream, "a number from %u to %u", row->lowest, row->highest);
		break;
	case VALUE_FREQUENCY:
		fprintf(stream, "0%s a number from %u to %u (MHz)%s%s", row->words ? "," : " or",
			row->lowest, row->highest, row->words ? ", or " : "",
			row->words ? row->words[0] : "");
		break;
	case VALUE_LIMITS:
		fprintf(stream, "0x and 1 to 16 hexadecimal digits%s",
			row->lowest > 0 ? ", not zero" : "");
		break;
	case VALUE_WORD:
		list_words(row, false, " or ", stream);
		break;
	case VALUE_WORDS:
		fputs("some of ", stream);
		list_words(row, false, " and ", stream);
		fputs(", separated by commas", stream);
		break;
	case VALUE_TEXT:
	case VALUE_TEXTS:
		fputs(row->argument, stream);
		break;
	case VALUE_CPU_LIST:
		fputs("CPU numbers below 1048576 and ranges such as 1,3-5", stream);
		break;
	case VALUE_CORES:
		fprintf(stream,
			"a number of cores from 1, N/package, or 'bucket B' (one argument) with B "
			"from 0 to %u",
			row->highest);
		break;
	}
}

static char *refuse_value(const struct option_row *row, const char *text)
{
	char *name = row->kind == VALUE_CPU_LIST ? find_wrong_name(text) : NULL;
	struct memory_stream memory;
	char *expected, *problem;

	if (name) {
		problem = xasprintf(
			"invalid value '%s' for option --%s: expected @clos:N (0 to 3), "
			"@high-priority, @package:N, @domain:P.D, @node:N or @isolated",
			name, row->name);
		free(name);
		return problem;
	}
	xcall(memory_stream_open(&memory));
	write_expected(row, memory.stream);
	expected = xcheck(memory_stream_text(&memory));
	problem = xasprintf("invalid value '%s' for option --%s: expected %s", text, row->name,
			    expected);
	free(expected);
	return problem;
}

char *option_read_value(const struct option_row *row, const char *text,
			struct option_values *values)
{
	if (read_value(row, text, values) != 0)
		return refuse_value(row, text);
	values->value[row->id].given = true;
	values->value[row->id].text = text;
	return NULL;
}
