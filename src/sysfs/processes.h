/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of the machine, by the names that the kernel has for them. */
#ifndef ISST_SYSFS_PROCESSES_H
#define ISST_SYSFS_PROCESSES_H

#include "sysfs/kernel_files.h"

/** The kernel keeps that many characters of a process's name. */
enum { PROCESS_NAME_LENGTH = 15 };

/**
 * Calls @found for each process: its number, and its name in /proc/N/comm. What ends meanwhile is
 * left out. @found returns 0 to go on. Returns 0, what @found returned, -ENOENT (no /proc; no
 * message is set), -EPERM, -EIO or -ENOMEM.
 */
int processes_each(struct kernel_files *files,
		   int (*found)(void *data, unsigned int number, const char *name), void *data);

#endif
