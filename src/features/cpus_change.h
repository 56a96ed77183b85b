/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that come online, go offline or into cpuset partitions, while that is planned. */
#ifndef ISST_FEATURES_CPUS_CHANGE_H
#define ISST_FEATURES_CPUS_CHANGE_H

#include "features/planning.h"
#include "transaction/change.h"
#include "transaction/items.h"

/* ---- CPUs that come online ---- */

/* Kernels before 6.16 write an MSR again as the CPU comes online that last wrote it: the turbo
 * ratio limits are then those of some earlier time. */

/** Adds a step that gives the turbo ratio limits what they are right before step @online. */
struct step *hotplug_limits_step(struct isst_change *change, struct step *online);

/** Adds the limits of a domain to that step, if CPUs of its package may come online. */
void hotplug_keep_limits(struct step *limits, const struct isst_domain *domain);

/** Adds the limits of a domain to what a step disturbs whose CPUs come online, or come back. */
void hotplug_disturbs_limits(struct step *step, const struct isst_domain *domain);

struct hotplug {
	struct isst_change *change;
	char *smt;		     /* content of smt/control where SMT is off; else NULL */
	struct isst_cpuset *omitted; /* CPUs that stay offline for that */
	struct step *expedite;	     /* before those that take CPUs on- or offline */
};

/** Looks whether SMT is off; begins the steps. Returns 0 or -ENOMEM. To be ended. */
int hotplug_begin(struct hotplug *hotplug, struct isst_change *change);

/** Whether the kernel lets a CPU be online; one that it does not is noted. */
bool hotplug_may_be_online(struct hotplug *hotplug, unsigned int cpu);

/** Warns once of all CPUs that were noted; expedites RCU where many CPUs go or come. */
void hotplug_end(struct hotplug *hotplug);

/* ---- CPUs while they are planned ---- */

/** What becomes of the CPUs of a domain. */
struct cpus_target {
	/* These are to be online; the others offline, or in a partition. NULL: all stay. */
	const struct isst_cpuset *enabled;
	/* Cores of such CPUs, for those that are found only as they come online. */
	uint64_t cores;
	bool all_cores;
};

struct cpus_change {
	struct isst_change *change;
	/* Of the machine: those that count, of CPUS_BY_LEVEL and CPUS_ISOLATED with the properties
	 * of the levels to come. */
	struct domain_snapshot *domains;
	size_t count;
	enum cpus_wanted wanted;
	/* Of CPUS_OFFLINE: these, as far as they belong to the domains, and of CPUs of which
	 * nothing is known. */
	const struct isst_cpuset *offline;
	bool partitions;	     /* in place of hotplug */
	bool come, go;		     /* what is planned */
	struct cpus_target *targets; /* of each domain; set by plan_cpus() */
	struct hotplug hotplug;
};

/** Plans which CPUs are in use: CPUs come online before anything can be set for them, and go
 * offline when all is set; where that is planned in two calls, domains fail alike in both.
 * -EOPNOTSUPP: CPUS_ISOLATED where there are no partitions, and the level does not enable all CPUs.
 * -EIO: no CPU of a package would stay online. */
int plan_cpus(struct cpus_change *work);

/** Whether there are cpusets of cgroup v2. Returns 0, -EOPNOTSUPP, or an error with a message. */
int cpus_probe_partitions(struct isst_context *context);

/* Both return 0 or a negative errno. */

/** Warns of what groups of cgroup v1 lose with CPUs, and adds it to the footprint of the step. */
int cpus_plan_lost(struct step *offline);
/** Plans to give groups back the CPUs that changes took from them, and that are or come online. */
int cpus_plan_regained(struct isst_change *change);

/** Whether cpus_plan_unknown() finds the CPUs of a level's cores. */
bool cpus_are_found(const struct isst_level *level);

/* ---- What there is (cpus_state.c) ---- */

/** Whether a CPU is offline, and not remembered to be of a package or die without domains. */
bool cpus_is_unknown(const struct isst_context *context, unsigned int cpu);

/** Looks whether SMT is off and CPUs are offline: *@smt is then the content of smt/control, to be
 * freed, else NULL. Returns 0 or -ENOMEM. */
int hotplug_find_smt_off(struct isst_context *context, char **smt);

/** Whether a CPU is, or may be, a second thread, which is offline while SMT is off: one of which
 * nothing is known has been offline since boot, as these are then. */
bool hotplug_goes_with_smt(const struct isst_context *context, unsigned int number);

/** What is below the name of a domain's partition. */
enum group {
	GROUP_ABSENT,
	GROUP_OTHER,	       /* no partition: the kernel tree's tool leaves such groups behind */
	GROUP_PARTITION,       /* of CPUs of the domain, as a change makes it */
	GROUP_OTHER_PARTITION, /* not of this domain's CPUs: an administrator's */
};

/** Finds what is below that name. Returns 0 with @state as partition_read() has it, to be freed, or
 * an error with a message and @state NULL; -EOPNOTSUPP: there are no cpusets, and no partition. */
int group_find(struct isst_context *context, const struct isst_domain *domain, enum group *group,
	       char **state);

/* ---- Partitions (cpus_groups.c) ---- */

/**
 * Checks that CPUs of a domain may be isolated: a CPU of another partition is not taken. Kernels
 * before 7.0 then make that partition invalid, later ones make a partition without the CPU. One
 * that is offline belongs to it as well, which cpuset.cpus.effective does not show.
 *
 * @state: of the domain's own group; NULL: there is none
 * Returns 0, or an error with a message.
 */
int group_check_free(struct isst_context *context, const struct isst_domain *domain,
		     const struct isst_cpuset *cpus, const char *state);

#endif
