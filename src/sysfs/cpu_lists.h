/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of CPUs that the kernel keeps: NUMA nodes, isolated and nohz_full CPUs, and modules. */
#ifndef ISST_SYSFS_CPU_LISTS_H
#define ISST_SYSFS_CPU_LISTS_H

#include "sysfs/kernel_files.h"

/** Adds the CPUs of a NUMA node. Returns 0, -ENOENT (no such node; no message is set), -EPERM, -EIO
 * or -ENOMEM. */
int cpu_lists_node(struct kernel_files *files, unsigned int node, struct isst_cpuset *cpus);

/** Adds the CPUs that are isolated from the scheduler, by isolcpus or in partitions of cgroup v2.
 * What the kernel does not report is none. Returns 0, -EPERM, -EIO or -ENOMEM. */
int cpu_lists_isolated(struct kernel_files *files, struct isst_cpuset *cpus);

/** Adds those that are in isolated partitions, and not of isolcpus; none before kernel 6.7. As
 * above.
 */
int cpu_lists_partitioned(struct kernel_files *files, struct isst_cpuset *cpus);

/** Adds the CPUs of the module of a CPU that is online: a cluster of several cores. Returns 0,
 * -ENOENT (it is in none, or the kernel, before 5.16, does not report clusters; no message is set),
 * -EPERM, -EIO or -ENOMEM. */
int cpu_lists_module(struct kernel_files *files, unsigned int cpu, struct isst_cpuset *cpus);

/* ---- CPUs that the administrator keeps free ---- */

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
