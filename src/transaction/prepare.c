/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what a change will touch, works out what is left to do of it and whether all could be
 * rolled back, and looks again at the end. */
#include "transaction/baseline.h"
#include "transaction/run.h"
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
	return is_unsupported(entry, error) ||
	       (!entry->required &&
		(entry->optional || item_is_optional(change->context, &entry->item)));
}

int entry_skip(struct isst_change *change, struct entry *entry, int error, const char *why)
{
	bool optional = entry->optional || is_unsupported(entry, error), known = false;

	/* Of the same kind and domain the first one is reported. */
	for (size_t i = 0; i < change->count && optional && !entry->optional; i++) {
		const struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->kind == entry->item.kind; j++)
			known |= step->entries[j].refused &&
				 item_same_domain(&step->entries[j].item, &entry->item);
	}
	if (!can_skip(change, entry, error))
		return message_error_at(&change->context->messages, of_cause(change, why), error,
					"%s", why);
	entry->refused = true;
	if (optional && !known)
		change_warn_optional(change, why);
	else if (!optional)
		change_warn_left_out(change, why);
	return 0;
}

/* ---- Whether all could be restored ---- */

void change_note_irreversible(struct isst_change *change, const char *why, const char *what)
{
	change_warn(change, ISST_MESSAGE_IRREVERSIBLE, of_cause(change, why),
		    "%s; a rollback would leave %s unchanged", why, what ? what : "it");
	if (!change->irreversible)
		change->irreversible = message_make(&change->texts, "%s", why);
}

static int refuse_irreversible(struct isst_change *change, const char *why)
{
	return message_error_at(
		&change->context->messages, of_cause(change, why), -EIO,
		"%s: the change was not made, because it could not be rolled back as "
		"a whole",
		why);
}

/** While turbo is off limits from the base frequency up look alike. */
static int check_limits(struct isst_change *change, const struct step *step)
{
	struct isst_context *context = change->context;
	struct kernel_files *files = &context->files;
	int error = 0;

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];
		bool concealed = entry->hidden && entry->old.number == entry->shown;
		unsigned int cpu = entry->item.index;
		uint64_t base_khz;

		if (entry->state < ENTRY_NEEDED || !item_is_limit(&entry->item))
			continue;
		if (!concealed && entry->item.kind == ITEM_SCALING_MIN) {
			error = cpufreq_read(files, cpu, "base_frequency", &base_khz);
			concealed = !error && entry->old.number >= base_khz;
			error = error == -ENOENT ? 0 : error;
		} else if (!concealed && entry->old.number == CPUFREQ_NO_LIMIT) {
			error = cpufreq_hides_limit(files, cpu, TURBO_OFF, &concealed);
		}
		if (!error && concealed)
			error = refuse_irreversible(
				change, message_make(&context->messages,
						     "%s: the present limit is not visible while "
						     "turbo is disabled",
						     item_describe(context, &entry->item)));
	}
	return error;
}

/** For a change that has to be reversible, once its baseline was read: looks for what a rollback
 * could not restore. */
static int check_reversible(struct isst_change *change)
{
	enum turbo_state turbo;
	int error;

	if (!change->options.reversible)
		return 0;
	if (change->irreversible)
		return refuse_irreversible(change, change->irreversible);
	error = cpufreq_turbo_state(&change->context->files, &turbo);
	for (size_t i = 0; i < change->count && !error && turbo == TURBO_OFF; i++)
		if (change->steps[i]->expected)
			error = check_limits(change, change->steps[i]);
	return error;
}

/**
 * Looks whether what steps will write can be written back, before the first write.
 *
 * A limit that comes along with a level, and was not asked for itself, stays as it is. Limits of
 * all power domains of a package are set with that of the package: only a rollback would end with
 * another value, so that it is no reason for a change that is to stay.
 */
static int check_restorable(struct isst_change *change)
{
	bool kept = !change->options.hold && !change->options.reversible;
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->expected && !error; j++) {
			struct entry *entry = &step->entries[j];
			const char *why;

			if (entry->state < ENTRY_NEEDED)
				continue;
			error = item_check_restorable(change->context, &entry->item, &why);
			if (error || !why)
				continue;
			if (entry->provisional && kept) {
				change_warn(change, ISST_MESSAGE_IRREVERSIBLE,
					    of_cause(change, why),
					    "%s; a rollback would end with another value", why);
			} else if (step->exact || !kept) {
				error = refuse_irreversible(change, why);
			} else {
				entry->refused = true;
				change_warn(change, ISST_MESSAGE_UNCORE_LIMITS_KEPT,
					    of_cause(change, why), "%s; it is left unchanged", why);
			}
		}
	}
	return error;
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

/** Works out what the entries shall become, and whether anything has to be written. */
static bool plan_values(struct step *step)
{
	bool any = false;

	for (size_t i = 0; i < step->count; i++) {
		struct entry *entry = &step->entries[i];

		entry->wanted.number = entry_apply(entry, entry->now.number);
		entry->wanted.text = entry->text;
		if (entry->state != ENTRY_UNKNOWN)
			entry->state = ENTRY_KNOWN;
		if (entry->state != ENTRY_UNKNOWN && !entry->refused &&
		    (entry_is_unseen(step, entry) || !entry_served(entry, entry->now)))
			entry->state = ENTRY_NEEDED;
		any |= entry->state == ENTRY_NEEDED;
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

/** What is written can be done without; what is only disturbed may be moved all the same. */
static int pass_over(struct isst_change *change, struct entry *entry,
		     const struct isst_failure *failure, bool disturbed)
{
	bool passed_over = false;

	/* Nor is that left as it is of which it is not known yet what to write. */
	disturbed |= entry->mask == 0;
	if (!disturbed || !can_skip(change, entry, failure->error))
		return entry_skip(change, entry, failure->error, failure->message);
	change_for_each_place (place, change, &entry->item)
		passed_over |= !place->footprint && place_entry(place)->refused;
	entry->refused = true;
	if (!passed_over)
		change_note_irreversible(change, failure->message, NULL);
	return 0;
}

/** Notes what is known of the items of entries, which may be only @disturbed. One that could not be
 * read is reported once, and then skipped or the end of the change. */
static int note_baseline(struct isst_change *change, struct entry *entries, size_t count,
			 bool disturbed)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		struct entry *entry = &entries[i];
		struct baseline_item *item = baseline_find(&change->baseline, &entry->item);
		const char *what;

		if (!item || !item->read || entry->refused)
			continue;
		entry->state = item->value_known ? ENTRY_KNOWN : ENTRY_UNKNOWN;
		entry->appeared = item->appeared;
		entry->old = item->value;
		entry->now = item->now;
		if (item->failure.error)
			error = pass_over(change, entry, &item->failure, disturbed);
		/* The register of a core may hold a CLOS that does not exist, which the driver does
		 * not set: in a rollback CLOS 0, that of power-on, takes its place. */
		if (entry->item.kind != ITEM_ASSOCIATION || entry->state == ENTRY_UNKNOWN ||
		    item_value_is_plausible(&entry->item, entry->old))
			continue;
		what = message_make_at(&change->texts, of_item(change->context, &entry->item),
				       "%s: CLOS %u does not exist",
				       item_describe(change->context, &entry->item),
				       (unsigned int)entry->old.number);
		change_warn(change, ISST_MESSAGE_IRREVERSIBLE, of_cause(change, what),
			    "%s; a rollback would set CLOS 0", what);
		if (!change->irreversible)
			change->irreversible = what;
		entry->old.number = 0;
	}
	return error;
}

/**
 * Looks for items that were there when they were planned, and are not any more. What `disable
 * --auto` was to restore stays saved, so that a later one does it; anything else would be left out
 * of what was asked for.
 */
static int check_vanished(struct isst_change *change, const struct step *step)
{
	struct isst_context *context = change->context;
	struct isst_cpuset *online = NULL;
	int error = 0;

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct item *item = &step->entries[i].item;
		const struct baseline_item *known = baseline_find(&change->baseline, item);
		bool limit = item_is_limit(item);

		if (!known || !known->read || known->value_known || known->failure.error ||
		    known->appeared || step->entries[i].refused)
			continue;
		/* Without cpufreq limits are absent as well. */
		if (limit && !isst_cpuset_has(isst_online_cpus(context), item->index))
			continue;
		if (limit && !online) {
			online = isst_cpuset_new();
			error = online ? kernel_files_cpulist(&context->files,
							      CPU_DIRECTORY "/online", online)
				       : message_error(&context->messages, -ENOMEM,
						       "out of memory");
		}
		if (error || (limit && isst_cpuset_has(online, item->index)))
			continue;
		if (!limit || !step->entries[i].restores)
			error = message_error_at(&context->messages, of_item(context, item), -EIO,
						 "%s%s", item_describe(context, item),
						 limit ? ": the CPU went offline"
						       : " no longer exists");
		else
			change_warn(change, ISST_MESSAGE_SAVED_LIMITS_KEPT,
				    of_cpu(NULL, item->index),
				    "CPU %u: went offline; its saved frequency limits are kept, "
				    "and restored by another disable --auto when it is online",
				    item->index);
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
		item->stale = true;
}

void change_note_moved(struct isst_change *change, const struct step *step)
{
	for (size_t i = 0; i < step->count; i++) {
		struct item counterpart;

		if (step->entries[i].state < ENTRY_NEEDED)
			continue;
		note_moved(change, &step->entries[i].item);
		if (item_counterpart(&step->entries[i].item, &counterpart))
			note_moved(change, &counterpart);
	}
	for (size_t i = 0; i < step->footprint_count; i++)
		note_moved(change, &step->footprint[i].item);
	for (size_t i = 0; i < change->baseline.count && step->moves_range; i++) {
		struct baseline_item *limit = &change->baseline.items[i];
		struct item mover = limit->item;

		mover.kind = step->kind;
		mover.index = 0;
		change_for_each_place (place, change, &mover)
			limit->range_moved |= item_is_limit(&limit->item) && place->step == step &&
					      !place->footprint &&
					      place_entry(place)->state >= ENTRY_NEEDED;
	}
}

/** Whether an entry may be another one than it was read as: by a step before it. With turbo on a
 * limit that is not below the base frequency of a level is so in any range: one that reads as none
 * is at the highest turbo frequency. */
static bool may_have_moved(const struct isst_change *change, const struct entry *entry,
			   const struct baseline_item *item)
{
	if (!item || item->stale || !item->range_moved)
		return item && item->stale;
	return !entry->at_least || !change->turbo_known || change->turbo != TURBO_ON ||
	       !entry_served(entry, entry->now);
}

/** Notes what a step will leave. @disturbed: adds what it may disturb to the baseline */
static int note_forecast(struct isst_change *change, const struct step *step, bool disturbed)
{
	struct baseline *baseline = &change->baseline;
	int error = 0;

	change_note_moved(change, step);
	for (size_t i = 0; i < step->count; i++) {
		struct baseline_item *item = baseline_find(baseline, &step->entries[i].item);

		if (item && step->entries[i].state >= ENTRY_NEEDED)
			item->now = step->entries[i].wanted;
	}
	for (size_t i = 0; i < step->footprint_count; i++) {
		const struct entry *entry = &step->footprint[i];
		struct baseline_item *item = baseline_find(baseline, &entry->item);

		if (item && entry->resets)
			item->now.number = (item->now.number & ~entry->mask) | entry->bits;
	}
	if (disturbed)
		error = add_items(baseline, step->footprint, step->footprint_count, true);
	for (size_t i = 0; i < step->count && disturbed && !error; i++) {
		const struct entry *entry = &step->entries[i];
		const struct baseline_item *item = baseline_find(baseline, &entry->item);
		struct item counterpart;

		if ((entry->state >= ENTRY_NEEDED || may_have_moved(change, entry, item)) &&
		    item_counterpart(&entry->item, &counterpart))
			error = baseline_add(baseline, &counterpart, true);
	}
	return error;
}

/** Goes through the steps as they will be made. @disturbed: adds what those may disturb */
static int forecast(struct isst_change *change, bool disturbed)
{
	bool cpus_move = false;
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		error = note_baseline(change, step->entries, step->count, false);
		if (!error)
			error = check_vanished(change, step);
		step->expected = !error && plan_values(step);
		for (size_t j = 0; j < step->count && !error && !step->expected; j++) {
			const struct entry *entry = &step->entries[j];
			const struct baseline_item *item = baseline_find(&change->baseline,
									 &entry->item);

			/* What is not there yet may come with a CPU. */
			step->expected = may_have_moved(change, entry, item) ||
					 (item && !item->value_known && cpus_move);
		}
		if (!step->expected)
			continue;
		cpus_move |= step->kind == ITEM_ONLINE;
		error = note_forecast(change, step, disturbed);
	}
	return error;
}

/** Reads what the steps write, and checks what planning relied on. */
static int read_entries(struct isst_change *change)
{
	struct messages *messages = &change->context->messages;
	struct baseline *baseline = &change->baseline;
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		const struct step *step = change->steps[i];

		error = add_items(baseline, step->entries, step->count, true);
		if (!error)
			error = add_items(baseline, step->footprint, step->footprint_count, false);
	}
	if (!error)
		error = baseline_read(baseline, change->context, false);
	for (size_t i = 0; i < baseline->count && !error; i++) {
		const struct baseline_item *item = &baseline->items[i];

		if (item->relied && item->failure.error)
			error = message_error(messages, item->failure.error, "%s",
					      item->failure.message);
		else if (item->relied && item->value.number != item->planned)
			error = message_error_at(
				messages, of_item(change->context, &item->item), -EIO,
				"%s: it was %s, and became %s while the change was planned",
				item_describe(change->context, &item->item),
				item_value_text(messages, &item->item,
						(struct item_value){ .number = item->planned }),
				item_value_text(messages, &item->item, item->value));
	}
	return error;
}

/** Reads what the steps may disturb. */
static int read_disturbed(struct isst_change *change)
{
	int error = baseline_read(&change->baseline, change->context, false);

	for (size_t i = 0; i < change->count && !error; i++)
		if (change->steps[i]->expected)
			error = note_baseline(change, change->steps[i]->footprint,
					      change->steps[i]->footprint_count, true);
	return error ? error : check_reversible(change);
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
		error = check_restorable(change);
	/* From here on steps are made, and note themselves what they leave. */
	for (size_t i = 0; i < change->baseline.count; i++) {
		struct baseline_item *item = &change->baseline.items[i];

		item->stale = item->range_moved = false;
		item->now = item->value;
	}
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

/** Reads items that nothing is known of yet: of steps added since, or of CPUs that came online. */
static int read_unknown(struct isst_change *change, struct entry *entries, size_t count,
			bool disturbed)
{
	struct baseline *baseline = &change->baseline;
	bool cpus_moved = change_touches_cpus(change), any = false;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		struct baseline_item *item = baseline_find(baseline, &entries[i].item);

		if (!item)
			error = baseline_add(baseline, &entries[i].item, true);
		else if (!item->read)
			item->asked = true;
		else if (!item->value_known && !item->failure.error && cpus_moved)
			item->read = false;
		else
			continue;
		any = true;
	}
	if (!error && any)
		error = baseline_read(baseline, change->context, change_has_begun(change));
	return error ? error : note_baseline(change, entries, count, disturbed);
}

/** Reads entries again that an earlier step wrote or disturbed. */
static int read_moved(struct isst_change *change, struct step *step)
{
	struct item_access *accesses = calloc(step->count + 1, sizeof(*accesses));
	int error = accesses ? 0 : -ENOMEM;
	size_t count = 0;

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];
		const struct baseline_item *item = baseline_find(&change->baseline, &entry->item);

		if (!may_have_moved(change, entry, item) || entry->state == ENTRY_UNKNOWN ||
		    entry->refused)
			continue;
		accesses[count++] = (struct item_access){ .item = entry->item, .owner = i };
	}
	if (!error && count > 0)
		error = items_read_twice(change->context, accesses, count);
	for (size_t i = 0; i < count && !error; i++) {
		const struct item_access *access = &accesses[i];
		const struct isst_failure *failure = &access->failure;
		struct entry *entry = &step->entries[access->owner];

		entry->now = access->value;
		if (failure->error && !can_skip(change, entry, failure->error)) {
			error = message_error(&change->context->messages, failure->error, "%s",
					      failure->message);
		} else if (failure->error) {
			/* What earlier steps wrote or disturbed is not left as it is. */
			entry->refused = true;
			change_warn(change, ISST_MESSAGE_RESULT_UNKNOWN,
				    of_cause(change, failure->message), "%s; the result is unknown",
				    failure->message);
		} else if (access->absent) {
			entry->state = ENTRY_UNKNOWN;
		} else {
			change_reveal(change, &entry->item, entry->old, entry->now);
		}
	}
	free(accesses);
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
		if (step->entries[i].state >= ENTRY_NEEDED)
			step_disturbs_counterpart(step, &step->entries[i].item);
	if (*needed)
		error = read_unknown(change, step->footprint, step->footprint_count, true);
	/* CPUs that came online have brought their items. */
	return !error && *needed ? check_reversible(change) : error;
}

/* ---- The last look ---- */

int change_fail_overtaken(struct isst_change *change, const struct item *item,
			  struct item_value before, struct item_value now)
{
	struct messages *messages = &change->context->messages;

	change->overtaken = true;
	return message_error_at(messages, of_item(change->context, item), -EIO,
				"%s: it was %s, and became %s while the change was made: another "
				"process or a management controller changed it",
				item_describe(change->context, item),
				item_value_text(messages, item, before),
				item_value_text(messages, item, now));
}

/** Adds an item to what is read again, of which the bits of @mask count. */
static int add_present(struct baseline *present, const struct item *item, uint64_t mask)
{
	int error = baseline_add(present, item, true);

	if (!error)
		baseline_find(present, item)->mask |= mask;
	return error;
}

int change_look_again(struct isst_change *change, bool relied_only)
{
	struct messages *messages = &change->context->messages;
	const struct baseline *baseline = &change->baseline;
	struct baseline present = { 0 };
	const struct step *last = NULL;
	int error = 0;

	for (size_t i = 0; i < change->count; i++)
		last = change->steps[i]->begun ? change->steps[i] : last;
	if (!last && !relied_only)
		return 0;
	for (size_t i = 0; i < baseline->count && !error; i++) {
		const struct item *item = &baseline->items[i].item;
		bool written = false;

		change_for_each_place (place, change, item)
			written |= relied_only && !place->footprint;
		if (baseline->items[i].relied && !written)
			error = add_present(&present, item, WHOLE_VALUE);
	}
	for (size_t i = 0; i < change->count && !relied_only; i++) {
		const struct step *step = change->steps[i];
		bool looked_at = !item_is_file(step->kind) || step->kind == ITEM_ONLINE ||
				 step->kind == ITEM_PARTITION;

		for (size_t j = 0; j < step->count && looked_at && !error; j++) {
			const struct entry *entry = &step->entries[j];

			/* What the last step wrote has just been read back. */
			if (!entry->refused && entry->state != ENTRY_UNKNOWN && entry->mask > 0 &&
			    !(step == last && entry->state >= ENTRY_WRITTEN))
				error = add_present(&present, &entry->item, entry->mask);
		}
	}
	if (!error)
		error = baseline_read(&present, change->context, false);
	if (error)
		error = message_error(messages, error, "out of memory");
	for (size_t i = 0; i < present.count && !error; i++) {
		const struct baseline_item *now = &present.items[i];
		const struct baseline_item *left = baseline_find(baseline, &now->item);

		if (!left || !left->value_known || left->stale)
			continue;
		if (now->failure.error)
			error = message_error(messages, now->failure.error, "%s",
					      now->failure.message);
		else if (((now->value.number ^ left->now.number) & now->mask) != 0 ||
			 (now->item.kind == ITEM_PARTITION &&
			  !item_value_equal(&now->item, now->value, left->now)))
			error = change_fail_overtaken(change, &now->item, left->now, now->value);
	}
	baseline_clear(&present);
	return error;
}
