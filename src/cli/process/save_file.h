/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_SAVE_FILE_H
#define ISST_CLI_SAVE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/** Writes a file with the caller's rights: replaced as a whole, with mode and owner, also behind
 * links; FIFOs, devices, standard streams and mount points are written to. Returns 0 or a
 * negative errno: -ESTALE if it was exchanged meanwhile. */
int save_file(const char *path, const char *text, size_t size);

/** Checks that save_file() can work, without creating anything. Returns 0 or a negative errno. */
int save_file_check(const char *path);

/* ---- Its parts ---- */

/** The place of a file, which changes of directories on the way do not move. */
struct save_target {
	int directory; /* behind all symbolic links */
	char *name;    /* in it */
	bool exists;
	struct stat file; /* if it exists */
};

/** Finds what a path names, also what a dangling link does. Returns 0 or a negative errno. */
int save_target_open(const char *path, struct save_target *target);
void save_target_close(struct save_target *target);

/** Replaces or creates the file. Returns 0 or a negative errno: -ESTALE: exchanged, -EBUSY:
 * mounted. */
int save_target_replace(const struct save_target *target, const char *text, size_t size);

/** Overwrites the file that was found. Returns 0 or a negative errno: -ESTALE as above. */
int save_target_overwrite(const struct save_target *target, const char *text, size_t size);

/** Writes to an open file, and closes it. Returns 0 or a negative errno: -ESTALE if it is another.
 */
int save_target_fill(int descriptor, const struct stat *file, const char *text, size_t size);

#endif
