/* SPDX-License-Identifier: BSD-3-Clause */
/* Items and their values as lines of text, for the files in which changes are remembered. */
#ifndef ISST_TRANSACTION_ITEM_LINES_H
#define ISST_TRANSACTION_ITEM_LINES_H

#include "transaction/items.h"

#include <stdio.h>

/** An item with the value that it had, the one that was written, and the level that its domain was
 * at. */
struct item_line {
	struct item item;
	unsigned int level;
	struct item_value old, written;
	/* Of a limit that another owner held tighter: what it read as then. */
	bool held;
	uint64_t shown;
};

struct item_lines {
	struct item_line *items;
	size_t count;
};

/** Adds one. Returns 0 or -ENOMEM. */
int item_lines_add(struct item_lines *saved, const struct item_line *item);
void item_lines_clear(struct item_lines *saved);

/** Writes one as a line; the stream remembers where that failed. */
void item_line_print(FILE *stream, const struct item_line *saved);

/** Reads one from a line without its end, which is written to. Returns 0, -EINVAL where it has
 * nothing of the kind, or -ENOMEM. */
int item_line_parse(struct isst_context *context, char *line, struct item_line *saved);

/**
 * Reads the file @name of the runtime directory, which begins with a line of item_lines_header();
 * *@lines is what stands behind that line. @whole: the file is put into its place as a whole; else
 * its first line may not be complete, and is ignored then. *@text is to be freed. Returns 0,
 * -ENOENT (no file, or one of another boot), -ENOMEM, or another negative errno with a message.
 */
int item_lines_read_text(struct isst_context *context, const char *name, unsigned int version,
			 bool whole, char **text, char **lines);

/**
 * Reads the file @name of the runtime directory. Returns 0, -ENOENT (no file, or one of another
 * boot), -ENOMEM, or another negative errno with a message: one that cannot be read, is of another
 * version, or damaged, which one without its last line is, too: such a file is written as a whole.
 */
int item_lines_read(struct isst_context *context, const char *name, struct item_lines *saved);

/** Reports that nothing of a file is followed, and what helps: @how is what its line is. Returns
 * -EIO.
 */
int item_lines_refuse(struct isst_context *context, const char *name, size_t line, const char *how);

/** The first line of the file @name, whose format has a @version, to be freed. Returns 0, -ENOMEM,
 * or an error with a message where this boot cannot be identified. */
int item_lines_header(struct isst_context *context, const char *name, unsigned int version,
		      char **header);

/**
 * Replaces the file @name of the runtime directory: the first line, and @text behind it. Returns 0,
 * -ENOMEM, or another negative errno with a message.
 */
int item_lines_replace_text(struct isst_context *context, const char *name, unsigned int version,
			    const char *text);

/** The version of the files that item_lines_read() reads, and their last line. */
#define ITEM_LINES_VERSION 2
#define ITEM_LINES_END "end"

/** What the names of files of saved settings begin with (saved_settings.h). */
#define SAVED_PREFIX "record-"

/** The file of the state after boot (boot_state.h): the first line and its check are the same. */
#define BOOT_STATE_FILE "boot-state"

/** That of the last run that applied a configuration (state/applied.h), in the same way. */
#define APPLIED_FILE "config-apply"

#endif
