/* SPDX-License-Identifier: BSD-3-Clause */
/* Bringing CPUs online, as far as the kernel lets it: it keeps second threads offline while SMT is
 * off. */
#ifndef ISST_FEATURES_HOTPLUG_H
#define ISST_FEATURES_HOTPLUG_H

#include "transaction/change.h"

struct hotplug {
	struct isst_change *change;
	char *smt;		     /* what smt/control says where SMT is off; else NULL */
	struct isst_cpuset *omitted; /* CPUs that stay offline for that */
};

/** Looks whether SMT is off. Returns 0 or -ENOMEM. To be ended. */
int hotplug_begin(struct hotplug *hotplug, struct isst_change *change);

/** Whether the kernel lets a CPU be online; one that it does not is noted. */
bool hotplug_may_be_online(struct hotplug *hotplug, unsigned int cpu);

/** Warns once of all CPUs that were noted. */
void hotplug_end(struct hotplug *hotplug);

#endif
