/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Firmware may change more than it is asked for. By TPMI the features and the level are requested
 * in one register, so that each write of a feature requests the level that was requested last once
 * more: another one than the present level where a management controller has set that, or the
 * firmware did not take the last request. Some firmware resets classes of service when core-power
 * goes on.
 */
#include "topology/requested_levels.h"
#include "transaction/report.h"
#include "transaction/run.h"
#include "transaction/steps.h"

#include <errno.h>

/** The bits of an item to be kept that the step has moved. */
static uint64_t moved_bits(const struct isst_change *change, const struct entry *entry)
{
	if (!entry->keep || entry->state == ENTRY_UNKNOWN)
		return 0;
	return (baseline_find(&change->baseline, &entry->item)->now.number ^ entry->now.number) &
	       entry->mask;
}

bool step_keeps_level(const struct step *step)
{
	for (size_t i = 0; i < step->footprint_count; i++)
		if (step->footprint[i].keep && step->footprint[i].item.kind == ITEM_LEVEL)
			return true;
	return false;
}

bool step_has_moved_level(const struct step *step, const struct item *item)
{
	struct item level = *item;

	level.kind = ITEM_LEVEL;
	level.index = 0;
	change_for_each_place (place, step->change, &level)
		if (place->footprint && place->step == step &&
		    moved_bits(step->change, place_entry(place)))
			return true;
	return false;
}

/** Warns that an entry is written back, unless steps behind @step write all that moved of it. */
static void report_moved(const struct step *step, const struct entry *entry, uint64_t moved)
{
	struct isst_change *change = step->change;
	struct messages *texts = &change->texts;

	change_for_each_place (place, change, &entry->item)
		if (!place->footprint && place->step->position >= step->position)
			moved &= ~place_entry(place)->mask;
	if (moved)
		change_warn(change, ISST_WARNING_WRITTEN_BACK,
			    "%s: the firmware changed it from %s to %s when %s was written; it is "
			    "written back",
			    item_text(texts, change->context, &entry->item),
			    item_value_text(texts, &entry->item, entry->now),
			    item_value_text(texts, &entry->item,
					    baseline_find(&change->baseline, &entry->item)->now),
			    item_kinds[step->kind].what);
}

/** Adds the step behind @last that writes one kind back, or returns @last. @level: a level moved,
 * and with it all that depends on it */
static struct step *write_back_kind(struct step *step, struct step *last, enum item_kind kind,
				    bool level)
{
	struct step *back = NULL;

	for (size_t i = 0; i < step->footprint_count; i++) {
		const struct entry *entry = &step->footprint[i];
		uint64_t moved = moved_bits(step->change, entry);

		if (entry->item.kind != kind ||
		    !(moved || (level && entry->state != ENTRY_UNKNOWN)))
			continue;
		/* Written back in any case: a later step is to replace what was there before. */
		report_moved(step, entry, moved);
		back = back ? back : change_step_behind(last, kind);
		step_set(back, entry->item, entry->mask, entry->now.number);
	}
	return back ? back : last;
}

/** Adds a step behind @levels that writes again what @step wrote, as whole values. */
static struct step *repeat_step(const struct step *step, struct step *levels)
{
	struct step *again;

	if (step->change->broken)
		return NULL;
	for (size_t i = 0; i < step->count; i++)
		step_disturbs_optional(levels, step->entries[i].item);
	for (size_t i = 0; i < step->footprint_count; i++)
		if (step->footprint[i].item.kind != ITEM_LEVEL)
			step_disturbs_optional(levels, step->footprint[i].item);
	again = change_step_behind(levels, step->kind);
	if (!again)
		return NULL;
	for (size_t i = 0; i < step->count; i++) {
		const struct entry *entry = &step->entries[i];

		if (entry->state == ENTRY_UNKNOWN || entry->refused)
			continue;
		step_set(again, entry->item, item_known_bits(step->kind), entry->wanted.number)
			->optional = entry->optional;
	}
	for (size_t i = 0; i < step->footprint_count; i++)
		if (step->footprint[i].item.kind == ITEM_LEVEL)
			step_keeps(again, step->footprint[i].item);
	again->exact = step->exact;
	again->repeats = true;
	return again;
}

/** Warns of classes that may be reset with what a step writes. */
static void warn_of_classes(const struct step *step)
{
	struct isst_change *change = step->change;

	for (size_t i = 0; i < step->footprint_count; i++) {
		const struct item *item = &step->footprint[i].item;

		if (!step->footprint[i].keep || item->kind != ITEM_CLOS || item->index > 0)
			continue;
		for (size_t j = 0; j < step->count; j++)
			if (step->entries[j].state >= ENTRY_NEEDED &&
			    item_same_domain(&step->entries[j].item, item))
				change_warn(change, ISST_WARNING_WRITTEN_BACK,
					    "%s: some firmware resets classes of service when "
					    "core-power is enabled; what is not to change is "
					    "written back then",
					    item_domain(change->context, item)->name);
	}
}

int change_warn_of_side_effects(struct isst_change *change)
{
	struct requested_levels all = { 0 };
	bool read = false;
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		const struct step *step = change->steps[i];

		warn_of_classes(step);
		if (!step->expected || !step_keeps_level(step))
			continue;
		if (!read)
			error = requested_levels_read(change->context, &all);
		if (!read && !error && all.failure.error)
			change_warn(change, ISST_WARNING_WRITTEN_BACK,
				    "which levels were requested last is not known: %s; a level "
				    "that the firmware changes is written back",
				    all.failure.message);
		read = true;
		for (size_t j = 0; j < step->count && !error; j++) {
			const struct requested_level *level = requested_level_of(
				&all, item_domain(change->context, &step->entries[j].item));

			if (step->entries[j].state >= ENTRY_NEEDED && level &&
			    level->requested != level->present)
				change_warn(change, ISST_WARNING_WRITTEN_BACK,
					    "%s: level %u was requested last, and the present "
					    "level is %u: the firmware changes that when %s is "
					    "written; it is written back",
					    level->domain->name, level->requested, level->present,
					    item_kinds[step->kind].what);
		}
	}
	requested_levels_clear(&all);
	return error;
}

/** A level that is not the one requested last was not moved by the step. Returns 0 if unknown. */
static int check_requested(struct isst_change *change, const struct step *step)
{
	struct requested_levels all;
	int error = requested_levels_read(change->context, &all);

	for (size_t i = 0; i < step->footprint_count && !error; i++) {
		const struct entry *entry = &step->footprint[i];
		const struct requested_level *level;

		if (entry->item.kind != ITEM_LEVEL || !moved_bits(change, entry))
			continue;
		level = requested_level_of(&all, item_domain(change->context, &entry->item));
		if (level &&
		    level->requested != baseline_find(&change->baseline, &entry->item)->now.number)
			error = change_fail_overtaken(
				change, &entry->item, entry->now,
				baseline_find(&change->baseline, &entry->item)->now);
	}
	requested_levels_clear(&all);
	return error;
}

int step_write_back(struct step *step)
{
	struct isst_change *change = step->change;
	struct step *last = step;
	const struct entry *first = NULL;
	bool level = false;

	for (size_t i = 0; i < step->footprint_count; i++) {
		const struct entry *entry = &step->footprint[i];

		if (!moved_bits(change, entry))
			continue;
		first = first ? first : entry;
		level |= entry->item.kind == ITEM_LEVEL;
	}
	if (first && step->repeats)
		return message_error(&change->context->messages, -EIO,
				     "%s was written back, and the firmware changed it once more",
				     item_describe(change->context, &first->item));
	if (level && check_requested(change, step))
		return -EIO;
	if (level)
		last = repeat_step(step, write_back_kind(step, last, ITEM_LEVEL, true));
	for (int kind = ITEM_LEVEL + 1; kind < ITEM_KINDS && first && !change->broken; kind++)
		last = write_back_kind(step, last, (enum item_kind)kind, level);
	return 0;
}
