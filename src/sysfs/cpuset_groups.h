/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of a cgroup v1 cpuset hierarchy. They lose CPUs that go offline from cpuset.cpus for good.
 */
#ifndef ISST_SYSFS_CPUSET_GROUPS_H
#define ISST_SYSFS_CPUSET_GROUPS_H

#include "sysfs/kernel_files.h"

#define CPUSET_GROUPS_DIRECTORY "/sys/fs/cgroup/cpuset"

/** The state of all groups, parents first: `GROUP=CPUS GROUP=CPUS`, GROUP being a path with unusual
 * bytes as %XX. To be freed. Returns 0, -ENOENT (no such hierarchy; no message), or an error. */
int cpuset_groups_read(struct kernel_files *files, char **state);

/** Writes the CPUs of a state to groups that still exist. Returns 0 or an error with a message. */
int cpuset_groups_write(struct kernel_files *files, const char *state);

/** Whether groups in both states have the same CPUs. */
bool cpuset_groups_equal(const char *a, const char *b);

/** The groups @now, but as @before where they are still as they were @left. To be freed. Returns 0
 * or -ENOMEM. */
int cpuset_groups_before(const char *now, const char *before, const char *left, char **state);

/** Whether groups in both states lost nothing but CPUs of a set, and gained nothing. False without
 * memory. */
bool cpuset_groups_lost(const char *before, const char *now, const struct isst_cpuset *cpus);

/** Names the first groups with CPUs of a set: `box (12-15), vm/one (14)`. To be freed; NULL: none.
 * Returns 0 or -ENOMEM. */
int cpuset_groups_name(const char *state, const struct isst_cpuset *cpus, char **names);

/** The state that gives groups back their lost CPUs of @online, unless another program has changed
 * them since they were @left. To be freed; NULL: nothing to give back. Returns 0 or -ENOMEM. */
int cpuset_groups_regain(const char *now, const char *before, const char *left,
			 const struct isst_cpuset *online, char **state);

#endif
