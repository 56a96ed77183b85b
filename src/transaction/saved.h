/* SPDX-License-Identifier: BSD-3-Clause */
/* Items and their values as lines of text, for the files in which changes are remembered. */
#ifndef ISST_TRANSACTION_SAVED_H
#define ISST_TRANSACTION_SAVED_H

#include "transaction/items.h"

#include <stdio.h>

/** An item with the value that it had, the one that was written, and the level that its domain was
 * at. */
struct saved_item {
	struct item item;
	unsigned int level;
	struct item_value old, written;
};

struct saved_items {
	struct saved_item *items;
	size_t count;
};

/** Adds one. Returns 0 or -ENOMEM. */
int saved_items_add(struct saved_items *saved, const struct saved_item *item);
void saved_items_clear(struct saved_items *saved);

/** Writes one as a line; the stream remembers where that failed. */
void saved_item_print(FILE *stream, const struct saved_item *saved);

/** Reads one from a line without its end, which is written to. Returns 0, -EINVAL where it says
 * nothing of the kind, or -ENOMEM. */
int saved_item_parse(struct isst_context *context, char *line, struct saved_item *saved);

/**
 * Reads a file of the runtime directory that begins with a line of saved_header(); *@lines is what
 * stands behind that line. *@text is to be freed. @whole: the file was put into its place as a
 * whole; else its first line may not be complete, and says nothing then. Returns 0, -ENOENT (no
 * file, or one of another boot), -ENOMEM, or another negative errno with a message.
 */
int saved_text_read(struct isst_context *context, const char *name, unsigned int version,
		    bool whole, char **text, char **lines);

/**
 * Reads the file @name of the runtime directory. Returns 0, -ENOENT (no file, or one of another
 * boot), -ENOMEM, or another negative errno with a message: one that cannot be read, is of another
 * version, or damaged, which one without its last line is, too: such a file is written as a whole.
 */
int saved_items_read(struct isst_context *context, const char *name, struct saved_items *saved);

/** Says that nothing of a file is followed, and what helps: @how is what its line is. Returns -EIO.
 */
int saved_refuse(struct isst_context *context, const char *name, size_t line, const char *how);

/** The first line of the file @name, whose format has a @version, to be freed. Returns 0, -ENOMEM,
 * or an error with a message where this boot cannot be told from others. */
int saved_header(struct isst_context *context, const char *name, unsigned int version,
		 char **header);

/** The version of the files that saved_items_read() reads, and their last line. */
#define SAVED_ITEMS_VERSION 2
#define SAVED_ITEMS_END "end"

#endif
