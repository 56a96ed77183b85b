/* SPDX-License-Identifier: BSD-3-Clause */
/* A lower limit goes down before the upper one moves, and up behind it. */
#include "features/limit_steps.h"
#include "transaction/steps.h"

struct limit_steps limit_steps_begin(struct isst_change *change, enum item_kind max,
				     enum item_kind min)
{
	struct limit_steps steps = { .lowered_min = change_step(change, min) };

	steps.max = change_step(change, max);
	steps.raised_min = change_step(change, min);
	return steps;
}

struct step *limit_steps_min(const struct limit_steps *steps, uint64_t present, uint64_t wanted)
{
	return wanted > present ? steps->raised_min : steps->lowered_min;
}
