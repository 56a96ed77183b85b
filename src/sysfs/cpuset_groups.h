/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of a cpuset hierarchy of cgroup v1, as on hybrid systems. A CPU that goes offline is lost
 * to their cpuset.cpus, also once it is back.
 */
#ifndef ISST_SYSFS_CPUSET_GROUPS_H
#define ISST_SYSFS_CPUSET_GROUPS_H

#include "sysfs/kernel_files.h"

#define CPUSET_GROUPS_DIRECTORY "/sys/fs/cgroup/cpuset"

/**
 * The state of all groups, parents first: `GROUP=CPUS` of each, divided by blanks; in GROUP, a path
 * below the directory, bytes that are none of a plain name are `%` and two hexadecimal digits. To
 * be freed. Returns 0, -ENOENT (no such hierarchy, without a message), or an error with a message.
 */
int cpuset_groups_read(struct kernel_files *files, char **state);

/** Gives groups that are still there the CPUs of a state. Returns 0 or an error with a message. */
int cpuset_groups_write(struct kernel_files *files, const char *state);

/** Whether all groups that are in both states have the same CPUs in them: others come and go. */
bool cpuset_groups_equal(const char *a, const char *b);

/** What groups that are as @now have lost nothing of: as they were @before, if they are still as
 * they were @left then, else as they are. To be freed. Returns 0 or -ENOMEM. */
int cpuset_groups_before(const char *now, const char *before, const char *left, char **state);

/** Whether groups that are in both states have lost nothing but CPUs of a set, and gained nothing.
 * False without memory. */
bool cpuset_groups_lost(const char *before, const char *now, const struct isst_cpuset *cpus);

/** Names groups that have CPUs of a set, with these: `box (12-15), vm/one (14)`, the first ones of
 * many. To be freed; NULL where there are none. Returns 0 or -ENOMEM. */
int cpuset_groups_name(const char *state, const struct isst_cpuset *cpus, char **names);

/**
 * The state to be written to give back CPUs of @online that groups had @before, and lost. Those
 * that are @now not as they were @left were changed by another program. To be freed; NULL where
 * there is nothing to give back. Returns 0 or -ENOMEM.
 */
int cpuset_groups_regain(const char *now, const char *before, const char *left,
			 const struct isst_cpuset *online, char **state);

#endif
