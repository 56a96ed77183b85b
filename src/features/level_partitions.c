/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitions of a level change: in place of hotplug, and for CPU 0 beside it. */
#include "features/level_change.h"
#include "sysfs/partition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** CPUs of a domain that a level does not enable. NULL without memory. */
static struct isst_cpuset *disabled_cpus(const struct level_change *work, size_t i)
{
	struct isst_cpuset *set = isst_cpuset_new();
	unsigned int cpu;

	isst_cpuset_for_each (cpu, work->requests[i].domain->present)
		if (set && !isst_cpuset_has(work->facts.domains[i].level.cpus, cpu) &&
		    isst_cpuset_add(set, cpu, cpu)) {
			isst_cpuset_free(set);
			return NULL;
		}
	return set;
}

static void plan_partition(struct level_change *work, const struct isst_domain *domain,
			   const struct isst_cpuset *cpus)
{
	struct isst_change *change = work->change;
	struct step *step = change_step(change, ITEM_PARTITION);
	struct item item = item_of(ITEM_PARTITION, domain, 0);
	char *ranges;

	if (isst_cpuset_count(cpus) == 0) {
		step_set_text(step, item, "absent");
		return;
	}
	ranges = isst_cpuset_ranges(cpus);
	/* Groups get the controller with the first partition. */
	step_disturbs(step, item_of_cpusets());
	if (ranges)
		step_set_text(step, item,
			      message_make(&change->context->messages, "isolated %s", ranges));
	else
		change->broken = true;
	free(ranges);
}

bool level_can_go_offline(const struct level_change *work, unsigned int cpu)
{
	char *path = NULL;
	uint64_t online;
	int error;

	if (cpu != 0)
		return true;
	if (work->change->options.partition_for_cpu0)
		return false;
	if (asprintf(&path, CPU_DIRECTORY "/cpu%u/online", cpu) < 0)
		return true;
	error = kernel_files_number(&work->change->context->files, path, 1, &online);
	free(path);
	return error != -ENOENT;
}

/** Whether a domain has a partition, of an earlier level or of somebody else. A system without any
 * has none. */
static bool has_partition(const struct level_change *work, const struct isst_domain *domain)
{
	struct item item = item_of(ITEM_PARTITION, domain, 0);
	char *name = item_partition_name(&item), *state = NULL;
	bool present = name && partition_read(&work->change->context->files, name, &state) == 0 &&
		       strcmp(state, "absent") != 0;

	free(name);
	free(state);
	return present;
}

/** CPU 0 where it cannot, or shall not, go offline: it is isolated while the level does not enable
 * it. */
static void plan_cpu0(struct level_change *work, const struct isst_domain *domain)
{
	struct isst_cpuset *cpu0 = isst_cpuset_new();

	if (!cpu0 || isst_cpuset_add(cpu0, 0, 0)) {
		work->change->broken = true;
	} else {
		change_warn(
			work->change,
			"CPU 0 cannot go offline: it is isolated in the cpuset partition %u-%u-%u",
			domain->package, domain->die, domain->number);
		plan_partition(work, domain, cpu0);
	}
	isst_cpuset_free(cpu0);
}

/** Whether CPU 0 is in this domain, is not enabled, and has to be isolated as it cannot go offline.
 */
static bool isolates_cpu0(const struct level_change *work, size_t i)
{
	return isst_cpuset_has(work->requests[i].domain->present, 0) &&
	       !isst_cpuset_has(work->facts.domains[i].level.cpus, 0) &&
	       !level_can_go_offline(work, 0);
}

/** With hotplug, a partition is needed for CPU 0 at the most; one that an earlier level made goes
 * away. */
static int plan_partition_beside_hotplug(struct level_change *work, size_t i)
{
	const struct isst_domain *domain = work->requests[i].domain;
	struct isst_cpuset *none;

	if (isolates_cpu0(work, i)) {
		plan_cpu0(work, domain);
		return 0;
	}
	if (!has_partition(work, domain))
		return 0;
	none = isst_cpuset_new();
	if (!none)
		return -ENOMEM;
	plan_partition(work, domain, none);
	isst_cpuset_free(none);
	return 0;
}

/** Partitions need cgroup v2 with cpusets; on a system that lacks them CPUs are taken offline after
 * all. Where that cannot be seen nothing is: whoever asked for partitions wants CPUs online. */
int level_choose_partitions(struct level_change *work)
{
	struct isst_context *context = work->change->context;
	char *state = NULL;
	int error;

	if (!work->change->options.partitions)
		return 0;
	error = partition_read(&context->files, "isst-probe", &state);
	free(state);
	work->partitions = !error;
	if (error != -EOPNOTSUPP)
		return error;
	change_warn(work->change, "%s; CPUs go offline instead", isst_error(context));
	return 0;
}

int level_plan_partitions(struct level_change *work)
{
	int error = 0;

	for (size_t i = 0; i < work->facts.count && !error; i++) {
		struct isst_cpuset *disabled;

		if (!level_moves_cpus(work, i))
			continue;
		if (!work->partitions) {
			error = plan_partition_beside_hotplug(work, i);
			continue;
		}
		disabled = disabled_cpus(work, i);
		if (!disabled)
			return -ENOMEM;
		plan_partition(work, work->requests[i].domain, disabled);
		isst_cpuset_free(disabled);
	}
	return error;
}
