/* SPDX-License-Identifier: BSD-3-Clause */
/* Bringing CPUs online: as far as the kernel lets it, which keeps second threads offline while SMT
 * is off; and without what it does to turbo ratio limits with it. */
#ifndef ISST_FEATURES_HOTPLUG_H
#define ISST_FEATURES_HOTPLUG_H

#include "transaction/change.h"

/*
 * Kernels before 6.16 write an MSR again as the CPU comes online that last wrote it: the turbo
 * ratio limits are then those of some earlier time.
 */

/** Adds a step that gives the turbo ratio limits, once CPUs are online, the values that they have
 * right before step @online. */
struct step *hotplug_limits_step(struct isst_change *change, struct step *online);

/** Adds the limits of a domain to that step, if CPUs of its package may come online. */
void hotplug_keep_limits(struct step *limits, const struct isst_domain *domain);

/** Adds the limits of a domain to what a step disturbs whose CPUs come online, or come back. */
void hotplug_disturbs_limits(struct step *step, const struct isst_domain *domain);

/** Whether the kernel lets a CPU go: it has no file for CPU 0 that would take it offline. Returns 0
 * or 1, or -ENOMEM. */
int hotplug_can_go_offline(struct isst_context *context, unsigned int cpu);

/** Looks whether SMT is off and CPUs are offline: *@smt is then the content of smt/control, to be
 * freed, else NULL. Returns 0 or -ENOMEM. */
int hotplug_find_smt_off(struct isst_context *context, char **smt);

/** Whether a CPU is, or may be, a second thread, which is offline while SMT is off: one of which
 * nothing is known has been offline since boot, as these are then. */
bool hotplug_goes_with_smt(const struct isst_context *context, unsigned int number);

struct hotplug {
	struct isst_change *change;
	char *smt;		     /* content of smt/control where SMT is off; else NULL */
	struct isst_cpuset *omitted; /* CPUs that stay offline for that */
	struct step *expedite;	     /* before those that take CPUs on- or offline */
};

/** Looks whether SMT is off; begins what is to be done before CPUs go or come. Returns 0 or
 * -ENOMEM. To be ended. */
int hotplug_begin(struct hotplug *hotplug, struct isst_change *change);

/** Whether the kernel lets a CPU be online; one that it does not is noted. */
bool hotplug_may_be_online(struct hotplug *hotplug, unsigned int cpu);

/** Warns once of all CPUs that were noted. Where many CPUs go or come, grace periods of RCU are
 * expedited meanwhile. */
void hotplug_end(struct hotplug *hotplug);

#endif
