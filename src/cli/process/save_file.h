/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written completely or not at all. Must not know their content. */
#ifndef ISST_CLI_SAVE_FILE_H
#define ISST_CLI_SAVE_FILE_H

#include <stddef.h>

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

#endif
