/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what a step needs, reads it back, judges what it finds, and writes back what it moved. */
#include "topology/requested_levels.h"
#include "transaction/item_access.h"
#include "transaction/journal.h"
#include "transaction/run.h"
#include "transaction/steps.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A step that is being made. */
struct making {
	struct isst_change *change;
	struct step *step;
	/* Of what is written, with the entries as owners; behind those, of what it may disturb. */
	struct item_access *accesses;
	size_t count, disturbed;
};

static struct entry *entry_of(const struct making *making, const struct item_access *access)
{
	return &making->step->entries[access->owner];
}

/* ---- Writing ---- */

void step_report_progress(struct isst_change *change, const struct step *step, size_t from,
			  size_t end, unsigned int *done, unsigned int count)
{
	for (size_t i = from; i < end && step->kind == ITEM_ONLINE; i++) {
		const struct entry *entry = &step->entries[i];
		bool online = entry->wanted.number != 0;
		char line[32];

		*done += entry->state >= ENTRY_NEEDED;
		if (change->quiet && entry->state < ENTRY_NEEDED)
			continue;
		snprintf(line, sizeof(line), "%s cpu %u", online ? "online" : "offline",
			 entry->item.index);
		message_log(&change->context->messages, ISST_LOG_INFO, line);
		if (change->options.progress)
			change->options.progress(change->options.progress_data, entry->item.index,
						 online, *done, count);
	}
}

int change_check_interrupted(struct isst_change *change)
{
	if (!context_is_interrupted(change->context))
		return 0;
	return message_error(&change->context->messages, -EINTR, "interrupted");
}

/** Notes how writes ended; @next: the first that was not tried, or @end. Returns the first error
 * that ends the change, with its message. */
static int note_writes(struct making *making, size_t from, size_t end, size_t *next)
{
	struct isst_change *change = making->change;
	int result = 0;

	*next = end;
	for (size_t i = end; i-- > from;)
		if (making->accesses[i].failure.error == -ECANCELED)
			*next = i;
	for (size_t i = from; i < end; i++) {
		const struct item_access *access = &making->accesses[i];
		const struct isst_failure *failure = &access->failure;
		struct entry *entry = entry_of(making, access);

		if (failure->error == -ECANCELED || entry->refused)
			continue;
		/* What may still take effect is rolled back, too, and awaited in verify_step(). */
		entry->timed_out = failure->error == -ETIMEDOUT;
		entry->others = access->others;
		if ((!failure->error && !access->others) || entry->timed_out)
			entry->state = ENTRY_WRITTEN;
		change->effective |= entry->timed_out;
		change_log(change, &entry->item, entry->now, entry->wanted,
			   failure->error   ? failure->message
			   : access->others ? "set by another agent meanwhile"
					    : "written");
		if (failure->error && !entry->timed_out && !result)
			result = entry_skip(change, entry, failure->error, failure->message);
	}
	return result;
}

/** Finds out why levels failed. One that timed out was refused by a driver that is busy with
 * another program, if another level was requested last; one that is current is refused by the
 * driver of TPMI: where another agent has set it since it was read, nothing is left to be written.
 */
static int check_failed_levels(struct isst_change *change, struct item_access *accesses,
			       size_t count)
{
	struct isst_context *context = change->context;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		struct item_access *access = &accesses[i], now = { .item = access->item };
		struct requested_levels all = { 0 };
		const struct requested_level *level;

		if (access->item.kind != ITEM_LEVEL || !access->failure.error ||
		    access->failure.error == -ECANCELED)
			continue;
		if (access->failure.error == -ETIMEDOUT) {
			error = requested_levels_read(context, &all);
			level = requested_level_of(&all, item_domain(context, &access->item));
			if (level && level->requested != access->value.number) {
				access->failure = (struct isst_failure){ 0 };
				message_failure(&context->messages, &access->failure,
						of_item(context, &access->item), -EIO,
						"%s: the kernel's driver refused level %" PRIu64
						" without reporting the cause",
						item_describe(context, &access->item),
						access->value.number);
			}
			requested_levels_clear(&all);
		}
		if (!error && access->failure.error != -ETIMEDOUT)
			error = items_read(context, &now, 1);
		if (error || access->failure.error == -ETIMEDOUT)
			continue;
		access->others = !now.failure.error && now.value.number == access->value.number;
		if (access->others)
			access->failure = (struct isst_failure){ 0 };
	}
	return error;
}

/**
 * Writes entries; one that can be done without does not keep those behind it from being written.
 * Those of the firmware go out in batches; between two files of the kernel the change can be
 * interrupted, since hundreds of CPUs take minutes to go offline.
 */
static int write_step(struct making *making)
{
	struct isst_change *change = making->change;
	struct step *step = making->step;
	struct item_access *accesses = making->accesses;
	size_t count = making->count, first_tries = count, reported = 0;
	bool one_by_one = item_is_file(step->kind);
	unsigned int done = 0;
	int error = 0;

	for (size_t at = 0; at < count && !error;) {
		size_t end = one_by_one ? at + 1 : count;
		size_t owner = accesses[end - 1].owner;
		int unknown;

		if (one_by_one && at > 0)
			error = change_check_interrupted(change);
		if (error)
			break;
		if (reported <= owner) {
			step_report_progress(change, step, reported, owner + 1, &done,
					     (unsigned int)count);
			reported = owner + 1;
		}
		error = items_write(change->context, &accesses[at], end - at);
		if (error)
			break;
		/* A CPU that the kernel calls busy is tried again after the others: it may let it
		 * go then. Some kernels count the bandwidth of deadline tasks wrong after a
		 * partition went, until the next CPU goes or comes. */
		if (step->kind == ITEM_ONLINE && accesses[at].failure.error == -EIO &&
		    change->context->files.answer == -EBUSY && at < first_tries) {
			struct item_access busy = accesses[at];

			memmove(&accesses[at], &accesses[at + 1],
				(count - at - 1) * sizeof(*accesses));
			accesses[count - 1] = busy;
			first_tries--;
			continue;
		}
		/* What was written is noted, whatever fails behind it. */
		unknown = check_failed_levels(change, &accesses[at], end - at);
		error = note_writes(making, at, end, &at);
		error = unknown ? unknown : error;
	}
	if (!error)
		step_report_progress(change, step, reported, step->count, &done,
				     (unsigned int)count);
	return error;
}

/* ---- Reading back ---- */

/** Reads back what was written, and the others of @count accesses with it. */
static int read_written(const struct making *making, size_t count)
{
	struct isst_context *context = making->change->context;
	int error;

	/* A limit at which the range of its CPU ends by now reads as no limit: it is what was
	 * written all the same, and where that is shown no other file is read. */
	for (size_t i = 0; i < making->count; i++) {
		struct item_access *access = &making->accesses[i];
		const struct entry *entry = entry_of(making, access);

		access->written = item_is_limit(&entry->item) && !entry->refused &&
				  entry->wanted.number !=
					  cpufreq_no_limit(item_limit(&entry->item));
		if (access->written)
			access->value = entry->wanted;
	}
	error = items_read_twice(context, making->accesses, count);
	/* One from the base frequency up reads as any other of these while turbo is off. */
	for (size_t i = 0; i < making->count && !error; i++) {
		struct item_access *access = &making->accesses[i];
		const struct entry *entry = entry_of(making, access);

		if (!access->failure.error && !access->absent && !entry->refused &&
		    !entry_served(entry, access->value) &&
		    limit_is_hidden(context, &entry->item, entry->wanted.number,
				    access->value.number))
			access->value = entry->wanted;
	}
	return error;
}

/** Reads back what was written, until it is there or had its time, and what may be disturbed. */
static int read_back(struct making *making)
{
	struct poll_timer timer = poll_timer_for(item_kinds[making->step->kind].settling_ms);
	size_t count = making->count + making->disturbed;
	bool as_wanted = false;
	int error = 0;

	while (!error && !as_wanted) {
		error = read_written(making, count);
		as_wanted = true;
		for (size_t i = 0; i < making->count && !error; i++) {
			const struct item_access *access = &making->accesses[i];
			const struct entry *entry = entry_of(making, access);

			as_wanted &= access->failure.error || entry->refused ||
				     entry_served(entry, access->value);
		}
		if (error || as_wanted || !poll_timer_wait(&timer))
			break;
		count = making->count;
	}
	if (!error && count == making->count && making->disturbed > 0)
		error = items_read_twice(making->change->context, making->accesses + making->count,
					 making->disturbed);
	return error;
}

/** Judges a value that was clipped, and names what limits it. @exact: that is not good enough. */
static int accept_clipped(struct isst_change *change, struct entry *entry, struct item_value now,
			  const char *why, bool exact)
{
	const char *limit;

	/* One that another agent has set is there as well, and was not written. */
	if (entry->state >= ENTRY_WRITTEN)
		entry->state = ENTRY_CONFIRMED;
	if (entry->provisional) {
		entry->wanted = now;
		return 0;
	}
	if (item_is_limit(&entry->item))
		change_note_held(change, entry, now);
	limit = item_clipped_by(change->context, &entry->item, now);
	if (exact)
		return message_error_at(&change->context->messages, of_cause(change, why), -EIO,
					"%s%s%s", why, limit ? ": limited by " : "",
					limit ? limit : "");
	change_warn(change, ISST_MESSAGE_CLIPPED, of_cause(change, why), "%s: clipped%s%s", why,
		    limit ? ", limited by " : "", limit ? limit : "");
	/* Saved settings and a second run are compared with what the machine made of it. */
	if (!entry->other_owner)
		entry->wanted = now;
	return 0;
}

static int check_result(const struct step *step, struct entry *entry,
			const struct item_access *access)
{
	struct isst_change *change = step->change;
	struct messages *messages = &change->context->messages, *texts = &change->texts;
	const struct item *item = &entry->item;
	bool moved = !item_value_equal(item, access->value, entry->now);
	/* What came about in part only is not good enough. */
	bool exact = step->exact && !entry->optional;
	const char *why;
	int error;

	if (entry->refused)
		return 0;
	/* It was written: of an optional item, too, it is unknown whether it is as it was. */
	if (access->failure.error)
		return message_error(messages, access->failure.error, "%s",
				     access->failure.message);
	if (access->absent)
		return message_error_at(messages, of_item(change->context, item), -EIO,
					"%s disappeared after it was written",
					item_describe(change->context, item));
	change->effective |= moved || entry->hidden;
	if (entry_served(entry, access->value)) {
		if (entry->state >= ENTRY_WRITTEN)
			entry->state = ENTRY_CONFIRMED;
		return 0;
	}
	if (entry->state == ENTRY_WRITTEN && !entry->timed_out)
		entry->state = ENTRY_MISSED;
	why = message_make_at(texts, of_item(change->context, item), "%s: wrote %s, read back %s",
			      item_text(texts, change->context, item),
			      item_value_text(texts, item, entry->wanted),
			      item_value_text(texts, item, access->value));
	if (item_value_clipped(item, entry->wanted, access->value, moved))
		return accept_clipped(change, entry, access->value, why, exact);
	/* No firmware makes limits higher, nor a third level of two: that is another agent's. A
	 * level may be what raised the limits. */
	if (moved && item->kind == ITEM_TURBO_RATIO_LIMITS) {
		error = change_look_again(change, true);
		return error ? error
			     : change_fail_overtaken(change, item, entry->wanted, access->value);
	}
	change->overtaken |= moved && item->kind == ITEM_LEVEL;
	if (entry->timed_out)
		why = message_make_at(texts, of_item(change->context, item),
				      "%s: it did not take effect in %u ms, and may still do so",
				      why, item_kinds[item->kind].settling_ms);
	/* What became another value, or may yet become so, is not left as it is. */
	if (moved || (entry->timed_out && exact))
		return message_error_at(messages, of_cause(change, why), -EIO, "%s", why);
	return entry_skip(change, entry, -EIO, why);
}

/* ---- A step ---- */

static int verify_step(struct making *making)
{
	struct step *step = making->step;
	size_t count = making->count, total = count + making->disturbed;
	int error = read_back(making);

	/* What was read back is what the steps behind this one find: they need not look again,
	 * unless one of them moves it once more. */
	for (size_t i = 0; i < total && !error; i++) {
		const struct item_access *access = &making->accesses[i];
		struct baseline_item *item = baseline_find(&making->change->baseline,
							   &access->item);

		if (!item || !item->value_known || access->failure.error || access->absent)
			continue;
		item->now = access->value;
		item->stale = item->range_moved = false;
	}
	/* What another agent has set meanwhile, and what came with it, is not rolled back. */
	for (size_t i = 0; i < count && !error; i++) {
		struct entry *set = entry_of(making, &making->accesses[i]);

		if (!set->others)
			continue;
		set->old = set->wanted;
		for (size_t j = count; j < total; j++) {
			const struct item_access *access = &making->accesses[j];
			struct entry *entry = &step->footprint[access->owner];

			if (!access->failure.error && !access->absent &&
			    item_reaches_domain(&entry->item, &set->item))
				entry->old = access->value;
		}
	}
	for (size_t i = 0; i < count && !error; i++) {
		struct entry *entry = entry_of(making, &making->accesses[i]);

		if (step->repeats || !step_has_moved_level(step, &entry->item))
			error = check_result(step, entry, &making->accesses[i]);
	}
	return error;
}

static int write_and_verify(struct making *making)
{
	struct isst_change *change = making->change;
	struct step *step = making->step;
	int error;

	step->begun = true;
	change_note_moved(change, step);
	error = items_lift_limits(change->context, making->accesses, making->count);
	if (!error)
		error = write_step(making);
	if (!error)
		error = journal_written(change, step);
	if (!error)
		error = verify_step(making);
	if (!error)
		error = journal_verified(change, step, making->accesses + making->count,
					 making->disturbed);
	return error;
}

int step_write(struct isst_change *change, struct step *step)
{
	struct making making = { .change = change, .step = step };
	int error;

	making.accesses = calloc(step->count + step->footprint_count + 1, sizeof(*making.accesses));
	if (!making.accesses)
		return -ENOMEM;
	for (size_t i = 0; i < step->count; i++) {
		const struct entry *entry = &step->entries[i];

		if (entry->state >= ENTRY_NEEDED)
			making.accesses[making.count++] =
				(struct item_access){ .item = entry->item,
						      .value = entry->wanted,
						      .restores = entry->restores,
						      .owner = i };
	}
	/* For what firmware may have made of the footprint; of the kernel's it is known. */
	for (size_t i = 0; i < step->footprint_count; i++) {
		const struct entry *entry = &step->footprint[i];
		struct item *item = &making.accesses[making.count + making.disturbed].item;

		if (entry->state == ENTRY_UNKNOWN || item_kinds[entry->item.kind].of_cpu)
			continue;
		making.accesses[making.count + making.disturbed++] =
			(struct item_access){ .item = entry->item, .owner = i };
		/* Features are asked for by level: after a change of it, by the new one. */
		for (size_t j = 0; j < step->count && item->kind == ITEM_FEATURES; j++)
			if (step->kind == ITEM_LEVEL && step->entries[j].state >= ENTRY_NEEDED &&
			    item_same_domain(&step->entries[j].item, item))
				item->index = (unsigned int)step->entries[j].wanted.number;
	}
	error = write_and_verify(&making);
	free(making.accesses);
	return error;
}

/* ---- What firmware moved is written back ---- */

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
		change_warn(change, ISST_MESSAGE_WRITTEN_BACK,
			    of_item(change->context, &entry->item),
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
				change_warn(change, ISST_MESSAGE_WRITTEN_BACK,
					    of_domain(item_domain(change->context, item)),
					    "%s: enabling core-power may reset classes of "
					    "service; their old values are written back then",
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
			change_warn(change, ISST_MESSAGE_WRITTEN_BACK, of_machine(),
				    "which levels were requested last is not known: %s; a level "
				    "that the firmware changes is written back",
				    all.failure.message);
		read = true;
		for (size_t j = 0; j < step->count && !error; j++) {
			const struct requested_level *level = requested_level_of(
				&all, item_domain(change->context, &step->entries[j].item));

			if (step->entries[j].state >= ENTRY_NEEDED && level &&
			    level->requested != level->present)
				change_warn(change, ISST_MESSAGE_WRITTEN_BACK,
					    of_domain(level->domain),
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
		return message_error_at(
			&change->context->messages, of_item(change->context, &first->item), -EIO,
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
