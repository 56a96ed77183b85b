/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing the CPUs of high priority cores on a machine: by number, or by a bucket of SST-TF. */
#ifndef ISST_FEATURES_HIGH_PRIORITY_H
#define ISST_FEATURES_HIGH_PRIORITY_H

#include "features/core_choice.h"
#include "firmware/results.h"

struct isst_context;
struct isst_domain;

/** Where cores are chosen, and at which levels. */
struct choice_scope {
	const struct isst_domain *const *domains;
	size_t count;
	/** Of each domain, the level whose SST-TF is meant; NULL: the current ones. */
	const unsigned int *levels;
	/** CPUs that will be online then, NULL: that are, as far as the level enables them. */
	const struct isst_cpuset *cpus;
};

/**
 * Chooses CPUs whose cores get high priority: whole cores, spread over packages and over the
 * domains of a package as core_choice_make() does it. The buckets of SST-TF hold cores of a
 * package; where domains of a package have different ones, the smaller count holds. Domains whose
 * level has no SST-TF, and packages of which no core can be chosen, take no part.
 *
 * @chosen: gets the CPUs that are online, siblings included; empty before. On error it stays so.
 * Returns 0, or with a message: -EOPNOTSUPP (no domain has SST-TF, no such bucket or level, CPUs
 * that do not exist), -EINVAL (no cores are asked for, more than there are, or than the last bucket
 * holds unless the choice allows that; the message has how many), -EIO (what the choice
 * depends on cannot be read), -ENOMEM or -EINTR.
 */
int high_priority_choose(struct isst_context *context, const struct choice_scope *scope,
			 const struct core_choice *choice, struct isst_cpuset *chosen);

/** The buckets, to be freed: `up to 8 cores at 4600 MHz, up to 16 cores at 4300 MHz`; or NULL. */
char *turbo_freq_buckets_text(const struct isst_platform *platform,
			      const struct isst_turbo_freq *info);

#endif
