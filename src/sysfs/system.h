/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's view of the system: lists of CPUs, registers, modules, processes, suspends, RCU. */
#ifndef ISST_SYSFS_SYSTEM_H
#define ISST_SYSFS_SYSTEM_H

#include "sysfs/kernel_files.h"

/* ---- Lists of CPUs ---- */

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

/* ---- Registers of CPUs ---- */

/**
 * Reads a register by a CPU, which is interrupted for it. Returns 0, -ENOENT (the module is not
 * loaded, or the CPU is offline: no message is set), -EOPNOTSUPP (the processor has no such
 * register), -EPERM, -EIO or -ENOMEM.
 */
int cpu_register_read(struct kernel_files *files, unsigned int cpu, uint32_t number,
		      uint64_t *value);

/* ---- The processor's name ---- */

/** The first processor's model name in /proc/cpuinfo, to be freed; NULL where the kernel reports
 * none. Returns 0 or a negative errno. */
int model_name_read(struct kernel_files *files, char **name);

/* ---- Modules ---- */

/** What helps where a module is loaded, and its driver has no device: nothing but this, since the
 * kernel does not try again. A message ends with it. */
#define MODULE_UNBOUND \
	"loaded, but not bound to its devices; unload it, and load it again while no process has " \
	"/dev/isst_interface open"

/** Whether a module is loaded, and done with its beginning; what cannot be found out is not. Leaves
 * the message as it is. */
bool module_is_loaded(struct kernel_files *files, const char *name);

/* ---- Processes ---- */

/** The kernel keeps that many characters of a process's name. */
enum { PROCESS_NAME_LENGTH = 15 };

/**
 * Calls @found for each process: its number, and its name in /proc/N/comm. What ends meanwhile is
 * left out. @found returns 0 to go on. Returns 0, what @found returned, -ENOENT (no /proc; no
 * message is set), -EPERM, -EIO or -ENOMEM.
 */
int processes_each(struct kernel_files *files,
		   int (*found)(void *data, unsigned int number, const char *name), void *data);

/* ---- Suspends ---- */

/** How often the kernel resumed since boot. */
#define RESUMES_FILE "/sys/power/suspend_stats/success"

/** A point in the time of a machine. */
struct suspend_mark {
	uint64_t resumes;     /* 0 on kernels that do not count them */
	int64_t suspended_ms; /* since boot; 0 on an emulated machine */
};

/** Takes the present point in time. What cannot be read is 0. */
struct suspend_mark suspend_mark_now(struct kernel_files *files);

/** Whether the machine was suspended, or hibernated, between two points. */
bool suspend_marks_differ(const struct suspend_mark *before, const struct suspend_mark *now);

/* ---- RCU ---- */

/* Whether the kernel expedites the grace periods of RCU. A CPU that goes offline or comes online
 * waits for several of them, one after the other: they are most of the time that it takes. To
 * expedite them interrupts all CPUs. */

/** Errors as in kernel_files.h. */
int rcu_read_expedited(struct kernel_files *files, bool *expedited);
int rcu_write_expedited(struct kernel_files *files, bool expedited);

/**
 * Whether they may be expedited, and are not yet: not where the administrator wants them not to be
 * (rcu_normal), nor where CPUs are isolated or nohz_full, nor where one of these cannot be read.
 * Returns 0 or -ENOMEM.
 */
int rcu_may_expedite(struct kernel_files *files, bool *may);

#endif
