/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-PP: another performance level, and what it means for the uncore and for CPUs. */
#include "base/cpuset.h"
#include "features/cpus_change.h"
#include "features/planning.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/run.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/* ---- A level change at work ---- */

/** Planning a level change. */
struct level_change {
	struct isst_change *change;
	struct domain_snapshot *domains; /* of the machine */
	size_t count;
	unsigned int level;
};

/* ---- Limits of the uncore ---- */

enum { FAMILY_DIAMOND_RAPIDS = 19 };

static void warn_of_uncore(struct isst_change *change, const struct isst_domain *domain,
			   const struct uncore_place *place, const char *why)
{
	if (place->of_domain)
		change_warn(change, ISST_MESSAGE_UNCORE_LIMITS_KEPT, of_domain(domain),
			    "%s: uncore limits of fabric %u are left unchanged: %s", domain->name,
			    place->cluster, why);
	else
		change_warn(change, ISST_MESSAGE_UNCORE_LIMITS_KEPT, of_domain(domain),
			    "%s: uncore limits are left unchanged: %s", domain->name, why);
}

/** Limits that are not there, or that would cross, are left out with a warning; those that cannot
 * be read fail the change. A limit that the level does not specify is the firmware's. */
static int plan_fabric(struct level_change *work, const struct limit_steps *steps,
		       const struct isst_domain *domain, const struct isst_fabric *fabric,
		       unsigned int cluster)
{
	struct isst_change *change = work->change;
	const struct uncore_place place = uncore_place_of(change->context, domain, cluster);
	const struct item max = item_of(ITEM_UNCORE_MAX, domain, cluster);
	const struct item min = item_of(ITEM_UNCORE_MIN, domain, cluster);
	const struct frequency_limits reported = { value_khz(&fabric->min_mhz),
						   value_khz(&fabric->max_mhz) };
	struct frequency_limits wanted = reported, present;
	uint64_t initial;
	int error;

	if (!reported.min_khz && !reported.max_khz)
		return 0;
	error = uncore_limits_project(change, domain, cluster, &present);
	if (error == -ENOENT) {
		warn_of_uncore(change, domain, &place, uncore_why_none(change->context, &place));
		return 0;
	}
	if (error)
		return error;
	if (!wanted.max_khz)
		wanted.max_khz = present.max_khz;
	if (!wanted.min_khz)
		wanted.min_khz = present.min_khz < wanted.max_khz ? present.min_khz
								  : wanted.max_khz;
	if (wanted.min_khz > wanted.max_khz) {
		warn_of_uncore(change, domain, &place,
			       message_make(&change->texts,
					    "the minimum of level %u, %llu MHz, is above the "
					    "maximum of %llu MHz",
					    work->level, (unsigned long long)wanted.min_khz / 1000,
					    (unsigned long long)wanted.max_khz / 1000));
		return 0;
	}
	if (reported.max_khz)
		step_set(steps->max, max, WHOLE_VALUE, wanted.max_khz);
	if (reported.min_khz || wanted.min_khz != present.min_khz)
		step_set(limit_steps_min(steps, present.min_khz, wanted.min_khz), min, WHOLE_VALUE,
			 wanted.min_khz);
	/* A lower minimum than at boot does not come back with the level of boot. */
	if (uncore_read_initial(&change->context->files, &place, CPUFREQ_MIN, &initial) == 0 &&
	    wanted.min_khz < initial)
		change_warn(
			change, ISST_MESSAGE_SCALING_LIMIT_REPLACED, of_domain(domain),
			"%s: the uncore minimum of fabric %u %s %llu MHz at level %u; at boot it "
			"was %llu MHz (isst config apply --set 'uncore-min none')",
			domain->name, cluster,
			wanted.min_khz == present.min_khz ? "stays" : "becomes",
			(unsigned long long)wanted.min_khz / 1000, work->level,
			(unsigned long long)initial / 1000);
	return 0;
}

/* ---- CPUs of a level ---- */

/** One line for each limit that was removed, whatever the number of CPUs. */
static int name_lifted_limits(struct step *step)
{
	return name_replaced_limits(step->change, step, NULL,
				    "was below the base frequency of the level, and is removed");
}

static bool has_cpus(const struct level_change *work, size_t i)
{
	return domain_counts(&work->domains[i]) && work->domains[i].level.cpus;
}

/** CPUs and the uncore. Decides between partitions and hotplug: who wants partitions wants CPUs
 * online, and on a system without them CPUs are taken offline only if that is asked for, too. */
static int plan_level_cpus(struct level_change *work)
{
	struct isst_change *change = work->change;
	struct cpus_change cpus = { .change = change,
				    .domains = work->domains,
				    .wanted = CPUS_BY_LEVEL,
				    .come = true,
				    .go = true };
	struct limit_steps uncore;
	bool leaves_out = false;
	struct step *scaling;
	unsigned int cpu;
	int error = 0;

	for (size_t i = 0; i < work->count; i++)
		leaves_out |= has_cpus(work, i) &&
			      !cpuset_contains(work->domains[i].level.cpus,
					       work->domains[i].domain->present);
	if (change->options.partitions) {
		error = cpus_probe_partitions(change->context);
		cpus.partitions = !error;
		if (error == -EOPNOTSUPP && change->options.partitions_optional) {
			change_warn(change, ISST_MESSAGE_PARTITIONS_UNAVAILABLE,
				    of_cause(change, isst_error(change->context)),
				    "%s; CPUs are taken offline instead",
				    isst_error(change->context));
			error = 0;
		} else if (error == -EOPNOTSUPP && !leaves_out) {
			error = 0;
		}
	}
	uncore = limit_steps_begin(change, ITEM_UNCORE_MAX, ITEM_UNCORE_MIN);
	for (size_t i = 0;
	     i < work->count && change->context->platform.family != FAMILY_DIAMOND_RAPIDS; i++)
		for (unsigned int fabric = 0; fabric < ISST_FABRICS && !error; fabric++)
			if (domain_counts(&work->domains[i]))
				error = plan_fabric(work, &uncore, work->domains[i].domain,
						    &work->domains[i].level.fabric[fabric], fabric);
	if (!error)
		error = plan_cpus(&cpus);
	/* Removes limits below the level's base frequency: at that they would keep turbo out later.
	 */
	scaling = error ? NULL : change_step(change, ITEM_SCALING_MAX);
	for (size_t i = 0; i < work->count && scaling; i++) {
		const struct isst_level *level = &work->domains[i].level;

		if (!has_cpus(work, i) || level->base_mhz.state != ISST_KNOWN)
			continue;
		scaling->after = name_lifted_limits;
		isst_cpuset_for_each (cpu, level->cpus)
			step_raise(scaling, item_of(ITEM_SCALING_MAX, work->domains[i].domain, cpu),
				   value_khz(&level->base_mhz), CPUFREQ_NO_LIMIT);
	}
	return error;
}

/* ---- What must hold ---- */

/** The level may be locked in two places; one that cannot be read is a failure. */
static int check_locks(struct level_change *work)
{
	struct isst_context *context = work->change->context;
	uint64_t *locked = calloc(work->count + 1, sizeof(*locked));
	struct firmware_batch *batch = firmware_batch_new(&context->firmware);
	int error = locked && batch ? 0 : -ENOMEM;

	for (size_t i = 0; i < work->count && !error; i++)
		if (domain_counts(&work->domains[i]))
			error = context->firmware.operations->plan_get(
				batch, &(struct setting_request){ work->domains[i].domain,
								  SETTING_LEVEL_LOCK, 0, &locked[i],
								  &work->domains[i].failure });
	if (!error)
		error = firmware_run(batch);
	for (size_t i = 0; i < work->count && !error; i++) {
		struct domain_snapshot *domain = &work->domains[i];

		/* A level that is there already needs no key. */
		if (domain_counts(domain) && (locked[i] || domain->profile.locked) &&
		    domain->profile.current_level != work->level)
			target_reject(
				work->change, domain->domain, &domain->failure, -EROFS,
				"TDP is locked: the level cannot be changed until a reset with "
				"the lock disabled in the BIOS");
	}
	firmware_batch_free(batch);
	free(locked);
	return error;
}

/* ---- The level ---- */

/** A level change resets features and moves limits of the firmware, and of the uncore. */
static void plan_footprint(struct step *step, const struct isst_domain *domain,
			   unsigned int current, bool core_power, unsigned int fabrics)
{
	static const enum item_kind KINDS[] = { ITEM_UNCORE_MAX, ITEM_UNCORE_MIN };
	const struct isst_context *context = step ? step->change->context : NULL;
	struct entry *features;

	features = step_disturbs(step, item_of(ITEM_FEATURES, domain, current));
	features->optional = features->resets = true;
	if (core_power) {
		/* With one switch it is a second name of what ITEM_QOS has. */
		if (context && !context->firmware.operations->one_core_power_switch)
			step_disturbs_optional(step, item_of(ITEM_CORE_POWER, domain, 0));
		step_disturbs_optional(step, item_of(ITEM_QOS, domain, 0));
	}
	if (domain->has_cpu)
		step_disturbs_optional(step, item_of(ITEM_TURBO_RATIO_LIMITS, domain, 0));
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		for (unsigned int fabric = 0; fabric < fabrics; fabric++)
			step_disturbs(step, item_of(KINDS[i], domain, fabric));
}

/** @features: FEATURE_...; none: nothing is reported; @how: what becomes of them */
static void note_switched_off(struct isst_change *change, const struct isst_domain *domain,
			      uint64_t features, const char *how)
{
	static const char *const WHICH[] = { NULL, "turbo-freq is", "base-freq is",
					     "base-freq and turbo-freq are" };

	if (WHICH[features & 3])
		change_warn(change, ISST_MESSAGE_FEATURES_DISABLED, of_domain(domain), "%s: %s %s",
			    domain->name, WHICH[features & 3], how);
}

static const char disabled_by_level[] = "disabled by the level change";

/** On TPMI platforms the kernel switches the features of a domain off with its level; on others the
 * firmware may, which a change reports once it has made it (report_features()). */
static int warn_of_features(struct level_change *work)
{
	bool by_kernel = context_has_power_domains(work->change->context);
	int error = 0;

	if (!by_kernel && !work->change->options.dry_run)
		return 0;
	if (by_kernel)
		warn_of_cpufreq(work->change, work->domains, domain_counts, false);
	for (size_t i = 0; i < work->count && !error; i++) {
		const struct isst_domain *domain = work->domains[i].domain;
		unsigned int current = work->domains[i].profile.current_level;
		struct item_access features = { .item = item_of(ITEM_FEATURES, domain, current) };

		if (!domain_counts(&work->domains[i]) || current == work->level)
			continue;
		error = items_read(work->change->context, &features, 1);
		if (!error && !features.failure.error)
			note_switched_off(work->change, domain,
					  features.value.number & ~work->domains[i].settled,
					  by_kernel ? disabled_by_level
						    : "enabled, and the firmware may disable this "
						      "with the level");
	}
	return error;
}

/** What was enabled at that level before is off, and classes are still as then. */
static int warn_of_saved(struct level_change *work, const struct domain_snapshot *target,
			 unsigned int feature)
{
	const char *name = feature_name(feature);
	const struct isst_domain *domain = target->domain;
	struct isst_context *context = work->change->context;
	struct item_lines saved;
	bool any = false;
	int error;

	if (target->settled & feature)
		return 0;
	error = settings_read(context, &saved);
	for (size_t i = 0; i < saved.count; i++)
		any |= settings_is_of(&saved.items[i], name, domain, work->level);
	if (any)
		change_warn(work->change, ISST_MESSAGE_SAVED_SETTINGS_REMAIN, of_domain(domain),
			    "%s: %s enable --auto was used at level %u before: the level change "
			    "does not enable it again; %s disable --auto restores what was there "
			    "before it",
			    domain->name, name, work->level, name);
	if (error && error != -ENOMEM)
		change_warn(work->change, ISST_MESSAGE_SAVED_SETTINGS_REMAIN, of_domain(domain),
			    "%s", isst_error(context));
	item_lines_clear(&saved);
	return error == -ENOMEM ? error : 0;
}

static struct item features_of(const struct entry *level)
{
	struct item item = level->item;

	item.kind = ITEM_FEATURES;
	item.index = (unsigned int)level->wanted.number;
	return item;
}

/** Without the kernel's driver of TPMI it is the firmware that switches them off, or does not. */
static int report_features(const struct step *levels, const struct isst_domain *domain)
{
	struct isst_change *change = levels->change;
	const struct item item = item_of(ITEM_LEVEL, domain, 0);

	for (size_t i = 0; i < levels->count; i++) {
		const struct entry *level = &levels->entries[i];
		struct item_access now = { .item = features_of(level) };
		uint64_t before = 0, planned;
		int error;

		if (level->state < ENTRY_WRITTEN || !item_is(&level->item, &item))
			continue;
		for (size_t j = levels->footprint_count; j-- > 0;) {
			const struct entry *entry = &levels->footprint[j];

			if (entry->item.kind == ITEM_FEATURES && entry->state != ENTRY_UNKNOWN &&
			    item_same_domain(&entry->item, &item))
				before = entry->old.number &
					 (FEATURE_TURBO_FREQ | FEATURE_BASE_FREQ);
		}
		error = before ? items_read(change->context, &now, 1) : 0;
		if (!before || error || now.failure.error)
			return error;
		/* What the steps behind it enable again does not end disabled. */
		planned = now.value.number;
		change_project(change, &now.item, &planned);
		note_switched_off(change, domain, before & ~(now.value.number | planned),
				  disabled_by_level);
		return 0;
	}
	return 0;
}

/** The TPMI driver switches features off only behind a level that it saw take effect. */
static int finish_levels(struct step *levels)
{
	struct isst_context *context = levels->change->context;
	bool by_driver = context_has_power_domains(context);
	struct step *features = NULL;
	int error = 0;

	for (size_t i = 0; i < levels->count && by_driver; i++) {
		if (!levels->entries[i].timed_out || levels->entries[i].state != ENTRY_CONFIRMED)
			continue;
		if (!features)
			features = change_step_behind(levels, ITEM_FEATURES);
		step_set(features, features_of(&levels->entries[i]),
			 FEATURE_TURBO_FREQ | FEATURE_BASE_FREQ, 0);
	}
	for (size_t i = 0; i < isst_domain_count(context) && !error && !by_driver; i++)
		error = report_features(levels, context_domain(context, i));
	return error;
}

static void plan_levels(struct level_change *work)
{
	struct step *step = change_step(work->change, ITEM_LEVEL);
	unsigned int fabrics = context_has_power_domains(work->change->context) ? ISST_FABRICS : 1;

	if (step) {
		step->after = finish_levels;
		step->moves_range = true;
	}
	for (size_t i = 0; i < work->count; i++) {
		const struct isst_domain *domain = work->domains[i].domain;
		const struct isst_core_power *core_power = &work->domains[i].core_power;
		unsigned int current = work->domains[i].profile.current_level;

		if (!domain_counts(&work->domains[i]))
			continue;
		step_set(step, item_of(ITEM_LEVEL, domain, 0), WHOLE_VALUE, work->level);
		if (current == work->level)
			continue;
		/* Firmware without core-power refuses to report its registers. */
		plan_footprint(step, domain, current, core_power->supported, fabrics);
		if (core_power->failure.error)
			change_note_irreversible(work->change, core_power->failure.message,
						 "core-power");
	}
}

/* ---- What a level has to specify ---- */

/** Of all that a level specifies only its CPUs, the base frequency and the uncore limits are made
 * use of: what else cannot be read is no reason to stay at another level. */
static bool suffices(const struct isst_level *level)
{
	bool known = level->base_freq != ISST_FEATURE_UNKNOWN &&
		     level->turbo_freq != ISST_FEATURE_UNKNOWN;

	for (size_t i = 0; i < sizeof(level->fabric) / sizeof(level->fabric[0]); i++)
		known &= level->fabric[i].min_mhz.state != ISST_UNREADABLE &&
			 level->fabric[i].max_mhz.state != ISST_UNREADABLE;
	if (isst_domain_is_io(level->domain))
		return known;
	return known && level->cpus && level->base_mhz.state != ISST_UNREADABLE;
}

/** The same where CPUs of which nothing is known are brought online. */
static bool suffices_once_seen(const struct isst_level *level)
{
	struct isst_level found = *level;

	if (!level->cpus && cpus_are_found(level))
		found.cpus = topology_domain(level->domain)->present;
	return suffices(&found);
}

/** What must be known of a level. Without SST-PP there is level 0 alone. A power domain may be
 * without cores at a level, but not a whole package: all its CPUs would go offline. */
static void check_levels(struct level_change *work, bool online)
{
	struct isst_change *change = work->change;
	bool (*is_enough)(const struct isst_level *level) = change->options.leave_unknown_cpus
								    ? suffices
								    : suffices_once_seen;

	for (size_t i = 0; i < work->count; i++) {
		struct domain_snapshot *domain = &work->domains[i];
		const struct isst_level *level = &domain->level;
		bool known = level->base_freq != ISST_FEATURE_UNKNOWN &&
			     level->turbo_freq != ISST_FEATURE_UNKNOWN;

		if (!domain_counts(domain))
			continue;
		if (domain->profile.failure.error)
			domain->failure = domain->profile.failure;
		else if (online ? !is_enough(level) : !known)
			domain->failure = level->failure;
		if (domain_counts(domain) && !domain->profile.enabled && work->level > 0)
			target_reject(change, domain->domain, &domain->failure, -EOPNOTSUPP,
				      "perf-profile feature is not supported, only level 0 exists");
	}
	for (size_t i = 0; i < work->count && online; i++) {
		struct domain_snapshot *domain = &work->domains[i];
		unsigned int package = domain->domain->package;
		bool leaves_a_cpu = isst_cpuset_count(domain->domain->present) == 0;

		for (size_t j = 0; j < work->count; j++)
			leaves_a_cpu |= work->domains[j].counts &&
					work->domains[j].domain->package == package &&
					isst_cpuset_count(work->domains[j].level.cpus) > 0;
		if (domain_counts(domain) && !leaves_a_cpu)
			target_reject(
				change, domain->domain, &domain->failure, -EIO,
				"the firmware reports no core of package %u for level %u: all its "
				"CPUs would go offline",
				package, work->level);
	}
}

/** For the footprint: of a configuration core-power need not be known. */
static int read_core_power(struct level_change *work)
{
	for (size_t i = 0; i < work->count; i++)
		work->domains[i].parts = work->domains[i].counts &&
							 !work->domains[i].core_power.domain
						 ? SNAPSHOT_CORE_POWER_SWITCH
						 : 0;
	return snapshot_read(work->change->context, work->domains, work->count);
}

int plan_level_change(struct isst_change *change, struct domain_snapshot *domains,
		      unsigned int level, bool online)
{
	struct level_change work = { .change = change,
				     .domains = domains,
				     .count = isst_domain_count(change->context),
				     .level = level };
	int error = read_core_power(&work);

	if (!error) {
		check_levels(&work, online);
		error = check_locks(&work);
	}
	if (!error)
		error = warn_of_features(&work);
	for (size_t i = 0; i < work.count && !error; i++) {
		if (!domain_counts(&domains[i]) || domains[i].profile.current_level == level)
			continue;
		error = warn_of_saved(&work, &domains[i], FEATURE_TURBO_FREQ);
		if (!error)
			error = warn_of_saved(&work, &domains[i], FEATURE_BASE_FREQ);
	}
	if (!error) {
		plan_levels(&work);
		if (online)
			error = plan_level_cpus(&work);
	}
	return error;
}
