/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs on- and offline for a level, and their limits of cpufreq. */
#include "base/cpuset.h"
#include "features/cpus_change.h"
#include "features/level_change.h"
#include "sysfs/cpufreq.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

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

static bool has_cpus(const struct level_change *work, size_t i)
{
	return request_is_active(&work->requests[i]) && work->current.domains[i].level.cpus;
}

/** Whether the levels leave CPUs of a domain out. */
static bool leaves_out(const struct level_change *work)
{
	for (size_t i = 0; i < work->current.count; i++)
		if (has_cpus(work, i) && !cpuset_contains(work->current.domains[i].level.cpus,
							  work->requests[i].domain->present))
			return true;
	return false;
}

/** Decides between partitions and hotplug. Who wants partitions wants CPUs online: on a system
 * without them CPUs are taken offline only if that is asked for, too. */
static int choose_partitions(const struct level_change *work, bool *partitions)
{
	struct isst_change *change = work->change;
	int error;

	*partitions = false;
	if (!change->options.partitions)
		return 0;
	error = cpus_probe_partitions(change->context);
	*partitions = !error;
	if (error != -EOPNOTSUPP)
		return error;
	if (!change->options.partitions_optional)
		return leaves_out(work) ? error : 0;
	change_warn(change, ISST_WARNING_PARTITIONS_UNAVAILABLE,
		    "%s; CPUs are taken offline instead", isst_error(change->context));
	return 0;
}

/** @targets: of each request, zero */
static int plan_hotplug(struct level_change *work, struct cpus_target *targets, bool partitions)
{
	struct cpus_change cpus = { .change = work->change,
				    .requests = work->requests,
				    .targets = targets,
				    .count = work->current.count,
				    .partitions = partitions };
	struct step *scaling;
	int error;

	for (size_t i = 0; i < cpus.count; i++)
		targets[i] = (struct cpus_target){ work->current.domains[i].level.cpus,
						   work->current.domains[i].level.cores, false };
	error = hotplug_begin(&cpus.hotplug, work->change);
	if (!error) {
		cpus_plan_online(&cpus);
		error = cpus_plan_offline(&cpus);
		scaling = change_step(work->change, ITEM_SCALING_MAX);
		for (size_t i = 0; i < cpus.count; i++)
			if (has_cpus(work, i))
				plan_scaling(work, scaling, i);
	}
	hotplug_end(&cpus.hotplug);
	return error;
}

int level_plan_cpus(struct level_change *work)
{
	struct cpus_target *targets = calloc(work->current.count + 1, sizeof(*targets));
	bool partitions = false;
	int error = targets ? choose_partitions(work, &partitions) : -ENOMEM;

	for (size_t i = 0; i < work->current.count && !error; i++)
		if (request_is_active(&work->requests[i]))
			error = level_plan_uncore(work, i);
	if (!error)
		error = plan_hotplug(work, targets, partitions);
	free(targets);
	return error;
}
