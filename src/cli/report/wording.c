/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How names and values of a report are written, by the rows of the key table; must know neither
 * what they mean nor which format they are for.
 */
#include "wording.h"

#include "../../common/memory_stream.h"
#include "../../common/numbered.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_LENGTH = 10 }; /* of the largest index */

/** No name is longer than that, however it is filled in. */
static size_t space_of(const struct key *key, const char *variant)
{
	size_t space = strlen(key->name) + 1;

	for (const char *c = key->name; *c; c++) {
		if (*c == '#')
			space += NUMBER_LENGTH;
		else if (*c == '*' && variant)
			space += strlen(variant);
	}
	return space;
}

/** Writes the name of a key with '#' and '*' filled in. Returns its end. */
static char *fill_in(char *text, const struct key *key, unsigned int index, const char *variant)
{
	bool plain = variant && key->plain_variant && strcmp(variant, key->plain_variant) == 0;

	for (const char *c = key->name; *c; c++) {
		if (*c == '#')
			text += snprintf(text, NUMBER_LENGTH + 1, "%u", index);
		else if (*c == '*' && plain)
			c++; /* the dash behind it, too */
		else if (*c == '*' && variant)
			text = stpcpy(text, variant);
		else
			*text++ = *c;
	}
	*text = '\0';
	return text;
}

char *wording_of_path(const struct report_step *steps, size_t count)
{
	size_t space = 1;
	char *text, *end;

	for (size_t i = 0; i < count; i++)
		space += space_of(steps[i].key, NULL);
	text = end = malloc(space);
	if (text)
		*text = '\0';
	for (size_t i = 0; i < count && text; i++) {
		if (i > 0)
			*end++ = ':';
		end = fill_in(end, steps[i].key, steps[i].index, NULL);
	}
	return text;
}

char *wording_of_key(const struct report_node *node)
{
	char *text = malloc(space_of(node->key, node->variant));

	if (text)
		fill_in(text, node->key, node->index, node->variant);
	return text;
}

static char *print_number(const struct report_node *leaf)
{
	const struct key *key = leaf->key;
	char *text;

	if (key->special_text && leaf->number == key->special)
		return strdup(key->special_text);
	if (asprintf(&text, "%" PRIu64 "%s", leaf->number, key->suffix ? key->suffix : "") < 0)
		return NULL;
	return text;
}

static char *print_hex(const struct report_node *leaf)
{
	char *text;

	return asprintf(&text, "0x%" PRIx64, leaf->number) < 0 ? NULL : text;
}

static char *print_state(const struct report_node *leaf)
{
	return strdup(leaf->number ? leaf->key->on : leaf->key->off);
}

static char *print_text(const struct report_node *leaf)
{
	return strdup(leaf->text);
}

static char *print_list(const struct report_node *leaf)
{
	return isst_cpuset_count(leaf->cpus) > 0 ? isst_cpuset_to_enumeration(leaf->cpus)
						 : strdup("none");
}

static char *print_ranges(const struct report_node *leaf)
{
	return isst_cpuset_count(leaf->cpus) > 0 ? isst_cpuset_to_list(leaf->cpus) : strdup("none");
}

static char *print_mask(const struct report_node *leaf)
{
	return isst_cpuset_to_mask(leaf->cpus, leaf->bits);
}

static char *print_unknown(const struct report_node *leaf)
{
	(void)leaf;
	return strdup("?");
}

static char *(*const printers[])(const struct report_node *leaf) = {
	[NODE_NUMBER] = print_number,	[NODE_STATE] = print_state,
	[NODE_WORD] = print_text,	[NODE_TEXT] = print_text,
	[NODE_CPU_LIST] = print_list,	[NODE_CPU_MASK] = print_mask,
	[NODE_HEX] = print_hex,		[NODE_CPU_RANGES] = print_ranges,
	[NODE_UNKNOWN] = print_unknown,
};

char *wording_of_value(const struct report_node *leaf)
{
	return printers[leaf->kind](leaf);
}

/* ---- Sentences ---- */

static const char *sentence_of(const struct report_node *node)
{
	const struct key *key = node->key;

	if (node->kind == NODE_STATE && !node->number && key->sentence_off)
		return key->sentence_off;
	return key->sentence;
}

/** The node of that name below or behind another one; NULL if there is none. */
static const struct report_node *find_node(const struct report_node *node, const char *name,
					   size_t length)
{
	const struct report_node *const first[] = { node->first, node->next };

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		for (const struct report_node *other = first[i]; other; other = other->next)
			if (strlen(other->key->name) == length &&
			    strncmp(other->key->name, name, length) == 0)
				return other;
	return NULL;
}

static int write_value(const struct report_node *node, FILE *stream)
{
	const struct phrase *phrase = node->key->phrases;
	char *value = node->key->place ? name_numbers(node->key->place, node->cpus)
				       : wording_of_value(node);

	if (!value)
		return -ENOMEM;
	while (phrase && phrase->value && strcmp(phrase->value, value) != 0)
		phrase++;
	fputs(phrase && phrase->value ? phrase->text : value, stream);
	free(value);
	return 0;
}

/** Writes what stands for a mark, which is what is between braces. */
static int write_mark(const struct report_node *node, const char *mark, size_t length, FILE *stream)
{
	const struct report_node *other;

	if (length == 0)
		return write_value(node, stream);
	if (*mark == '#')
		fprintf(stream, "%u", node->index);
	else if (*mark == '*')
		fprintf(stream, "%-*s", (int)strtol(mark + 1, NULL, 10), node->variant);
	else if ((other = find_node(node, mark, length)) != NULL)
		return write_value(other, stream);
	return 0;
}

static int write_sentence(const struct report_node *node, const char *sentence, FILE *stream)
{
	int error = 0;

	while (*sentence && !error) {
		size_t plain = strcspn(sentence, "{"), length;

		fwrite(sentence, 1, plain, stream);
		sentence += plain;
		if (!*sentence)
			break;
		length = strcspn(++sentence, "}");
		error = write_mark(node, sentence, length, stream);
		sentence += length + 1;
	}
	return error;
}

/** Fills a sentence in. */
static int fill_sentence(const struct report_node *node, const char *sentence, char **text)
{
	struct memory_stream memory;
	int error = memory_stream_open(&memory);

	*text = NULL;
	if (error)
		return error;
	error = write_sentence(node, sentence, memory.stream);
	if (memory_stream_close(&memory))
		return -ENOMEM;
	if (error)
		free(memory.text);
	else
		*text = memory.text;
	return error;
}

int wording_of_sentence(const struct report_node *node, char **text)
{
	const char *sentence = sentence_of(node);

	*text = NULL;
	return sentence ? fill_sentence(node, sentence, text) : 0;
}

char *wording_of_cell(const struct report_node *leaf)
{
	const char *cell = leaf->kind == NODE_UNKNOWN || !leaf->key->cell ? "{}" : leaf->key->cell;
	char *text;
	size_t length;

	if (fill_sentence(leaf, cell, &text))
		return NULL;
	/* Behind what is not there. */
	for (length = strlen(text); length > 0 && text[length - 1] == ' '; length--)
		text[length - 1] = '\0';
	return text;
}

unsigned int wording_style(const struct report_node *leaf)
{
	const struct key *key = leaf->key;
	const char *value = leaf->kind == NODE_STATE ? (leaf->number ? key->on : key->off)
						     : leaf->text;

	if (leaf->kind == NODE_UNKNOWN)
		return STYLE_WRONG;
	return key->notable && value && strcmp(key->notable, value) == 0 ? key->style : 0;
}

const char *wording_of_message(const struct report_entry *entry)
{
	return entry->kind == ENTRY_ERROR ? "Error" : "Information";
}
