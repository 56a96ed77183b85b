/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which the two limits of a frequency are written, so that they never cross. */
#ifndef ISST_FEATURES_LIMIT_STEPS_H
#define ISST_FEATURES_LIMIT_STEPS_H

#include "transaction/change.h"

/** Steps in the order in which they are made: lower limits that go down, upper ones, lower ones
 * that go up. */
struct limit_steps {
	struct step *lowered_min, *max, *raised_min;
};

/** Adds the steps to a change; kinds of upper and lower limits. */
struct limit_steps limit_steps_begin(struct isst_change *change, enum item_kind max,
				     enum item_kind min);

/** The step for a lower limit that is @present, and becomes @wanted. */
struct step *limit_steps_min(const struct limit_steps *steps, uint64_t present, uint64_t wanted);

#endif
