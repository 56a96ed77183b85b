/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of a configuration, taken apart into words. Knows no statement. */
#ifndef ISST_CONFIGURATION_WORDS_H
#define ISST_CONFIGURATION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/** The longest part of a wrong word that a message repeats. */
enum { LONGEST_WORD = 40 };

struct words {
	char *text; /* what the words are in */
	char **words;
	size_t count, next;
};

/**
 * Takes a line apart at white space; `=`, `:` and `?` are words of their own, and a `#` at the
 * beginning of a word begins a comment. Returns 0 or -ENOMEM; to be freed with words_free() in
 * either case.
 */
int words_split(struct words *words, const char *line, size_t length);
void words_free(struct words *words);

/** Whether a comment begins at a character, before which there is none. */
bool words_is_comment(const char *line, size_t i);

/** The next word, which stays the next; NULL behind the last one. */
const char *words_peek(const struct words *words);
/** The next word, which is taken; NULL behind the last one. */
const char *words_take(struct words *words);
/** Takes the next word if it is that one. */
bool words_take_if(struct words *words, const char *word);

#endif
