/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of a feature's saved settings, and the staged one beside it: the file as it will be
 * once the change is complete.
 */
#ifndef ISST_TRANSACTION_SAVED_SETTINGS_FILE_H
#define ISST_TRANSACTION_SAVED_SETTINGS_FILE_H

#include "transaction/item_lines.h"
#include "transaction/items.h"

/** A line without a value: the settings of its domain at a level were restored. */
struct item_line settings_mark(const struct item *domain, unsigned int level);
bool settings_is_mark(const struct item_line *line);

/** Reads all lines. Returns as settings_read() does. */
int settings_file_read(struct isst_context *context, const char *name, bool staged,
		       struct item_lines *saved);

/**
 * Writes all lines; a file without any goes.
 *
 * @over: over the file that is there, where there is no space for a new one
 * Returns 0 or a negative errno, without a message.
 */
int settings_file_write(struct isst_context *context, const char *name, bool staged,
			const struct item_lines *saved, bool over);

/** Replaces the file by the staged one. Returns 0, -ENOENT where nothing is staged, or
 * a negative errno, without a message. */
int settings_file_adopt(struct isst_context *context, const char *name);

/** Whether what is staged is a whole file of this boot. Returns as settings_read() does. */
int settings_file_check_staged(struct isst_context *context, const char *name);

/** Removes what runs that were killed have left of new files, for a run that has the lock. */
void settings_file_clean(struct isst_context *context);

/** Removes the file, or empties it where it cannot be removed; a missing one is no error. Returns 0
 * or a negative errno, without a message. */
int settings_file_discard(struct isst_context *context, const char *name, bool staged);

#endif
