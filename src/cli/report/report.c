/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds reports; must know neither what they are about nor how they are written. */
#include "report.h"

#include "message_index.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report {
	struct report_entry *first, *last;
	bool failed, screen, whole;
	struct report_header header;
	struct message_index messages;
};

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

	message_index_clear(&report->messages);
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

bool report_failed(const struct report *report)
{
	return report->failed;
}

void report_make_screen(struct report *report, bool whole)
{
	report->screen = true;
	report->whole = whole;
}

bool report_is_screen(const struct report *report)
{
	return report->screen;
}

bool report_is_whole(const struct report *report)
{
	return report->whole;
}

bool report_has_units(const struct report *report)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		if (entry->kind == ENTRY_UNIT && entry->steps > 0)
			return true;
	}
	return false;
}

struct report_header *report_header(struct report *report)
{
	return &report->header;
}

const struct report_header *report_get_header(const struct report *report)
{
	return &report->header;
}

void report_set_string(struct report *report, char **field, const char *text)
{
	free(*field);
	*field = text ? strdup(text) : NULL;
	if (text && !*field)
		report->failed = true;
}

const struct report_entry *report_first(const struct report *report)
{
	return report->first;
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
	}
	va_end(arguments);
}

bool report_has_message(struct report *report, enum entry_kind kind, const char *text)
{
	if (!message_index_update(&report->messages, report->first))
		report->failed = true;
	return message_index_has(&report->messages, kind, text);
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
	message_index_clear(&report->messages);
	free(entry->message);
	entry->message = text;
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

static struct report_node *add_node(struct report_node *parent, enum node_kind kind,
				    enum key_id key)
{
	struct report_node *node;

	if (!parent)
		return NULL;
	node = new_node(parent->report, kind, &keys[key]);
	if (!node)
		return NULL;
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	return node;
}

/** Copies @text into the node's @field. */
static void set_string(struct report_node *node, char **field, const char *text)
{
	*field = strdup(text);
	if (!*field)
		node->report->failed = true;
}

struct report_node *report_branch(struct report_node *parent, enum key_id key, unsigned int index)
{
	struct report_node *node = add_node(parent, NODE_BRANCH, key);

	if (node)
		node->index = index;
	return node;
}

struct report_node *report_variant(struct report_node *parent, enum key_id key, const char *variant)
{
	struct report_node *node = add_node(parent, NODE_BRANCH, key);

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
	struct report_node *node = add_node(parent, NODE_NUMBER, key);

	if (node)
		node->number = number;
	return node;
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
	struct report_node *node = add_node(parent, NODE_STATE, key);

	if (node)
		node->number = on;
	return node;
}

struct report_node *report_word(struct report_node *parent, enum key_id key, const char *word)
{
	struct report_node *node = add_node(parent, NODE_WORD, key);

	if (node)
		set_string(node, &node->text, word);
	return node;
}

struct report_node *report_text(struct report_node *parent, enum key_id key, const char *text)
{
	struct report_node *node = add_node(parent, NODE_TEXT, key);

	if (node)
		set_string(node, &node->text, text);
	return node;
}

static void copy_cpus(struct report_node *node, const struct isst_cpuset *cpus)
{
	node->cpus = isst_cpuset_new();
	if (!node->cpus || isst_cpuset_add_set(node->cpus, cpus) != 0)
		node->report->failed = true;
}

struct report_node *report_cpu_list(struct report_node *parent, enum key_id key,
				    const struct isst_cpuset *cpus)
{
	struct report_node *node = add_node(parent, NODE_CPU_LIST, key);

	if (node)
		copy_cpus(node, cpus);
	return node;
}

struct report_node *report_cpu_ranges(struct report_node *parent, enum key_id key,
				      unsigned int index, const struct isst_cpuset *cpus)
{
	struct report_node *node = add_node(parent, NODE_CPU_RANGES, key);

	if (node) {
		copy_cpus(node, cpus);
		node->index = index;
	}
	return node;
}

struct report_node *report_cpu_mask(struct report_node *parent, enum key_id key,
				    const struct isst_cpuset *cpus, unsigned int bits)
{
	struct report_node *node = add_node(parent, NODE_CPU_MASK, key);

	if (node) {
		copy_cpus(node, cpus);
		node->bits = bits;
	}
	return node;
}

struct report_node *report_hex(struct report_node *parent, enum key_id key, uint64_t bits)
{
	struct report_node *node = add_node(parent, NODE_HEX, key);

	if (node)
		node->number = bits;
	return node;
}

struct report_node *report_unknown(struct report_node *parent, enum key_id key)
{
	return add_node(parent, NODE_UNKNOWN, key);
}
