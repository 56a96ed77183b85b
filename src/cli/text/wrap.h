/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_WRAP_H
#define ISST_CLI_WRAP_H

#include <stdbool.h>
#include <stdio.h>

struct wrap {
	FILE *stream;
	size_t columns; /* of the page */
	size_t indent;	/* of each line but the first */
	size_t column;	/* where the present line ends */
	bool begun;	/* a word stands in it: a blank comes before the next one */
	bool hanging;	/* the present line is not indented */
};

/** How much of a list fits a width: all of it, or up to a comma; 0: nothing. */
size_t wrap_list_break(const char *words, size_t length, size_t width);

/** Writes words that stay together; broken behind commas if wider than the page. */
void wrap_words(struct wrap *wrap, const char *words, size_t length);

/** Writes words and line ends. Quotes, brackets and `old -> new` stay in one line if they fit. */
void wrap_text(struct wrap *wrap, const char *text);

/** Writes foreign text in lines of a page, later ones indented, without the last line end.
 * @column: where it begins. */
void wrap_line(const char *text, size_t columns, size_t column, FILE *stream);

#endif
