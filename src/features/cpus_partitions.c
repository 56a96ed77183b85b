/* SPDX-License-Identifier: BSD-3-Clause */
/* Cpuset partitions that hold CPUs: in place of hotplug, and for CPU 0 beside it. */
#include "base/cpuset.h"
#include "features/cpus_change.h"
#include "sysfs/partition.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

struct isst_cpuset *cpus_others(const struct isst_domain *domain, const struct isst_cpuset *set)
{
	struct isst_cpuset *others = isst_cpuset_new();

	if (cpuset_add_except(others, domain->present, set) == 0)
		return others;
	isst_cpuset_free(others);
	return NULL;
}

static bool can_go_offline(const struct cpus_change *work, unsigned int cpu)
{
	int can = hotplug_can_go_offline(work->change->context, cpu);

	work->change->broken |= can < 0;
	return can;
}

bool cpus_sets_offline(const struct cpus_change *work, unsigned int cpu)
{
	return !(cpu == 0 && work->change->options.partition_for_cpu0) && can_go_offline(work, cpu);
}

/** As group_find(): where no partitions were asked for, a system without cpusets has none. */
static int find_group(const struct cpus_change *work, const struct isst_domain *domain,
		      enum group *group, char **state)
{
	int error = group_find(work->change->context, domain, group, state);

	return error == -EOPNOTSUPP && !work->partitions ? 0 : error;
}

/** The end of a partition that is no longer needed; of no other group. */
static int plan_no_partition(struct cpus_change *work, const struct isst_domain *domain)
{
	struct isst_change *change = work->change;
	enum group group;
	char *state;
	int error = find_group(work, domain, &group, &state);

	if (group == GROUP_PARTITION)
		step_set_text(change_step(change, ITEM_PARTITION),
			      item_of(ITEM_PARTITION, domain, 0), "absent");
	else if (group == GROUP_OTHER_PARTITION)
		change_warn(
			change, ISST_WARNING_PARTITION_KEPT,
			"/sys/fs/cgroup/%u-%u-%u is left unchanged (%s): it is not a partition of "
			"CPUs of %s",
			domain->package, domain->die, domain->number, state, domain->name);
	free(state);
	return error;
}

int cpus_plan_partition(const struct cpus_change *work, const struct isst_domain *domain,
			const struct isst_cpuset *cpus)
{
	struct isst_change *change = work->change;
	struct step *step;
	enum group group;
	char *state, *ranges;
	int error = find_group(work, domain, &group, &state);

	if (group == GROUP_OTHER_PARTITION)
		error = message_error(&change->context->messages, -EIO,
				      "/sys/fs/cgroup/%u-%u-%u is in use (%s): it is not a "
				      "partition of CPUs of %s",
				      domain->package, domain->die, domain->number, state,
				      domain->name);
	if (!error)
		error = group_check_free(change->context, domain, cpus, state);
	free(state);
	if (error)
		return error;
	ranges = isst_cpuset_to_list(cpus);
	if (!ranges)
		return -ENOMEM;
	step = change_step(change, ITEM_PARTITION);
	/* Groups get the controller with the first partition. */
	step_disturbs(step, item_of_machine(ITEM_CPUSETS));
	step_set_text(step, item_of(ITEM_PARTITION, domain, 0),
		      message_make(&change->context->messages, "isolated %s", ranges));
	free(ranges);
	return 0;
}

/** CPU 0 where it cannot, or shall not, go offline: it is isolated while the level does not enable
 * it. */
static int plan_cpu0(struct cpus_change *work, const struct isst_domain *domain)
{
	struct isst_cpuset *cpu0 = isst_cpuset_new();
	int error = cpu0 ? isst_cpuset_add(cpu0, 0, 0) : -ENOMEM;

	if (!error)
		error = cpus_plan_partition(work, domain, cpu0);
	if (!error)
		change_warn(work->change, ISST_WARNING_CPU_ISOLATED,
			    "CPU 0 %s: it is isolated in the cpuset partition %u-%u-%u",
			    can_go_offline(work, 0) ? "stays online, as requested"
						    : "cannot go offline",
			    domain->package, domain->die, domain->number);
	isst_cpuset_free(cpu0);
	return error;
}

int cpus_probe_partitions(struct isst_context *context)
{
	char *state = NULL;
	int error = partition_read(&context->files, "isst-probe", &state);

	free(state);
	return error;
}

int cpus_plan_partitions(struct cpus_change *work)
{
	int error = 0;

	for (size_t i = 0; i < work->count && !error; i++) {
		const struct isst_domain *domain = work->requests[i].domain;
		const struct isst_cpuset *enabled = work->targets[i].enabled;
		struct isst_cpuset *disabled;

		if (!cpus_move(work, i))
			continue;
		/* With hotplug, a partition is needed for CPU 0 at the most; one that an earlier
		 * level made goes away. */
		if (!work->partitions) {
			error = isst_cpuset_has(domain->present, 0) &&
						!isst_cpuset_has(enabled, 0) &&
						!cpus_sets_offline(work, 0)
					? plan_cpu0(work, domain)
					: plan_no_partition(work, domain);
			continue;
		}
		disabled = cpus_others(domain, enabled);
		if (!disabled)
			return -ENOMEM;
		if (isst_cpuset_count(disabled) > 0)
			error = cpus_plan_partition(work, domain, disabled);
		else
			error = plan_no_partition(work, domain);
		isst_cpuset_free(disabled);
	}
	return error;
}
