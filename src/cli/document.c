/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds and writes JSON documents; must not know what they are about. */
#include "document.h"

#include "json_string.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum value_type { TYPE_OBJECT, TYPE_ARRAY, TYPE_NUMBER, TYPE_FLAG, TYPE_TEXT, TYPE_NULL };

struct document_node {
	struct document *document;
	enum value_type type;
	char *name; /* NULL: an element of an array */
	uint64_t number;
	char *text;
	struct document_node *first, *last; /* of an object in the order of their names */
	struct document_node *next;
};

struct document {
	struct document_node root;
	bool failed;
};

struct document *document_new(void)
{
	struct document *document = calloc(1, sizeof(*document));

	if (document)
		document->root.document = document;
	return document;
}

static void free_nodes(struct document_node *node)
{
	while (node) {
		struct document_node *next = node->next;

		free_nodes(node->first);
		free(node->name);
		free(node->text);
		free(node);
		node = next;
	}
}

void document_free(struct document *document)
{
	if (!document)
		return;
	free_nodes(document->root.first);
	free(document);
}

bool document_failed(const struct document *document)
{
	return document->failed;
}

struct document_node *document_root(struct document *document)
{
	return &document->root;
}

/* ---- Building ---- */

/** Puts a node behind all whose names come before its own. */
static void insert(struct document_node *parent, struct document_node *node)
{
	struct document_node **at = &parent->first;

	if (!node->name) {
		if (parent->last)
			at = &parent->last->next;
	} else {
		while (*at && strcmp((*at)->name, node->name) < 0)
			at = &(*at)->next;
	}
	node->next = *at;
	*at = node;
	if (!node->next)
		parent->last = node;
}

static struct document_node *add(struct document_node *parent, const char *name,
				 enum value_type type)
{
	struct document_node *node;
	char *copy = NULL;

	if (!parent)
		return NULL;
	node = calloc(1, sizeof(*node));
	if (name)
		copy = strdup(name);
	if (!node || (name && !copy)) {
		parent->document->failed = true;
		free(node);
		free(copy);
		return NULL;
	}
	*node = (struct document_node){ .document = parent->document, .type = type, .name = copy };
	insert(parent, node);
	return node;
}

struct document_node *document_object(struct document_node *parent, const char *name)
{
	return add(parent, name, TYPE_OBJECT);
}

struct document_node *document_array(struct document_node *parent, const char *name)
{
	return add(parent, name, TYPE_ARRAY);
}

void document_number(struct document_node *parent, const char *name, uint64_t number)
{
	struct document_node *node = add(parent, name, TYPE_NUMBER);

	if (node)
		node->number = number;
}

void document_flag(struct document_node *parent, const char *name, bool flag)
{
	struct document_node *node = add(parent, name, TYPE_FLAG);

	if (node)
		node->number = flag;
}

void document_text(struct document_node *parent, const char *name, const char *text)
{
	struct document_node *node = add(parent, name, TYPE_TEXT);

	if (!node)
		return;
	node->text = strdup(text);
	if (!node->text)
		node->document->failed = true;
}

void document_null(struct document_node *parent, const char *name)
{
	add(parent, name, TYPE_NULL);
}

void document_lose(struct document_node *node)
{
	if (node)
		node->document->failed = true;
}

struct document_node *document_member(const struct document_node *object, const char *name)
{
	struct document_node *node = object ? object->first : NULL;

	while (node && strcmp(node->name, name) != 0)
		node = node->next;
	return node;
}

/* ---- Writing ---- */

static void write_value(const struct document_node *node, unsigned int depth, FILE *stream);

static void write_children(const struct document_node *parent, unsigned int depth, FILE *stream)
{
	for (const struct document_node *node = parent->first; node; node = node->next) {
		fprintf(stream, "%s\n%*s", node == parent->first ? "" : ",", (int)(2 * depth + 2),
			"");
		if (node->name) {
			json_string_write(node->name, stream);
			fputs(": ", stream);
		}
		write_value(node, depth + 1, stream);
	}
	if (parent->first)
		fprintf(stream, "\n%*s", (int)(2 * depth), "");
}

static void write_value(const struct document_node *node, unsigned int depth, FILE *stream)
{
	bool object = node->type == TYPE_OBJECT;

	switch (node->type) {
	case TYPE_OBJECT:
	case TYPE_ARRAY:
		fputc(object ? '{' : '[', stream);
		write_children(node, depth, stream);
		fputc(object ? '}' : ']', stream);
		break;
	case TYPE_NUMBER:
		fprintf(stream, "%" PRIu64, node->number);
		break;
	case TYPE_FLAG:
		fputs(node->number ? "true" : "false", stream);
		break;
	case TYPE_TEXT:
		json_string_write(node->text ? node->text : "", stream);
		break;
	case TYPE_NULL:
		fputs("null", stream);
		break;
	}
}

void document_write(const struct document *document, FILE *stream)
{
	write_value(&document->root, 0, stream);
	fputc('\n', stream);
}
