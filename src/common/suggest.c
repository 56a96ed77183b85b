/* SPDX-License-Identifier: BSD-3-Clause */
/* The distance of two words in typing mistakes: letters omitted, added, changed, or swapped. */
#include "suggest.h"

#include <stdlib.h>
#include <string.h>

/** Fills row @i of the table of distances between prefixes of two words. */
static void fill_row(const char *one, const char *other, size_t i, size_t width, size_t *table)
{
	const size_t *above = table + (i - 1) * width;
	const size_t *second_above = i > 1 ? above - width : NULL;
	size_t *row = table + i * width;

	row[0] = i;
	for (size_t k = 1; k < width; k++) {
		size_t changed = above[k - 1] + (one[i - 1] != other[k - 1]);

		row[k] = above[k] < row[k - 1] ? above[k] + 1 : row[k - 1] + 1;
		if (changed < row[k])
			row[k] = changed;
		if (second_above && k > 1 && one[i - 1] == other[k - 2] &&
		    one[i - 2] == other[k - 1] && second_above[k - 2] + 1 < row[k])
			row[k] = second_above[k - 2] + 1;
	}
}

/** SIZE_MAX without memory: then nothing is suggested. */
static size_t distance(const char *one, const char *other)
{
	size_t height = strlen(one) + 1, width = strlen(other) + 1, result;
	size_t *table = calloc(height * width, sizeof(*table));

	if (!table)
		return (size_t)-1;
	for (size_t k = 0; k < width; k++)
		table[k] = k;
	for (size_t i = 1; i < height; i++)
		fill_row(one, other, i, width, table);
	result = table[height * width - 1];
	free(table);
	return result;
}

void suggestion_consider(struct suggestion *suggestion, const char *candidate)
{
	size_t length = strlen(suggestion->word), found;

	/* No word is that long. */
	if (length > 100)
		return;
	found = distance(suggestion->word, candidate);
	if (length >= 3 && strncmp(suggestion->word, candidate, length) == 0)
		found = 1;
	/* More than one mistake in three letters is another word. */
	if (found > (length < 3 ? 0 : (length + 2) / 3) ||
	    (suggestion->best && found >= suggestion->distance))
		return;
	suggestion->best = candidate;
	suggestion->distance = found;
}
