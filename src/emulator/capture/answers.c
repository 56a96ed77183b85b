/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The answers of a capture: what the driver reported of itself, and what firmware answered to
 * mailbox commands and reads of registers. What answers mean is not known here.
 */
#include "base/array.h"
#include "base/capture_format.h"
#include "common/memory_stream.h"
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- A line's words ---- */

/** The fields of a line on their way. */
struct answer_line {
	const struct captured_file *file;
	unsigned int number;
	const struct capture_syntax *syntax;
	char *field[CAPTURE_MOST_FIELDS];
	unsigned int count, before; /* fields; of these before the arrow */
	uint32_t value[CAPTURE_MOST_FIELDS];
	int error; /* in the place of an answer */
};

static int wrong_syntax(const struct answer_line *line)
{
	struct memory_stream text;
	char *syntax;
	int result;

	if (memory_stream_open(&text))
		return -ENOMEM;
	capture_put_syntax(text.stream, line->syntax);
	syntax = memory_stream_text(&text);
	if (!syntax)
		return -ENOMEM;
	result = captured_error(line->file, line->number, "found other fields, expected \"%s\"",
				syntax);
	free(syntax);
	return result;
}

static int wrong_field(const struct answer_line *line, unsigned int index)
{
	const struct capture_field *field = &line->syntax->fields[index];
	const char *found = line->field[index];

	switch (field->number) {
	case CAPTURE_COMMAND:
		return captured_error(line->file, line->number,
				      "found \"%s\", expected a command such as 0x7f/0x01", found);
	case CAPTURE_OFFSET:
		return captured_error(
			line->file, line->number,
			"found the offset \"%s\", expected a multiple of 4 up to 0x%x", found,
			field->max);
	case CAPTURE_ANSWER:
		return captured_error(line->file, line->number,
				      "found \"%s\", expected a number 0..%u or an error such as "
				      "ENXIO or E524",
				      found, field->max);
	default:
		return captured_error(line->file, line->number,
				      "found \"%s\", expected a number 0..%u", found, field->max);
	}
}

/** Cuts a line behind its keyword into fields, and reads them. */
static int parse_fields(struct answer_line *line, char *text)
{
	const struct capture_syntax *syntax = line->syntax;
	char *rest = NULL, *word = strtok_r(text, " \t", &rest);
	bool arrow = false, fits = true;

	for (; word && fits; word = strtok_r(NULL, " \t", &rest)) {
		if (!arrow && strcmp(word, CAPTURE_ARROW) == 0) {
			arrow = true;
			line->before = line->count;
		} else {
			fits = line->count < CAPTURE_MOST_FIELDS;
			if (fits)
				line->field[line->count++] = word;
		}
	}
	if (!arrow)
		line->before = line->count;
	if (!fits || line->before != syntax->before ||
	    line->count != syntax->before + syntax->behind)
		return wrong_syntax(line);
	for (unsigned int i = 0; i < line->count; i++)
		if (!capture_parse_field(&syntax->fields[i], line->field[i], &line->value[i],
					 &line->error))
			return wrong_field(line, i);
	return 0;
}

/** What firmware answered; of instances the power domains that the driver serves. */
static int take_answer(struct capture *capture, const struct answer_line *line)
{
	const enum capture_keyword kind = (enum capture_keyword)(line->syntax - capture_syntaxes);
	struct captured_answer answer = {
		.kind = kind,
		.package = line->value[0],
		.value = line->value[line->count - 1],
		.error = line->error,
		.line = line->number,
	};

	if (kind != CAPTURE_INSTANCES) {
		answer.die = line->value[1];
		answer.command = line->value[2];
	}
	if (kind == CAPTURE_MAILBOX) {
		answer.parameter = line->value[3];
		answer.data = line->value[4];
	}
	if (ARRAY_GROW(capture->answers, capture->answer_count))
		return -ENOMEM;
	capture->answers[capture->answer_count++] = answer;
	return 0;
}

/** There is one driver, or none and no device. */
static int take_driver(struct capture *capture, const struct answer_line *line)
{
	const struct captured_driver *driver = &capture->driver;
	const char *before =
		capture_syntaxes[driver->present ? CAPTURE_DRIVER : CAPTURE_NO_DRIVER].keyword;

	if (driver->line && before == line->syntax->keyword)
		return captured_error(line->file, line->number,
				      "found \"%s\" again, first in line %u", before, driver->line);
	if (driver->line)
		return captured_error(line->file, line->number,
				      "found \"%s\", but \"%s\" stands in line %u",
				      line->syntax->keyword, before, driver->line);
	capture->driver = (struct captured_driver){ .line = line->number };
	if (line->syntax == &capture_syntaxes[CAPTURE_NO_DRIVER])
		return 0;
	if (line->value[2] < 1 || line->value[2] > 64)
		return captured_error(line->file, line->number,
				      "found batches of %u commands, expected 1..64",
				      line->value[2]);
	capture->driver = (struct captured_driver){
		.line = line->number,
		.present = true,
		.api_version = line->value[0],
		.driver_version = line->value[1],
		.max_commands = line->value[2],
		.mailbox = line->value[3],
		.mmio = line->value[4],
	};
	return 0;
}

static int parse_answer_line(struct capture *capture, const struct captured_text *text)
{
	struct answer_line line = { .file = &capture->answer_file, .number = text->number };
	char *start = trim(text->text), *rest = start + strcspn(start, " \t");
	int result;

	if (*start == '\0' || *start == CAPTURE_COMMENT)
		return 0;
	if (*rest)
		*rest++ = '\0';
	for (unsigned int i = 0; i < CAPTURE_KEYWORDS; i++) {
		line.syntax = &capture_syntaxes[i];
		if (strcmp(line.syntax->keyword, start) != 0)
			continue;
		result = parse_fields(&line, rest);
		if (result)
			return result;
		return i == CAPTURE_DRIVER || i == CAPTURE_NO_DRIVER ? take_driver(capture, &line)
								     : take_answer(capture, &line);
	}
	return captured_error(line.file, line.number,
			      "found \"%s\", expected driver, no-driver, mailbox, mmio or "
			      "instances",
			      start);
}

/* ---- Finding answers ---- */

static int compare_answers(const void *left, const void *right)
{
	const struct captured_answer *a = left, *b = right;
	const uint32_t of_a[] = { a->kind, a->package, a->die, a->command, a->parameter, a->data };
	const uint32_t of_b[] = { b->kind, b->package, b->die, b->command, b->parameter, b->data };

	for (size_t i = 0; i < sizeof(of_a) / sizeof(*of_a); i++)
		if (of_a[i] != of_b[i])
			return of_a[i] < of_b[i] ? -1 : 1;
	return 0;
}

const struct captured_answer *capture_answer(const struct capture *capture,
					     const struct captured_answer *request)
{
	if (capture->answer_count == 0)
		return NULL;
	return bsearch(request, capture->answers, capture->answer_count, sizeof(*request),
		       compare_answers);
}

const struct captured_answer *capture_mailbox(const struct capture *capture,
					      const struct platform_domain *domain,
					      uint32_t command, uint32_t parameter, uint32_t data)
{
	const struct captured_answer request = {
		.kind = CAPTURE_MAILBOX,
		.package = domain->package,
		.die = domain->die,
		.command = command,
		.parameter = parameter,
		.data = data,
	};

	return capture_answer(capture, &request);
}

int capture_read_answers(struct capture *capture)
{
	struct captured_file *file = &capture->answer_file;
	int result = captured_file_read(capture, CAPTURE_ANSWERS, file);

	if (result == -ENOENT)
		return 0; /* only captures have it */
	if (!result)
		result = captured_each_line(capture, file, parse_answer_line);
	if (result)
		return result;
	if (capture->answer_count > 0)
		qsort(capture->answers, capture->answer_count, sizeof(*capture->answers),
		      compare_answers);
	for (size_t i = 1; i < capture->answer_count; i++) {
		const struct captured_answer *a = &capture->answers[i - 1], *b = a + 1;

		if (compare_answers(a, b) == 0)
			return captured_error(file, a->line > b->line ? a->line : b->line,
					      "found the same request again, first in line %u",
					      a->line > b->line ? b->line : a->line);
	}
	return 0;
}
