/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a report as one JSON document with the keys that scripts know, all values strings; units
 * at the same path are one object. Must know nothing of Speed Select.
 */
#include "../report/wording.h"
#include "../text/json_string.h"
#include "render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct document {
	FILE *stream;
	unsigned int depth;
	bool begun; /* the object that is open has a member */
};

/** Begins a member of the open object. */
static void begin_member(struct document *document, const char *name)
{
	fprintf(document->stream, "%s\n%*s", document->begun ? "," : "", (int)(2 * document->depth),
		"");
	json_string_write(name, document->stream);
	fputs(": ", document->stream);
	document->begun = true;
}

static void open_object(struct document *document)
{
	fputc('{', document->stream);
	document->depth++;
	document->begun = false;
}

static void close_object(struct document *document)
{
	document->depth--;
	if (document->begun)
		fprintf(document->stream, "\n%*s", (int)(2 * document->depth), "");
	fputc('}', document->stream);
	document->begun = true;
}

static bool same_key(const struct report_node *one, const struct report_node *other)
{
	if (one->key != other->key || one->index != other->index ||
	    !one->variant != !other->variant)
		return false;
	return !one->variant || strcmp(one->variant, other->variant) == 0;
}

/** True if a node before @node in @parents has the same key. */
static bool written_before(const struct report_node *const *parents, const struct report_node *node)
{
	for (;; parents++) {
		for (const struct report_node *child = (*parents)->first; child;
		     child = child->next) {
			if (child == node)
				return false;
			if (same_key(child, node))
				return true;
		}
	}
}

static int write_children(struct document *document, const struct report_node *const *parents,
			  size_t count);

/** Writes the object that all branches with the key of @branch make up together. */
static int write_branch(struct document *document, const struct report_node *const *parents,
			size_t count, const struct report_node *branch)
{
	const struct report_node **same = NULL;
	size_t found = 0;
	int error;

	for (size_t i = 0; i < count; i++) {
		for (const struct report_node *node = parents[i]->first; node; node = node->next) {
			const struct report_node **more;

			if (node->kind != NODE_BRANCH || !same_key(node, branch))
				continue;
			more = reallocarray(same, found + 1, sizeof(*same));
			if (!more) {
				free(same);
				return -ENOMEM;
			}
			same = more;
			same[found++] = node;
		}
	}
	open_object(document);
	error = write_children(document, same, found);
	close_object(document);
	free(same);
	return error;
}

static int write_member(struct document *document, const struct report_node *const *parents,
			size_t count, const struct report_node *node)
{
	char *name = wording_of_key(node), *value;

	if (!name)
		return -ENOMEM;
	begin_member(document, name);
	free(name);
	if (node->kind == NODE_BRANCH)
		return write_branch(document, parents, count, node);
	value = wording_of_value(node);
	if (!value)
		return -ENOMEM;
	json_string_write(value, document->stream);
	free(value);
	return 0;
}

/** Writes the children of all @parents as members of the open object, those of one key once. */
static int write_children(struct document *document, const struct report_node *const *parents,
			  size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count; i++) {
		for (const struct report_node *node = parents[i]->first; node && !error;
		     node = node->next) {
			if (node->kind != NODE_UNKNOWN && !written_before(parents, node))
				error = write_member(document, parents, count, node);
		}
	}
	return error;
}

static bool same_path(const struct report_entry *one, const struct report_entry *other)
{
	if (other->kind != ENTRY_UNIT || one->steps != other->steps)
		return false;
	for (size_t i = 0; i < one->steps; i++) {
		if (one->path[i].key != other->path[i].key ||
		    one->path[i].index != other->path[i].index)
			return false;
	}
	return true;
}

static int write_units(struct document *document, const struct report_node *const *roots,
		       size_t count, const struct report_entry *unit)
{
	char *name;
	int error;

	if (unit->steps == 0)
		return write_children(document, roots, count);
	name = wording_of_path(unit->path, unit->steps);
	if (!name)
		return -ENOMEM;
	begin_member(document, name);
	free(name);
	open_object(document);
	error = write_children(document, roots, count);
	close_object(document);
	return error;
}

/** Writes the units that have the path of @unit, the first of them; nothing for the others. */
static int write_unit(struct document *document, const struct report *report,
		      const struct report_entry *unit)
{
	const struct report_node **roots;
	size_t count = 0, space = 0;
	int error;

	for (const struct report_entry *entry = report_first(report); entry; entry = entry->next) {
		if (!same_path(unit, entry))
			continue;
		if (space == 0 && entry != unit)
			return 0;
		space++;
	}
	roots = calloc(space + 1, sizeof(*roots));
	if (!roots)
		return -ENOMEM;
	for (const struct report_entry *entry = unit; entry; entry = entry->next) {
		if (same_path(unit, entry))
			roots[count++] = entry->root;
	}
	error = write_units(document, roots, count, unit);
	free(roots);
	return error;
}

static int write_message(struct document *document, const struct report_entry *entry,
			 unsigned int number)
{
	char *name;

	if (asprintf(&name, "%s%s%u", wording_of_message(entry),
		     entry->kind == ENTRY_ERROR ? "" : ":", number) < 0)
		return -ENOMEM;
	begin_member(document, name);
	free(name);
	open_object(document);
	begin_member(document, "message");
	json_string_write(entry->message, document->stream);
	close_object(document);
	return 0;
}

int render_json(const struct report *report, bool messages, FILE *stream)
{
	struct document document = { .stream = stream };
	unsigned int number = 0;
	int error = 0;

	open_object(&document);
	for (const struct report_entry *entry = report_first(report); entry && !error;
	     entry = entry->next) {
		if (entry->kind == ENTRY_UNIT)
			error = write_unit(&document, report, entry);
		else if (messages)
			error = write_message(&document, entry, number++);
	}
	close_object(&document);
	fputc('\n', stream);
	return error;
}
