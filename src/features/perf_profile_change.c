/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-PP: another performance level, and the CPUs that it enables. */
#include "features/context.h"
#include "features/hotplug.h"
#include "features/plan.h"
#include "features/planning.h"
#include "sysfs/partition.h"
#include "sysfs/uncore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILY_DIAMOND_RAPIDS = 19 };

/** Planning a level change. */
struct level_change {
	struct isst_change *change;
	struct isst_request *requests;
	struct facts facts;
	unsigned int level;
	bool partitions; /* in place of hotplug */
	struct hotplug hotplug;
};

/* ---- What must hold ---- */

/** The level may be locked in two places, which say the same; one that cannot be read counts as a
 * failure. */
static int check_locks(struct level_change *work)
{
	struct isst_context *context = work->change->context;
	size_t count = work->facts.count;
	bool *locked = calloc(count + 1, sizeof(*locked));
	struct firmware_batch *batch = firmware_batch_new(&context->firmware);
	int error = locked && batch ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		if (wanted(&work->requests[i]))
			error = context->firmware.operations->plan_level_lock(
				batch, work->requests[i].domain, &work->requests[i].failure,
				&locked[i]);
	if (!error)
		error = firmware_run(batch);
	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_perf_profile *profile = &work->facts.domains[i].profile;

		/* A level that is there already needs no key. */
		if (wanted(&work->requests[i]) && (locked[i] || profile->locked) &&
		    profile->current_level != work->level)
			refuse(work->change, &work->requests[i], -EIO,
			       "TDP is locked: the level cannot be changed until a reset with the lock "
			       "switched off in the BIOS");
	}
	firmware_batch_free(batch);
	free(locked);
	return error;
}

static void check_enabled(struct level_change *work)
{
	for (size_t i = 0; i < work->facts.count; i++)
		if (wanted(&work->requests[i]) && !work->facts.domains[i].profile.enabled &&
		    work->level > 0)
			refuse(work->change, &work->requests[i], -EOPNOTSUPP,
			       "perf-profile feature is not supported, only level 0 is there");
}

/* ---- The level ---- */

/** A level change resets features and moves limits, of the firmware and of the kernel. */
static void plan_footprint(struct step *step, const struct isst_domain *domain,
			   unsigned int current, bool core_power, unsigned int fabrics)
{
	static const enum item_kind KINDS[] = { ITEM_UNCORE_MAX, ITEM_UNCORE_MIN };
	unsigned int cpu;

	step_resets(step, item_of(ITEM_FEATURES, domain, current), 0);
	if (core_power) {
		step_disturbs_optional(step, item_of(ITEM_CORE_POWER, domain, 0));
		step_disturbs_optional(step, item_of(ITEM_QOS, domain, 0));
	}
	if (domain->has_cpu)
		step_disturbs_optional(step, item_of(ITEM_TURBO_RATIO_LIMITS, domain, 0));
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		for (unsigned int fabric = 0; fabric < fabrics; fabric++)
			step_disturbs(step, item_of(KINDS[i], domain, fabric));
	isst_cpuset_for_each (cpu, domain->online) {
		step_disturbs(step, item_of(ITEM_SCALING_MAX, domain, cpu));
		step_disturbs(step, item_of(ITEM_SCALING_MIN, domain, cpu));
	}
}

/** Registers of core-power are in the footprint only where it is known to be there: firmware
 * without it refuses to tell them. */
static bool has_core_power(const struct level_change *work, size_t i)
{
	return work->facts.domains[i].core_power.supported;
}

/** The kernel switches the features of a domain off with a change of its level. */
static int warn_of_features(struct level_change *work, size_t i)
{
	static const char *const WHICH[] = { NULL, "turbo-freq goes", "base-freq goes",
					     "base-freq and turbo-freq go" };
	const struct isst_perf_profile *profile = &work->facts.domains[i].profile;
	const struct isst_domain *domain = work->requests[i].domain;
	struct item_access features = { .item = item_of(ITEM_FEATURES, domain,
							profile->current_level) };
	int error;

	if (!wanted(&work->requests[i]) || profile->current_level == work->level)
		return 0;
	error = items_read(work->change->context, &features, 1);
	if (!error && !features.failure.error && WHICH[features.value.number & 3])
		change_warn(work->change, "%s: %s off with the change of the level", domain->name,
			    WHICH[features.value.number & 3]);
	return error;
}

/** What is to be known of the kernel on TPMI platforms. */
static int warn_of_kernel(struct level_change *work)
{
	int error = 0;

	if (!context_has_power_domains(work->change->context))
		return 0;
	warn_of_hwp(work->change, work->requests, work->facts.count);
	for (size_t i = 0; i < work->facts.count && !error; i++)
		error = warn_of_features(work, i);
	return error;
}

static struct item features_of(const struct entry *level)
{
	struct item item = level->item;

	item.kind = ITEM_FEATURES;
	item.index = (unsigned int)level->wanted.number;
	return item;
}

/**
 * The driver of TPMI switches the features off only behind a level that took effect while it
 * waited: behind one that came later that is done here.
 */
static int finish_late_levels(struct isst_change *change)
{
	size_t at = 0;
	const struct step *levels;
	struct step *features = NULL;

	while (at < change->count && change->steps[at]->after != finish_late_levels)
		at++;
	if (at == change->count)
		return 0;
	levels = change->steps[at];
	change->steps[at]->after = NULL;
	for (size_t i = 0; i < levels->count; i++) {
		if (!levels->entries[i].timed_out || !levels->entries[i].confirmed)
			continue;
		if (!features)
			features = change_step_behind(change, at, ITEM_FEATURES);
		step_set(features, features_of(&levels->entries[i]),
			 FEATURE_TURBO_FREQ | FEATURE_BASE_FREQ, 0);
	}
	return 0;
}

static void plan_levels(struct level_change *work)
{
	struct step *step = change_step(work->change, ITEM_LEVEL);
	unsigned int fabrics = context_has_power_domains(work->change->context) ? 2 : 1;

	if (step)
		step->after = finish_late_levels;

	for (size_t i = 0; i < work->facts.count; i++) {
		const struct isst_domain *domain = work->requests[i].domain;
		unsigned int current = work->facts.domains[i].profile.current_level;

		if (!wanted(&work->requests[i]))
			continue;
		step_set(step, item_of(ITEM_LEVEL, domain, 0), WHOLE_VALUE, work->level);
		if (current == work->level)
			continue;
		plan_footprint(step, domain, current, has_core_power(work, i), fabrics);
		if (work->facts.domains[i].core_power.failure.error)
			change_warn(work->change, "%s; a rollback leaves core-power as it is then",
				    work->facts.domains[i].core_power.failure.message);
	}
}

/* ---- The uncore ---- */

static void plan_uncore_limit(struct level_change *work, const struct isst_domain *domain,
			      enum item_kind kind, unsigned int cluster, uint64_t khz)
{
	step_set(change_step(work->change, kind), item_of(kind, domain, cluster), WHOLE_VALUE, khz);
}

static uint64_t khz_of(const struct isst_value *mhz)
{
	return mhz->state == ISST_KNOWN ? mhz->value * UINT64_C(1000) : 0;
}

/** Why the kernel shows no limits of a place. */
static const char *why_no_uncore(struct isst_change *change, const struct uncore_place *place)
{
	struct isst_context *context = change->context;

	if (!place->of_domain)
		return "the kernel shows none (module intel_uncore_frequency)";
	if (uncore_is_ambiguous(&context->files, place))
		return "the kernel's numbers of power domains (domain_id) are not unique in the "
		       "package";
	if (place->cluster > 0)
		return "the kernel shows no such fabric";
	return "the kernel shows none (module intel_uncore_frequency_tpmi)";
}

static void warn_of_uncore(struct isst_change *change, const struct isst_domain *domain,
			   const struct uncore_place *place, const char *why)
{
	if (place->of_domain)
		change_warn(change, "%s: uncore limits of fabric %u are left as they are: %s",
			    domain->name, place->cluster, why);
	else
		change_warn(change, "%s: uncore limits are left as they are: %s", domain->name,
			    why);
}

struct uncore_limits {
	uint64_t min_khz, max_khz;
};

/** The limits as the steps that are planned by now will leave them. */
static int read_uncore(struct isst_change *change, const struct isst_domain *domain,
		       const struct uncore_place *place, struct uncore_limits *limits)
{
	const struct item max = item_of(ITEM_UNCORE_MAX, domain, place->cluster);
	const struct item min = item_of(ITEM_UNCORE_MIN, domain, place->cluster);
	struct kernel_files *files = &change->context->files;
	int error = uncore_read_limit(files, place, CPUFREQ_MAX, &limits->max_khz);

	if (!error)
		error = uncore_read_limit(files, place, CPUFREQ_MIN, &limits->min_khz);
	if (error)
		return error;
	change_project(change, &max, &limits->max_khz);
	change_project(change, &min, &limits->min_khz);
	return 0;
}

/**
 * What the limits become, where a level may specify only one of them: the kernel does not compare
 * the two. Returns false where they would cross.
 */
static bool complete_uncore(struct uncore_limits *wanted, const struct uncore_limits *present)
{
	if (!wanted->max_khz)
		wanted->max_khz = present->max_khz;
	if (!wanted->min_khz)
		wanted->min_khz = present->min_khz < wanted->max_khz ? present->min_khz
								     : wanted->max_khz;
	return wanted->min_khz <= wanted->max_khz;
}

/**
 * Raising begins with the maximum, lowering with the minimum, so that the two never cross. A limit
 * that the level does not specify, and that need not follow the other one, is the firmware's.
 */
static void plan_uncore_limits(struct level_change *work, const struct isst_domain *domain,
			       unsigned int cluster, const struct uncore_limits *reported,
			       const struct uncore_limits *wanted,
			       const struct uncore_limits *present)
{
	bool raise = wanted->max_khz >= present->max_khz;

	if (raise && reported->max_khz)
		plan_uncore_limit(work, domain, ITEM_UNCORE_MAX, cluster, wanted->max_khz);
	if (reported->min_khz || wanted->min_khz != present->min_khz)
		plan_uncore_limit(work, domain, ITEM_UNCORE_MIN, cluster, wanted->min_khz);
	if (!raise && reported->max_khz)
		plan_uncore_limit(work, domain, ITEM_UNCORE_MAX, cluster, wanted->max_khz);
}

/**
 * Limits that are not there, or that would cross, are left out with a warning; those that cannot be
 * read fail the change.
 */
static int plan_fabric(struct level_change *work, const struct isst_domain *domain,
		       const struct isst_fabric *fabric, unsigned int cluster)
{
	const struct uncore_place place = { domain->package, domain->die,
					    context_has_power_domains(work->change->context),
					    domain->number, cluster };
	const struct uncore_limits reported = { khz_of(&fabric->min_mhz),
						khz_of(&fabric->max_mhz) };
	struct uncore_limits wanted = reported, present;
	int error;

	if (!reported.min_khz && !reported.max_khz)
		return 0;
	error = read_uncore(work->change, domain, &place, &present);
	if (error == -ENOENT) {
		warn_of_uncore(work->change, domain, &place, why_no_uncore(work->change, &place));
		return 0;
	}
	if (error)
		return error;
	if (complete_uncore(&wanted, &present))
		plan_uncore_limits(work, domain, cluster, &reported, &wanted, &present);
	else
		warn_of_uncore(work->change, domain, &place,
			       message_make(&work->change->texts,
					    "the minimum of level %u, %llu MHz, is above the "
					    "maximum of %llu MHz",
					    work->level, (unsigned long long)wanted.min_khz / 1000,
					    (unsigned long long)wanted.max_khz / 1000));
	return 0;
}

static int plan_uncore(struct level_change *work, size_t i)
{
	const struct isst_level *level = &work->facts.domains[i].level;
	int error = 0;

	if (work->change->context->platform.family == FAMILY_DIAMOND_RAPIDS)
		return 0;
	for (unsigned int fabric = 0; fabric < 2 && !error; fabric++)
		error = plan_fabric(work, work->requests[i].domain, &level->fabric[fabric], fabric);
	return error;
}

/* ---- CPUs on- and offline ---- */

/** Whether CPUs go on- or offline for a request: a domain of an I/O die has none. */
static bool moves_cpus(const struct level_change *work, size_t i)
{
	return wanted(&work->requests[i]) && work->facts.domains[i].level.cpus;
}

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

/** Whether a CPU can be unplugged: current kernels do not let CPU 0 go. */
static bool can_go_offline(const struct level_change *work, unsigned int cpu)
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
	       !isst_cpuset_has(work->facts.domains[i].level.cpus, 0) && !can_go_offline(work, 0);
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

/** CPUs that the level enables, or that a partition will hold, go online; the others offline. */
static void plan_hotplug(struct level_change *work, size_t i, struct step *online,
			 struct step *offline)
{
	const struct isst_cpuset *enabled = work->facts.domains[i].level.cpus;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, work->requests[i].domain->present) {
		if (work->partitions && isst_cpuset_has(work->requests[i].domain->online, cpu))
			continue;
		if (work->partitions || isst_cpuset_has(enabled, cpu)) {
			if (hotplug_may_be_online(&work->hotplug, cpu))
				step_set(online, item_of_cpu(cpu), WHOLE_VALUE, 1);
		} else if (can_go_offline(work, cpu)) {
			step_set(offline, item_of_cpu(cpu), WHOLE_VALUE, 0);
		}
	}
}

/** Limits of cpufreq come and go with a CPU. */
static void plan_hotplug_footprint(struct step *offline, const struct isst_domain *domain,
				   const struct isst_cpuset *enabled)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, domain->online) {
		if (isst_cpuset_has(enabled, cpu))
			continue;
		step_disturbs(offline, item_of(ITEM_SCALING_MAX, domain, cpu));
		step_disturbs(offline, item_of(ITEM_SCALING_MIN, domain, cpu));
	}
}

/** Names the CPUs whose limit was the same as that of entry @first, and is none any more. */
static int name_lifted(struct isst_change *change, const struct step *step, size_t first)
{
	const struct entry *lifted = &step->entries[first];
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? 0 : -ENOMEM;
	char *ranges = NULL;

	for (size_t i = first; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];

		if (entry->written && entry->old.number == lifted->old.number)
			error = isst_cpuset_add(cpus, entry->item.index, entry->item.index);
	}
	if (!error)
		ranges = isst_cpuset_ranges(cpus);
	if (ranges)
		change_warn(change,
			    "CPU %s: the frequency limit of %llu MHz (scaling_max_freq) was below "
			    "the base frequency of the level, and is removed",
			    ranges, (unsigned long long)lifted->old.number / 1000);
	free(ranges);
	isst_cpuset_free(cpus);
	return ranges ? 0 : -ENOMEM;
}

static bool named_before(const struct step *step, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (step->entries[i].written &&
		    step->entries[i].old.number == step->entries[index].old.number)
			return true;
	return false;
}

/** One line for each limit that was removed, whatever the number of CPUs. */
static int name_lifted_limits(struct isst_change *change)
{
	const struct step *step = NULL;
	int error = 0;

	for (size_t i = 0; i < change->count && !step; i++)
		if (change->steps[i]->after == name_lifted_limits) {
			step = change->steps[i];
			change->steps[i]->after = NULL;
		}
	for (size_t i = 0; step && i < step->count && !error; i++)
		if (step->entries[i].written && !named_before(step, i))
			error = name_lifted(change, step, i);
	return error;
}

/**
 * A limit below the level's base frequency would undo what the level is for. It is removed rather
 * than raised to that frequency, where it would keep turbo and SST-BF out later.
 */
static void plan_scaling(struct level_change *work, struct step *step, size_t i)
{
	const struct isst_level *level = &work->facts.domains[i].level;
	const struct isst_domain *domain = work->requests[i].domain;
	unsigned int cpu;

	if (level->base_mhz.state != ISST_KNOWN)
		return;
	if (step)
		step->after = name_lifted_limits;
	isst_cpuset_for_each (cpu, level->cpus)
		step_raise_to(step, item_of(ITEM_SCALING_MAX, domain, cpu),
			      level->base_mhz.value * UINT64_C(1000), CPUFREQ_NO_LIMIT);
}

/* ---- CPUs of which nothing is known, since they have been offline ever since ---- */

static const struct enabled_cores *find_enabled(const struct isst_change *change,
						const struct isst_domain *domain)
{
	for (size_t i = 0; i < change->enabled_count; i++) {
		const struct item *item = &change->enabled[i].domain;

		if (topology_find_domain(change->context->topology, item->package, item->die,
					 item->domain) == topology_domain(domain))
			return &change->enabled[i];
	}
	return NULL;
}

/** CPUs that turn out not to belong to the level go offline again. */
static int sort_out_unknown(struct isst_change *change)
{
	const struct step *brought = NULL;
	struct step *back;
	int error = context_discover_topology(change->context);

	for (size_t i = 0; i < change->count; i++)
		if (change->steps[i]->after == sort_out_unknown)
			brought = change->steps[i];
	if (error || !brought)
		return error;
	back = change_step(change, ITEM_ONLINE);
	for (size_t i = 0; i < brought->count; i++) {
		unsigned int number = brought->entries[i].item.index;
		const struct isst_cpu *cpu = isst_cpu(change->context, number);
		const struct enabled_cores *enabled = cpu ? find_enabled(change, cpu->domain)
							  : NULL;

		if (!cpu || !enabled || !cpu->core_known || cpu->core >= 64 ||
		    !(enabled->cores >> cpu->core & 1))
			step_set(back, item_of_cpu(number), WHOLE_VALUE, 0);
	}
	return 0;
}

/** Whether the level changes in all domains that may have CPUs. */
static bool is_whole_machine(const struct level_change *work)
{
	const struct isst_context *context = work->change->context;

	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = isst_domain(context, i);
		bool found = isst_domain_is_io(domain);

		for (size_t j = 0; j < work->facts.count && !found; j++)
			found = work->requests[j].domain == domain && wanted(&work->requests[j]);
		if (!found)
			return false;
	}
	return true;
}

/** Whether a CPU is offline and may be anywhere. One that is remembered to be of a package or die
 * without domains is no target's. */
static bool is_unknown(const struct isst_context *context, unsigned int cpu)
{
	return !isst_cpu(context, cpu) && !isst_cpuset_has(isst_online_cpus(context), cpu) &&
	       !topology_is_unreachable(context->topology, cpu);
}

/** CPUs that may be of a target, and are left alone as they may just as well be of another domain.
 */
static void leave_unknown(struct level_change *work)
{
	struct isst_change *change = work->change;
	struct isst_cpuset *left = isst_cpuset_new();
	char *ranges = NULL;
	unsigned int cpu;
	int error = left ? 0 : -ENOMEM;

	isst_cpuset_for_each (cpu, isst_present_cpus(change->context))
		if (!error && is_unknown(change->context, cpu) &&
		    hotplug_may_be_online(&work->hotplug, cpu))
			error = isst_cpuset_add(left, cpu, cpu);
	if (!error && isst_cpuset_count(left) > 0) {
		ranges = isst_cpuset_ranges(left);
		if (ranges)
			change_warn(change,
				    "CPU %s: stays offline, as it has not been seen online since "
				    "the machine was started, and may be of a package that was not "
				    "named",
				    ranges);
		else
			error = -ENOMEM;
	}
	change->broken |= error != 0;
	free(ranges);
	isst_cpuset_free(left);
}

/** Brings CPUs online to see where they are. Returns the step, NULL where there is none. */
static struct step *plan_unknown(struct level_change *work)
{
	struct isst_change *change = work->change;
	struct enabled_cores *enabled;
	struct step *step = NULL;
	unsigned int cpu;

	if (change->options.leave_unknown_cpus || !is_whole_machine(work)) {
		leave_unknown(work);
		return NULL;
	}

	/* Another request of the same change may be for other domains. */
	enabled = reallocarray(change->enabled, change->enabled_count + work->facts.count + 1,
			       sizeof(*enabled));
	if (!enabled) {
		change->broken = true;
		return NULL;
	}
	change->enabled = enabled;
	for (size_t i = 0; i < work->facts.count; i++)
		if (wanted(&work->requests[i]))
			change->enabled[change->enabled_count++] = (struct enabled_cores){
				item_of(ITEM_LEVEL, work->requests[i].domain, 0),
				work->facts.domains[i].level.cores
			};
	isst_cpuset_for_each (cpu, isst_present_cpus(change->context)) {
		if (!is_unknown(change->context, cpu) ||
		    !hotplug_may_be_online(&work->hotplug, cpu))
			continue;
		if (!step)
			step = change_step(change, ITEM_ONLINE);
		step_set(step, item_of_cpu(cpu), WHOLE_VALUE, 1);
	}
	if (step)
		step->after = sort_out_unknown;
	return step;
}

/* ---- All together ---- */

/** Partitions need cgroup v2 with cpusets; on a system that lacks them CPUs are taken offline after
 * all. Where that cannot be seen nothing is: whoever asked for partitions wants CPUs online. */
static int choose_partitions(struct level_change *work)
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

static int plan_partitions(struct level_change *work)
{
	int error = 0;

	for (size_t i = 0; i < work->facts.count && !error; i++) {
		struct isst_cpuset *disabled;

		if (!moves_cpus(work, i))
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

/** Where the level stays its step does not put turbo ratio limits back in a rollback. */
static void plan_limits_footprint(const struct level_change *work, size_t i, struct step *step)
{
	if (work->facts.domains[i].profile.current_level == work->level)
		hotplug_disturbs_limits(step, work->requests[i].domain);
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
		unknown = plan_unknown(work);
	limits = hotplug_limits_step(work->change, online);
	error = plan_partitions(work);
	offline = change_step(work->change, ITEM_ONLINE);
	for (size_t i = 0; i < work->facts.count; i++)
		if (moves_cpus(work, i)) {
			plan_hotplug(work, i, online, offline);
			plan_hotplug_footprint(offline, work->requests[i].domain,
					       work->facts.domains[i].level.cpus);
			hotplug_keep_limits(limits, work->requests[i].domain);
			plan_limits_footprint(work, i, online);
			plan_limits_footprint(work, i, unknown);
			plan_limits_footprint(work, i, offline);
		}
	scaling = change_step(work->change, ITEM_SCALING_MAX);
	for (size_t i = 0; i < work->facts.count; i++)
		if (moves_cpus(work, i))
			plan_scaling(work, scaling, i);
	hotplug_end(&work->hotplug);
	return error;
}

static int plan_cpus(struct level_change *work)
{
	int error = choose_partitions(work);

	for (size_t i = 0; i < work->facts.count && !error; i++)
		if (wanted(&work->requests[i]))
			error = plan_uncore(work, i);
	return error ? error : plan_all_hotplug(work);
}

static bool is_readable(const struct isst_value *value)
{
	return value->state != ISST_UNREADABLE;
}

/** Of all that a level specifies only its CPUs, the base frequency and the uncore limits are made
 * use of: what else cannot be read is no reason to stay at another level. */
static bool suffices(const struct isst_level *level)
{
	bool known = level->base_freq != ISST_FEATURE_UNKNOWN &&
		     level->turbo_freq != ISST_FEATURE_UNKNOWN;

	for (size_t i = 0; i < sizeof(level->fabric) / sizeof(level->fabric[0]); i++)
		known &= is_readable(&level->fabric[i].min_mhz) &&
			 is_readable(&level->fabric[i].max_mhz);
	if (isst_domain_is_io(level->domain))
		return known;
	return known && level->cpus && is_readable(&level->base_mhz);
}

/** Whether a level leaves a package a CPU, as far as its domains are asked for. */
static bool leaves_a_cpu(const struct level_change *work, unsigned int package)
{
	for (size_t i = 0; i < work->facts.count; i++) {
		const struct isst_cpuset *cpus = work->facts.domains[i].level.cpus;

		if (work->requests[i].domain->package == package && cpus &&
		    isst_cpuset_count(cpus) > 0)
			return true;
	}
	return false;
}

/**
 * A power domain may be without cores at a level, but not a whole package: firmware that says so
 * would have all its CPUs taken offline, down to CPU 0.
 */
static void check_cores(struct level_change *work)
{
	for (size_t i = 0; i < work->facts.count; i++) {
		const struct isst_domain *domain = work->requests[i].domain;

		if (wanted(&work->requests[i]) && isst_cpuset_count(domain->present) > 0 &&
		    !leaves_a_cpu(work, domain->package))
			refuse(work->change, &work->requests[i], -EIO,
			       "the firmware tells no core of package %u for level %u: all its CPUs "
			       "would go offline",
			       domain->package, work->level);
	}
}

int plan_level(struct isst_change *change, struct isst_request *requests, size_t count,
	       unsigned int level, bool online)
{
	struct level_change work = { .change = change, .requests = requests, .level = level };
	const struct fact_needs needs = {
		.levels = REQUIRED,
		.level = level,
		.parts = online ? ISST_LEVEL_PROPERTIES : ISST_LEVEL_FEATURES,
		.suffices = online ? suffices : NULL,
		/* For the footprint. */
		.core_power = OPTIONAL,
	};
	int error = facts_read(change, requests, count, &needs, &work.facts);

	if (error)
		return error;
	check_enabled(&work);
	if (online)
		check_cores(&work);
	error = check_locks(&work);
	if (!error)
		error = warn_of_kernel(&work);
	if (!error) {
		plan_levels(&work);
		if (online)
			error = plan_cpus(&work);
	}
	facts_free(&work.facts);
	return error;
}
