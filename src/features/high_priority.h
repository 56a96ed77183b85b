/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing the CPUs of high priority cores on a machine: by number, or by a bucket of SST-TF. */
#ifndef ISST_FEATURES_HIGH_PRIORITY_H
#define ISST_FEATURES_HIGH_PRIORITY_H

#include "features/core_choice.h"
#include "firmware/results.h"

struct domain_snapshot;
struct isst_context;

/** What has to be read of the levels of domains in which cores are chosen. */
#define LEVELS_TO_CHOOSE_BY (ISST_LEVELS_TURBO_FREQ | ISST_LEVELS_PROPERTIES)

/**
 * Chooses CPUs whose cores get high priority: whole cores, spread over packages and over the
 * domains of a package as core_choice_make() does it. The buckets of SST-TF hold cores of a
 * package; where domains of a package have different ones, the smaller count holds. Domains whose
 * level has no SST-TF, and packages of which no core can be chosen, take no part.
 *
 * @domains: the choice is between cores of those that count, at their levels, which were read
 * @cpus: that will be online then, NULL: that are, as far as the level enables them
 * @chosen: gets the CPUs that are online, siblings included; empty before. On error it stays so.
 * Returns 0, or with a message: -EOPNOTSUPP (no domain has SST-TF, no such bucket or level, CPUs
 * that do not exist), -EINVAL (no cores are asked for, more than there are, or than the last bucket
 * holds unless the choice allows that; the message has how many), -EIO (what the choice
 * depends on cannot be read) or -ENOMEM.
 */
int high_priority_choose(struct isst_context *context, const struct domain_snapshot *domains,
			 size_t count, const struct isst_cpuset *cpus,
			 const struct core_choice *choice, struct isst_cpuset *chosen);

/** The buckets, to be freed: `up to 8 cores at 4600 MHz, up to 16 cores at 4300 MHz`; or NULL. */
char *turbo_freq_buckets_text(const struct isst_platform *platform,
			      const struct isst_turbo_freq *info);

#endif
