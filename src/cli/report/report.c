/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "../../common/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report *report_new(void)
{
	return calloc(1, sizeof(struct report));
}

static void free_node(struct report_node *node)
{
	while (node) {
		struct report_node *next = node->next;

		free_node(node->first);
		free(node->variant);
		free(node->text);
		isst_cpuset_free(node->cpus);
		free(node);
		node = next;
	}
}

void report_remove(struct report *report, struct report_entry *entry)
{
	struct report_entry **link = &report->first, *before = NULL;

	for (; *link != entry; link = &before->next)
		before = *link;
	*link = entry->next;
	if (report->last == entry)
		report->last = before;
	free_node(entry->root);
	free(entry->message);
	free(entry);
}

void report_empty(struct report *report)
{
	while (report->first)
		report_remove(report, report->first);
}

void report_free(struct report *report)
{
	if (!report)
		return;
	report_empty(report);
	free(report->header.processor);
	free(report->header.emulated);
	free(report);
}

void report_make_screen(struct report *report, bool whole)
{
	report->screen = true;
	report->whole = whole;
}

bool report_has_units(const struct report *report)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		if (entry->kind == ENTRY_UNIT && entry->steps > 0)
			return true;
	}
	return false;
}

void report_set_string(struct report *report, char **field, const char *text)
{
	free(*field);
	*field = text ? strdup(text) : NULL;
	if (text && !*field)
		report->failed = true;
}

static struct report_entry *add_entry(struct report *report, enum entry_kind kind)
{
	struct report_entry *entry = calloc(1, sizeof(*entry));

	if (!entry) {
		report->failed = true;
		return NULL;
	}
	entry->kind = kind;
	if (report->last)
		report->last->next = entry;
	else
		report->first = entry;
	report->last = entry;
	return entry;
}

static struct report_node *new_node(struct report *report, enum node_kind kind,
				    const struct key *key)
{
	struct report_node *node = calloc(1, sizeof(*node));

	if (!node) {
		report->failed = true;
		return NULL;
	}
	node->report = report;
	node->kind = kind;
	node->key = key;
	return node;
}

struct report_node *report_unit(struct report *report, const struct report_step *path, size_t steps)
{
	struct report_entry *entry = add_entry(report, ENTRY_UNIT);

	if (!entry)
		return NULL;
	for (size_t i = 0; i < steps && i < REPORT_PATH_STEPS; i++)
		entry->path[entry->steps++] = path[i];
	entry->root = new_node(report, NODE_BRANCH, NULL);
	return entry->root;
}

void report_message(struct report *report, enum entry_kind kind, const char *format, ...)
{
	struct report_entry *entry = add_entry(report, kind);
	va_list arguments;

	if (!entry)
		return;
	va_start(arguments, format);
	if (vasprintf(&entry->message, format, arguments) < 0) {
		entry->message = NULL;
		report->failed = true;
	} else {
		entry->hash = hash_text(entry->message);
	}
	va_end(arguments);
}

bool report_has_message(const struct report *report, enum entry_kind kind, const char *text)
{
	const uint64_t hash = hash_text(text);

	for (const struct report_entry *entry = report->first; entry; entry = entry->next)
		if (entry->message && entry->hash == hash && entry->kind == kind &&
		    strcmp(entry->message, text) == 0)
			return true;
	return false;
}

struct report_entry *report_next_message(struct report *report, const struct report_entry *entry)
{
	struct report_entry *next = entry ? entry->next : report->first;

	while (next && !next->message)
		next = next->next;
	return next;
}

void report_replace_message(struct report *report, struct report_entry *entry, char *text)
{
	if (!text) {
		report->failed = true;
		return;
	}
	free(entry->message);
	entry->message = text;
	entry->hash = hash_text(text);
}

void report_code(struct report *report, const char *code)
{
	if (report->last)
		report->last->code = code;
}

size_t report_resolve_unsupported(struct report *report, enum entry_kind kind)
{
	size_t count = 0;

	for (struct report_entry *entry = report->first; entry; entry = entry->next) {
		if (entry->kind != ENTRY_UNSUPPORTED)
			continue;
		entry->kind = kind;
		count++;
	}
	return count;
}

static void set_string(struct report_node *node, char **field, const char *text)
{
	*field = strdup(text);
	if (!*field)
		node->report->failed = true;
}

/** Adds a node; @text and @cpus, which may be NULL, are copied. */
static struct report_node *add_node(struct report_node *parent, enum node_kind kind,
				    enum key_id key, uint64_t number, const char *text,
				    const struct isst_cpuset *cpus)
{
	struct report_node *node = parent ? new_node(parent->report, kind, &keys[key]) : NULL;

	if (!node)
		return NULL;
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	node->number = number;
	if (text)
		set_string(node, &node->text, text);
	if (cpus || kind == NODE_CPU_RANGES) {
		node->cpus = isst_cpuset_new();
		if (!node->cpus || (cpus && isst_cpuset_add_set(node->cpus, cpus) != 0))
			node->report->failed = true;
	}
	return node;
}

struct report_node *report_branch(struct report_node *parent, enum key_id key, unsigned int index)
{
	struct report_node *node = add_node(parent, NODE_BRANCH, key, 0, NULL, NULL);

	if (node)
		node->index = index;
	return node;
}

struct report_node *report_variant(struct report_node *parent, enum key_id key, const char *variant)
{
	struct report_node *node = add_node(parent, NODE_BRANCH, key, 0, NULL, NULL);

	if (node)
		set_string(node, &node->variant, variant);
	return node;
}

void report_mark(struct report_node *branch)
{
	if (branch)
		branch->marked = true;
}

void report_hide(struct report_node *leaf)
{
	if (leaf)
		leaf->hidden = true;
}

void report_standing(struct report_node *branch, bool current)
{
	if (branch)
		branch->standing = current ? STANDING_CURRENT : STANDING_OTHER;
}

struct report_node *report_number(struct report_node *parent, enum key_id key, uint64_t number)
{
	return add_node(parent, NODE_NUMBER, key, number, NULL, NULL);
}

struct report_node *report_variant_number(struct report_node *parent, enum key_id key,
					  const char *variant, uint64_t number)
{
	struct report_node *node = report_number(parent, key, number);

	if (node)
		set_string(node, &node->variant, variant);
	return node;
}

struct report_node *report_state(struct report_node *parent, enum key_id key, bool on)
{
	return add_node(parent, NODE_STATE, key, on, NULL, NULL);
}

struct report_node *report_hex(struct report_node *parent, enum key_id key, uint64_t bits)
{
	return add_node(parent, NODE_HEX, key, bits, NULL, NULL);
}

struct report_node *report_word(struct report_node *parent, enum key_id key, const char *word)
{
	return add_node(parent, NODE_WORD, key, 0, word, NULL);
}

struct report_node *report_text(struct report_node *parent, enum key_id key, const char *text)
{
	return add_node(parent, NODE_TEXT, key, 0, text, NULL);
}

struct report_node *report_cpu_list(struct report_node *parent, enum key_id key,
				    const struct isst_cpuset *cpus)
{
	return add_node(parent, NODE_CPU_LIST, key, 0, NULL, cpus);
}

struct report_node *report_cpu_ranges(struct report_node *parent, enum key_id key,
				      unsigned int index, const struct isst_cpuset *cpus)
{
	struct report_node *node = add_node(parent, NODE_CPU_RANGES, key, 0, NULL, cpus);

	if (node)
		node->index = index;
	return node;
}

void report_add_cpu(struct report_node *leaf, unsigned int cpu)
{
	if (leaf && leaf->cpus && isst_cpuset_add(leaf->cpus, cpu, cpu) != 0)
		leaf->report->failed = true;
}

struct report_node *report_cpu_mask(struct report_node *parent, enum key_id key,
				    const struct isst_cpuset *cpus, unsigned int bits)
{
	struct report_node *node = add_node(parent, NODE_CPU_MASK, key, 0, NULL, cpus);

	if (node)
		node->bits = bits;
	return node;
}

struct report_node *report_unknown(struct report_node *parent, enum key_id key)
{
	return add_node(parent, NODE_UNKNOWN, key, 0, NULL, NULL);
}
