/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills lines with words. Bytes are counted: the texts are ASCII, but for names of others. */
#include "wrap.h"

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

void wrap_text(struct wrap *wrap, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " \n");

		wrap_words(wrap, text, length);
		text += length;
		if (*text == '\n')
			begin_line(wrap);
		text += *text != '\0';
	}
}
