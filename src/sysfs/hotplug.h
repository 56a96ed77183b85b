/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs are online, by the kernel's files, and SMT. */
#ifndef ISST_SYSFS_HOTPLUG_H
#define ISST_SYSFS_HOTPLUG_H

#include "sysfs/kernel_files.h"

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
