/* SPDX-License-Identifier: BSD-3-Clause */
#include "render.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Less is no width that anything can be laid out for. */
enum { DEFAULT_COLUMNS = 80, LEAST_COLUMNS = 40 };

struct page page_of(FILE *stream, enum colour_choice colour)
{
	struct page page = { .columns = DEFAULT_COLUMNS, .colour = colour == COLOUR_ALWAYS };
	/* Unwanted by the user, or the terminal has none (no-color.org). */
	const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");
	int descriptor = fileno(stream);
	struct winsize size;

	if (descriptor < 0 || !isatty(descriptor))
		return page;
	if (colour == COLOUR_AUTO)
		page.colour = !(unwanted && *unwanted) && terminal && strcmp(terminal, "dumb") != 0;
	if (ioctl(descriptor, TIOCGWINSZ, &size) != 0)
		return page;
	page.width = size.ws_col;
	page.height = size.ws_row;
	if (size.ws_col > 0)
		page.columns = size.ws_col < LEAST_COLUMNS ? LEAST_COLUMNS : size.ws_col;
	return page;
}

void style_begin(const struct page *page, unsigned int style, FILE *stream)
{
	if (page && page->colour && style)
		fprintf(stream, "\033[%um", style);
}

void style_end(const struct page *page, unsigned int style, FILE *stream)
{
	if (page && page->colour && style)
		fputs("\033[0m", stream);
}

/* ---- Frames ---- */

#define HOME "\033[H"
/* To be written before the text: behind the last column they would erase that. */
#define ERASE_LINE "\033[K"
#define ERASE_REST "\033[J"

static size_t sequence_length(const char *text)
{
	size_t length = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	while (text[length] && (text[length] < '@' || text[length] > '~'))
		length++;
	return length + (text[length] != '\0');
}

/** Writes the beginning of a line that fits; sequences take no place, and are all written. */
static void write_line(const char *line, size_t length, unsigned int width, FILE *stream)
{
	unsigned int column = 0;

	for (size_t i = 0; i < length;) {
		size_t bytes = sequence_length(line + i);

		if (bytes == 0) {
			/* A character of UTF-8. */
			bytes = 1;
			while (i + bytes < length &&
			       ((unsigned char)line[i + bytes] & 0xc0) == 0x80)
				bytes++;
			column++;
		}
		if (column <= width || line[i] == '\033')
			fwrite(line + i, 1, bytes, stream);
		i += bytes;
	}
}

unsigned int frame_write(const char *text, const struct page *page, FILE *stream)
{
	const unsigned int width = page->width ? page->width : UINT_MAX;
	const size_t height = page->height ? page->height : SIZE_MAX;
	size_t lines = 0, shown, line = 0;

	for (const char *c = text; *c; c++)
		lines += *c == '\n' || !c[1];
	shown = lines <= height ? lines : height - 1;
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
