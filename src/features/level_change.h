/* SPDX-License-Identifier: BSD-3-Clause */
/* A level change while it is planned, as the files that plan its parts share it. */
#ifndef ISST_FEATURES_LEVEL_CHANGE_H
#define ISST_FEATURES_LEVEL_CHANGE_H

#include "features/planning.h"

/** Planning a level change. */
struct level_change {
	struct isst_change *change;
	struct domain_request *requests;
	struct current_state current;
	unsigned int level;
};

/* level_uncore.c */

/** Plans the uncore limits of a request. */
int level_plan_uncore(struct level_change *work, size_t i);

/* level_cpus.c */

/** Plans what a level means for CPUs, and for the limits of cpufreq and uncore. */
int level_plan_cpus(struct level_change *work);

#endif
