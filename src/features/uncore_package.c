/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit of the uncore of a package. It cannot be read, so that it shows only with a write to a
 * power domain that it holds back: this ends at the limit, and the directory of the package, which
 * shows the widest of its power domains, with it. So it is known what to restore.
 */
#include "features/uncore_package.h"
#include "features/uncore_limits.h"
#include "topology/context.h"
#include "transaction/steps.h"

#include <errno.h>

static bool is_of(const struct entry *entry, unsigned int package)
{
	return entry->item.package == package && !item_is_of_package(&entry->item);
}

/** All that is set of one limit of a package: a lower one is in one of two steps. */
struct limits {
	const struct step *steps[2];
	unsigned int package;
};

static struct limits limits_of(const struct limit_steps *steps, bool max, unsigned int package)
{
	if (max)
		return (struct limits){ { steps->max, NULL }, package };
	return (struct limits){ { steps->lowered_min, steps->raised_min }, package };
}

static size_t count(const struct limits *limits)
{
	size_t entries = 0;

	for (size_t i = 0; i < 2 && limits->steps[i]; i++)
		for (size_t j = 0; j < limits->steps[i]->count; j++)
			entries += is_of(&limits->steps[i]->entries[j], limits->package);
	return entries;
}

/* ---- Once a step was made ---- */

static bool is_held_back(const struct entry *entry)
{
	return entry->provisional && entry->written && !entry->refused &&
	       entry->wanted.number != entry->bits;
}

/** The limit that the package needs: the widest that is asked for. */
static uint64_t widest(const struct step *step, unsigned int package)
{
	bool max = step->kind == ITEM_UNCORE_MAX;
	uint64_t khz = max ? 0 : UINT64_MAX;

	for (size_t i = 0; i < step->count; i++) {
		const struct entry *entry = &step->entries[i];

		if (is_of(entry, package) && (max ? entry->bits > khz : entry->bits < khz))
			khz = entry->bits;
	}
	return khz;
}

/** Whether there is a limit of the package that holds @entry back. */
static bool has_limit(struct isst_context *context, const struct entry *entry)
{
	const struct uncore_place place = { .package = entry->item.package };
	const char *message = context->messages.error;
	uint64_t khz;
	bool there;

	there = !uncore_read_limit(&context->files, &place, item_limit(&entry->item), &khz) &&
		khz == entry->wanted.number;
	context->messages.error = message;
	return there;
}

/** All limits of the package once more: for each of them it is what was asked for that counts now.
 */
static void set_again(struct step *step, unsigned int package)
{
	struct step *again = change_step_behind(step, step->kind);

	if (again)
		again->exact = step->exact;
	for (size_t i = 0; i < step->count; i++)
		if (is_of(&step->entries[i], package))
			step_set(again, step->entries[i].item, WHOLE_VALUE, step->entries[i].bits);
}

static bool disturbs(const struct step *step, const struct item *item)
{
	for (size_t i = 0; i < step->footprint_count; i++)
		if (item_is(&step->footprint[i].item, item))
			return true;
	return false;
}

/** A write of the limit of a package sets all that @other has of it. */
static void disturb_all(struct step *package, const struct step *other)
{
	unsigned int number = package->entries[0].item.package;

	for (size_t i = 0; i < other->count; i++)
		if (is_of(&other->entries[i], number) &&
		    !disturbs(package, &other->entries[i].item))
			step_disturbs(package, other->entries[i].item);
}

static void move_package(struct step *step, const struct entry *held)
{
	struct isst_change *change = step->change;
	struct item item = held->item;
	struct step *package = change_step_behind(step, step->kind);

	item.index = UNCORE_OF_PACKAGE;
	step_set(package, item, WHOLE_VALUE, widest(step, item.package));
	if (!package || package->count == 0)
		return;
	package->exact = step->exact;
	for (size_t i = 0; i < change->count; i++)
		if (change->steps[i]->kind == step->kind)
			disturb_all(package, change->steps[i]);
}

/** Behind a step whose limits were held back in some packages. */
static int widen_packages(struct step *step)
{
	struct isst_context *context = step->change->context;

	for (size_t i = 0; i < step->count; i++) {
		struct entry *entry = &step->entries[i];
		unsigned int package = entry->item.package;

		if (!is_held_back(entry))
			continue;
		set_again(step, package);
		if (has_limit(context, entry))
			move_package(step, entry);
		for (size_t j = i; j < step->count; j++)
			if (step->entries[j].item.package == package)
				step->entries[j].provisional = false;
	}
	return 0;
}

/* ---- Planning ---- */

static void allow(struct step *step, unsigned int package)
{
	for (size_t i = 0; i < step->count; i++)
		if (is_of(&step->entries[i], package))
			step->entries[i].provisional = true;
	step->after = widen_packages;
}

int uncore_package_plan(const struct limit_steps *steps, unsigned int package)
{
	struct isst_context *context;
	size_t clusters;
	int error;

	if (!steps->max || !steps->lowered_min || !steps->raised_min)
		return 0; /* memory is short, which is noted */
	context = steps->max->change->context;
	if (!context_has_power_domains(context))
		return 0;
	error = uncore_count_of_package(&context->files, package, &clusters);
	if (error)
		return error == -ENOMEM ? error : 0;
	for (int max = 0; max < 2; max++) {
		const struct limits limits = limits_of(steps, max, package);

		if (clusters == 0 || count(&limits) != clusters)
			continue;
		allow(max ? steps->max : steps->lowered_min, package);
	}
	return 0;
}
