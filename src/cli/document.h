/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A JSON document as a tree, written with sorted members, so that documents of two sources can be
 * compared line by line. Must not know what it is about.
 *
 * Memory that runs out is remembered in the document: the functions then do nothing, accept the
 * NULL nodes that they returned before, and document_failed() reports it in the end.
 */
#ifndef ISST_CLI_DOCUMENT_H
#define ISST_CLI_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct document;
struct document_node;

/** A document of an empty object; NULL without memory. */
struct document *document_new(void);
void document_free(struct document *document);

/** True if memory ran out: the document is not complete. */
bool document_failed(const struct document *document);

/** The object that the document is. */
struct document_node *document_root(struct document *document);

/* Nodes: added to an object under a name, or behind the last element of an array, where @name is
 * NULL. A name is added once. */

struct document_node *document_object(struct document_node *parent, const char *name);
struct document_node *document_array(struct document_node *parent, const char *name);
void document_number(struct document_node *parent, const char *name, uint64_t number);
void document_flag(struct document_node *parent, const char *name, bool flag);
void document_text(struct document_node *parent, const char *name, const char *text);
void document_null(struct document_node *parent, const char *name);

/** Remembers that memory ran out for a value of the node. */
void document_lose(struct document_node *node);

/** The member of an object with a name; NULL: there is none. */
struct document_node *document_member(const struct document_node *object, const char *name);

/** Writes the document: two spaces for each level, the members of objects sorted by name, as jq -S
 * does. */
void document_write(const struct document *document, FILE *stream);

#endif
