/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of a change, of a configuration or of a command:
 *
 *   1. turbo-freq and base-freq off, where they shall be off at the level that stays
 *   2. levels, which end with both features off; CPUs that come online
 *   3. core-power, off or on with its priority: some firmware resets CLOS with it
 *   4. CLOS whose maximum is raised, associations, CLOS whose maximum is lowered: no core is in a
 *      class with a lower maximum than it has before or after; CLOS in one write where no
 *      associations are stated
 *   5. turbo-freq and base-freq on
 *   6. turbo ratio limits, limits of the uncore, limits of cpufreq
 *   7. CPUs that go offline, or are isolated
 *
 * So turbo-freq finds core-power on, and its classes and associations made.
 */
#include "state/apply.h"
#include "base/array.h"
#include "features/planning.h"
#include "state/compare.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/steps.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- Limits of cpufreq and of the uncore ---- */

/** The items of the two limits of a request; NULL: it is kept. */
struct limit_pair {
	const struct wanted_item *min, *max;
};

/** A limit of cpufreq or of the uncore as planning takes it. */
static uint64_t wanted_limit(const struct wanted_item *item)
{
	uint64_t none = item && item->subject == SUBJECT_SCALING_MAX ? CPUFREQ_NO_LIMIT : 0;

	return !item ? LIMIT_KEPT : item->bits == none ? LIMIT_NONE : item->bits;
}

/** What the machine is without is a problem of both. @of_max: it is about the upper one */
static int note_failure(struct wanted *wanted, const struct limit_pair *pair, bool of_max,
			const struct isst_failure *failure)
{
	bool both = error_is_absence(failure->error);
	int error = 0;

	if (!failure->error)
		return 0;
	if (pair->min && (both || !of_max || !pair->max))
		error = wanted_fails(wanted, pair->min->setting, NULL, failure);
	if (!error && pair->max && (both || of_max || !pair->min))
		error = wanted_fails(wanted, pair->max->setting, NULL, failure);
	return error;
}

/** A state holds what some machine had: neither kernel nor firmware compares the two. */
static bool is_of_state(const struct wanted *wanted, const struct wanted_item *item)
{
	return item && configuration_is_state(wanted->configuration, item->setting->origin.source);
}

/** Plans limits of cpufreq, or of the uncore: @min and @max are their subjects. */
static int plan_limits(struct wanted *wanted, enum subject min, enum subject max)
{
	struct limit_request *requests = calloc(wanted->count + 1, sizeof(*requests));
	struct limit_pair *pairs = calloc(wanted->count + 1, sizeof(*pairs));
	size_t count = 0;
	int error = requests && pairs ? 0 : -ENOMEM;

	for (size_t i = 0; i < wanted->count && !error; i++) {
		const struct wanted_item *item = &wanted->items[i], *other;
		struct limit_pair *pair = &pairs[count];
		struct item counterpart;

		if (item->subject != min && item->subject != max)
			continue;
		item_counterpart(&item->item, &counterpart);
		other = wanted_find_item(wanted, &counterpart, item->subject == min ? max : min, 0);
		/* Planned with the lower one. */
		if (item->subject == max && other)
			continue;
		pair->min = item->subject == min ? item : NULL;
		pair->max = item->subject == min ? other : item;
		requests[count++] = (struct limit_request){
			.cpu = context_cpu(wanted->context, item->item.index),
			.domain = item->domain,
			.fabric = item->item.index,
			.wanted = { wanted_limit(pair->min), wanted_limit(pair->max) },
			.may_cross = is_of_state(wanted, pair->min) &&
				     is_of_state(wanted, pair->max),
			.with_package = true
		};
	}
	if (!error && count > 0)
		error = max == SUBJECT_SCALING_MAX
				? plan_scaling_limits(wanted->change, requests, count)
				: plan_uncore_limits(wanted->change, requests, count);
	for (size_t i = 0; i < count && !error; i++)
		error = note_failure(wanted, &pairs[i], requests[i].of_max, &requests[i].failure);
	free(requests);
	free(pairs);
	return error;
}

/* ---- Support of features ---- */

/** Leaves out what the level does not support, if that is optional, else ends the change. */
static int check_entry(struct isst_change *change, struct entry *entry,
		       const struct isst_level *level)
{
	uint64_t unsupported =
		((level->turbo_freq == ISST_FEATURE_UNSUPPORTED ? FEATURE_TURBO_FREQ : 0U) |
		 (level->base_freq == ISST_FEATURE_UNSUPPORTED ? FEATURE_BASE_FREQ : 0U)) &
		entry->mask & entry->bits;

	if (unsupported & ~entry->if_supported && !entry->optional)
		return message_error_at(
			&change->context->messages, of_domain(level->domain), -EOPNOTSUPP,
			"%s: %s feature is not present at level %u", level->domain->name,
			feature_name(unsupported & FEATURE_TURBO_FREQ ? FEATURE_TURBO_FREQ
								      : FEATURE_BASE_FREQ),
			level->level);
	entry->mask &= ~unsupported;
	return 0;
}

/** Looks what the levels of a step support, where that can be read: writes are verified. */
static int check_support(struct step *step)
{
	struct domain_snapshot *snapshots = calloc(step->count + 1, sizeof(*snapshots));
	struct isst_context *context = step->change->context;
	int error = snapshots ? 0 : -ENOMEM;

	for (size_t i = 0; i < step->count && !error; i++)
		snapshots[i].domain = item_domain(context, &step->entries[i].item);
	if (!error)
		error = snapshot_read_at(context, snapshots, step->count, NULL,
					 ISST_LEVEL_FEATURES);
	for (size_t i = 0; i < step->count && !error; i++)
		error = check_entry(step->change, &step->entries[i], &snapshots[i].level);
	snapshot_clear(snapshots, step->count);
	free(snapshots);
	return error;
}

/** Where the firmware reports the features of its current level only (TPMI, API version 2), those
 * of another one are looked at when it was set, right before a step that enables some. NULL is
 * passed over. */
static void check_support_later(const struct wanted *wanted, struct step *step)
{
	for (size_t i = 0; step && i < step->count; i++) {
		const struct entry *entry = &step->entries[i];
		const struct isst_domain *domain = item_domain(wanted->context, &entry->item);

		if (!wanted_facts(wanted, domain)->level.features_assumed ||
		    !(entry->bits & entry->mask))
			continue;
		step->before = check_support;
		if (step->change->options.dry_run)
			change_warn(step->change, ISST_MESSAGE_FEATURES_CHECKED_LATER,
				    of_domain(domain),
				    "%s: the driver reports the features of the current level only "
				    "(API version 2): those of level %u are checked once it is set",
				    domain->name, entry->item.index);
	}
}

/** Which of the items of a kind are selected; NULL: all. */
typedef bool (*selects)(const struct wanted *wanted, const struct wanted_item *item);

/* ---- Steps ---- */

/** All bits that are wanted of an item, by which it is written once. */
struct merged {
	struct item item;
	uint64_t mask, bits;
	const struct wanted_item *first;
	uint64_t required; /* by a setting that is not optional */
};

struct merged_items {
	struct merged *items;
	size_t count;
};

static int merge_items(const struct wanted *wanted, enum item_kind kind, selects selected,
		       struct merged_items *merged)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];
		/* Those of CPUs and cores are wanted once. */
		size_t at = subject_is_of_cpus(item->subject) ? merged->count : 0;
		struct merged *same;

		if (item->item.kind != kind || (selected && !selected(wanted, item)))
			continue;
		while (at < merged->count && !item_is(&merged->items[at].item, &item->item))
			at++;
		if (at == merged->count) {
			if (ARRAY_GROW(merged->items, merged->count))
				return -ENOMEM;
			merged->items[merged->count++] = (struct merged){ .item = item->item,
									  .first = item };
		}
		same = &merged->items[at];
		same->required |= item->setting->optional ? 0 : item->mask;
		same->mask |= item->mask;
		same->bits = (same->bits & ~item->mask) | (item->bits & item->mask);
	}
	return 0;
}

/** Adds one step for all items of a kind that are selected. @not_lowered: bits of a field that the
 * step does not lower; @step: NULL where there are none. */
static int add_step(struct wanted *wanted, enum item_kind kind, selects selected,
		    uint64_t not_lowered, struct step **step)
{
	struct merged_items merged = { 0 };
	int error = merge_items(wanted, kind, selected, &merged);

	*step = NULL;
	if (!error && merged.count > 0)
		*step = change_step(wanted->change, kind);
	for (size_t i = 0; i < merged.count && *step; i++) {
		const struct merged *item = &merged.items[i];
		struct entry *entry = step_set(*step, item->item, item->mask, item->bits);

		/* A command goes on without an I/O die as it does without others. */
		entry->optional = item->first->optional &&
				  !(wanted->is_command && isst_domain_is_io(item->first->domain));
		entry->if_supported = item->mask & ~item->required;
		entry->not_lowered = not_lowered;
	}
	free(merged.items);
	return error;
}

/* ---- Features ---- */

static bool is_feature_off(const struct wanted *wanted, const struct wanted_item *item)
{
	return item->bits == 0 && !wanted_changes_level(wanted, item);
}

static bool is_feature_on(const struct wanted *wanted, const struct wanted_item *item)
{
	return !is_feature_off(wanted, item);
}

/** With turbo off, cpuinfo_max_freq of most kernels is the base frequency: it moves with SST-BF,
 * and with it what limits of cpufreq read as. */
static int plan_features(struct wanted *wanted, selects selected)
{
	struct isst_change *change = wanted->change;
	enum turbo_state turbo = TURBO_UNKNOWN;
	struct step *step;
	bool base_freq = false;
	int error = add_step(wanted, ITEM_FEATURES, selected, 0, &step);

	check_support_later(wanted, step);
	/* What firmware may move with SST-BF or SST-TF. */
	for (size_t i = 0; step && i < step->count && !error; i++) {
		const struct isst_domain *domain = item_domain(change->context,
							       &step->entries[i].item);

		/* The register that features are requested in holds the requested level, too. */
		if (context_has_power_domains(change->context))
			step_keeps(step, item_of(ITEM_LEVEL, domain, 0));
		if (domain->has_cpu)
			step_disturbs_optional(step, item_of(ITEM_TURBO_RATIO_LIMITS, domain, 0));
		base_freq |= step->entries[i].mask & FEATURE_BASE_FREQ;
	}
	if (error || !base_freq)
		return error;
	error = change_turbo_state(change, &turbo);
	/* Where the kernel's file cannot be read turbo may be off. */
	if (error && error != -ENOMEM && !change->turbo_known) {
		turbo = TURBO_OFF;
		error = 0;
	}
	step->moves_range = !error && turbo == TURBO_OFF;
	return error;
}

/* ---- Levels ---- */

/** The features that are enabled behind a level, or that a saved state restores with all else. */
static unsigned int settled_features(const struct wanted *wanted, const struct isst_domain *domain)
{
	const struct item features = item_of(ITEM_FEATURES, domain, 0);
	unsigned int settled = 0;

	for (size_t i = item_index_first(&wanted->index, &features); i != ITEM_NONE;
	     i = item_index_next(&wanted->index, i))
		if (wanted->items[i].bits ||
		    configuration_is_state(wanted->configuration,
					   wanted->items[i].setting->origin.source))
			settled |= (unsigned int)wanted->items[i].mask;
	return settled;
}

/** Plans one level for all domains that shall have it, where one of them has another. */
static int plan_one_level(struct wanted *wanted, unsigned int level)
{
	struct domain_snapshot *domains = wanted->facts.domains;
	bool any = false;
	int error = 0;

	for (size_t i = 0; i < wanted->facts.count; i++)
		domains[i].counts = false;
	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];
		struct domain_snapshot *domain = &domains[item->domain->index];

		if (item->subject != SUBJECT_LEVEL || item->bits != level ||
		    !wanted_changes_level(wanted, item))
			continue;
		any = domain->counts = true;
		domain->settled = settled_features(wanted, item->domain);
	}
	if (any)
		error = plan_level_change(wanted->change, domains, level, false);
	for (size_t i = 0; i < wanted->count && !error; i++) {
		const struct wanted_item *item = &wanted->items[i];
		const struct isst_failure *failure = &domains[item->domain->index].failure;

		if (item->subject != SUBJECT_LEVEL || item->bits != level || !failure->error)
			continue;
		if (isst_domain_is_io(item->domain) && !setting_names_domain(item->setting))
			change_warn_left_out(wanted->change, failure->message);
		else
			error = wanted_fails(wanted, item->setting, item->domain, failure);
	}
	return error;
}

static int plan_levels(struct wanted *wanted)
{
	int error = 0;

	for (size_t i = 0; i < wanted->count && !error; i++) {
		bool planned = false;

		if (wanted->items[i].subject != SUBJECT_LEVEL)
			continue;
		for (size_t j = 0; j < i; j++)
			planned |= wanted->items[j].subject == SUBJECT_LEVEL &&
				   wanted->items[j].bits == wanted->items[i].bits;
		if (!planned)
			error = plan_one_level(wanted, (unsigned int)wanted->items[i].bits);
	}
	return error;
}

/* ---- Core-power ---- */

/** Whether it is a maximum that may be lower than what is there. */
static bool is_clos_limit(const struct wanted *wanted, const struct wanted_item *item)
{
	(void)wanted;
	return item->subject == SUBJECT_CLOS_MAX && item->bits != CLOS_MAX;
}

/** Classes and their cores. Where cores may move a maximum is lowered in a second write: a core
 * that leaves its class must not be throttled for that moment. */
static int plan_classes(struct wanted *wanted)
{
	struct step *step;
	bool moves = false;
	int error;

	for (size_t i = 0; i < wanted->count; i++)
		moves |= wanted->items[i].item.kind == ITEM_ASSOCIATION;
	error = add_step(wanted, ITEM_CLOS, NULL, moves ? CLOS_MAX : 0, &step);
	if (!error && moves)
		error = add_step(wanted, ITEM_ASSOCIATION, NULL, 0, &step);
	if (!error && moves)
		error = add_step(wanted, ITEM_CLOS, is_clos_limit, 0, &step);
	return error;
}

/** What switching core-power may disturb: some firmware resets classes with it. */
static void core_power_step_disturbs(struct step *step)
{
	bool one_switch = step && step->change->context->firmware.operations->one_core_power_switch;

	for (size_t i = 0; step && i < step->count; i++) {
		const struct entry *entry = &step->entries[i];
		const struct item *item = &entry->item;
		const struct isst_domain *domain = item_domain(step->change->context, item);
		uint64_t enable = item->kind == ITEM_QOS ? QOS_CLOS_ENABLE : 1;
		/* As far as that depends on it. */
		bool leaves_on = !(entry->mask & enable) || entry->bits & enable;

		bool classes = one_switch || item->kind == ITEM_CORE_POWER;

		for (unsigned int clos = 0; clos < ISST_CLOS_COUNT && classes; clos++)
			if (leaves_on)
				step_keeps(step, item_of(ITEM_CLOS, domain, clos));
			else
				step_disturbs_optional(step, item_of(ITEM_CLOS, domain, clos));
		/* Firmware may take one of the two for both. */
		if (!one_switch)
			step_disturbs_optional(
				step, item_of(item->kind == ITEM_QOS ? ITEM_CORE_POWER : ITEM_QOS,
					      domain, 0));
	}
}

/** Before the classes, which some firmware resets when core-power goes on. */
static int plan_switches(struct wanted *wanted)
{
	struct step *feature, *qos;
	int error = add_step(wanted, ITEM_CORE_POWER, NULL, 0, &feature);

	if (!error)
		error = add_step(wanted, ITEM_QOS, NULL, 0, &qos);
	if (error)
		return error;
	core_power_step_disturbs(feature);
	core_power_step_disturbs(qos);
	return 0;
}

/* ---- All of them ---- */

static int plan_steps(struct wanted *wanted)
{
	/* Whose classes, turbo and turbo ratio limits were looked at where it was planned. */
	bool is_command = wanted->is_command;
	struct step *step;
	int error = plan_features(wanted, is_feature_off);

	if (!error)
		error = plan_levels(wanted);
	if (!error)
		error = cpus_plan_all_online(wanted);
	if (!error)
		error = cpus_check_unknown(wanted);
	if (!error && (!is_command || wanted->of_clos))
		error = wanted_check_clos(wanted);
	if (!error)
		error = plan_switches(wanted);
	if (!error)
		error = plan_classes(wanted);
	if (!error)
		error = plan_features(wanted, is_feature_on);
	if (!error && !is_command)
		error = wanted_check_turbo(wanted);
	if (!error)
		error = add_step(wanted, ITEM_TURBO_RATIO_LIMITS, NULL, 0, &step);
	if (error)
		return error;
	if (!is_command)
		wanted_warn_of_turbo_ratio_limits(wanted);
	wanted_warn_of_priorities(wanted);
	error = wanted_warn_of_replaced(wanted);
	if (!error)
		error = plan_limits(wanted, SUBJECT_UNCORE_MIN, SUBJECT_UNCORE_MAX);
	if (!error)
		error = plan_limits(wanted, SUBJECT_SCALING_MIN, SUBJECT_SCALING_MAX);
	if (!error)
		error = wanted_warn_of_held_cores(wanted);
	return error ? error : cpus_plan_all_offline(wanted);
}

/** Whether a setting is just for the power domain of an item. */
static bool is_named(const struct wanted *wanted, const struct item *item)
{
	for (size_t i = item_index_first(&wanted->index, item); i != ITEM_NONE;
	     i = item_index_next(&wanted->index, i))
		if (!wanted->items[i].implied && setting_names_domain(wanted->items[i].setting))
			return true;
	return false;
}

/** A power domain without CPUs follows the others, and may refuse what it is not named for. */
static void require_named(const struct wanted *wanted)
{
	const struct isst_change *change = wanted->change;

	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count; j++) {
			struct entry *entry = &change->steps[i]->entries[j];

			entry->required = item_is_optional(change->context, &entry->item) &&
					  is_named(wanted, &entry->item);
		}
}

int wanted_plan(struct wanted *wanted, struct isst_change *change)
{
	int error;

	wanted->change = change;
	for (size_t i = 0; i < wanted->facts.count && wanted->facts.levels; i++)
		if (wanted->facts.domains[i].is_target)
			change_relies_on_level(change, &wanted->facts.domains[i].profile);
	error = plan_steps(wanted);
	if (!wanted->is_command) {
		change_be_exact(change);
		require_named(wanted);
	}
	for (size_t i = 0; i < wanted->left_out_count; i++)
		change_warn_left_out(change, wanted->left_out[i]);
	for (size_t i = 0; i < wanted->unsupported_count; i++)
		change_warn_optional(change, wanted->unsupported[i]);
	return error ? error : wanted->error;
}
