/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run that is killed in a change of the level, or of core-power, has not yet noted what that made
 * of values that firmware sets with it. Where they are what it brings, no other process need have
 * written them.
 */
#include "transaction/level_side_effects.h"
#include "sysfs/cpuset_groups.h"

#include <string.h>

/** Whether the level is there by the run's own doing: it was reached, or a rollback left it. */
static bool has_happened(const struct isst_journal *journal, const struct tracked *level)
{
	const struct item *item = &level->item;

	if (level->unreadable || !level->written)
		return false;
	if (item_value_equal(item, level->now, level->old))
		return journal->text.rollback;
	return item_value_equal(item, level->now, level->last);
}

/** What firmware set with the present level. What cannot be read explains nothing. */
static const struct level_effects *effects_of(struct isst_journal *journal, struct tracked *level)
{
	struct isst_context *context = journal->context;
	const struct topology_domain *domain = topology_find_domain(
		context->topology, level->item.package, level->item.die, level->item.domain);
	const char *error = context->messages.error;

	if (level->effects_asked || !domain || !context->level_effects)
		return &level->effects;
	level->effects_asked = true;
	if (context->level_effects(context, &domain->public, (unsigned int)level->now.number,
				   &level->effects))
		level->effects = (struct level_effects){ 0 };
	context->messages.error = error;
	return &level->effects;
}

/** What @level makes of an item; false where that is not known. */
static bool effect_on(struct isst_journal *journal, struct tracked *level, const struct item *item,
		      uint64_t *value)
{
	const struct level_effects *effects;

	*value = 0;
	if (item->kind == ITEM_FEATURES)
		return true; /* both go off */
	effects = effects_of(journal, level);
	if (item->kind == ITEM_TURBO_RATIO_LIMITS)
		*value = effects->turbo_ratio_limits;
	else if (item->kind == ITEM_UNCORE_MAX && item->index < ISST_FABRICS)
		*value = effects->uncore_max_khz[item->index];
	else if (item->kind == ITEM_UNCORE_MIN && item->index < ISST_FABRICS)
		*value = effects->uncore_min_khz[item->index];
	return *value != 0;
}

/** Servers were seen whose uncore goes no lower, whatever the level specifies. */
enum { LOWEST_UNCORE_KHZ = 800000 };

/** Whether an item is what @level makes of it. */
static bool has_effect(struct isst_journal *journal, struct tracked *level,
		       const struct tracked *tracked)
{
	const struct item *item = &tracked->item;
	uint64_t value;

	if (!effect_on(journal, level, item, &value))
		return false;
	if (item->kind == ITEM_UNCORE_MIN && value < LOWEST_UNCORE_KHZ &&
	    tracked->now.number == LOWEST_UNCORE_KHZ)
		return true;
	return ((tracked->now.number ^ value) & item_known_bits(item->kind)) == 0;
}

bool explained_by_level(struct isst_journal *journal, const struct tracked *tracked)
{
	const struct item *item = &tracked->item;

	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *level = &journal->tracked[i];

		if (level->item.kind == ITEM_LEVEL && item_reaches_domain(item, &level->item) &&
		    has_happened(journal, level) && has_effect(journal, level, tracked))
			return true;
	}
	return false;
}

/* ---- Classes that are reset ---- */

bool explained_by_core_power(const struct isst_journal *journal, const struct tracked *tracked)
{
	/* Weight 15 and no limits: measured (docs/internals/hardware-reports.md). */
	enum { RESET = 0xff00f0 };

	if (tracked->item.kind != ITEM_CLOS || tracked->now.number != RESET)
		return false;
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *other = &journal->tracked[i];

		if ((other->item.kind == ITEM_CORE_POWER || other->item.kind == ITEM_QOS) &&
		    other->written && item_reaches_domain(&tracked->item, &other->item))
			return true;
	}
	return false;
}

/* ---- Limits of a package ---- */

bool explained_by_package(const struct isst_journal *journal, const struct tracked *tracked)
{
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *package = &journal->tracked[i];

		if (item_is_of_package(&package->item) && package->written &&
		    package->item.kind == tracked->item.kind &&
		    package->item.package == tracked->item.package &&
		    (tracked->now.number == package->last.number ||
		     (journal->text.rollback && tracked->now.number == package->old.number)))
			return true;
	}
	return false;
}

/* ---- Partitions ---- */

/** The CPUs of a partition, in the text that is its value; "" for none. */
static const char *cpus_of(struct item_value value)
{
	const char *space = value.text ? strrchr(value.text, ' ') : NULL;

	return space ? space + 1 : "";
}

static bool is_type(struct item_value value, const char *type)
{
	size_t length = strlen(type);

	return value.text && strncmp(value.text, type, length) == 0 &&
	       (value.text[length] == '\0' || value.text[length] == ' ');
}

/** A group is made as an ordinary member, gets its CPUs and then its type; and is removed in the
 * same steps. */
static bool is_in_between(const struct tracked *tracked)
{
	const char *cpus = cpus_of(tracked->now);

	return is_type(tracked->now, "member") &&
	       (*cpus == '\0' || strcmp(cpus, cpus_of(tracked->old)) == 0 ||
		strcmp(cpus, cpus_of(tracked->last)) == 0 ||
		strcmp(cpus, cpus_of(tracked->previous)) == 0);
}

bool explained_by_partition(const struct isst_journal *journal, const struct tracked *tracked)
{
	/* A rollback takes those of steps that were complete apart, too. */
	if (tracked->item.kind == ITEM_PARTITION)
		return (tracked->unverified || journal->text.rollback) && is_in_between(tracked);
	if (tracked->item.kind != ITEM_CPUSETS)
		return false;
	for (size_t i = 0; i < journal->count; i++)
		if (journal->tracked[i].item.kind == ITEM_PARTITION && journal->tracked[i].written)
			return tracked->now.number == 1;
	return false;
}

bool explained_by_hotplug(const struct isst_journal *journal, const struct tracked *tracked)
{
	struct isst_cpuset *gone;
	bool lost = false, failed;

	if (tracked->item.kind != ITEM_CPUSET_GROUPS)
		return false;
	gone = isst_cpuset_new();
	failed = !gone;
	for (size_t i = 0; i < journal->count && !failed; i++) {
		const struct tracked *cpu = &journal->tracked[i];

		if (cpu->item.kind == ITEM_ONLINE && cpu->written)
			failed = isst_cpuset_add(gone, cpu->item.index, cpu->item.index);
	}
	if (!failed)
		lost = cpuset_groups_lost(tracked->old.text, tracked->now.text, gone);
	isst_cpuset_free(gone);
	return lost;
}
