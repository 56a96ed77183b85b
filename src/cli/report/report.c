/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "../../common/hash.h"
#include "../process/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What changed since another report ---- */

static const struct report_step *next_place(const struct report_entry *unit, size_t *step)
{
	while (*step < unit->steps && !unit->path[*step].key->place)
		(*step)++;
	return *step < unit->steps ? &unit->path[(*step)++] : NULL;
}

static bool has_same_place(const struct report_entry *one, const struct report_entry *other)
{
	const struct report_step *a, *b;
	size_t i = 0, k = 0;

	if (other->kind != ENTRY_UNIT || (one->steps == 0) != (other->steps == 0))
		return false;
	do {
		a = next_place(one, &i);
		b = next_place(other, &k);
	} while (a && b && a->key == b->key && a->index == b->index);
	return !a && !b;
}

static const struct report_node *find_node(const struct report_node *parent,
					   const struct report_node *like)
{
	const struct report_node *node = parent->first;

	while (node && !(node->key == like->key && node->index == like->index &&
			 !node->variant == !like->variant &&
			 (!node->variant || strcmp(node->variant, like->variant) == 0)))
		node = node->next;
	return node;
}

static char *text_of(const struct report_node *leaf)
{
	return leaf->key->sentence ? wording_of_sentence(leaf) : wording_of_cell(leaf);
}

static bool has_same_text(const struct report_node *one, const struct report_node *other)
{
	char *a = text_of(one), *b = text_of(other);
	bool same = strcmp(a, b) == 0;

	free(a);
	free(b);
	return same;
}

/** The number of a row that is not shown stands for nothing: the row is any with the same texts. */
static const struct report_node *find_row(const struct report_node *parent,
					  const struct report_node *like)
{
	const struct report_node *row = parent->first;

	if (!like->key->heading || like->key->index_heading)
		return find_node(parent, like);
	for (; row; row = row->next) {
		const struct report_node *leaf = row->key == like->key ? like->first : NULL, *same;

		while (leaf && (same = find_node(row, leaf)) != NULL && has_same_text(leaf, same))
			leaf = leaf->next;
		if (row->key == like->key && !leaf)
			break;
	}
	return row;
}

/** @before: the same node of the report before; NULL: that did not have it */
static void mark_below(struct report_node *node, const struct report_node *before)
{
	for (struct report_node *child = node->first; child; child = child->next) {
		const struct report_node *same = NULL;

		if (child->kind == NODE_BRANCH) {
			if (!child->key->restless)
				mark_below(child, before ? find_row(before, child) : NULL);
			continue;
		}
		if (before)
			same = find_node(before, child);
		child->changed = !same || !has_same_text(child, same);
	}
}

/** What stands at the top may be in several units without a path. */
static void mark_top(struct report_node *root, const struct report *before)
{
	for (struct report_node *leaf = root->first; leaf; leaf = leaf->next) {
		const struct report_node *same = NULL;

		for (const struct report_entry *entry = before->first; entry && !same;
		     entry = entry->next)
			if (entry->kind == ENTRY_UNIT && entry->steps == 0)
				same = find_node(entry->root, leaf);
		leaf->changed = !same || !has_same_text(leaf, same);
	}
}

void report_mark_changes(struct report *report, const struct report *before)
{
	for (const struct report_entry *unit = report->first; unit; unit = unit->next) {
		const struct report_entry *same = before->first;

		if (unit->kind != ENTRY_UNIT)
			continue;
		while (same && !has_same_place(unit, same))
			same = same->next;
		if (unit->steps == 0)
			mark_top(unit->root, before);
		else
			mark_below(unit->root, same ? same->root : NULL);
	}
}

/* ---- Building ---- */

struct report *report_new(void)
{
	return xcalloc(1, sizeof(struct report));
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

static void remove_entry(struct report *report, struct report_entry *entry)
{
	struct report_entry **link = &report->first, *before = NULL;

	for (; *link != entry; link = &before->next)
		before = *link;
	*link = entry->next;
	if (report->last == entry)
		report->last = before;
	free_node(entry->root);
	free(entry->message);
	isst_cpuset_free(entry->cpus);
	free(entry);
}

void report_empty(struct report *report)
{
	while (report->first)
		remove_entry(report, report->first);
}

void report_free(struct report *report)
{
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
		if (entry->kind == ENTRY_UNIT && entry->steps > 0 && !entry->root->hidden)
			return true;
	}
	return false;
}

static struct report_entry *add_entry(struct report *report, enum entry_kind kind)
{
	struct report_entry *entry = xcalloc(1, sizeof(*entry));

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
	struct report_node *node = xcalloc(1, sizeof(*node));

	node->report = report;
	node->kind = kind;
	node->key = key;
	return node;
}

struct report_node *report_unit(struct report *report, const struct report_step *path, size_t steps)
{
	struct report_entry *entry = add_entry(report, ENTRY_UNIT);

	for (size_t i = 0; i < steps && i < REPORT_PATH_STEPS; i++)
		entry->path[entry->steps++] = path[i];
	entry->root = new_node(report, NODE_BRANCH, NULL);
	return entry->root;
}

void report_message(struct report *report, enum entry_kind kind, const char *format, ...)
{
	struct report_entry *entry = add_entry(report, kind);
	va_list arguments;

	va_start(arguments, format);
	entry->message = xvasprintf(format, arguments);
	va_end(arguments);
	entry->hash = hash_text(entry->message);
}

struct report_entry *report_find_message(const struct report *report, enum entry_kind kind,
					 const char *text)
{
	const uint64_t hash = hash_text(text);
	struct report_entry *entry = report->first;

	while (entry && !(entry->message && entry->hash == hash && entry->kind == kind &&
			  strcmp(entry->message, text) == 0))
		entry = entry->next;
	return entry;
}

void report_place_message(struct report_entry *entry, const struct report_step *path, size_t steps,
			  const struct isst_cpuset *cpus)
{
	memcpy(entry->path, path, steps * sizeof(*path));
	entry->steps = steps;
	if (!cpus)
		return;
	if (!entry->cpus)
		entry->cpus = xcheck(isst_cpuset_new());
	xcall(isst_cpuset_add_set(entry->cpus, cpus));
}

struct report_entry *report_next_message(struct report *report, const struct report_entry *entry)
{
	struct report_entry *next = entry ? entry->next : report->first;

	while (next && !next->message)
		next = next->next;
	return next;
}

void report_join(struct folds *folds, const struct isst_context *context)
{
	struct folds machine = { .all = NULL };
	const struct isst_domain *domain;

	if (folds->count < 2)
		return;
	for (size_t i = 0; (domain = isst_domain_at(context, i)) != NULL; i++)
		xcall(folds_add(&machine, NULL, "%s", isst_domain_name(domain)));
	xcall(folds_join(folds, &machine));
	folds_clear(&machine);
}

/** Drops a message that repeats an earlier one for other CPUs of its place. */
static void drop_message(void *data, void *other)
{
	struct report_entry *first = data, *entry = other;

	/* One of them is about all of its place. */
	if (first->cpus && !entry->cpus) {
		isst_cpuset_free(first->cpus);
		first->cpus = NULL;
	}
	if (first->cpus)
		xcall(isst_cpuset_add_set(first->cpus, entry->cpus));
	free(entry->message);
	entry->message = NULL;
}

/** What stands for the place of a message, without a digit; "" but in json-v2. */
static void encode_place(const struct report *report, const struct report_entry *entry, char *code)
{
	for (size_t i = 0; i < entry->steps && report->v2; i++) {
		for (unsigned int rest = entry->path[i].index; rest; rest >>= 4)
			*code++ = (char)('a' + (rest & 0xf));
		*code++ = '.';
	}
	*code = '\0';
}

void report_fold_messages(struct report *report, const struct isst_context *context)
{
	struct folds folds = { .join = drop_message };
	struct report_entry *next;

	for (struct report_entry *entry = report->first; entry; entry = entry->next)
		if (entry->message) {
			char place[REPORT_PATH_STEPS * (2 * sizeof(unsigned int) + 1) + 1];

			encode_place(report, entry, place);
			xcall(folds_add(&folds, entry, "%s\n%d%s%s", entry->message,
					(int)entry->kind, entry->code ? entry->code : "", place));
		}
	report_join(&folds, context);
	for (size_t i = 0; i < folds.count; i++) {
		struct report_entry *entry = folds.all[i].data;

		if (folds.all[i].texts == 1)
			continue;
		free(entry->message);
		entry->message = xcheck(fold_text(&folds.all[i]));
		*strrchr(entry->message, '\n') = '\0';
		entry->hash = hash_text(entry->message);
	}
	folds_clear(&folds);
	for (struct report_entry *entry = report->first; entry; entry = next) {
		next = entry->next;
		if (entry->kind != ENTRY_UNIT && !entry->message)
			remove_entry(report, entry);
	}
}

void report_code(struct report *report, const char *code)
{
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

struct report_node *report_add(struct report_node *parent, enum node_kind kind, enum key_id key,
			       uint64_t number, const char *text, const struct isst_cpuset *cpus)
{
	bool has_variant = kind == NODE_BRANCH || kind == NODE_NUMBER;
	struct report_node *node;

	if (!parent)
		return NULL;
	node = new_node(parent->report, kind, &keys[key]);
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	node->number = number;
	node->index = keys[key].element;
	if (kind == NODE_BRANCH || kind == NODE_CPU_RANGES)
		node->index = (unsigned int)number;
	if (text)
		*(has_variant ? &node->variant : &node->text) = xstrdup(text);
	if (cpus || kind == NODE_CPU_RANGES) {
		node->cpus = xcheck(isst_cpuset_new());
		xcall(isst_cpuset_add_set(node->cpus, cpus));
	}
	return node;
}
