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

#endif
