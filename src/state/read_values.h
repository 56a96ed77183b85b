/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a machine while they become settings, as the files that read states share them. */
#ifndef ISST_STATE_READ_VALUES_H
#define ISST_STATE_READ_VALUES_H

#include "state/wanted.h"

/** A value that was read. */
struct state_value {
	const struct wanted_item *item;
	struct setting setting; /* what it means; without sets */
	bool left_out;
	bool added;
};

struct state {
	struct isst_context *context;
	struct configuration *configuration; /* that is filled in */
	struct origin origin;
	struct wanted wanted;
	struct state_value *values;
	size_t count;
	bool owned[2]; /* a limit of cpufreq is another owner's: by enum cpufreq_limit */
};

/** Whether two settings have the same value, wherever they are for. */
bool state_value_is_same(const struct setting *one, const struct setting *other);

/** Leaves out what is as a configuration states it, unless something that stays would change it.
 * Returns as wanted_find(). */
int state_leave_out(struct state *state, struct configuration *except);

#endif
