/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of a configuration, taken apart into words. Knows no statement. */
#include "configuration/words.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_mark(char c)
{
	return c == '=' || c == ':' || c == '?';
}

static int add_word(struct words *words, char *word)
{
	if (ARRAY_GROW(words->words, words->count))
		return -ENOMEM;
	words->words[words->count++] = word;
	return 0;
}

bool words_is_comment(const char *line, size_t i)
{
	return line[i] == '#' && (i == 0 || is_space(line[i - 1]) || is_mark(line[i - 1]));
}

int words_split(struct words *words, const char *line, size_t length)
{
	size_t used = 0;
	bool is_name;
	int error = 0;

	*words = (struct words){ 0 };
	/* Behind each word there is a NUL: at most as many as there are characters. */
	words->text = malloc(2 * length + 1);
	if (!words->text)
		return -ENOMEM;
	for (size_t i = 0; i < length && !error;) {
		char *word = words->text + used;

		if (is_space(line[i])) {
			i++;
			continue;
		}
		if (words_is_comment(line, i))
			break;
		/* Names of CPUs, which a message is to repeat as a whole, contain colons. */
		is_name = line[i] == '@';
		do
			words->text[used++] = line[i++];
		while (!is_mark(line[i - 1]) && i < length && !is_space(line[i]) &&
		       !is_mark(line[i]));
		for (; is_name && i < length && !is_space(line[i]) && line[i] != '='; i++)
			words->text[used++] = line[i];
		words->text[used++] = '\0';
		error = add_word(words, word);
	}
	return error;
}

void words_free(struct words *words)
{
	free(words->words);
	free(words->text);
	*words = (struct words){ 0 };
}

const char *words_peek(const struct words *words)
{
	return words->next < words->count ? words->words[words->next] : NULL;
}

const char *words_take(struct words *words)
{
	const char *word = words_peek(words);

	if (word)
		words->next++;
	return word;
}

bool words_take_if(struct words *words, const char *word)
{
	const char *next = words_peek(words);

	if (!next || strcmp(next, word) != 0)
		return false;
	words->next++;
	return true;
}
