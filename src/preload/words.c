/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wordexp(3), which looks for the names that match a pattern by calls of the C library that cannot
 * be replaced. So it is given words whose patterns are none to it, and what it makes of them is
 * expanded by glob(3), which is replaced. Patterns that come out of variables and commands remain
 * its own.
 */
#include "preload/preload.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

/* What has a meaning in patterns, and control characters that have none in words, in its place. */
static const char special[] = "*?[", inert[] = "\1\2\3";

/* ---- Words of the program ---- */

/** Behind what stands in quotes from @at on, or at the end. */
static size_t skip_quoted(const char *words, size_t at)
{
	char quote = words[at++];

	for (; words[at] && words[at] != quote; at++)
		if (words[at] == '\\' && quote != '\'' && words[at + 1])
			at++;
	return words[at] ? at + 1 : at;
}

/** Behind an expansion: ${...}, $(...) and $((...)), which may contain others. */
static size_t skip_expansion(const char *words, size_t at)
{
	char opening = words[at + 1], closing = opening == '(' ? ')' : '}';
	unsigned int depth = 0;

	for (at++; words[at];) {
		if (strchr("'\"`", words[at])) {
			at = skip_quoted(words, at);
			continue;
		}
		if (words[at] == '\\' && words[at + 1])
			at++;
		else if (words[at] == opening)
			depth++;
		else if (words[at] == closing && --depth == 0)
			return at + 1;
		at++;
	}
	return at;
}

/** Replaces what would be patterns. Returns whether there was one. */
static bool hide_patterns(char *words)
{
	bool found = false;

	for (size_t at = 0; words[at];) {
		const char *pattern = strchr(special, words[at]);

		if (strchr("'\"`", words[at])) {
			at = skip_quoted(words, at);
		} else if (words[at] == '$' && words[at + 1] && strchr("({", words[at + 1])) {
			at = skip_expansion(words, at);
		} else if (words[at] == '\\' && words[at + 1]) {
			at += 2;
		} else {
			if (pattern)
				words[at] = inert[pattern - special];
			found = found || pattern;
			at++;
		}
	}
	return found;
}

/* ---- What has become of them ---- */

/** The pattern that a word is, to be freed; NULL without memory. */
static char *pattern_of(const char *word)
{
	char *pattern = malloc(2 * strlen(word) + 1), *end = pattern;

	for (; pattern && *word; word++) {
		const char *hidden = strchr(inert, *word);

		/* What was quoted, or comes out of an expansion. */
		if (!hidden && (*word == '\\' || strchr(special, *word)))
			*end++ = '\\';
		*end++ = hidden ? special[hidden - inert] : *word;
	}
	if (pattern)
		*end = '\0';
	return pattern;
}

static void show_patterns(char *word)
{
	for (; (word = strpbrk(word, inert)); word++)
		*word = special[strchr(inert, *word) - inert];
}

/** Appends a word, which is taken over. Returns 0 or an error as wordexp(3). */
static int append(wordexp_t *all, char *word)
{
	char **longer = word ? reallocarray(all->we_wordv, all->we_offs + all->we_wordc + 2,
					    sizeof(*longer))
			     : NULL;

	if (!longer) {
		free(word);
		return WRDE_NOSPACE;
	}
	all->we_wordv = longer;
	longer[all->we_offs + all->we_wordc++] = word;
	longer[all->we_offs + all->we_wordc] = NULL;
	return 0;
}

/** Appends the names that match a word, or that itself. */
static int append_matches(wordexp_t *all, const char *word)
{
	char *pattern = pattern_of(word), *copy;
	glob_t found = { 0 };
	int result = pattern ? glob(pattern, 0, NULL, &found) : GLOB_NOSPACE;

	free(pattern);
	if (result == GLOB_NOMATCH || result == GLOB_ABORTED) {
		copy = strdup(word);
		if (copy)
			show_patterns(copy);
		return append(all, copy);
	}
	for (size_t i = 0; i < found.gl_pathc && !result; i++)
		result = append(all, strdup(found.gl_pathv[i]));
	globfree(&found);
	return result ? WRDE_NOSPACE : 0;
}

/** Empty, but for what the flags ask to be before it. */
static int begin(wordexp_t *all, int flags)
{
	if (flags & WRDE_REUSE)
		wordfree(all);
	if (flags & WRDE_APPEND)
		return 0;
	if (!(flags & WRDE_DOOFFS))
		all->we_offs = 0;
	all->we_wordc = 0;
	all->we_wordv = calloc(all->we_offs + 1, sizeof(*all->we_wordv));
	return all->we_wordv ? 0 : WRDE_NOSPACE;
}

/* ---- Both ---- */

static int expand(const char *hidden, wordexp_t *all, int flags)
{
	wordexp_t words = { 0 };
	int result = preload_expand(hidden, &words,
				    flags & ~(WRDE_APPEND | WRDE_DOOFFS | WRDE_REUSE));

	if (result && result != WRDE_NOSPACE)
		return result;
	if (!result)
		result = begin(all, flags);
	for (size_t i = 0; i < words.we_wordc && !result; i++)
		result = strpbrk(words.we_wordv[i], inert) ? append_matches(all, words.we_wordv[i])
							   : append(all, strdup(words.we_wordv[i]));
	wordfree(&words);
	return result;
}

INTERPOSED int wordexp(const char *words, wordexp_t *all, int flags)
{
	char *hidden = preload_machine && !preload_inside() ? strdup(words) : NULL;
	int result;

	if (hidden && !strpbrk(words, inert) && hide_patterns(hidden))
		result = expand(hidden, all, flags);
	else
		result = preload_expand(words, all, flags);
	free(hidden);
	return result;
}
