/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The place of a file that is to be written: found once, so that a process that may change the
 * directories on the way cannot choose another file meanwhile. Must not know the file's content.
 */
#ifndef ISST_CLI_SAVE_TARGET_H
#define ISST_CLI_SAVE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct save_target {
	int directory; /* where it is, when all symbolic links are followed */
	char *name;    /* in it */
	bool exists;
	struct stat file; /* if it exists */
};

/** Finds what a path names; a link that dangles names a file that does not exist. Returns 0 or a
 * negative errno; then there is nothing to close. */
int save_target_open(const char *path, struct save_target *target);
void save_target_close(struct save_target *target);

/**
 * Puts a file in the place of the one that was found, with its mode and owner, or where there was
 * none. Returns 0 or a negative errno: -ESTALE if there is another one by now, -EBUSY for a mount
 * point.
 */
int save_target_replace(const struct save_target *target, const char *text, size_t size);

/** Writes over the file that was found. Returns 0 or a negative errno: -ESTALE if there is another
 * one by now. */
int save_target_overwrite(const struct save_target *target, const char *text, size_t size);

/** Writes to what was opened, and closes it. Returns 0 or a negative errno: -ESTALE if it is not
 * this file. */
int save_target_fill(int descriptor, const struct stat *file, const char *text, size_t size);

/** Writes all of it. Returns 0 or a negative errno. */
int save_target_write_all(int descriptor, const char *text, size_t size);

#endif
