/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs on- and offline, in the order in which that is done: those that come online first, as a
 * partition can hold only such. */
#include "features/cpus_change.h"
#include "base/cpuset.h"
#include "features/cpus_groups.h"
#include "features/plan.h"
#include "sysfs/partition.h"
#include "topology/context.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Partitions ---- */

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

/** Whether a CPU that is not enabled goes offline: current kernels do not let CPU 0 go, and the
 * user may want it kept. */
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
	step_disturbs(step, item_of_cpusets());
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

/** Whether CPU 0 is in this domain, is not enabled, and is to be isolated as it does not go
 * offline. */
static bool isolates_cpu0(const struct cpus_change *work, size_t i)
{
	return isst_cpuset_has(work->requests[i].domain->present, 0) &&
	       !isst_cpuset_has(work->targets[i].enabled, 0) && !cpus_sets_offline(work, 0);
}

/** With hotplug, a partition is needed for CPU 0 at the most; one that an earlier level made goes
 * away. */
static int plan_partition_beside_hotplug(struct cpus_change *work, size_t i)
{
	const struct isst_domain *domain = work->requests[i].domain;

	if (isolates_cpu0(work, i))
		return plan_cpu0(work, domain);
	return plan_no_partition(work, domain);
}

int cpus_probe_partitions(struct isst_context *context)
{
	char *state = NULL;
	int error = partition_read(&context->files, "isst-probe", &state);

	free(state);
	return error;
}

/** Plans the partitions of all requests: those that hold CPUs, and the end of those that are no
 * longer needed. */
static int cpus_plan_partitions(struct cpus_change *work)
{
	int error = 0;

	for (size_t i = 0; i < work->count && !error; i++) {
		struct isst_cpuset *disabled;

		if (!cpus_move(work, i))
			continue;
		if (!work->partitions) {
			error = plan_partition_beside_hotplug(work, i);
			continue;
		}
		disabled = cpus_others(work->requests[i].domain, work->targets[i].enabled);
		if (!disabled)
			return -ENOMEM;
		if (isst_cpuset_count(disabled) > 0)
			error = cpus_plan_partition(work, work->requests[i].domain, disabled);
		else
			error = plan_no_partition(work, work->requests[i].domain);
		isst_cpuset_free(disabled);
	}
	return error;
}

/** A request while it is planned. */
struct cpus_request {
	struct cpus_change cpus;
	struct domain_request *requests;
	enum cpus_wanted wanted;
	const struct isst_cpuset *offline;
	struct current_state current; /* of the level's */
	struct cpus_target *targets;
	struct isst_cpuset **enabled; /* of those that are not the level's; each may be NULL */
};

static bool is_of_level(const struct cpus_request *work)
{
	return work->wanted == CPUS_BY_LEVEL || work->wanted == CPUS_ISOLATED;
}

/* ---- What is enabled ---- */

/** Of all that a level specifies only its CPUs are made use of. */
static bool suffices(const struct isst_level *level)
{
	return level->cpus || isst_domain_is_io(level->domain);
}

/** The same where CPUs of which nothing is known are brought online. */
static bool suffices_once_seen(const struct isst_level *level)
{
	return suffices(level) || cpus_are_found(level);
}

static int read_levels(struct cpus_request *work)
{
	const struct state_needs needs = {
		.levels = REQUIRED,
		.choice = LEVEL_CURRENT,
		.parts = ISST_READ_LEVELS_PROPERTIES,
		.suffices = work->cpus.change->options.leave_unknown_cpus ? suffices
									  : suffices_once_seen,
	};
	int error = current_state_read(work->cpus.change, work->requests, work->cpus.count, &needs,
				       &work->current);

	for (size_t i = 0; i < work->cpus.count && !error; i++) {
		const struct isst_level *level = &work->current.domains[i].level;

		/* A preset platform has no other level than one with all of them. */
		work->targets[i] = (struct cpus_target){
			level->cpus, level->cores, work->cpus.change->context->platform.preset
		};
	}
	return error;
}

/** CPUs of a domain that are not to be offline. */
static int find_enabled(struct cpus_request *work, size_t i)
{
	struct domain_request *request = &work->requests[i];
	int error = context_check_domain(work->cpus.change->context, request->domain);

	if (error)
		return error;
	request->failure = (struct isst_failure){ 0 };
	if (isst_domain_is_io(request->domain))
		return 0;
	work->enabled[i] = cpus_others(request->domain,
				       work->wanted == CPUS_OFFLINE ? work->offline : NULL);
	work->targets[i] = (struct cpus_target){ work->enabled[i], 0, true };
	return work->enabled[i] ? 0 : -ENOMEM;
}

static int begin(struct cpus_request *work)
{
	size_t count = work->cpus.count;
	int error = 0;

	work->targets = calloc(count + 1, sizeof(*work->targets));
	work->enabled = calloc(count + 1, sizeof(*work->enabled));
	if (!work->targets || !work->enabled)
		return -ENOMEM;
	work->cpus.requests = work->requests;
	work->cpus.targets = work->targets;
	work->cpus.kept_offline = work->wanted == CPUS_OFFLINE ? work->offline : NULL;
	if (is_of_level(work))
		return read_levels(work);
	for (size_t i = 0; i < count && !error; i++)
		error = find_enabled(work, i);
	return error;
}

static void end(struct cpus_request *work)
{
	for (size_t i = 0; i < work->cpus.count && work->enabled; i++)
		isst_cpuset_free(work->enabled[i]);
	free(work->enabled);
	free(work->targets);
	current_state_free(&work->current);
}

/* ---- What must hold ---- */

static bool is_requested(const struct cpus_request *work, const struct isst_domain *domain)
{
	for (size_t i = 0; i < work->cpus.count; i++)
		if (work->requests[i].domain == domain)
			return true;
	return false;
}

/** Whether other requests of the change leave a domain a CPU. */
static bool stays_online(const struct isst_change *change, const struct isst_domain *domain)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, domain->present)
		if (cpu_will_be_online(change, domain, cpu))
			return true;
	return false;
}

/** Whether a package keeps a CPU, of the domains that are asked for or of another one. */
static bool keeps_a_cpu(const struct cpus_request *work, unsigned int package)
{
	const struct isst_context *context = work->cpus.change->context;

	for (size_t i = 0; i < work->cpus.count; i++)
		if (work->requests[i].domain->package == package && work->targets[i].enabled &&
		    isst_cpuset_count(work->targets[i].enabled) > 0)
			return true;
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = context_domain(context, i);

		if (domain->package == package && !is_requested(work, domain) &&
		    stays_online(work->cpus.change, domain))
			return true;
	}
	return false;
}

/** A package all of whose CPUs are offline can no longer be reached, so that nothing could bring
 * them back but a request for all CPUs. */
static void check_packages(struct cpus_request *work)
{
	for (size_t i = 0; i < work->cpus.count; i++) {
		const struct isst_domain *domain = work->requests[i].domain;

		if (cpus_move(&work->cpus, i) && isst_cpuset_count(domain->present) > 0 &&
		    !keeps_a_cpu(work, domain->package))
			request_reject(work->cpus.change, &work->requests[i], -EIO,
				       "all CPUs of package %u would go offline%s", domain->package,
				       is_of_level(work) ? ": the firmware reports no core of it "
							   "for its level"
							 : "");
	}
}

/** Whether a level enables all CPUs that a domain has. */
static bool enables_all(const struct cpus_request *work, size_t i)
{
	return cpuset_contains(work->targets[i].enabled, work->requests[i].domain->present);
}

/** Without partitions none can be isolated, and none need be where the level enables all. */
static int check_partitions(struct cpus_request *work)
{
	struct isst_context *context = work->cpus.change->context;
	int error;

	if (work->wanted != CPUS_ISOLATED)
		return 0;
	error = cpus_probe_partitions(context);
	work->cpus.partitions = !error;
	if (error != -EOPNOTSUPP)
		return error;
	for (size_t i = 0; i < work->cpus.count; i++)
		if (cpus_move(&work->cpus, i) && !enables_all(work, i))
			request_reject(work->cpus.change, &work->requests[i], -EOPNOTSUPP, "%s",
				       isst_error(context));
	return 0;
}

static int prepare(struct cpus_request *work)
{
	int error = begin(work);

	if (error)
		return error;
	check_packages(work);
	return check_partitions(work);
}

/* ---- Planning ---- */

int plan_cpus_online(struct isst_change *change, struct domain_request *requests, size_t count,
		     enum cpus_wanted wanted, const struct isst_cpuset *offline)
{
	struct cpus_request work = { .cpus = { .change = change, .count = count },
				     .requests = requests,
				     .wanted = wanted,
				     .offline = offline };
	int error = prepare(&work);

	if (!error) {
		error = hotplug_begin(&work.cpus.hotplug, change);
		if (!error)
			cpus_plan_online(&work.cpus);
		hotplug_end(&work.cpus.hotplug);
	}
	end(&work);
	return error;
}

int plan_cpus_offline(struct isst_change *change, struct domain_request *requests, size_t count,
		      enum cpus_wanted wanted, const struct isst_cpuset *offline)
{
	struct cpus_request work = { .cpus = { .change = change, .count = count },
				     .requests = requests,
				     .wanted = wanted,
				     .offline = offline };
	int error = prepare(&work);

	if (!error) {
		error = hotplug_begin(&work.cpus.hotplug, change);
		if (!error)
			error = cpus_plan_offline(&work.cpus);
		hotplug_end(&work.cpus.hotplug);
	}
	end(&work);
	return error;
}

/* ---- Partitions, and CPUs on- and offline ---- */

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
