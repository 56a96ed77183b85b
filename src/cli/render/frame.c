/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits text to the size of a terminal. */
#include "frame.h"

#include <limits.h>
#include <string.h>

#define HOME "\033[H"
/* To the end of the line and of the screen. Before the text: behind the last column of a line they
 * would erase that. */
#define ERASE_LINE "\033[K"
#define ERASE_REST "\033[J"

/** The length of a control sequence, 0: there is none. */
static size_t sequence_length(const char *text)
{
	size_t length = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	while (text[length] && (text[length] < '@' || text[length] > '~'))
		length++;
	return length + (text[length] != '\0');
}

/** Whether a byte continues a character of UTF-8. */
static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/** Writes the beginning of a line that fits; sequences take no place, and are all written. */
static void write_line(const char *line, size_t length, unsigned int width, FILE *stream)
{
	unsigned int column = 0;

	for (size_t i = 0; i < length;) {
		size_t bytes = sequence_length(line + i);

		if (bytes == 0) {
			bytes = 1;
			while (i + bytes < length && is_continuation(line[i + bytes]))
				bytes++;
			column++;
		}
		if (column <= width || line[i] == '\033')
			fwrite(line + i, 1, bytes, stream);
		i += bytes;
	}
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n' || !text[1];
	return lines;
}

unsigned int frame_write(const char *text, const struct page *page, FILE *stream)
{
	const unsigned int width = page->width ? page->width : UINT_MAX;
	const size_t lines = count_lines(text), height = page->height ? page->height : SIZE_MAX;
	size_t shown = lines <= height ? lines : height - 1, line = 0;

	fputs(HOME, stream);
	for (; line < shown; line++) {
		size_t length = strcspn(text, "\n");

		fputs(line > 0 ? "\r\n" ERASE_LINE : ERASE_LINE, stream);
		write_line(text, length, width, stream);
		text += length + (text[length] != '\0');
	}
	if (shown < lines) {
		char more[64];

		snprintf(more, sizeof(more), "... %zu more lines", lines - shown);
		fputs(line++ > 0 ? "\r\n" ERASE_LINE : ERASE_LINE, stream);
		write_line(more, strlen(more), width, stream);
	}
	if (line < height)
		fputs(line > 0 ? "\r\n" ERASE_REST : ERASE_REST, stream);
	return (unsigned int)line;
}
