/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills lines with words. Bytes are counted: the texts are ASCII, but for names of others. */
#include "wrap.h"

#include "../../common/memory_stream.h"
#include "../../common/printable.h"
#include "../process/xalloc.h"

#include <stdlib.h>
#include <string.h>

static void begin_line(struct wrap *wrap)
{
	fputc('\n', wrap->stream);
	wrap->column = 0;
	wrap->begun = false;
	wrap->hanging = false;
}

size_t wrap_list_break(const char *words, size_t length, size_t width)
{
	if (length <= width)
		return length;
	while (width > 0 && words[width - 1] != ',')
		width--;
	return width;
}

void wrap_words(struct wrap *wrap, const char *words, size_t length)
{
	const size_t line = wrap->columns > wrap->indent ? wrap->columns - wrap->indent : 0;

	while (length > 0) {
		size_t end, part;

		if (wrap->column < wrap->indent && !wrap->begun && !wrap->hanging)
			wrap->column += (size_t)fprintf(wrap->stream, "%*s",
							(int)(wrap->indent - wrap->column), "");
		end = wrap->column + wrap->begun;
		part = wrap_list_break(words, length,
				       wrap->columns > end ? wrap->columns - end : 0);
		if (wrap->begun && (part == 0 || (part < length && length <= line))) {
			begin_line(wrap);
			continue;
		}
		if (part == 0)
			part = length;
		if (wrap->begun)
			fputc(' ', wrap->stream);
		fwrite(words, 1, part, wrap->stream);
		wrap->column = end + part;
		wrap->begun = true;
		words += part;
		length -= part;
	}
}

/** The length of a word with its unit: `3000 MHz`, `no limit`. */
static size_t value_length(const char *text)
{
	static const char *const UNITS[] = { " MHz", " limit" };
	size_t length = strcspn(text, " \n");

	for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
		if (strncmp(text + length, UNITS[i], strlen(UNITS[i])) == 0)
			return length + strlen(UNITS[i]);
	return length;
}

/** The length of what stays together: quoted, in brackets, `old -> new`, or a word. */
static size_t phrase_length(const char *text)
{
	static const char QUOTES[] = "`'[(", ENDS[] = "`'])", ARROW[] = " -> ";
	const char *quote = strchr(QUOTES, *text);
	const char *end = quote ? strchr(text + 1, ENDS[quote - QUOTES]) : NULL;
	size_t value = value_length(text);

	if (end)
		return (size_t)(end - text) + strcspn(end, " \n");
	if (strncmp(text + value, ARROW, strlen(ARROW)) != 0)
		return strcspn(text, " \n");
	value += strlen(ARROW);
	return value + value_length(text + value);
}

void wrap_text(struct wrap *wrap, const char *text)
{
	while (*text) {
		size_t length = phrase_length(text);

		if (wrap->indent + length > wrap->columns) {
			length = value_length(text);
			if (strncmp(text + length, " ->", 3) == 0)
				length += 3;
		}
		wrap_words(wrap, text, length);
		if (length == 0 && *text == ' ') {
			/* A column: its lines stand below each other. */
			fputc(' ', wrap->stream);
			wrap->indent = ++wrap->column + 1;
		}
		text += length;
		if (*text == '\n')
			begin_line(wrap);
		text += *text != '\0';
	}
}

void wrap_line(const char *text, size_t columns, size_t column, FILE *stream)
{
	size_t blanks = strspn(text, " ");
	struct wrap wrap = { .stream = stream,
			     .columns = columns,
			     .indent = blanks + 2,
			     .column = column < blanks ? blanks : column,
			     .hanging = true };
	struct memory_stream memory;

	xcall(memory_stream_open(&memory));
	write_printable(text + blanks, "", memory.stream);
	xcall(memory_stream_close(&memory));
	fprintf(stream, "%*s", (int)(wrap.column - column), "");
	wrap_text(&wrap, memory.text);
	free(memory.text);
}
