/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs on- and offline: first those that come online, as a partition holds only such. */
#include "features/cpus_change.h"
#include "base/array.h"
#include "base/cpuset.h"
#include "features/planning.h"
#include "sysfs/partition.h"
#include "sysfs/system.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/** Whether CPUs go on- or offline for a domain: one of an I/O die has none. */
static bool cpus_move(const struct cpus_change *work, size_t i)
{
	return domain_counts(&work->domains[i]) && work->targets[i].enabled;
}

/* ---- Cpuset partitions: in place of hotplug, and for CPU 0 beside it ---- */

/** CPUs of a domain that are not in a set. To be freed; NULL without memory. */
static struct isst_cpuset *cpus_others(const struct isst_domain *domain,
				       const struct isst_cpuset *set)
{
	struct isst_cpuset *others = isst_cpuset_new();

	if (cpuset_add_except(others, domain->present, set) == 0)
		return others;
	isst_cpuset_free(others);
	return NULL;
}

static bool can_go_offline(const struct cpus_change *work, unsigned int cpu)
{
	int can = hotplug_can_go_offline(&work->change->context->files, cpu);

	work->change->broken |= can < 0;
	return can;
}

/** Whether a CPU that is not enabled goes offline: CPU 0 may not, or shall not. */
static bool cpus_sets_offline(const struct cpus_change *work, unsigned int cpu)
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
		step_set(change_step(change, ITEM_PARTITION), item_of(ITEM_PARTITION, domain, 0),
			 WHOLE_VALUE, 0)
			->text = "absent";
	else if (group == GROUP_OTHER_PARTITION)
		change_warn(
			change, ISST_MESSAGE_PARTITION_KEPT, of_domain(domain),
			"/sys/fs/cgroup/%u-%u-%u is left unchanged (%s): it is not a partition of "
			"CPUs of %s",
			domain->package, domain->die, domain->number, state, domain->name);
	free(state);
	return error;
}

/** Isolates CPUs of a domain. A partition of others that has the name already is not replaced. */
static int cpus_plan_partition(const struct cpus_change *work, const struct isst_domain *domain,
			       const struct isst_cpuset *cpus)
{
	struct isst_change *change = work->change;
	struct step *step;
	enum group group;
	char *state, *ranges;
	int error = find_group(work, domain, &group, &state);

	if (group == GROUP_OTHER_PARTITION)
		error = message_error_at(&change->context->messages, of_domain(domain), -EIO,
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
	step_set(step, item_of(ITEM_PARTITION, domain, 0), WHOLE_VALUE, 0)->text = message_make(
		&change->context->messages, "isolated %s", ranges);
	free(ranges);
	return 0;
}

/** Isolates CPU 0 while the level does not enable it, and it cannot or shall not go offline. */
static int plan_cpu0(struct cpus_change *work, const struct isst_domain *domain)
{
	struct isst_cpuset *cpu0 = isst_cpuset_new();
	int error = cpu0 ? isst_cpuset_add(cpu0, 0, 0) : -ENOMEM;

	if (!error)
		error = cpus_plan_partition(work, domain, cpu0);
	if (!error)
		change_warn(work->change, ISST_MESSAGE_CPU_ISOLATED, of_machine(),
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

/** Plans the partitions of all requests, and the end of those that are not needed. */
static int cpus_plan_partitions(struct cpus_change *work)
{
	int error = 0;

	for (size_t i = 0; i < work->count && !error; i++) {
		const struct isst_domain *domain = work->domains[i].domain;
		const struct isst_cpuset *enabled = work->targets[i].enabled;
		struct isst_cpuset *disabled;

		if (!cpus_move(work, i))
			continue;
		/* With hotplug only CPU 0 may need one; that of an earlier level goes away. */
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

/* ---- CPUs of which nothing is known ---- */

static const struct enabled_cores *find_enabled(const struct isst_change *change,
						const struct isst_domain *domain)
{
	/* The last request of a domain is the one that stays. */
	for (size_t i = change->enabled_count; i-- > 0;) {
		const struct item *item = &change->enabled[i].domain;

		if (topology_find_domain(change->context->topology, item->package, item->die,
					 item->domain) == topology_domain(domain))
			return &change->enabled[i];
	}
	return NULL;
}

/** Whether a CPU came online that is of a domain (NULL: of any that isolates none), and may not
 * stay so, as it is not enabled; *@at: where to begin, and where to go on. */
static bool next_unlisted(const struct step *brought, const struct isst_domain *domain, size_t *at,
			  unsigned int *number)
{
	struct isst_change *change = brought->change;

	while (*at < brought->count) {
		const struct isst_cpu *cpu;
		const struct enabled_cores *enabled;
		bool stays = change->unseen_stay_online;

		*number = brought->entries[(*at)++].item.index;
		cpu = context_cpu(change->context, *number);
		enabled = cpu ? find_enabled(change, cpu->domain) : NULL;
		if (enabled)
			stays = enabled->all || (cpu->core_known && cpu->core < 64 &&
						 enabled->cores >> cpu->core & 1);
		if (!stays &&
		    (domain ? cpu && cpu->domain == domain : !enabled || !enabled->isolated))
			return true;
	}
	return false;
}

/** CPUs that turn out not to be enabled go offline again, or into a partition. */
static int remove_unlisted_cpus(struct step *brought)
{
	struct isst_change *change = brought->change;
	struct isst_context *context = change->context;
	int error = context_discover_topology(context);
	unsigned int number;
	struct step *back;

	/* A CPU whose core is not known now can be one of those that are enabled. */
	for (size_t i = 0; i < isst_domain_count(context) && !error; i++) {
		const struct isst_domain *domain = context_domain(context, i);
		const struct enabled_cores *enabled = find_enabled(change, domain);

		if (enabled && !enabled->all && topology_domain(domain)->unknown_core)
			error = message_error(&context->messages, -EIO, "%s",
					      topology_domain(domain)->unknown_core);
	}
	if (error)
		return error;
	back = change_step(change, ITEM_ONLINE);
	for (size_t i = 0; next_unlisted(brought, NULL, &i, &number);)
		step_set(back, item_of_cpu(number), WHOLE_VALUE, 0);
	for (size_t i = 0; i < isst_domain_count(context) && !error; i++) {
		const struct isst_domain *domain = context_domain(context, i);
		const struct enabled_cores *enabled = find_enabled(change, domain);
		size_t at = 0;

		/* All that are not enabled: those that were known before, too. */
		if (enabled && enabled->isolated && next_unlisted(brought, domain, &at, &number)) {
			const struct cpus_change work = { .change = change, .partitions = true };
			struct isst_cpuset *cores = topology_cpus_of_cores(context->topology,
									   domain, enabled->cores);
			struct isst_cpuset *others = cores ? cpus_others(domain, cores) : NULL;

			error = others ? cpus_plan_partition(&work, domain, others) : -ENOMEM;
			isst_cpuset_free(cores);
			isst_cpuset_free(others);
		}
	}
	return error;
}

/** Whether all domains that may have CPUs are those of a request of this change. */
static bool is_whole_machine(const struct isst_change *change)
{
	const struct isst_context *context = change->context;

	for (size_t i = 0; i < isst_domain_count(context); i++)
		if (!isst_domain_is_io(context_domain(context, i)) &&
		    !find_enabled(change, context_domain(context, i)))
			return false;
	return true;
}

bool cpus_are_found(const struct isst_level *level)
{
	const struct topology_domain *domain = topology_domain(level->domain);

	return level->cores && domain->unknown_cpus && !domain->unknown_core &&
	       isst_cpuset_count(domain->present) == 0;
}

/** CPUs that may be of a target, and are left alone as they may just as well be of another domain.
 */
static void leave_unknown(struct cpus_change *work)
{
	struct isst_change *change = work->change;
	struct isst_cpuset *left = isst_cpuset_new();
	unsigned int cpu;
	int error = left ? 0 : -ENOMEM;

	isst_cpuset_for_each (cpu, isst_present_cpus(change->context))
		if (!error && cpus_is_unknown(change->context, cpu) &&
		    hotplug_may_be_online(&work->hotplug, cpu))
			error = isst_cpuset_add(left, cpu, cpu);
	if (!error && isst_cpuset_count(left) > 0)
		change_warn(change, ISST_MESSAGE_CPUS_STAY_OFFLINE, of_cpus(NULL, left),
			    "%s %s offline: not seen online since boot, and possibly in a "
			    "package that was not named",
			    message_numbers(&change->texts, "CPU", left),
			    isst_cpuset_count(left) == 1 ? "stays" : "stay");
	change->broken |= error != 0;
	isst_cpuset_free(left);
}

/** Whether a CPU is to come online that is no domain's. */
static bool comes_online(struct cpus_change *work, unsigned int cpu)
{
	const struct isst_change *change = work->change;

	return (cpus_is_unknown(change->context, cpu) ||
		(change->unreachable_come_online &&
		 topology_is_unreachable(change->context->topology, cpu))) &&
	       !isst_cpuset_has(work->offline, cpu) && hotplug_may_be_online(&work->hotplug, cpu);
}

/** Plans to bring unknown CPUs online, to see where they are. Returns the step or NULL. */
static struct step *cpus_plan_unknown(struct cpus_change *work)
{
	struct isst_change *change = work->change;
	const struct isst_context *context = change->context;
	struct step *step = NULL;
	unsigned int cpu;

	if (change->options.leave_unknown_cpus) {
		leave_unknown(work);
		return NULL;
	}
	/* The cores that the requests enable: others of this change may be for other domains. */
	for (size_t i = 0; i < work->count; i++) {
		if (!domain_counts(&work->domains[i]))
			continue;
		if (ARRAY_GROW(change->enabled, change->enabled_count)) {
			change->broken = true;
			return NULL;
		}
		change->enabled[change->enabled_count++] = (struct enabled_cores){
			item_of(ITEM_LEVEL, work->domains[i].domain, 0), work->targets[i].cores,
			work->targets[i].all_cores, work->partitions
		};
	}
	if (!is_whole_machine(change))
		return NULL;
	isst_cpuset_for_each (cpu, isst_present_cpus(context)) {
		if (!comes_online(work, cpu))
			continue;
		if (!step)
			step = change_step(change, ITEM_ONLINE);
		step_set(step, item_of_cpu(cpu), WHOLE_VALUE, 1);
	}
	if (step)
		step->after = remove_unlisted_cpus;
	return step;
}

/* ---- On- and offline ---- */

static void cpus_plan_online(struct cpus_change *work)
{
	struct step *online = change_step(work->change, ITEM_ONLINE);
	struct step *unknown = cpus_plan_unknown(work);
	struct step *limits = hotplug_limits_step(work->change, online);

	for (size_t i = 0; i < work->count; i++) {
		const struct isst_domain *domain = work->domains[i].domain;
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

static int cpus_plan_offline(struct cpus_change *work)
{
	int error = cpus_plan_partitions(work);
	struct step *offline = change_step(work->change, ITEM_ONLINE);

	for (size_t i = 0; i < work->count; i++) {
		const struct isst_domain *domain = work->domains[i].domain;
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

/* ---- CPUs in use, where that is asked for itself ---- */

/** Whether a package keeps a CPU, as this and other requests of the change leave it. */
static bool keeps_a_cpu(const struct cpus_change *work, unsigned int package)
{
	unsigned int cpu;

	for (size_t i = 0; i < work->count; i++) {
		const struct isst_domain *domain = work->domains[i].domain;

		if (domain->package != package)
			continue;
		if (work->domains[i].counts && isst_cpuset_count(work->targets[i].enabled) > 0)
			return true;
		isst_cpuset_for_each (cpu, domain->present)
			if (!work->domains[i].counts &&
			    cpu_will_be_online(work->change, domain, cpu))
				return true;
	}
	return false;
}

/** A package without CPUs can no longer be reached, so each keeps one. Without partitions no CPU is
 * isolated, and none need be where the level enables all. */
static int check_cpus(struct cpus_change *work)
{
	bool of_level = work->wanted == CPUS_BY_LEVEL || work->wanted == CPUS_ISOLATED;
	struct isst_change *change = work->change;
	int error = 0;

	for (size_t i = 0; i < work->count; i++) {
		const struct isst_domain *domain = work->domains[i].domain;

		if (cpus_move(work, i) && isst_cpuset_count(domain->present) > 0 &&
		    !keeps_a_cpu(work, domain->package))
			target_reject(change, domain, &work->domains[i].failure, -EIO,
				      "all CPUs of package %u would go offline%s", domain->package,
				      of_level
					      ? ": the firmware reports no core of it for its level"
					      : "");
	}
	if (work->wanted != CPUS_ISOLATED)
		return 0;
	error = cpus_probe_partitions(change->context);
	work->partitions = !error;
	for (size_t i = 0; i < work->count && error == -EOPNOTSUPP; i++)
		if (cpus_move(work, i) &&
		    !cpuset_contains(work->targets[i].enabled, work->domains[i].domain->present))
			target_reject(change, work->domains[i].domain, &work->domains[i].failure,
				      -EOPNOTSUPP, "%s", isst_error(change->context));
	return error == -EOPNOTSUPP ? 0 : error;
}

int plan_cpus(struct cpus_change *work)
{
	struct isst_change *change = work->change;
	size_t count = work->count = isst_domain_count(change->context);
	struct isst_cpuset **others = calloc(count + 1, sizeof(struct isst_cpuset *));
	int error;

	work->targets = calloc(count + 1, sizeof(*work->targets));
	error = work->targets && others ? 0 : -ENOMEM;
	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_domain *domain = work->domains[i].domain;
		const struct isst_level *level = &work->domains[i].level;

		if (!domain_counts(&work->domains[i]))
			continue;
		if (work->wanted == CPUS_BY_LEVEL || work->wanted == CPUS_ISOLATED) {
			/* A preset platform has no other level than one with all of them. */
			work->targets[i] = (struct cpus_target){ level->cpus, level->cores,
								 change->context->platform.preset };
			/* Of all that a level specifies only its CPUs are made use of. */
			if (!level->cpus && !isst_domain_is_io(domain) &&
			    (change->options.leave_unknown_cpus || !cpus_are_found(level)))
				work->domains[i].failure = level->failure;
		} else if (!isst_domain_is_io(domain)) {
			others[i] = cpus_others(domain, work->offline);
			work->targets[i] = (struct cpus_target){ others[i], 0, true };
			error = others[i] ? 0 : -ENOMEM;
		}
	}
	if (!error)
		error = check_cpus(work);
	if (!error) {
		error = hotplug_begin(&work->hotplug, change);
		if (!error && work->come)
			cpus_plan_online(work);
		if (!error && work->go)
			error = cpus_plan_offline(work);
		hotplug_end(&work->hotplug);
	}
	for (size_t i = 0; i < count && others; i++)
		isst_cpuset_free(others[i]);
	free(others);
	free(work->targets);
	return error;
}

int change_plan_all_online(struct isst_change *change)
{
	struct hotplug hotplug;
	int error = hotplug_begin(&hotplug, change);
	struct step *step = change_step(change, ITEM_ONLINE);
	struct step *limits = hotplug_limits_step(change, step);
	unsigned int cpu;

	isst_cpuset_for_each (cpu, isst_present_cpus(change->context))
		if (!error && !isst_cpuset_has(isst_online_cpus(change->context), cpu) &&
		    hotplug_may_be_online(&hotplug, cpu))
			step_set(step, item_of_cpu(cpu), WHOLE_VALUE, 1);
	for (size_t i = 0; i < isst_domain_count(change->context) && !error; i++) {
		hotplug_keep_limits(limits, context_domain(change->context, i));
		hotplug_disturbs_limits(step, context_domain(change->context, i));
	}
	hotplug_end(&hotplug);
	return plan_conclude(change, NULL, 0, error);
}
