/* SPDX-License-Identifier: BSD-3-Clause */
/* Breaks text into the lines of a page. Must not know what it is about. */
#ifndef ISST_CLI_WRAP_H
#define ISST_CLI_WRAP_H

#include <stdbool.h>
#include <stdio.h>

/** A text that is being written. */
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

/** Writes a word, or words that stay together. What is wider than the page is broken behind commas.
 */
void wrap_words(struct wrap *wrap, const char *words, size_t length);

/** Writes words; a line end begins a new line. What stands between quotes or brackets, such as
 * a command, stays in one line if it fits, so that it can be copied; so does `old -> new`. */
void wrap_text(struct wrap *wrap, const char *text);

/**
 * Writes text from elsewhere in lines of a page, without an end of the last one; those behind the
 * first one are indented more than that is.
 *
 * @column: where it begins
 * Returns 0 or, with nothing written, -ENOMEM.
 */
int wrap_line(const char *text, size_t columns, size_t column, FILE *stream);

#endif
