/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine's files, beyond the seam of libisst. Paths are absolute and without "..". */
#ifndef EMULATOR_FILES_H
#define EMULATOR_FILES_H

#include "emulator/kernel/kernel.h"

struct emulated;

/** Reads or writes eight bytes of a device at a position, with the privilege that the devices of
 * MSRs ask for (CAP_SYS_RAWIO). Returns 0 or a negative errno. */
int files_access(struct emulated *emulated, const char *path, bool write, uint64_t position,
		 uint64_t *value);
/** As kernel_look(), kernel_list() and kernel_read(): these are neither counted nor subject to
 * fault rules. The machine stays locked until files_release() or the next call_begin(), for what
 * the same request asks next. */
int files_look(struct emulated *emulated, const char *path, bool follow,
	       struct kernel_status *status);
int files_names(struct emulated *emulated, const char *path, char ***names, size_t *count);
/** Returns NULL where it cannot be read. */
char *files_content(struct emulated *emulated, const char *path);
void files_release(struct emulated *emulated);

#endif
