/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what a change will touch, and works out what is left to do of it. */
#include "transaction/baseline.h"
#include "transaction/report.h"
#include "transaction/run.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"
#include "transaction/tracked.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>

static bool is_unsupported(const struct entry *entry, int error)
{
	return error_is_absence(error) && entry->mask > 0 && !(entry->mask & ~entry->if_supported);
}

static bool can_skip(const struct isst_change *change, const struct entry *entry, int error)
{
	if (error == -EINTR)
		return false;
	return is_unsupported(entry, error) ||
	       (!entry->required &&
		(entry->optional || item_is_optional(change->context, &entry->item)));
}

/** Whether the change goes on without an item of the same kind and domain. */
static bool has_skipped_alike(const struct isst_change *change, const struct item *item)
{
	for (size_t i = 0; i < change->count; i++) {
		const struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->kind == item->kind; j++)
			if (step->entries[j].refused &&
			    item_same_domain(&step->entries[j].item, item))
				return true;
	}
	return false;
}

int entry_skip(struct isst_change *change, struct entry *entry, int error, const char *why)
{
	bool optional = entry->optional || is_unsupported(entry, error);
	bool known = !entry->optional && optional && has_skipped_alike(change, &entry->item);

	if (!can_skip(change, entry, error))
		return message_error(&change->context->messages, error, "%s", why);
	entry->refused = true;
	if (known)
		return 0;
	if (optional)
		change_warn_optional(change, why);
	else
		change_warn_left_out(change, why);
	return 0;
}

/* ---- What is there, and what it shall become ---- */

bool entry_served(const struct entry *entry, struct item_value now)
{
	if (entry->at_least)
		return now.number >= entry->bits;
	if (entry->hidden && now.number == entry->shown)
		return true;
	if (entry->text)
		return item_value_serves(&entry->item, now, entry->wanted);
	return ((now.number ^ entry_apply(entry, now.number)) & entry->mask) == 0;
}

static void plan_value(const struct step *step, struct entry *entry)
{
	entry->wanted.number = entry_apply(entry, entry->now.number);
	entry->wanted.text = entry->text;
	entry->needed = entry->old_known && !entry->refused &&
			(entry_is_unseen(step, entry) || !entry_served(entry, entry->now));
}

/** Works out what the entries shall become, and whether anything has to be written. */
static bool plan_values(struct step *step)
{
	bool any = false;

	for (size_t i = 0; i < step->count; i++) {
		plan_value(step, &step->entries[i]);
		any |= step->entries[i].needed;
	}
	return any;
}

static int add_items(struct baseline *baseline, const struct entry *entries, size_t count,
		     bool asked)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = baseline_add(baseline, &entries[i].item, asked);
	return error;
}

/** Whether the change was to write an item, and goes on without it. */
static bool is_passed_over(const struct isst_change *change, const struct item *item)
{
	change_for_each_place (place, change, item)
		if (!place->footprint && place_entry(place)->refused)
			return true;
	return false;
}

/** What is written can be done without; what is only disturbed may be moved all the same. */
static int pass_over(struct isst_change *change, struct entry *entry,
		     const struct isst_failure *failure, bool disturbed)
{
	bool passed_over;

	/* Nor is that left as it is of which it is not known yet what to write. */
	disturbed |= entry->mask == 0;
	if (!disturbed || !can_skip(change, entry, failure->error))
		return entry_skip(change, entry, failure->error, failure->message);
	passed_over = is_passed_over(change, &entry->item);
	entry->refused = true;
	if (!passed_over)
		change_note_irreversible(change, failure->message, NULL);
	return 0;
}

/** The register of a core may hold a CLOS that does not exist, which the driver does not set: in a
 * rollback CLOS 0, that of power-on, takes its place. */
static void replace_undefined_clos(struct isst_change *change, struct entry *entry)
{
	const char *what;

	if (entry->item.kind != ITEM_ASSOCIATION || !entry->old_known ||
	    item_value_is_plausible(&entry->item, entry->old))
		return;
	what = message_make(&change->texts, "%s: CLOS %u does not exist",
			    item_describe(change->context, &entry->item),
			    (unsigned int)entry->old.number);
	change_warn(change, ISST_WARNING_IRREVERSIBLE, "%s; a rollback would set CLOS 0", what);
	if (!change->irreversible)
		change->irreversible = what;
	entry->old.number = 0;
}

/**
 * Notes in entries, or those of a footprint that are only @disturbed, what is known of their items.
 * One that could not be read is reported once, and then skipped or the end of the change.
 */
static int note_baseline(struct isst_change *change, struct entry *entries, size_t count,
			 bool disturbed)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		struct entry *entry = &entries[i];
		struct baseline_item *item = baseline_find(&change->baseline, &entry->item);

		if (!item || !item->read || entry->refused)
			continue;
		entry->old_known = item->value_known;
		entry->appeared = item->appeared;
		entry->old = item->value;
		entry->now = item->now;
		replace_undefined_clos(change, entry);
		if (item->failure.error)
			error = pass_over(change, entry, &item->failure, disturbed);
	}
	return error;
}

/** Whether a CPU that was online when the machine was discovered is offline by now; without cpufreq
 * its limits are absent as well. @online: what is online now, NULL until it was read. Returns 0 or
 * 1, or a negative errno with a message. */
static int went_offline(struct isst_context *context, unsigned int cpu, struct isst_cpuset **online)
{
	int error = 0;

	if (!isst_cpuset_has(isst_online_cpus(context), cpu))
		return 0;
	if (!*online) {
		*online = isst_cpuset_new();
		error = *online ? kernel_files_cpulist(&context->files, CPU_DIRECTORY "/online",
						       *online)
				: message_error(&context->messages, -ENOMEM, "out of memory");
	}
	return error ? error : !isst_cpuset_has(*online, cpu);
}

/** Judges an item that is absent, though it was planned for. */
static int check_absent(struct isst_change *change, const struct item *item,
			struct isst_cpuset **online)
{
	struct isst_context *context = change->context;
	bool limit = item_is_limit(item);
	int vanished = limit ? went_offline(context, item->index, online) : 1;

	if (vanished <= 0)
		return vanished;
	if (!limit || !settings_are_restored(change, item))
		return message_error(&context->messages, -EIO, "%s%s", item_describe(context, item),
				     limit ? ": the CPU went offline" : " no longer exists");
	change_warn(change, ISST_WARNING_SAVED_LIMITS_KEPT,
		    "CPU %u: went offline; its saved frequency limits are kept, and restored by "
		    "another disable --auto when it is online",
		    item->index);
	return 0;
}

/**
 * Looks for items that were there when they were planned, and are not any more. What `disable
 * --auto` was to restore stays saved, so that a later one does it; anything else would be left
 * out of what was asked for.
 */
static int check_vanished(struct isst_change *change, const struct step *step)
{
	struct isst_cpuset *online = NULL;
	int error = 0;

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];
		const struct baseline_item *item = baseline_find(&change->baseline, &entry->item);

		if (item && item->read && !item->value_known && !item->failure.error &&
		    !item->appeared && !entry->refused)
			error = check_absent(change, &entry->item, &online);
	}
	isst_cpuset_free(online);
	return error;
}

/* ---- The baseline ---- */

/** An earlier step moves what these entries, or what their writing moves, are about. */
static void note_moved(struct isst_change *change, const struct item *moved)
{
	struct baseline_item *item = baseline_find(&change->baseline, moved);

	if (item)
		item->moved = true;
}

void change_note_moved(struct isst_change *change, const struct step *step)
{
	for (size_t i = 0; i < step->count; i++) {
		struct item counterpart;

		if (!step->entries[i].needed)
			continue;
		note_moved(change, &step->entries[i].item);
		if (step->moves_range)
			baseline_note_range_moved(&change->baseline, &step->entries[i].item);
		if (item_counterpart(&step->entries[i].item, &counterpart))
			note_moved(change, &counterpart);
	}
	for (size_t i = 0; i < step->footprint_count; i++)
		note_moved(change, &step->footprint[i].item);
}

/** Whether an entry may be another one than it was read as: by a step before it. With turbo on a
 * limit that is not below the base frequency of a level is so in any range: one that reads as none
 * is at the highest turbo frequency. */
static bool may_have_moved(const struct isst_change *change, const struct entry *entry,
			   const struct baseline_item *item)
{
	if (!item || item->moved || !item->range_moved)
		return item && item->moved;
	return !entry->at_least || !change->turbo_known || change->turbo != TURBO_ON ||
	       !entry_served(entry, entry->now);
}

/** Whether a step may have to write, as far as that can be known before the first write. */
static bool may_write(struct isst_change *change, struct step *step, bool cpus_move)
{
	bool any = plan_values(step);

	for (size_t i = 0; i < step->count && !any; i++) {
		const struct baseline_item *item = baseline_find(&change->baseline,
								 &step->entries[i].item);

		/* What is not there yet may come with a CPU. */
		any = may_have_moved(change, &step->entries[i], item) ||
		      (item && !item->value_known && cpus_move);
	}
	return any;
}

/** What a step will leave, for the steps behind it. */
static void note_forecast(struct isst_change *change, const struct step *step)
{
	change_note_moved(change, step);
	for (size_t i = 0; i < step->count; i++) {
		struct baseline_item *item = baseline_find(&change->baseline,
							   &step->entries[i].item);

		if (item && step->entries[i].needed)
			item->now = step->entries[i].wanted;
	}
	for (size_t i = 0; i < step->footprint_count; i++) {
		const struct entry *entry = &step->footprint[i];
		struct baseline_item *item = baseline_find(&change->baseline, &entry->item);

		if (item && entry->resets)
			item->now.number = (item->now.number & ~entry->mask) | entry->bits;
	}
}

/** What the writes of a step may disturb, to be read with the baseline. */
static int add_disturbed(struct isst_change *change, const struct step *step)
{
	int error = add_items(&change->baseline, step->footprint, step->footprint_count, true);

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];
		const struct baseline_item *item = baseline_find(&change->baseline, &entry->item);
		struct item counterpart;

		if ((entry->needed || may_have_moved(change, entry, item)) &&
		    item_counterpart(&entry->item, &counterpart))
			error = baseline_add(&change->baseline, &counterpart, true);
	}
	return error;
}

/** Goes through the steps as they will be made; @disturbed: adds what those that may write
 * disturb. */
static int forecast(struct isst_change *change, bool disturbed)
{
	bool cpus_move = false;
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		error = note_baseline(change, step->entries, step->count, false);
		if (!error)
			error = check_vanished(change, step);
		step->expected = !error && may_write(change, step, cpus_move);
		if (!step->expected)
			continue;
		cpus_move |= step->kind == ITEM_ONLINE;
		note_forecast(change, step);
		if (disturbed)
			error = add_disturbed(change, step);
	}
	return error;
}

/** From here on steps are made, and note themselves what they leave. */
static void forget_forecast(struct baseline *baseline)
{
	for (size_t i = 0; i < baseline->count; i++) {
		baseline->items[i].moved = baseline->items[i].range_moved = false;
		baseline->items[i].now = baseline->items[i].value;
	}
}

/** What was true when the change was planned may not be true any more. */
static int check_relied(struct isst_change *change)
{
	struct messages *messages = &change->context->messages;

	for (size_t i = 0; i < change->baseline.count; i++) {
		const struct baseline_item *item = &change->baseline.items[i];

		if (!item->relied)
			continue;
		if (item->failure.error)
			return message_error(messages, item->failure.error, "%s",
					     item->failure.message);
		if (item->value.number != item->planned)
			return message_error(
				messages, -EIO,
				"%s: it was %s, and became %s while the change was planned",
				item_describe(change->context, &item->item),
				item_value_text(messages, &item->item,
						(struct item_value){ .number = item->planned }),
				item_value_text(messages, &item->item, item->value));
	}
	return 0;
}

/** Reads what the steps write, and what planning relies on. */
static int read_entries(struct isst_change *change)
{
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		const struct step *step = change->steps[i];

		error = add_items(&change->baseline, step->entries, step->count, true);
		if (!error)
			error = add_items(&change->baseline, step->footprint, step->footprint_count,
					  false);
	}
	if (!error)
		error = baseline_read(&change->baseline, change->context, false);
	return error ? error : check_relied(change);
}

/** Reads what the steps may disturb. */
static int read_disturbed(struct isst_change *change)
{
	int error = baseline_read(&change->baseline, change->context, false);

	for (size_t i = 0; i < change->count && !error; i++)
		if (change->steps[i]->expected)
			error = note_baseline(change, change->steps[i]->footprint,
					      change->steps[i]->footprint_count, true);
	return error ? error : change_check_reversible(change);
}

int change_read_baseline(struct isst_change *change)
{
	int error = change_check_turbo(change);

	if (!error)
		error = read_entries(change);
	if (!error)
		error = forecast(change, true);
	if (!error)
		error = read_disturbed(change);
	if (!error)
		error = change_check_turbo(change);
	if (!error)
		error = change_check_restorable(change);
	forget_forecast(&change->baseline);
	return error;
}

int change_plan_only(struct isst_change *change)
{
	bool disturbed = change->options.reversible;
	int error = read_entries(change);

	if (!error)
		error = forecast(change, disturbed);
	return !error && disturbed ? read_disturbed(change) : error;
}

/* ---- Right before a step ---- */

/** Adds items of entries that nothing is known of yet: a step that was added by another one, or
 * CPUs that came online. */
static int add_unknown(struct isst_change *change, const struct entry *entries, size_t count,
		       bool *any)
{
	bool cpus_moved = change_touches_cpus(change);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		struct baseline_item *item = baseline_find(&change->baseline, &entries[i].item);

		if (!item)
			error = baseline_add(&change->baseline, &entries[i].item, true);
		else if (!item->read)
			item->asked = true;
		else if (!item->value_known && !item->failure.error && cpus_moved)
			item->read = false;
		else
			continue;
		*any = true;
	}
	return error;
}

static int read_unknown(struct isst_change *change, struct entry *entries, size_t count,
			bool disturbed)
{
	bool any = false;
	int error = add_unknown(change, entries, count, &any);

	if (!error && any)
		error = baseline_read(&change->baseline, change->context, change_has_begun(change));
	return error ? error : note_baseline(change, entries, count, disturbed);
}

/** What earlier steps wrote or disturbed is not left as it is. */
static int skip_moved(struct isst_change *change, struct entry *entry,
		      const struct isst_failure *failure)
{
	if (!can_skip(change, entry, failure->error))
		return message_error(&change->context->messages, failure->error, "%s",
				     failure->message);
	entry->refused = true;
	change_warn(change, ISST_WARNING_RESULT_UNKNOWN, "%s; the result is unknown",
		    failure->message);
	return 0;
}

/** Reads entries again that an earlier step wrote or disturbed. */
static int read_moved(struct isst_change *change, struct step *step)
{
	struct item_access *accesses = calloc(step->count + 1, sizeof(*accesses));
	size_t *owners = calloc(step->count + 1, sizeof(*owners));
	size_t count = 0;
	int error = accesses && owners ? 0 : -ENOMEM;

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];
		const struct baseline_item *item = baseline_find(&change->baseline, &entry->item);

		if (!may_have_moved(change, entry, item) || !entry->old_known || entry->refused)
			continue;
		owners[count] = i;
		accesses[count++].item = entry->item;
	}
	if (!error && count > 0)
		error = items_read_twice(change->context, accesses, count);
	for (size_t i = 0; i < count && !error; i++) {
		struct entry *entry = &step->entries[owners[i]];

		entry->now = accesses[i].value;
		if (accesses[i].failure.error)
			error = skip_moved(change, entry, &accesses[i].failure);
		else if (accesses[i].absent)
			entry->old_known = false;
		else
			change_reveal(change, &entry->item, entry->old, entry->now);
	}
	free(accesses);
	free(owners);
	return error;
}

int step_prepare(struct isst_change *change, struct step *step, bool *needed)
{
	int error = read_unknown(change, step->entries, step->count, false);

	if (!error)
		error = read_moved(change, step);
	if (!error)
		error = step_find_concealed(change, step);
	*needed = !error && plan_values(step);
	for (size_t i = 0; i < step->count && *needed; i++)
		if (step->entries[i].needed)
			step_disturbs_counterpart(step, &step->entries[i].item);
	if (*needed)
		error = read_unknown(change, step->footprint, step->footprint_count, true);
	/* CPUs that came online have brought their items. */
	return !error && *needed ? change_check_reversible(change) : error;
}
