/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_SAVE_FILE_H
#define ISST_CLI_SAVE_FILE_H

#include <stddef.h>

/** Writes a file with the caller's rights: replaced as a whole, with mode and owner, also behind
 * links; FIFOs, devices, standard streams and mount points are written to. Returns 0 or a
 * negative errno: -ESTALE if another process exchanged it meanwhile. */
int save_file(const char *path, const char *text, size_t size);

/** Checks that save_file() can work, without creating anything. Returns 0 or a negative errno. */
int save_file_check(const char *path);

#endif
