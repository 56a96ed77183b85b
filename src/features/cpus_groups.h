/* SPDX-License-Identifier: BSD-3-Clause */
/* Cgroups that hold CPUs in cpuset partitions. */
#ifndef ISST_FEATURES_CPUS_GROUPS_H
#define ISST_FEATURES_CPUS_GROUPS_H

#include "transaction/items.h"

/** What is below the name of a domain's partition. */
enum group {
	GROUP_ABSENT,
	GROUP_OTHER,	       /* no partition: the kernel tree's tool leaves such groups behind */
	GROUP_PARTITION,       /* of CPUs of the domain, as a change makes it */
	GROUP_OTHER_PARTITION, /* not of this domain's CPUs: an administrator's */
};

/**
 * Finds what is below that name. Returns 0 with @state as partition_read() has it, to be freed, or
 * an error with a message and @state NULL; -EOPNOTSUPP: there are no cpusets, and no partition.
 */
int group_find(struct isst_context *context, const struct isst_domain *domain, enum group *group,
	       char **state);

/**
 * Checks that CPUs of a domain may be isolated: a CPU of another partition is not taken. Kernels
 * before 7.0 then make that partition invalid, later ones make a partition without the CPU. One
 * that is offline belongs to it as well, which cpuset.cpus.effective does not show.
 *
 * @state: of the domain's own group; NULL: there is none
 * Returns 0, or an error with a message.
 */
int group_check_free(struct isst_context *context, const struct isst_domain *domain,
		     const struct isst_cpuset *cpus, const char *state);

#endif
