/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks a terminal for its size, and lets text stand out on it. */
#include "page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Less is no width that anything can be laid out for. */
enum { DEFAULT_COLUMNS = 80, LEAST_COLUMNS = 40 };

/** Whether the user wants no colours, or the terminal has none (no-color.org). */
static bool is_colourless(void)
{
	const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return (unwanted && *unwanted) || !terminal || strcmp(terminal, "dumb") == 0;
}

struct page page_of(FILE *stream, enum colour_choice colour)
{
	struct page page = { .columns = DEFAULT_COLUMNS, .colour = colour == COLOUR_ALWAYS };
	int descriptor = fileno(stream);
	struct winsize size;

	if (descriptor < 0 || !isatty(descriptor))
		return page;
	if (colour == COLOUR_AUTO)
		page.colour = !is_colourless();
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
