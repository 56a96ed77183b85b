/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's view of the system: lists of CPUs, registers, modules, processes, suspends, RCU. */
#ifndef ISST_SYSFS_SYSTEM_H
#define ISST_SYSFS_SYSTEM_H

#include "sysfs/kernel_files.h"

/* ---- Lists of CPUs. Each function adds to @cpus, and returns 0 or an error of kernel_files.h.
 * ---- */

/** The CPUs of a NUMA node. -ENOENT: there is no such node. */
int cpu_lists_node(struct kernel_files *files, unsigned int node, struct isst_cpuset *cpus);

/** CPUs isolated by isolcpus or in cgroup v2 partitions; none where the kernel reports none. */
int cpu_lists_isolated(struct kernel_files *files, struct isst_cpuset *cpus);

/** CPUs in isolated partitions, without isolcpus; none before kernel 6.7. */
int cpu_lists_partitioned(struct kernel_files *files, struct isst_cpuset *cpus);

/** The module (cluster of cores) of an online CPU. -ENOENT: it has none, or the kernel is older
 * than 5.16. */
int cpu_lists_module(struct kernel_files *files, unsigned int cpu, struct isst_cpuset *cpus);

/** CPUs that are isolated or without a periodic tick (nohz_full). */
int undisturbed_cpus(struct kernel_files *files, struct isst_cpuset *cpus);

/** The same as first read since the last undisturbed_forget(); unreadable ones are none. NULL
 * without memory. */
const struct isst_cpuset *undisturbed_known(struct kernel_files *files);
void undisturbed_forget(struct kernel_files *files);

/* ---- Others ---- */

/** Reads a register through a CPU, which is interrupted. Returns 0, -ENOENT (module not loaded, or
 * CPU offline; no message), -EOPNOTSUPP (no such register), -EPERM, -EIO or -ENOMEM. */
int cpu_register_read(struct kernel_files *files, unsigned int cpu, uint32_t number,
		      uint64_t *value);

/** The model name in /proc/cpuinfo, to be freed; NULL if there is none. Returns 0 or a negative
 * errno. */
int model_name_read(struct kernel_files *files, char **name);

/** Remedy for a module that is loaded, but has no device: the kernel does not try again. */
#define MODULE_UNBOUND \
	"loaded, but not bound to its devices; unload it, and load it again while no process has " \
	"/dev/isst_interface open"

/** Whether a module is known to be loaded and initialized. Leaves the message as it is. */
bool module_is_loaded(struct kernel_files *files, const char *name);

enum { PROCESS_NAME_LENGTH = 15 }; /* as the kernel cuts it */

/** Calls @found with number and name of each process until it does not return 0. Returns its
 * result, or an error of kernel_files.h. */
int processes_each(struct kernel_files *files,
		   int (*found)(void *data, unsigned int number, const char *name), void *data);

/** How often the kernel resumed since boot. */
#define RESUMES_FILE "/sys/power/suspend_stats/success"

/** A point in a machine's time. */
struct suspend_mark {
	uint64_t resumes;     /* 0 on kernels that do not count them */
	int64_t suspended_ms; /* since boot; 0 on an emulated machine */
};

/** The present; what cannot be read is 0. */
struct suspend_mark suspend_mark_now(struct kernel_files *files);

/** Whether the machine was suspended or hibernated in between. */
bool suspend_marks_differ(const struct suspend_mark *before, const struct suspend_mark *now);

/** Whether the kernel expedites RCU grace periods, which interrupts all CPUs. Most of the time of a
 * hotplug operation is waiting for them. Errors as in kernel_files.h. */
int rcu_read_expedited(struct kernel_files *files, bool *expedited);
int rcu_write_expedited(struct kernel_files *files, bool expedited);

/** Whether they may be expedited, and are not yet: not with rcu_normal, isolated or nohz_full CPUs,
 * or if any of these cannot be read. Returns 0 or -ENOMEM. */
int rcu_may_expedite(struct kernel_files *files, bool *may);

/* ---- CPUs that go on- and offline, and SMT ---- */

#define SMT_CONTROL CPU_DIRECTORY "/smt/control"

/** Content of smt/control, to be freed. -ENOENT: there is no such file. */
int hotplug_smt_control(struct kernel_files *files, char **control);
bool hotplug_smt_is_off(const char *control);

/** Notes which CPUs are online: stale limits of the others are ignored. hotplug_write() updates it.
 * Returns 0 or -ENOMEM. */
int hotplug_set_online(struct kernel_files *files, const struct isst_cpuset *online);

/** Whether a CPU is offline, by its own file; a CPU without that cannot go offline. */
bool hotplug_is_offline(struct kernel_files *files, unsigned int cpu);

/** Whether the kernel has a file that takes a CPU offline. Returns 0 or 1, or -ENOMEM. */
int hotplug_can_go_offline(struct kernel_files *files, unsigned int cpu);

/** Takes a CPU online or offline. -ENOENT: it cannot be unplugged. */
int hotplug_write(struct kernel_files *files, unsigned int cpu, bool online);

#endif
