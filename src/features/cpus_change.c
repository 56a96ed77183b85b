/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs on- and offline, in the order in which that is done: those that come online first, as a
 * partition can hold only such. */
#include "features/cpus_change.h"
#include "transaction/steps.h"

void cpus_plan_online(struct cpus_change *work)
{
	struct step *online = change_step(work->change, ITEM_ONLINE);
	struct step *unknown = cpus_plan_unknown(work);
	struct step *limits = hotplug_limits_step(work->change, online);

	for (size_t i = 0; i < work->count; i++) {
		const struct isst_domain *domain = work->requests[i].domain;
		unsigned int cpu;

		if (!cpus_move(work, i))
			continue;
		/* CPUs that are enabled, or that a partition will hold. */
		isst_cpuset_for_each (cpu, domain->present)
			if ((work->partitions ? !isst_cpuset_has(domain->online, cpu)
					      : isst_cpuset_has(work->targets[i].enabled, cpu)) &&
			    hotplug_may_be_online(&work->hotplug, cpu))
				step_set(online, item_of_cpu(cpu), WHOLE_VALUE, 1);
		hotplug_keep_limits(limits, domain);
		hotplug_disturbs_limits(online, domain);
		hotplug_disturbs_limits(unknown, domain);
	}
	if (!work->change->broken && cpus_plan_regained(work->change))
		work->change->broken = true;
}

int cpus_plan_offline(struct cpus_change *work)
{
	int error = cpus_plan_partitions(work);
	struct step *offline = change_step(work->change, ITEM_ONLINE);

	for (size_t i = 0; i < work->count; i++) {
		const struct isst_domain *domain = work->requests[i].domain;
		const struct isst_cpuset *enabled = work->targets[i].enabled;
		const struct item limits = item_of(ITEM_TURBO_RATIO_LIMITS, domain, 0);
		bool moves_with_level = false;
		unsigned int cpu;

		if (!cpus_move(work, i))
			continue;
		isst_cpuset_for_each (cpu, domain->present)
			if (!work->partitions && !isst_cpuset_has(enabled, cpu) &&
			    cpus_sets_offline(work, cpu))
				step_set(offline, item_of_cpu(cpu), WHOLE_VALUE, 0);
		/* Limits of cpufreq come and go with a CPU. */
		isst_cpuset_for_each (cpu, domain->online)
			if (!isst_cpuset_has(enabled, cpu))
				step_disturbs_limits(offline, domain, cpu);
		/* With a level, a rollback restores them once CPUs have come back. */
		change_for_each_place (place, work->change, &limits)
			moves_with_level |= place->footprint && place->step->kind == ITEM_LEVEL;
		if (!moves_with_level)
			hotplug_disturbs_limits(offline, domain);
	}
	if (!error && offline)
		error = cpus_plan_lost(offline);
	return error;
}
