/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs on- and offline, in the order in which that is done: those that come online first, as a
 * partition can hold only such. */
#include "features/cpus_change.h"
#include "transaction/steps.h"

/** CPUs that are enabled, or that a partition will hold. */
static void set_online(struct cpus_change *work, size_t i, struct step *online)
{
	const struct isst_domain *domain = work->requests[i].domain;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, domain->present) {
		bool wanted = work->partitions ? !isst_cpuset_has(domain->online, cpu)
					       : isst_cpuset_has(work->targets[i].enabled, cpu);

		if (wanted && hotplug_may_be_online(&work->hotplug, cpu))
			step_set(online, item_of_cpu(cpu), WHOLE_VALUE, 1);
	}
}

void cpus_plan_online(struct cpus_change *work)
{
	struct step *online = change_step(work->change, ITEM_ONLINE);
	struct step *unknown = cpus_plan_unknown(work);
	struct step *limits = hotplug_limits_step(work->change, online);

	for (size_t i = 0; i < work->count; i++)
		if (cpus_move(work, i)) {
			set_online(work, i, online);
			hotplug_keep_limits(limits, work->requests[i].domain);
			hotplug_disturbs_limits(online, work->requests[i].domain);
			hotplug_disturbs_limits(unknown, work->requests[i].domain);
		}
	if (!work->change->broken && cpus_plan_regained(work->change))
		work->change->broken = true;
}

static void set_offline(struct cpus_change *work, size_t i, struct step *offline)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, work->requests[i].domain->present)
		if (!work->partitions && !isst_cpuset_has(work->targets[i].enabled, cpu) &&
		    cpus_sets_offline(work, cpu))
			step_set(offline, item_of_cpu(cpu), WHOLE_VALUE, 0);
}

/** Limits of cpufreq come and go with a CPU. */
static void plan_footprint(struct step *offline, const struct isst_domain *domain,
			   const struct isst_cpuset *enabled)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, domain->online)
		if (!isst_cpuset_has(enabled, cpu))
			step_disturbs_limits(offline, domain, cpu);
}

/** Whether the footprint of a step that changes levels has an item. */
static bool moves_with_level(const struct isst_change *change, const struct item *item)
{
	change_for_each_place (place, change, item)
		if (place->footprint && place->step->kind == ITEM_LEVEL)
			return true;
	return false;
}

int cpus_plan_offline(struct cpus_change *work)
{
	int error = cpus_plan_partitions(work);
	struct step *offline = change_step(work->change, ITEM_ONLINE);

	for (size_t i = 0; i < work->count; i++) {
		const struct isst_domain *domain = work->requests[i].domain;
		const struct item limits = item_of(ITEM_TURBO_RATIO_LIMITS, domain, 0);

		if (!cpus_move(work, i))
			continue;
		set_offline(work, i, offline);
		plan_footprint(offline, domain, work->targets[i].enabled);
		/* With a level, a rollback restores them once CPUs have come back. */
		if (!moves_with_level(work->change, &limits))
			hotplug_disturbs_limits(offline, domain);
	}
	if (!error && offline)
		error = cpus_plan_lost(offline);
	return error;
}
