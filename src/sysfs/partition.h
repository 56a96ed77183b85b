/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUs taken from the rest of the system by a cpuset partition of cgroup v2, where they cannot or
 * shall not go offline.
 */
#ifndef ISST_SYSFS_PARTITION_H
#define ISST_SYSFS_PARTITION_H

#include "sysfs/kernel_files.h"

#include <stdbool.h>

/**
 * State of a group directly below the root: "absent", or its partition type and CPUs, `isolated
 * 0-3`. To be freed.
 * @name: of the group's directory
 * Returns 0, or an error with a message; -EOPNOTSUPP where cgroup v2 has no cpusets.
 */
int partition_read(struct kernel_files *files, const char *name, char **state);

/** The CPUs of a state whose type is `root` or `isolated`, valid or not ("" for none); NULL for any
 * other state. */
const char *partition_cpus(const char *state);

/**
 * Brings a group into a state as partition_read() returns it. A type `isolated` falls back to
 * `root` where the kernel refuses it. What the kernel accepted is read back: a partition that it
 * calls invalid is an error with the kernel's reason.
 */
int partition_write(struct kernel_files *files, const char *name, const char *state);

/** Whether groups below the root have the cpuset controller. -ENOENT where there is no cgroup v2.
 */
int cpusets_read(struct kernel_files *files, bool *enabled);
int cpusets_write(struct kernel_files *files, bool enable);

#endif
