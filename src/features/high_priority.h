/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing the CPUs of high priority cores on a machine: by number, or by a bucket of SST-TF. */
#ifndef ISST_FEATURES_HIGH_PRIORITY_H
#define ISST_FEATURES_HIGH_PRIORITY_H

#include "features/core_choice.h"
#include "features/snapshot.h"

#include <stddef.h>

struct isst_context;
struct isst_domain;

/** Where cores are chosen, and at which levels. */
struct choice_scope {
	const struct isst_domain *const *domains;
	size_t count;
	/** Of each domain, the level whose SST-TF is meant; NULL: the current ones. */
	const unsigned int *levels;
	/** CPUs that will be online then; NULL: those that are. Those that the level does not
	 * enable are left out in either case. */
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

/* ---- Levels and buckets of a choice ---- */

/** Of each domain of a scope that has CPUs, its level. To be cleared. */
struct choice_levels {
	struct isst_context *context;
	struct domain_snapshot *domains;
	size_t count;
};

/**
 * Reads the levels of a scope. Returns 0, or with a message -EOPNOTSUPP (none has SST-TF with a
 * bucket, or a level does not exist), -EIO, -EPERM and the like (one cannot be read), -ESTALE,
 * -EINVAL, -ENOMEM or -EINTR.
 */
int choice_levels_read(struct isst_context *context, const struct choice_scope *scope,
		       struct choice_levels *levels);
void choice_levels_clear(struct choice_levels *levels);

/** Whether cores of the domain of level @i can have a higher turbo frequency. */
bool choice_levels_has_turbo_freq(const struct choice_levels *levels, size_t i);

/** How many cores a bucket of a package holds. Returns 0, or -EOPNOTSUPP with a message: it has no
 * such bucket. */
int choice_levels_bucket(const struct choice_levels *levels, unsigned int package,
			 unsigned int bucket, unsigned int *cores);

/** Whether the last bucket of a package holds so many cores. Returns 0, or -EINVAL with a
 * message that has by how many they are too many, unless @choice allows that. */
int choice_levels_check(const struct choice_levels *levels, unsigned int package,
			unsigned int cores, const struct core_choice *choice);

/** The buckets as text, to be freed: `up to 8 cores at 4600 MHz, up to 16 cores at 4300 MHz`. NULL
 * without memory. */
char *turbo_freq_buckets_text(const struct isst_platform *platform,
			      const struct isst_turbo_freq *info);

#endif
