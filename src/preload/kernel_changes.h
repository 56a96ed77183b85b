/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that change the kernel: no header has the first three, and those of glibc before 2.36 not
 * the last two. */
#ifndef ISST_PRELOAD_KERNEL_CHANGES_H
#define ISST_PRELOAD_KERNEL_CHANGES_H

#include "preload/preload.h"

#include <sys/mount.h>
#include <sys/syscall.h>

#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

/* NOLINTBEGIN(readability-redundant-declaration) */
struct mount_attr;
int init_module(void *image, unsigned long size, const char *parameters);
int finit_module(int descriptor, const char *parameters, int flags);
int delete_module(const char *name, unsigned int flags);
int move_mount(int from, const char *from_path, int to, const char *to_path, unsigned int flags);
int mount_setattr(int directory, const char *path, unsigned int flags,
		  struct mount_attr *attributes, size_t size);
/* NOLINTEND(readability-redundant-declaration) */

#endif
