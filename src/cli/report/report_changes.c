/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares reports. */
#include "report.h"

#include "wording.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which nodes are the same ---- */

static const struct report_step *next_place(const struct report_entry *unit, size_t *step)
{
	while (*step < unit->steps && !unit->path[*step].key->place)
		(*step)++;
	return *step < unit->steps ? &unit->path[(*step)++] : NULL;
}

static bool has_same_place(const struct report_entry *one, const struct report_entry *other)
{
	size_t i = 0, k = 0;

	if (other->kind != ENTRY_UNIT || (one->steps == 0) != (other->steps == 0))
		return false;
	for (;;) {
		const struct report_step *a = next_place(one, &i), *b = next_place(other, &k);

		if (!a || !b)
			return !a && !b;
		if (a->key != b->key || a->index != b->index)
			return false;
	}
}

static bool is_same_node(const struct report_node *one, const struct report_node *other)
{
	return one->key == other->key && one->index == other->index &&
	       !one->variant == !other->variant &&
	       (!one->variant || strcmp(one->variant, other->variant) == 0);
}

static const struct report_node *find_node(const struct report_node *parent,
					   const struct report_node *like)
{
	const struct report_node *node = parent->first;

	while (node && !is_same_node(like, node))
		node = node->next;
	return node;
}

/* ---- What they are shown with ---- */

static char *text_of(const struct report_node *leaf)
{
	char *text;

	if (!leaf->key->sentence)
		return wording_of_cell(leaf);
	return wording_of_sentence(leaf, &text) == 0 ? text : NULL;
}

static bool has_same_text(const struct report_node *one, const struct report_node *other)
{
	char *a = text_of(one), *b = text_of(other);
	bool same = !a || !b || strcmp(a, b) == 0;

	free(a);
	free(b);
	return same;
}

/** Whether all leaves of a row have the same texts as those of another one. */
static bool has_same_leaves(const struct report_node *one, const struct report_node *other)
{
	for (const struct report_node *leaf = one->first; leaf; leaf = leaf->next) {
		const struct report_node *same = find_node(other, leaf);

		if (!same || !has_same_text(leaf, same))
			return false;
	}
	return true;
}

/** The number of a row that is not shown stands for nothing: the row is any with the same texts. */
static const struct report_node *find_row(const struct report_node *parent,
					  const struct report_node *like)
{
	const struct report_node *row = parent->first;

	if (!like->key->heading || like->key->index_heading)
		return find_node(parent, like);
	while (row && (row->key != like->key || !has_same_leaves(like, row)))
		row = row->next;
	return row;
}

/* ---- Marking ---- */

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

static void mark_unit(const struct report_entry *unit, const struct report *before)
{
	const struct report_entry *same = before->first;

	if (unit->steps == 0) {
		mark_top(unit->root, before);
		return;
	}
	while (same && !has_same_place(unit, same))
		same = same->next;
	mark_below(unit->root, same ? same->root : NULL);
}

void report_mark_changes(struct report *report, const struct report *before)
{
	/* A report without memory has units without nodes. */
	if (report->failed || before->failed)
		return;
	for (const struct report_entry *entry = report->first; entry; entry = entry->next)
		if (entry->kind == ENTRY_UNIT)
			mark_unit(entry, before);
}
