/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs isolated by cgroup v2 cpuset partitions instead of going offline. */
#ifndef ISST_SYSFS_PARTITION_H
#define ISST_SYSFS_PARTITION_H

#include "sysfs/kernel_files.h"

#include <stdbool.h>

/** State of the group in directory @name below the root: "absent", or its type and CPUs, `isolated
 * 0-3`. To be freed. Returns 0 or an error with a message; -EOPNOTSUPP: cgroup v2 has no cpusets.
 */
int partition_read(struct kernel_files *files, const char *name, char **state);

/** The CPUs ("" for none) of a `root` or `isolated` state, valid or not; else NULL. */
const char *partition_cpus(const char *state);

/** Writes a state of partition_read(). Where the kernel refuses `isolated`, `root` is used. It is
 * read back: an invalid partition is an error with the kernel's reason. */
int partition_write(struct kernel_files *files, const char *name, const char *state);

/** Whether groups below the root have the cpuset controller. -ENOENT: no cgroup v2. */
int cpusets_read(struct kernel_files *files, bool *enabled);
int cpusets_write(struct kernel_files *files, bool enable);

#endif
