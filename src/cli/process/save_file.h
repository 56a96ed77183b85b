/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written completely or not at all. */
#ifndef ISST_CLI_SAVE_FILE_H
#define ISST_CLI_SAVE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/**
 * Writes a file of the caller's choice, with the rights of the caller. A file that exists is
 * replaced by another one with its mode and owner, or not at all; what a symbolic link names is
 * replaced, or created, not the link. FIFOs, devices and the files of the standard streams are
 * written to; so is a mount point, which cannot be replaced.
 *
 * Returns 0 or a negative errno: -ESTALE if another process exchanged the file meanwhile.
 */
int save_file(const char *path, const char *text, size_t size);

/** Whether a file can be written so, with the rights that the process has; nothing is created, and
 * what happens meanwhile can still prevent it. Returns 0 or a negative errno. */
int save_file_check(const char *path);

/* ---- Its parts ---- */

/** The place of a file, found once: a user who changes the directories on the way does not choose
 * another file. */
struct save_target {
	int directory; /* behind all symbolic links */
	char *name;    /* in it */
	bool exists;
	struct stat file; /* if it exists */
};

/** Finds what a path names; a link that dangles names a file that does not exist. Returns 0 or a
 * negative errno; then there is nothing to close. */
int save_target_open(const char *path, struct save_target *target);
void save_target_close(struct save_target *target);

/** Replaces the file that was found, or creates it where there was none. Returns 0 or a negative
 * errno: -ESTALE if there is another one by now, -EBUSY for a mount point. */
int save_target_replace(const struct save_target *target, const char *text, size_t size);

/** Overwrites the file that was found. Returns 0 or a negative errno: -ESTALE as above. */
int save_target_overwrite(const struct save_target *target, const char *text, size_t size);

/** Writes to what was opened, and closes it. Returns 0 or a negative errno: -ESTALE if it is not
 * this file. */
int save_target_fill(int descriptor, const struct stat *file, const char *text, size_t size);

#endif
