/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a change: each step is recorded, journalled, written and verified. */
#include "base/machine.h"
#include "transaction/journal.h"
#include "transaction/record.h"
#include "transaction/undo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct patience patience_for(enum item_kind kind)
{
	return (struct patience){ item_settling_time(kind) * 1000, 500 };
}

void rest_us(unsigned int us)
{
	struct timespec rest = { 0, (long)us * 1000 };

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

bool patience_wait(struct patience *patience)
{
	unsigned int us = patience->next_us < patience->left_us ? patience->next_us
								: patience->left_us;

	if (us == 0)
		return false;
	rest_us(us);
	patience->left_us -= us;
	if (patience->next_us < 20000)
		patience->next_us *= 2;
	return true;
}

void change_log(struct isst_change *change, const struct item *item, struct item_value from,
		struct item_value to, const char *result)
{
	struct isst_machine *machine = change->context->machine;
	const char *command = change->options.command;
	struct messages *texts = &change->texts;
	char *line;

	if (!machine->log ||
	    asprintf(&line, "%s%s%s: %s -> %s: %s", command ? command : "", command ? ": " : "",
		     item_text(texts, change->context, item), item_value_text(texts, item, from),
		     item_value_text(texts, item, to), result) < 0)
		return;
	machine->log(machine->data, line);
	free(line);
}

/**
 * Goes on without an entry that failed, where that is possible, with a warning. Returns 0, or
 * @error with a message.
 */
static int do_without(struct isst_change *change, struct entry *entry, int error, const char *why)
{
	bool optional = entry->optional;

	if (error == -EINTR || (!optional && !item_is_dispensable(change->context, &entry->item)))
		return message_error(&change->context->messages, error, "%s", why);
	entry->refused = true;
	if (optional)
		change_warn_optional(change, why);
	else
		change_warn_left_out(change, why);
	return 0;
}

/* ---- What is there, and what it shall become ---- */

/** Whether a value does what an entry was to do: bits that it does not write are not looked at. */
static bool entry_served(const struct entry *entry, struct item_value now)
{
	if (entry->at_least)
		return now.number >= entry->bits;
	if (entry->hidden && now.number == entry->shown)
		return true;
	if (entry->text)
		return item_value_serves(&entry->item, now, entry->wanted);
	return ((now.number ^ entry->bits) & entry->mask) == 0;
}

static void plan_value(struct entry *entry)
{
	if (entry->at_least)
		entry->wanted.number = entry->now.number < entry->bits ? entry->raised
								       : entry->now.number;
	else
		entry->wanted.number = (entry->now.number & ~entry->mask) |
				       (entry->bits & entry->mask);
	entry->wanted.text = entry->text;
	entry->needed = entry->recorded && !entry->refused &&
			(entry->hidden || !entry_served(entry, entry->now));
}

/** Works out what the entries shall become, and whether anything has to be written. */
static bool plan_values(struct step *step)
{
	bool any = false;

	for (size_t i = 0; i < step->count; i++) {
		plan_value(&step->entries[i]);
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

/**
 * Notes in entries what is known of their items. One that could not be read is told of once, and
 * then done without or the end of the change.
 */
static int note_baseline(struct isst_change *change, struct entry *entries, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		struct entry *entry = &entries[i];
		struct baseline_item *item = baseline_find(&change->baseline, &entry->item);

		if (!item || !item->read || entry->refused)
			continue;
		entry->recorded = item->recorded;
		entry->late = item->late;
		entry->old = item->value;
		entry->now = item->now;
		if (item->failure.error)
			error = do_without(change, entry, item->failure.error,
					   item->failure.message);
	}
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

static void note_moved_by(struct isst_change *change, const struct step *step)
{
	for (size_t i = 0; i < step->count; i++) {
		struct item counterpart;

		if (!step->entries[i].needed)
			continue;
		note_moved(change, &step->entries[i].item);
		if (item_counterpart(&step->entries[i].item, &counterpart))
			note_moved(change, &counterpart);
	}
	for (size_t i = 0; i < step->footprint_count; i++)
		note_moved(change, &step->footprint[i].item);
}

/** Whether a step may have to write, as far as that can be known before the first write. */
static bool may_write(struct isst_change *change, struct step *step, bool cpus_move)
{
	bool any = plan_values(step);

	for (size_t i = 0; i < step->count && !any; i++) {
		const struct baseline_item *item = baseline_find(&change->baseline,
								 &step->entries[i].item);

		/* What is not there yet may come with a CPU. */
		any = item && (item->moved || (!item->recorded && cpus_move));
	}
	return any;
}

/** What a step will leave, for the steps behind it. */
static void note_forecast(struct isst_change *change, const struct step *step)
{
	note_moved_by(change, step);
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

		if ((entry->needed || (item && item->moved)) &&
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

		error = note_baseline(change, step->entries, step->count);
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

/** From here on steps are made, and say themselves what they leave. */
static void forget_forecast(struct baseline *baseline)
{
	for (size_t i = 0; i < baseline->count; i++) {
		baseline->items[i].moved = false;
		baseline->items[i].now = baseline->items[i].value;
	}
}

/** Reads what the steps write. */
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
	return error ? error : baseline_read(&change->baseline, change->context, false);
}

/**
 * Reads all that the change may write or disturb, before the first write: what an earlier step
 * makes of an item is not what a rollback is to restore. What steps that do not write would disturb
 * is not read.
 */
static int read_baseline(struct isst_change *change)
{
	int error = read_entries(change);

	if (!error)
		error = forecast(change, true);
	if (!error)
		error = baseline_read(&change->baseline, change->context, false);
	for (size_t i = 0; i < change->count && !error; i++)
		if (change->steps[i]->expected)
			error = note_baseline(change, change->steps[i]->footprint,
					      change->steps[i]->footprint_count);
	forget_forecast(&change->baseline);
	return error;
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
		else if (!item->recorded && !item->failure.error && cpus_moved)
			item->read = false;
		else
			continue;
		*any = true;
	}
	return error;
}

static bool has_begun(const struct isst_change *change)
{
	for (size_t i = 0; i < change->count; i++)
		if (change->steps[i]->begun)
			return true;
	return false;
}

static int read_unknown(struct isst_change *change, struct entry *entries, size_t count)
{
	bool any = false;
	int error = add_unknown(change, entries, count, &any);

	if (!error && any)
		error = baseline_read(&change->baseline, change->context, has_begun(change));
	return error ? error : note_baseline(change, entries, count);
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

		if (!item || !item->moved || !entry->recorded || entry->refused)
			continue;
		owners[count] = i;
		accesses[count++].item = entry->item;
	}
	if (!error && count > 0)
		error = items_read(change->context, accesses, count);
	for (size_t i = 0; i < count && !error; i++) {
		struct entry *entry = &step->entries[owners[i]];

		entry->now = accesses[i].value;
		if (accesses[i].failure.error)
			error = do_without(change, entry, accesses[i].failure.error,
					   accesses[i].failure.message);
		else if (accesses[i].absent)
			entry->recorded = false;
	}
	free(accesses);
	free(owners);
	return error;
}

/** Works out what a step has to write. Returns 0 or a negative errno with a message. */
static int prepare_step(struct isst_change *change, struct step *step, bool *needed)
{
	int error = read_unknown(change, step->entries, step->count);

	if (!error)
		error = read_moved(change, step);
	*needed = !error && plan_values(step);
	for (size_t i = 0; i < step->count && *needed; i++)
		if (step->entries[i].needed)
			step_disturbs_counterpart(step, &step->entries[i].item);
	if (*needed)
		error = read_unknown(change, step->footprint, step->footprint_count);
	return error;
}

/* ---- Writing ---- */

/** The accesses for the entries that are needed; @owners says whose each is. */
static size_t needed_accesses(const struct step *step, struct item_access *accesses, size_t *owners)
{
	size_t count = 0;

	for (size_t i = 0; i < step->count; i++) {
		if (!step->entries[i].needed)
			continue;
		owners[count] = i;
		accesses[count++] = (struct item_access){ .item = step->entries[i].item,
							  .value = step->entries[i].wanted };
	}
	return count;
}

/** Says what is being done to the CPUs of the entries from @from on, those included that are as
 * they shall be: scripts wait for their lines. */
static void tell_progress(struct isst_change *change, const struct step *step, size_t from,
			  size_t end)
{
	if (step->kind != ITEM_ONLINE || !change->options.progress)
		return;
	for (size_t i = from; i < end; i++) {
		const struct entry *entry = &step->entries[i];
		char line[32];

		snprintf(line, sizeof(line), "%s cpu %u",
			 entry->wanted.number ? "online" : "offline", entry->item.index);
		change->options.progress(change->options.data, line);
	}
}

static int check_interrupted(struct isst_change *change)
{
	if (!change->options.interrupted || !change->options.interrupted(change->options.data))
		return 0;
	return message_error(&change->context->messages, -EINTR, "interrupted");
}

static void note_write(struct isst_change *change, struct entry *entry,
		       const struct isst_failure *failure)
{
	/* What may still take effect has to be taken back, too. */
	entry->timed_out = failure->error == -ETIMEDOUT;
	entry->written = !failure->error || entry->timed_out;
	/* One that has to be waited for may yet make a difference. */
	change->moved |= entry->timed_out;
	change_log(change, &entry->item, entry->now, entry->wanted,
		   failure->error ? failure->message : "written");
}

/**
 * Notes how writes from @from on ended; @next: the first that was not tried, @count if there is
 * none. Returns 0 if the change goes on, or the first error, with its message.
 */
static int note_writes(struct isst_change *change, struct step *step,
		       const struct item_access *accesses, const size_t *owners, size_t from,
		       size_t count, size_t *next)
{
	int result = 0;

	*next = count;
	for (size_t i = count; i-- > from;)
		if (accesses[i].failure.error == -ECANCELED)
			*next = i;
	for (size_t i = from; i < count; i++) {
		struct entry *entry = &step->entries[owners[i]];
		const struct isst_failure *failure = &accesses[i].failure;

		if (failure->error == -ECANCELED || entry->refused)
			continue;
		note_write(change, entry, failure);
		/* One that may still take effect is waited for when the step is verified. */
		if (failure->error && !entry->timed_out && !result)
			result = do_without(change, entry, failure->error, failure->message);
	}
	return result;
}

/**
 * Writes entries; one that can be done without does not keep those behind it from being written.
 * Those of the firmware go out in batches; between two files of the kernel the change can be
 * interrupted, since hundreds of CPUs take minutes to go offline.
 */
static int write_step(struct isst_change *change, struct step *step, struct item_access *accesses,
		      const size_t *owners, size_t count)
{
	bool one_by_one = item_is_file(step->kind);
	size_t told = 0;
	int error = 0;

	for (size_t at = 0; at < count && !error;) {
		size_t end = one_by_one ? at + 1 : count;

		if (one_by_one && at > 0)
			error = check_interrupted(change);
		if (error)
			break;
		tell_progress(change, step, told, owners[end - 1] + 1);
		told = owners[end - 1] + 1;
		error = items_write(change->context, &accesses[at], end - at);
		if (!error)
			error = note_writes(change, step, accesses, owners, at, end, &at);
	}
	if (!error)
		tell_progress(change, step, told, step->count);
	return error;
}

/** Whether the values that were read back are those that were written. */
static bool all_as_wanted(const struct step *step, const struct item_access *accesses,
			  const size_t *owners, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &step->entries[owners[i]];

		if (!accesses[i].failure.error && !entry->refused &&
		    !entry_served(entry, accesses[i].value))
			return false;
	}
	return true;
}

/** Why an item is not as it was written, for a value that did not appear. */
static const char *describe_not_taken(struct isst_change *change, const struct entry *entry,
				      struct item_value now)
{
	struct messages *texts = &change->texts;
	const char *target = item_text(texts, change->context, &entry->item);
	const char *written = item_value_text(texts, &entry->item, entry->wanted);
	const char *found = item_value_text(texts, &entry->item, now);

	if (entry->timed_out)
		return message_make(texts,
				    "%s: wrote %s, read back %s: it took no effect in %u ms, and "
				    "may do so yet",
				    target, written, found, item_settling_time(entry->item.kind));
	return message_make(texts, "%s: %s was written and not taken; it is %s", target, written,
			    found);
}

static int judge(struct isst_change *change, struct entry *entry, const struct item_access *access)
{
	struct isst_context *context = change->context;
	struct messages *texts = &change->texts;
	bool moved = !item_value_equal(&entry->item, access->value, entry->now);

	if (entry->refused)
		return 0;
	if (access->failure.error)
		return do_without(change, entry, access->failure.error, access->failure.message);
	if (access->absent)
		return message_error(&context->messages, -EIO, "%s is gone after it was written",
				     item_describe(context, &entry->item));
	change->moved |= moved || entry->hidden;
	entry->confirmed = entry_served(entry, access->value);
	if (entry->confirmed)
		return 0;
	if (item_value_clipped(&entry->item, entry->wanted, access->value, moved)) {
		change_warn(change, "%s: wrote %s, read back %s: clipped",
			    item_text(texts, context, &entry->item),
			    item_value_text(texts, &entry->item, entry->wanted),
			    item_value_text(texts, &entry->item, access->value));
		entry->confirmed = true;
		/* A record and a second run compare with what the machine made of it. */
		entry->wanted = access->value;
		return 0;
	}
	return do_without(change, entry, -EIO, describe_not_taken(change, entry, access->value));
}

/** A step that is being made. */
struct making {
	struct isst_change *change;
	struct step *step;
	/* Of what is written; behind those, of what it may disturb. */
	struct item_access *accesses;
	size_t *owners; /* of those that are written: the entries of the step */
	size_t count, disturbed;
};

/**
 * Reads back what was written, until it is there or has had its time, and with it what may have
 * been disturbed.
 */
static int read_back(struct making *making)
{
	struct isst_context *context = making->change->context;
	struct patience patience = patience_for(making->step->kind);
	struct item_access *disturbed = making->accesses + making->count;
	int error = items_read(context, making->accesses, making->count + making->disturbed);
	bool waited = false;

	while (!error &&
	       !all_as_wanted(making->step, making->accesses, making->owners, making->count) &&
	       patience_wait(&patience)) {
		waited = true;
		error = items_read(context, making->accesses, making->count);
	}
	if (!error && waited && making->disturbed > 0)
		error = items_read(context, disturbed, making->disturbed);
	return error;
}

/**
 * What was read back is what the steps behind this one find: they need not look again, unless one
 * of them moves it once more.
 */
static void note_present(const struct making *making)
{
	for (size_t i = 0; i < making->count + making->disturbed; i++) {
		const struct item_access *access = &making->accesses[i];
		struct baseline_item *item = baseline_find(&making->change->baseline,
							   &access->item);

		if (!item || !item->recorded || access->failure.error || access->absent)
			continue;
		item->now = access->value;
		item->moved = false;
	}
}

static int verify_step(struct making *making)
{
	struct step *step = making->step;
	int error = read_back(making);

	for (size_t i = 0; i < making->count && !error; i++)
		error = judge(making->change, &step->entries[making->owners[i]],
			      &making->accesses[i]);
	if (!error)
		note_present(making);
	return error;
}

/** Features are asked for by level: after a change of it, by the new one. */
static struct item present_item(const struct step *step, const struct item *item)
{
	struct item present = *item;

	for (size_t i = 0; i < step->count && item->kind == ITEM_FEATURES; i++) {
		const struct entry *entry = &step->entries[i];

		if (entry->item.kind == ITEM_LEVEL && entry->needed &&
		    item_same_domain(&entry->item, item))
			present.index = (unsigned int)entry->wanted.number;
	}
	return present;
}

/** The accesses for what firmware may have made of the footprint; of the kernel's it is known. */
static size_t disturbed_accesses(const struct step *step, struct item_access *accesses)
{
	size_t count = 0;

	for (size_t i = 0; i < step->footprint_count; i++)
		if (step->footprint[i].recorded && item_is_disturbed(&step->footprint[i].item))
			accesses[count++].item = present_item(step, &step->footprint[i].item);
	return count;
}

static int write_and_verify(struct making *making)
{
	struct isst_change *change = making->change;
	struct step *step = making->step;
	int error;

	step->begun = true;
	note_moved_by(change, step);
	error = write_step(change, step, making->accesses, making->owners, making->count);
	if (!error)
		error = journal_written(change, step);
	if (!error)
		error = verify_step(making);
	if (!error)
		error = journal_verified(change, step, making->accesses + making->count,
					 making->disturbed);
	return error;
}

/** Writes the needed entries of a step, and reads them back. */
static int make_needed(struct isst_change *change, struct step *step)
{
	struct making making = { .change = change, .step = step };
	int error = -ENOMEM;

	making.accesses = calloc(step->count + step->footprint_count + 1, sizeof(*making.accesses));
	making.owners = calloc(step->count + 1, sizeof(*making.owners));
	if (making.accesses && making.owners) {
		making.count = needed_accesses(step, making.accesses, making.owners);
		making.disturbed = disturbed_accesses(step, making.accesses + making.count);
		error = write_and_verify(&making);
	}
	free(making.accesses);
	free(making.owners);
	return error;
}

static int make_step(struct isst_change *change, struct step *step)
{
	bool needed;
	int error = prepare_step(change, step, &needed);

	if (!error && change->broken)
		error = -ENOMEM;
	if (error)
		return error;
	if (!needed) {
		tell_progress(change, step, 0, step->count);
		return 0;
	}
	error = journal_step(change, step);
	return error ? error : make_needed(change, step);
}

static int look_ahead(struct isst_change *change)
{
	int error = read_entries(change);

	return error ? error : forecast(change, false);
}

static int make_steps(struct isst_change *change)
{
	int error = read_baseline(change);

	/* A step may add others behind it. */
	for (size_t i = 0; i < change->count && !error; i++) {
		error = check_interrupted(change);
		if (!error && change->steps[i]->before)
			error = change->steps[i]->before(change);
		if (!error)
			error = make_step(change, change->steps[i]);
		if (!error && change->steps[i]->after)
			error = change->steps[i]->after(change);
		if (!error && change->broken)
			error = message_error(&change->context->messages, -ENOMEM, "out of memory");
	}
	return error;
}

/** Takes everything back, and says so together with what went wrong. */
static int give_up(struct isst_change *change, int error)
{
	struct messages *messages = &change->context->messages;
	const char *why = message_make(messages, "%s", isst_error(change->context));

	if (!has_begun(change)) {
		journal_end(change);
		return message_error(messages, error, "%s", why);
	}
	journal_rollback(change);
	/* What could not be restored now may be later: the journal stays for that. */
	if (change_undo(change))
		return message_error(
			messages, -ENOTRECOVERABLE,
			"%s; and what was changed before could not be taken back as a whole: " JOURNAL_KEPT,
			why);
	journal_end(change);
	return message_error(messages, error, "%s; what was changed before has been taken back",
			     why);
}

/** One item of each kind that follow each other stands for all of them. */
static int check_entries_writable(struct isst_change *change, const struct entry *entries,
				  size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		if (i == 0 || entries[i].item.kind != entries[i - 1].item.kind)
			error = item_check_writable(change->context, &entries[i].item);
	return error;
}

/**
 * Looks whether the caller may write the files of all steps, and those that an undo would have to
 * restore, before anything is touched.
 */
static int check_writable(struct isst_change *change)
{
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		const struct step *step = change->steps[i];

		error = check_entries_writable(change, step->entries, step->count);
		if (!error)
			error = check_entries_writable(change, step->footprint,
						       step->footprint_count);
	}
	return error;
}

int isst_change_run(struct isst_change *change)
{
	int error;

	if (change->broken)
		return message_error(&change->context->messages, -ENOMEM, "out of memory");
	if (change->ran)
		return message_error(&change->context->messages, -EINVAL,
				     "the change was made, or tried, already: what it was planned "
				     "from may be another by now");
	if (change->objection.error)
		return message_error(&change->context->messages, change->objection.error, "%s",
				     change->objection.message);
	change->ran = true;
	change_forget_list(change);
	if (change->options.dry_run)
		return look_ahead(change);
	error = check_writable(change);
	if (error)
		return error;
	error = make_steps(change);
	if (error)
		return give_up(change, error);
	journal_done(change);
	record_apply(change);
	journal_end(change);
	if (change_touches_cpus(change) && context_discover_topology(change->context))
		change_warn(change, "%s", isst_error(change->context));
	return 0;
}
