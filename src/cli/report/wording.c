/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of a report's nodes, in text. */
#include "report.h"

#include "../../common/memory_stream.h"
#include "../../common/numbered.h"
#include "../process/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Writes the name of a key with '#' and '*' filled in. */
static void write_name(const struct key *key, unsigned int index, const char *variant, FILE *stream)
{
	bool plain = variant && key->plain_variant && strcmp(variant, key->plain_variant) == 0;

	for (const char *c = key->name; *c; c++) {
		if (*c == '#')
			fprintf(stream, "%u", index);
		else if (*c == '*' && plain)
			c++; /* the dash behind it, too */
		else if (*c == '*' && variant)
			fputs(variant, stream);
		else
			fputc(*c, stream);
	}
}

char *wording_of_path(const struct report_step *steps, size_t count)
{
	struct memory_stream memory;

	xcall(memory_stream_open(&memory));
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			fputc(':', memory.stream);
		write_name(steps[i].key, steps[i].index, NULL, memory.stream);
	}
	return xcheck(memory_stream_text(&memory));
}

char *wording_of_key(const struct report_node *node)
{
	struct memory_stream memory;

	xcall(memory_stream_open(&memory));
	write_name(node->key, node->index, node->variant, memory.stream);
	return xcheck(memory_stream_text(&memory));
}

char *wording_of_value(const struct report_node *leaf)
{
	const struct key *key = leaf->key;
	bool any = leaf->cpus && isst_cpuset_count(leaf->cpus) > 0;

	switch (leaf->kind) {
	case NODE_NUMBER:
		if (key->special_text && leaf->number == key->special)
			return xstrdup(key->special_text);
		return xasprintf("%" PRIu64 "%s", leaf->number, key->suffix ? key->suffix : "");
	case NODE_HEX:
		return xasprintf("0x%" PRIx64, leaf->number);
	case NODE_STATE:
		return xstrdup(leaf->number ? key->on : key->off);
	case NODE_WORD:
	case NODE_TEXT:
		return xstrdup(leaf->text);
	case NODE_CPU_LIST:
		return any ? xcheck(numbers_enumeration(leaf->cpus)) : xstrdup("none");
	case NODE_CPU_RANGES:
		return any ? xcheck(isst_cpuset_to_list(leaf->cpus)) : xstrdup("none");
	case NODE_CPU_MASK:
		return xcheck(numbers_mask(leaf->cpus, (unsigned int)leaf->number));
	default:
		return xstrdup("?");
	}
}

/* ---- Sentences ---- */

static const struct report_node *find_named(const struct report_node *node, const char *name,
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

static void write_value(const struct report_node *node, FILE *stream)
{
	const struct phrase *phrase = node->key->phrases;
	char *value = node->key->place ? xcheck(name_numbers(node->key->place, node->cpus))
				       : wording_of_value(node);

	while (phrase && phrase->value && strcmp(phrase->value, value) != 0)
		phrase++;
	if (phrase && phrase->text)
		fputs(phrase->text, stream);
	if (!phrase || !phrase->value)
		fputs(value, stream);
	free(value);
}

static char *fill_sentence(const struct report_node *node, const char *sentence)
{
	struct memory_stream memory;

	xcall(memory_stream_open(&memory));
	while (*sentence) {
		size_t plain = strcspn(sentence, "{"), length;
		const struct report_node *other;
		const char *mark;

		fwrite(sentence, 1, plain, memory.stream);
		sentence += plain;
		if (!*sentence)
			break;
		/* What is between braces. */
		mark = ++sentence;
		length = strcspn(mark, "}");
		sentence += length + 1;
		if (*mark == '#')
			fprintf(memory.stream, "%u", node->index);
		else if (*mark == '*')
			fprintf(memory.stream, "%-*s", (int)strtol(mark + 1, NULL, 10),
				node->variant);
		else if (length == 0)
			write_value(node, memory.stream);
		else if ((other = find_named(node, mark, length)))
			write_value(other, memory.stream);
	}
	return xcheck(memory_stream_text(&memory));
}

char *wording_of_sentence(const struct report_node *node)
{
	const char *sentence = node->key->sentence;

	if (node->kind == NODE_STATE && !node->number && node->key->sentence_off)
		sentence = node->key->sentence_off;
	return sentence ? fill_sentence(node, sentence) : NULL;
}

char *wording_of_cell(const struct report_node *leaf)
{
	const char *cell = leaf->kind == NODE_UNKNOWN || !leaf->key->cell ? "{}" : leaf->key->cell;
	char *text = fill_sentence(leaf, cell);

	/* Behind what is not there. */
	for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--)
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
