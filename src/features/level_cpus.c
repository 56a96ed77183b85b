/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs on- and offline for a level, and their limits of cpufreq. */
#include "features/level_change.h"
#include "sysfs/cpufreq.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/** CPUs that the level enables, or that a partition will hold, go online; the others offline. */
static void plan_hotplug(struct level_change *work, size_t i, struct step *online,
			 struct step *offline)
{
	const struct isst_cpuset *enabled = work->current.domains[i].level.cpus;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, work->requests[i].domain->present) {
		if (work->partitions && isst_cpuset_has(work->requests[i].domain->online, cpu))
			continue;
		if (work->partitions || isst_cpuset_has(enabled, cpu)) {
			if (hotplug_may_be_online(&work->hotplug, cpu))
				step_set(online, item_of_cpu(cpu), WHOLE_VALUE, 1);
		} else if (level_sets_offline(work, cpu)) {
			step_set(offline, item_of_cpu(cpu), WHOLE_VALUE, 0);
		}
	}
}

/** Limits of cpufreq come and go with a CPU. */
static void plan_hotplug_footprint(struct step *offline, const struct isst_domain *domain,
				   const struct isst_cpuset *enabled)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, domain->online)
		if (!isst_cpuset_has(enabled, cpu))
			step_disturbs_limits(offline, domain, cpu);
}

/** One line for each limit that was removed, whatever the number of CPUs. */
static int name_lifted_limits(struct step *step)
{
	return name_replaced_limits(step->change, step, NULL,
				    "was below the base frequency of the level, and is removed");
}

/**
 * A limit below the level's base frequency would undo what the level is for. It is removed rather
 * than raised to that frequency, where it would keep turbo and SST-BF out later.
 */
static void plan_scaling(struct level_change *work, struct step *step, size_t i)
{
	const struct isst_level *level = &work->current.domains[i].level;
	const struct isst_domain *domain = work->requests[i].domain;
	unsigned int cpu;

	if (level->base_mhz.state != ISST_KNOWN)
		return;
	if (step)
		step->after = name_lifted_limits;
	isst_cpuset_for_each (cpu, level->cpus)
		step_raise(step, item_of(ITEM_SCALING_MAX, domain, cpu),
			   level->base_mhz.value * UINT64_C(1000), CPUFREQ_NO_LIMIT);
}

/** A level that changes has the turbo ratio limits in its own footprint, which a rollback restores
 * once CPUs have come back. */
static void plan_limits_footprint(const struct level_change *work, size_t i, struct step *offline)
{
	if (work->current.domains[i].profile.current_level == work->level)
		hotplug_disturbs_limits(offline, work->requests[i].domain);
}

/** CPUs go online first: a partition can hold only those that are. */
static int plan_all_hotplug(struct level_change *work)
{
	struct step *online = change_step(work->change, ITEM_ONLINE), *unknown = NULL;
	struct step *limits, *scaling, *offline;
	int error = hotplug_begin(&work->hotplug, work->change);

	if (error) {
		hotplug_end(&work->hotplug);
		return error;
	}
	if (!work->partitions)
		unknown = level_plan_unknown(work);
	limits = hotplug_limits_step(work->change, online);
	error = level_plan_partitions(work);
	offline = change_step(work->change, ITEM_ONLINE);
	for (size_t i = 0; i < work->current.count; i++)
		if (level_moves_cpus(work, i)) {
			plan_hotplug(work, i, online, offline);
			plan_hotplug_footprint(offline, work->requests[i].domain,
					       work->current.domains[i].level.cpus);
			hotplug_keep_limits(limits, work->requests[i].domain);
			hotplug_disturbs_limits(online, work->requests[i].domain);
			hotplug_disturbs_limits(unknown, work->requests[i].domain);
			plan_limits_footprint(work, i, offline);
		}
	scaling = change_step(work->change, ITEM_SCALING_MAX);
	for (size_t i = 0; i < work->current.count; i++)
		if (level_moves_cpus(work, i))
			plan_scaling(work, scaling, i);
	hotplug_end(&work->hotplug);
	return error;
}

int level_plan_cpus(struct level_change *work)
{
	int error = level_choose_partitions(work);

	for (size_t i = 0; i < work->current.count && !error; i++)
		if (request_is_active(&work->requests[i]))
			error = level_plan_uncore(work, i);
	return error ? error : plan_all_hotplug(work);
}
