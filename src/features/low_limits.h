/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of cpufreq that hold CPUs of high priority back. */
#ifndef ISST_FEATURES_LOW_LIMITS_H
#define ISST_FEATURES_LOW_LIMITS_H

#include "features/features.h"

struct low_limit;

struct low_limits {
	struct low_limit *limits;
	size_t count;
};

/** Adds the CPUs of high priority of a domain whose upper limit, as the steps planned so far leave
 * it, is below the turbo frequency of SST-TF. @level: with ISST_READ_LEVELS_TURBO_FREQ. Returns 0
 * or -ENOMEM. */
int low_limits_find(struct isst_change *change, const struct isst_level *level,
		    const struct isst_cpuset *high_priority, struct low_limits *low);

/** Warns of them: one line for each limit, whatever the number of CPUs. Returns 0 or -ENOMEM. */
int low_limits_warn(struct isst_change *change, const struct low_limits *low);

void low_limits_clear(struct low_limits *low);

#endif
