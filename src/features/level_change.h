/* SPDX-License-Identifier: BSD-3-Clause */
/* A level change while it is planned, as the files that plan its parts share it. */
#ifndef ISST_FEATURES_LEVEL_CHANGE_H
#define ISST_FEATURES_LEVEL_CHANGE_H

#include "features/hotplug.h"
#include "features/planning.h"

/** Planning a level change. */
struct level_change {
	struct isst_change *change;
	struct domain_request *requests;
	struct current_state current;
	unsigned int level;
	bool partitions; /* in place of hotplug */
	struct hotplug hotplug;
};

/** Whether CPUs go on- or offline for a request: a domain of an I/O die has none. */
static inline bool level_moves_cpus(const struct level_change *work, size_t i)
{
	return request_is_active(&work->requests[i]) && work->current.domains[i].level.cpus;
}

/* level_uncore.c */

/** Plans the uncore limits of a request. */
int level_plan_uncore(struct level_change *work, size_t i);

/* level_partitions.c */

/** Decides between partitions and hotplug. */
int level_choose_partitions(struct level_change *work);
/** Plans the partitions of all requests: those that hold CPUs, and the end of those that are no
 * longer needed. */
int level_plan_partitions(struct level_change *work);
/** Whether a CPU that is not in the level goes offline: current kernels do not let CPU 0 go, and
 * the user may want it kept. */
bool level_sets_offline(const struct level_change *work, unsigned int cpu);

/* level_unknown_cpus.c */

/** Plans to bring CPUs online of which nothing is known, to see where they are. Returns the step,
 * NULL where there is none. */
struct step *level_plan_unknown(struct level_change *work);

/* level_cpus.c */

/** Plans what a level means for CPUs, and for the limits of cpufreq and uncore. */
int level_plan_cpus(struct level_change *work);

#endif
