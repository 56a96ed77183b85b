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
	const char *owner; /* of saved settings: the feature that has replaced it */
	unsigned int level;
	struct item_value old, written;
	/* Of a limit that another owner held tighter: what it read as then. */
	bool other_owner;
	uint64_t shown;
};

struct item_lines {
	struct item_line *items;
	size_t count;
};

void item_lines_clear(struct item_lines *saved);

/** Writes one as a line; the stream remembers where that failed. */
void item_line_print(FILE *stream, const struct item_line *saved);

/** Reads a line without its end, which is written to. Returns 0, -EINVAL or -ENOMEM. */
int item_line_parse(struct isst_context *context, char *line, struct item_line *saved);

/** Reads the file @name of the runtime directory. *@lines: behind the line of item_lines_header().
 * @whole: it was written by item_lines_replace_text(), and *@lines are that text; else its first
 * line may be incomplete, and is ignored. *@text is to be freed. Returns 0, -ENOENT (no file of
 * this boot), -ENOMEM, or another negative errno with a message. */
int item_lines_read_text(struct isst_context *context, const char *name, unsigned int version,
			 bool whole, char **text, char **lines);

/** Reports that a file is not followed, and what helps. @how: its line is. Returns -EIO. */
int item_lines_refuse(struct isst_context *context, const char *name, size_t line, const char *how);

/** The first line of a file, to be freed. Returns 0, -ENOMEM, or an error with a message. */
int item_lines_header(struct isst_context *context, const char *name, unsigned int version,
		      char **header);

/** Replaces a file: the first line, @text, which is lines, and its end. Returns 0, -ENOMEM, or an
 * error with a message. */
int item_lines_replace_text(struct isst_context *context, const char *name, unsigned int version,
			    const char *text);

/** The file of saved settings (saved_settings.h). */
#define SAVED_SETTINGS_FILE "saved-settings"

/** The file of the state after boot (transaction/run.h): the first line and its check are the same.
 */
#define BOOT_STATE_FILE "boot-state"

/** That of the last run that applied a configuration (state/applied.h), in the same way. */
#define APPLIED_FILE "config-apply"

#endif
