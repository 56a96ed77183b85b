/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills lines with words. Bytes are counted: the texts are ASCII, but for names of others. */
#include "wrap.h"

#include "../../common/memory_stream.h"
#include "../../common/printable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void begin_line(struct wrap *wrap)
{
	fputc('\n', wrap->stream);
	wrap->column = 0;
	wrap->begun = false;
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

		if (wrap->column < wrap->indent && !wrap->begun)
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

/** The length of the word, or of what stands between quotes, that a text begins with. */
static size_t word_length(const struct wrap *wrap, const char *text)
{
	const char *end = *text == '`' || *text == '\'' ? strchr(text + 1, *text) : NULL;
	size_t quoted = end ? (size_t)(end - text) + strcspn(end, " \n") : 0;

	return end && wrap->indent + quoted <= wrap->columns ? quoted : strcspn(text, " \n");
}

void wrap_text(struct wrap *wrap, const char *text)
{
	while (*text) {
		size_t length = word_length(wrap, text);

		wrap_words(wrap, text, length);
		text += length;
		if (*text == '\n')
			begin_line(wrap);
		text += *text != '\0';
	}
}

int wrap_line(const char *text, size_t columns, size_t column, FILE *stream)
{
	struct wrap wrap = {
		.stream = stream, .columns = columns, .indent = strspn(text, " "), .column = column
	};
	struct memory_stream memory;
	size_t first;

	if (memory_stream_open(&memory))
		return -ENOMEM;
	write_printable(text + wrap.indent, "", memory.stream);
	if (memory_stream_close(&memory))
		return -ENOMEM;
	first = strcspn(memory.text, " ");
	wrap_words(&wrap, memory.text, first);
	wrap.indent += 2;
	wrap_text(&wrap, memory.text + first);
	free(memory.text);
	return 0;
}
