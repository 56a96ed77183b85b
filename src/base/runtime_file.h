/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files of the runtime directory, which is made when the first one is written. */
#ifndef ISST_BASE_RUNTIME_FILE_H
#define ISST_BASE_RUNTIME_FILE_H

/**
 * Reads the whole file; *@text is to be freed. Returns 0, -ENOENT (there is none) or another
 * negative errno.
 */
int runtime_file_read(const char *directory, const char *name, char **text);

/** Puts @text into the place of the file as a whole. Returns 0 or a negative errno. */
int runtime_file_replace(const char *directory, const char *name, const char *text);

/** Opens the file to append to it, making it where it is missing. Returns a descriptor or a
 * negative errno. */
int runtime_file_append(const char *directory, const char *name);

/** Removes the file; a missing one is no error. Returns 0 or a negative errno. */
int runtime_file_remove(const char *directory, const char *name);

#endif
