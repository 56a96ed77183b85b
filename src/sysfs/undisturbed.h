/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that the administrator keeps free of everything but their own work. */
#ifndef ISST_SYSFS_UNDISTURBED_H
#define ISST_SYSFS_UNDISTURBED_H

#include "sysfs/kernel_files.h"

/**
 * Adds the CPUs that are isolated from the scheduler, by isolcpus or in partitions of cgroup v2,
 * and those without a periodic tick (nohz_full). What the kernel does not report is none. Returns
 * 0, -EPERM, -EIO or -ENOMEM.
 */
int undisturbed_cpus(struct kernel_files *files, struct isst_cpuset *cpus);

/** The same as they were when they were first asked for, since the last undisturbed_forget(). What
 * cannot be read is none; NULL without memory. */
const struct isst_cpuset *undisturbed_known(struct kernel_files *files);
void undisturbed_forget(struct kernel_files *files);

#endif
