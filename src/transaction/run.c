/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a change: each step is recorded, journalled, written and verified. */
#include "base/machine.h"
#include "transaction/journal.h"
#include "transaction/record.h"
#include "transaction/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct patience patience_for(enum item_kind kind)
{
	return (struct patience){ item_settling_time(kind) * 1000, 500 };
}

bool patience_wait(struct patience *patience)
{
	unsigned int us = patience->next_us < patience->left_us ? patience->next_us
								: patience->left_us;
	struct timespec rest = { 0, (long)us * 1000 };

	if (us == 0)
		return false;
	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
	patience->left_us -= us;
	if (patience->next_us < 20000)
		patience->next_us *= 2;
	return true;
}

void change_log(struct isst_change *change, const struct item *item, struct item_value from,
		struct item_value to, const char *result)
{
	struct isst_context *context = change->context;
	struct isst_machine *machine = context->machine;
	const char *command = change->options.command;

	if (machine->log)
		machine->log(machine->data,
			     message_make(&context->messages, "%s%s%s: %s -> %s: %s",
					  command ? command : "", command ? ": " : "",
					  item_describe(context, item),
					  item_describe_value(context, item, from),
					  item_describe_value(context, item, to), result));
}

/**
 * Goes on without an entry that failed, where that is possible, with a warning. Returns 0, or
 * @error with a message.
 */
static int do_without(struct isst_change *change, struct entry *entry, int error, const char *why)
{
	if (error == -EINTR || !item_is_dispensable(change->context, &entry->item))
		return message_error(&change->context->messages, error, "%s", why);
	entry->refused = true;
	change_warn_left_out(change, why);
	return 0;
}

/** Reads the entries of an array and notes what they are now as the old values. */
static int record_entries(struct isst_change *change, struct entry *entries, size_t count)
{
	struct item_access *accesses = count ? calloc(count, sizeof(*accesses)) : NULL;
	int error = accesses ? 0 : -ENOMEM;

	if (count == 0)
		return 0;
	for (size_t i = 0; i < count && !error; i++)
		accesses[i].item = entries[i].item;
	if (!error)
		error = items_read(change->context, accesses, count);
	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_failure *failure = &accesses[i].failure;

		if (failure->error)
			error = do_without(change, &entries[i], failure->error, failure->message);
		entries[i].recorded = !accesses[i].absent && !failure->error;
		entries[i].old = accesses[i].value;
	}
	free(accesses);
	return error;
}

/** Whether a value does what an entry was to do. */
static bool entry_served(const struct entry *entry, struct item_value now)
{
	if (entry->at_least)
		return now.number >= entry->bits;
	return item_value_serves(&entry->item, now, entry->wanted);
}

static void plan_value(struct entry *entry)
{
	if (entry->at_least)
		entry->wanted.number = entry->old.number < entry->bits ? entry->bits
								       : entry->old.number;
	else
		entry->wanted.number = (entry->old.number & ~entry->mask) |
				       (entry->bits & entry->mask);
	entry->wanted.text = entry->text;
	entry->needed = entry->recorded && !entry_served(entry, entry->old);
}

/** Works out what the entries shall become, and whether anything has to be written. */
static bool plan_values(struct step *step)
{
	bool any = false;

	for (size_t i = 0; i < step->count; i++) {
		struct entry *entry = &step->entries[i];

		plan_value(entry);
		any |= entry->needed;
	}
	return any;
}

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

static void tell_progress(struct isst_change *change, const struct step *step)
{
	if (step->kind != ITEM_ONLINE || !change->options.progress)
		return;
	for (size_t i = 0; i < step->count; i++)
		change->options.progress(
			change->options.data,
			message_make(&change->context->messages, "%s cpu %u",
				     step->entries[i].wanted.number ? "online" : "offline",
				     step->entries[i].item.index));
}

static void note_write(struct isst_change *change, struct entry *entry,
		       const struct isst_failure *failure)
{
	/* What may still take effect has to be taken back, too. */
	entry->timed_out = failure->error == -ETIMEDOUT;
	entry->written = !failure->error || entry->timed_out;
	change->wrote |= entry->written;
	change_log(change, &entry->item, entry->old, entry->wanted,
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

/** Writes entries; one that can be done without does not keep those behind it from being written.
 */
static int write_step(struct isst_change *change, struct step *step, struct item_access *accesses,
		      const size_t *owners, size_t count)
{
	int error = 0;

	for (size_t at = 0; at < count && !error;) {
		error = items_write(change->context, &accesses[at], count - at);
		if (!error)
			error = note_writes(change, step, accesses, owners, at, count, &at);
	}
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
static const char *describe_not_taken(struct isst_context *context, const struct entry *entry,
				      struct item_value now)
{
	const char *target = item_describe(context, &entry->item);
	const char *written = item_describe_value(context, &entry->item, entry->wanted);
	const char *found = item_describe_value(context, &entry->item, now);

	if (entry->timed_out)
		return message_make(&context->messages,
				    "%s: wrote %s, read back %s: it took no effect in %u ms, and "
				    "may do so yet",
				    target, written, found, item_settling_time(entry->item.kind));
	return message_make(&context->messages, "%s: %s was written and not taken; it is %s",
			    target, written, found);
}

static int judge(struct isst_change *change, struct entry *entry, const struct item_access *access)
{
	struct isst_context *context = change->context;
	/* Limits of the package may leave those of its power domains where they are. */
	bool moved = !item_value_equal(&entry->item, access->value, entry->old) ||
		     entry->item.kind == ITEM_UNCORE_MAX || entry->item.kind == ITEM_UNCORE_MIN;

	if (entry->refused)
		return 0;
	if (access->failure.error)
		return do_without(change, entry, access->failure.error, access->failure.message);
	if (access->absent)
		return message_error(&context->messages, -EIO, "%s is gone after it was written",
				     item_describe(context, &entry->item));
	entry->confirmed = entry_served(entry, access->value);
	if (entry->confirmed)
		return 0;
	if (item_may_be_clipped(entry->item.kind) && moved) {
		change_warn(change, "%s: %s was asked for, but it became %s",
			    item_describe(context, &entry->item),
			    item_describe_value(context, &entry->item, entry->wanted),
			    item_describe_value(context, &entry->item, access->value));
		/* A record and a second run compare with what the machine made of it. */
		entry->wanted = access->value;
		return 0;
	}
	return do_without(change, entry, -EIO, describe_not_taken(context, entry, access->value));
}

/** Reads back what was written, until it is there or has had its time. */
static int verify_step(struct isst_change *change, struct step *step, struct item_access *accesses,
		       const size_t *owners, size_t count)
{
	struct patience patience = patience_for(step->kind);
	int error, result = 0;

	do
		error = items_read(change->context, accesses, count);
	while (!error && !all_as_wanted(step, accesses, owners, count) && patience_wait(&patience));
	for (size_t i = 0; i < count && !error && !result; i++)
		result = judge(change, &step->entries[owners[i]], &accesses[i]);
	return error ? error : result;
}

static int make_step(struct isst_change *change, struct step *step)
{
	struct item_access *accesses = NULL;
	size_t *owners = NULL, count;
	int error = record_entries(change, step->entries, step->count);

	if (error)
		return error;
	if (!plan_values(step)) {
		tell_progress(change, step);
		return 0;
	}
	error = record_entries(change, step->footprint, step->footprint_count);
	if (!error)
		error = journal_step(change, step);
	if (error)
		return error;
	accesses = calloc(step->count, sizeof(*accesses));
	owners = calloc(step->count, sizeof(*owners));
	error = accesses && owners ? 0 : -ENOMEM;
	if (!error) {
		count = needed_accesses(step, accesses, owners);
		tell_progress(change, step);
		step->begun = true;
		error = write_step(change, step, accesses, owners, count);
		if (!error)
			error = verify_step(change, step, accesses, owners, count);
	}
	free(accesses);
	free(owners);
	return error;
}

static int look_ahead(struct isst_change *change)
{
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		error = record_entries(change, change->steps[i]->entries, change->steps[i]->count);
		plan_values(change->steps[i]);
	}
	return error;
}

static int make_steps(struct isst_change *change)
{
	int error = 0;

	/* A step may add others behind it. */
	for (size_t i = 0; i < change->count && !error; i++) {
		if (change->options.interrupted &&
		    change->options.interrupted(change->options.data))
			error = message_error(&change->context->messages, -EINTR, "interrupted");
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
	bool begun = change->journal >= 0;
	int undone = change_undo(change);

	/* Where the undo could not even be tried to its end, the journal is for the next run. */
	if (!undone || undone == -ENOTRECOVERABLE)
		journal_end(change);
	if (undone)
		return message_error(
			messages, -ENOTRECOVERABLE,
			"%s; and what was changed before could not be taken back as a whole", why);
	return message_error(messages, error,
			     begun ? "%s; what was changed before has been taken back" : "%s", why);
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
	if (change->options.dry_run)
		return look_ahead(change);
	error = check_writable(change);
	if (error)
		return error;
	error = make_steps(change);
	if (error)
		return give_up(change, error);
	record_apply(change);
	journal_end(change);
	if (change_touches_cpus(change) && context_discover_topology(change->context))
		change_warn(change, "%s", isst_error(change->context));
	return 0;
}
