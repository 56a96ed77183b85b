/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Firmware may change more than it is asked for. By TPMI the features and the level are requested
 * in one register, so that each write of a feature requests the level that was requested last once
 * more: another one than the present level where a management controller has set that, or the
 * firmware did not take the last request. Some firmware resets classes of service when core-power
 * goes on.
 */
#include "transaction/write_back.h"
#include "topology/requested_levels.h"
#include "transaction/report.h"
#include "transaction/run.h"
#include "transaction/steps.h"

#include <errno.h>

/** What an item is now, as it was last read back. */
static struct item_value present_value(const struct isst_change *change, const struct entry *entry)
{
	return baseline_find(&change->baseline, &entry->item)->now;
}

/** Whether an item of a footprint is to be kept, and is not what it was before the step. */
static bool has_moved(const struct isst_change *change, const struct entry *entry)
{
	return entry->keep && entry->old_known &&
	       ((present_value(change, entry).number ^ entry->now.number) & entry->mask);
}

bool step_keeps_level(const struct step *step)
{
	for (size_t i = 0; i < step->footprint_count; i++)
		if (step->footprint[i].keep && step->footprint[i].item.kind == ITEM_LEVEL)
			return true;
	return false;
}

bool step_moved_level(const struct step *step, const struct item *item)
{
	struct item level = *item;

	level.kind = ITEM_LEVEL;
	level.index = 0;
	change_for_each_place (place, step->change, &level)
		if (place->footprint && place->step == step &&
		    has_moved(step->change, place_entry(place)))
			return true;
	return false;
}

/** Whether steps behind @step write all that moved of an item of its footprint. */
static bool is_written_later(const struct step *step, const struct entry *entry)
{
	uint64_t moved = (present_value(step->change, entry).number ^ entry->now.number) &
			 entry->mask;

	change_for_each_place (place, step->change, &entry->item)
		if (!place->footprint && place->step->position >= step->position)
			moved &= ~place_entry(place)->mask;
	return moved == 0;
}

static void report(struct isst_change *change, enum item_kind written, const struct entry *entry)
{
	struct messages *texts = &change->texts;

	change_warn(change, ISST_WARNING_WRITTEN_BACK,
		    "%s: the firmware changed it from %s to %s when %s was written; it is written "
		    "back",
		    item_text(texts, change->context, &entry->item),
		    item_value_text(texts, &entry->item, entry->now),
		    item_value_text(texts, &entry->item, present_value(change, entry)),
		    item_kind_text(written));
}

/** Adds the step behind @last that writes items of one kind back; @level: a level moved, with all
 * that may depend on it. Returns it, or @last where there is nothing to write. */
static struct step *write_back_kind(struct step *step, struct step *last, enum item_kind kind,
				    bool level)
{
	struct step *back = NULL;

	for (size_t i = 0; i < step->footprint_count; i++) {
		const struct entry *entry = &step->footprint[i];
		bool moved = has_moved(step->change, entry);

		if (entry->item.kind != kind || !(moved || (level && entry->old_known)))
			continue;
		/* Written back in any case: a later step is to replace what was there before. */
		if (moved && !is_written_later(step, entry))
			report(step->change, step->kind, entry);
		back = back ? back : change_step_behind(last, kind);
		step_set(back, entry->item, entry->mask, entry->now.number);
	}
	return back ? back : last;
}

/** What is written once more behind levels is disturbed by them. */
static void disturb_all(struct step *levels, const struct step *step)
{
	for (size_t i = 0; i < step->count; i++)
		step_disturbs_optional(levels, step->entries[i].item);
	for (size_t i = 0; i < step->footprint_count; i++)
		if (step->footprint[i].item.kind != ITEM_LEVEL)
			step_disturbs_optional(levels, step->footprint[i].item);
}

/** Adds a step behind @last that writes what @step has written, as whole values. */
static struct step *repeat(const struct step *step, const struct step *last)
{
	struct step *again = change_step_behind(last, step->kind);

	for (size_t i = 0; i < step->count && again; i++) {
		const struct entry *entry = &step->entries[i];

		if (!entry->old_known || entry->refused)
			continue;
		step_set(again, entry->item, item_known_bits(step->kind), entry->wanted.number);
		again->entries[again->count - 1].optional = entry->optional;
	}
	for (size_t i = 0; i < step->footprint_count; i++)
		if (step->footprint[i].item.kind == ITEM_LEVEL)
			step_keeps(again, step->footprint[i].item);
	if (again) {
		again->exact = step->exact;
		again->repeats = true;
	}
	return again;
}

/** Warns of the levels that a step would move. */
static void warn_of_requests(const struct step *step, const struct requested_levels *all)
{
	struct isst_change *change = step->change;

	for (size_t i = 0; i < step->count; i++) {
		const struct entry *entry = &step->entries[i];
		const struct requested_level *level = requested_level_of(
			all, item_domain(change->context, &entry->item));

		if (entry->needed && level && level->requested != level->present)
			change_warn(change, ISST_WARNING_WRITTEN_BACK,
				    "%s: level %u was requested last, and the present level is %u: "
				    "the firmware changes that when %s is written; it is written "
				    "back",
				    level->domain->name, level->requested, level->present,
				    item_kind_text(step->kind));
	}
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
			if (step->entries[j].needed &&
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
		warn_of_classes(change->steps[i]);
		if (!change->steps[i]->expected || !step_keeps_level(change->steps[i]))
			continue;
		if (!read)
			error = requested_levels_read(change->context, &all);
		if (!read && !error && all.failure.error)
			change_warn(change, ISST_WARNING_WRITTEN_BACK,
				    "which levels were requested last is not known: %s; a level "
				    "that the firmware changes is written back",
				    all.failure.message);
		read = true;
		if (!error)
			warn_of_requests(change->steps[i], &all);
	}
	requested_levels_clear(&all);
	return error;
}

/** A level that moved with a step, and is not the one that was requested last, was not moved by the
 * step. Returns 0 where that is not known, too. */
static int check_requested(struct isst_change *change, const struct step *step)
{
	struct requested_levels all;
	int error = requested_levels_read(change->context, &all);

	for (size_t i = 0; i < step->footprint_count && !error; i++) {
		const struct entry *entry = &step->footprint[i];
		const struct requested_level *level;

		if (entry->item.kind != ITEM_LEVEL || !has_moved(change, entry))
			continue;
		level = requested_level_of(&all, item_domain(change->context, &entry->item));
		if (level && level->requested != present_value(change, entry).number)
			error = change_fail_overtaken(change, &entry->item, entry->now,
						      present_value(change, entry));
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

		if (!has_moved(change, entry))
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
	if (level) {
		last = write_back_kind(step, last, ITEM_LEVEL, true);
		disturb_all(last, step);
		last = change->broken ? NULL : repeat(step, last);
	}
	for (int kind = ITEM_LEVEL + 1; kind < ITEM_KINDS && first && !change->broken; kind++)
		last = write_back_kind(step, last, (enum item_kind)kind, level);
	return 0;
}
