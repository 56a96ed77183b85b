/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <stdlib.h>
#include <string.h>

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
	/* A report without memory has units without nodes. */
	if (report->failed || before->failed)
		return;
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
