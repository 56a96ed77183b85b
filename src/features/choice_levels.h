/* SPDX-License-Identifier: BSD-3-Clause */
/* The levels that high priority cores are chosen for, and what the buckets of SST-TF hold there. */
#ifndef ISST_FEATURES_CHOICE_LEVELS_H
#define ISST_FEATURES_CHOICE_LEVELS_H

#include "features/high_priority.h"
#include "features/snapshot.h"

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
 * message that has by how many they are too many. @otherwise: as in struct core_choice */
int choice_levels_check(const struct choice_levels *levels, unsigned int package,
			unsigned int cores, const char *otherwise);

/** The buckets as text, to be freed: `up to 8 cores at 4600 MHz, up to 16 cores at 4300 MHz`. NULL
 * without memory. */
char *turbo_freq_buckets_text(const struct isst_platform *platform,
			      const struct isst_turbo_freq *info);

#endif
