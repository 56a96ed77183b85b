/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what a step needs, reads it back, and judges what it finds. */
#include "topology/requested_levels.h"
#include "transaction/item_access.h"
#include "transaction/journal.h"
#include "transaction/report.h"
#include "transaction/run.h"
#include "transaction/turbo.h"
#include "transaction/write_back.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The accesses for the entries that are needed; @owners: the entry of each. */
static size_t needed_accesses(const struct step *step, struct item_access *accesses, size_t *owners)
{
	size_t count = 0;

	for (size_t i = 0; i < step->count; i++) {
		if (!step->entries[i].needed)
			continue;
		owners[count] = i;
		accesses[count++] = (struct item_access){ .item = step->entries[i].item,
							  .value = step->entries[i].wanted,
							  .restores = step->entries[i].restores };
	}
	return count;
}

void step_report_progress(struct isst_change *change, const struct step *step, size_t from,
			  size_t end, unsigned int *done, unsigned int count)
{
	if (step->kind != ITEM_ONLINE)
		return;
	for (size_t i = from; i < end; i++) {
		const struct entry *entry = &step->entries[i];
		char line[32];

		*done += entry->needed;
		if (change->quiet && !entry->needed)
			continue;
		snprintf(line, sizeof(line), "%s cpu %u",
			 entry->wanted.number ? "online" : "offline", entry->item.index);
		message_log(&change->context->messages, ISST_LOG_INFO, line);
		if (change->options.progress)
			change->options.progress(change->options.progress_data, entry->item.index,
						 entry->wanted.number != 0, *done, count);
	}
}

int change_check_interrupted(struct isst_change *change)
{
	if (!context_is_interrupted(change->context))
		return 0;
	return message_error(&change->context->messages, -EINTR, "interrupted");
}

static void note_write(struct isst_change *change, struct entry *entry,
		       const struct item_access *access)
{
	const struct isst_failure *failure = &access->failure;

	/* What may still take effect has to be rolled back, too. */
	entry->timed_out = failure->error == -ETIMEDOUT;
	entry->others = access->others;
	entry->written = (!failure->error && !access->others) || entry->timed_out;
	/* One that has to be waited for may yet make a difference. */
	change->moved |= entry->timed_out;
	change_log(change, &entry->item, entry->now, entry->wanted,
		   failure->error   ? failure->message
		   : access->others ? "set by another agent meanwhile"
				    : "written");
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
		note_write(change, entry, &accesses[i]);
		/* One that may still take effect is waited for when the step is verified. */
		if (failure->error && !entry->timed_out && !result)
			result = entry_skip(change, entry, failure->error, failure->message);
	}
	return result;
}

/**
 * Whether the kernel called a CPU busy. It may let it go once another one has gone: some kernels
 * count the bandwidth of deadline tasks wrong after a partition went, until the next CPU goes or
 * comes.
 */
static bool is_busy_cpu(const struct isst_change *change, const struct item_access *access)
{
	return access->item.kind == ITEM_ONLINE && access->failure.error == -EIO &&
	       change->context->files.answer == -EBUSY;
}

static void put_last(struct item_access *accesses, size_t *owners, size_t at, size_t count)
{
	struct item_access access = accesses[at];
	size_t owner = owners[at];

	memmove(&accesses[at], &accesses[at + 1], (count - at - 1) * sizeof(*accesses));
	memmove(&owners[at], &owners[at + 1], (count - at - 1) * sizeof(*owners));
	accesses[count - 1] = access;
	owners[count - 1] = owner;
}

/** Whether a level that timed out was refused: a driver that is busy with another program gives up
 * as late. Which one was requested last shows it, where that can be read. */
static int check_requested_level(struct isst_change *change, struct item_access *access)
{
	struct isst_context *context = change->context;
	struct requested_levels all = { 0 };
	int error = requested_levels_read(context, &all);
	const struct requested_level *level = requested_level_of(
		&all, item_domain(context, &access->item));

	if (level && level->requested != access->value.number) {
		access->failure = (struct isst_failure){ 0 };
		message_failure(&context->messages, &access->failure, -EIO,
				"%s: the kernel's driver refused level %" PRIu64
				" without reporting the cause",
				item_describe(context, &access->item), access->value.number);
	}
	requested_levels_clear(&all);
	return error;
}

/** Finds out why levels failed. The driver of TPMI refuses the one that is current: where another
 * agent has set the same since it was read, nothing is left to be written. */
static int check_failed_levels(struct isst_change *change, struct item_access *accesses,
			       size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		struct item_access *access = &accesses[i], now = { .item = access->item };

		if (access->item.kind != ITEM_LEVEL || !access->failure.error ||
		    access->failure.error == -ECANCELED)
			continue;
		if (access->failure.error == -ETIMEDOUT)
			error = check_requested_level(change, access);
		if (!error && access->failure.error != -ETIMEDOUT)
			error = items_read(change->context, &now, 1);
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
 * interrupted, since hundreds of CPUs take minutes to go offline. A CPU that is busy is tried again
 * after the others.
 */
static int write_step(struct isst_change *change, struct step *step, struct item_access *accesses,
		      size_t *owners, size_t count)
{
	bool one_by_one = item_is_file(step->kind);
	size_t first_tries = count, reported = 0;
	unsigned int done = 0;
	int error = 0;

	for (size_t at = 0; at < count && !error;) {
		size_t end = one_by_one ? at + 1 : count;

		if (one_by_one && at > 0)
			error = change_check_interrupted(change);
		if (error)
			break;
		if (reported <= owners[end - 1]) {
			step_report_progress(change, step, reported, owners[end - 1] + 1, &done,
					     (unsigned int)count);
			reported = owners[end - 1] + 1;
		}
		error = items_write(change->context, &accesses[at], end - at);
		if (!error && at < first_tries && is_busy_cpu(change, &accesses[at])) {
			put_last(accesses, owners, at, count);
			first_tries--;
			continue;
		}
		if (!error) {
			/* What was written is noted, whatever fails behind it. */
			int unknown = check_failed_levels(change, &accesses[at], end - at);

			error = note_writes(change, step, accesses, owners, at, end, &at);
			error = unknown ? unknown : error;
		}
	}
	if (!error)
		step_report_progress(change, step, reported, step->count, &done,
				     (unsigned int)count);
	return error;
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

/** A limit at which the range of its CPU ends by now reads as no limit: it is what was written all
 * the same, and where that is shown no other file is read. */
static void expect_limits(const struct making *making)
{
	for (size_t i = 0; i < making->count; i++) {
		const struct entry *entry = &making->step->entries[making->owners[i]];
		struct item_access *access = &making->accesses[i];

		access->written = item_is_limit(&entry->item) && !entry->refused &&
				  entry->wanted.number !=
					  cpufreq_no_limit(item_limit(&entry->item));
		if (access->written)
			access->value = entry->wanted;
	}
}

/** A limit from the base frequency up reads as any other of these while turbo is off: it is what
 * was written all the same. */
static void find_limits_out_of_sight(const struct making *making)
{
	struct isst_context *context = making->change->context;

	for (size_t i = 0; i < making->count; i++) {
		const struct entry *entry = &making->step->entries[making->owners[i]];
		struct item_access *access = &making->accesses[i];

		if (!access->failure.error && !access->absent && !entry->refused &&
		    !entry_served(entry, access->value) &&
		    limit_is_hidden(context, &entry->item, entry->wanted.number,
				    access->value.number))
			access->value = entry->wanted;
	}
}

/** Reads back what was written, and @count accesses with it. */
static int read_written(const struct making *making, size_t count)
{
	int error;

	expect_limits(making);
	error = items_read_twice(making->change->context, making->accesses, count);
	if (!error)
		find_limits_out_of_sight(making);
	return error;
}

/** Whether the values that were read back are those that were written. */
static bool all_as_wanted(const struct making *making)
{
	for (size_t i = 0; i < making->count; i++) {
		const struct entry *entry = &making->step->entries[making->owners[i]];
		const struct item_access *access = &making->accesses[i];

		if (!access->failure.error && !entry->refused &&
		    !entry_served(entry, access->value))
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
				    "%s: wrote %s, read back %s: it did not take effect in %u ms, "
				    "and may still do so",
				    target, written, found, item_settling_time(entry->item.kind));
	return message_make(texts, "%s: wrote %s, read back %s", target, written, found);
}

/** Whether a value that was asked for came about in part only, and that is not good enough. */
static bool falls_short(const struct step *step, const struct entry *entry)
{
	return step->exact && !entry->optional;
}

/** Of a limit that holds a value the message names the file. */
static int fail_clipped(struct isst_change *change, const struct entry *entry,
			struct item_value now)
{
	const char *limit = item_clipped_by(change->context, &entry->item, now);

	return message_error(&change->context->messages, -EIO, "%s%s%s",
			     describe_not_taken(change, entry, now), limit ? ": limited by " : "",
			     limit ? limit : "");
}

static void warn_clipped(struct isst_change *change, const struct entry *entry,
			 struct item_value now)
{
	struct messages *texts = &change->texts;
	const char *limit = item_clipped_by(change->context, &entry->item, now);

	change_warn(change, ISST_WARNING_CLIPPED, "%s: wrote %s, read back %s: clipped%s%s",
		    item_text(texts, change->context, &entry->item),
		    item_value_text(texts, &entry->item, entry->wanted),
		    item_value_text(texts, &entry->item, now), limit ? ", limited by " : "",
		    limit ? limit : "");
}

/** A level may be what raised the limits. */
static int fail_raised(struct isst_change *change, const struct entry *entry, struct item_value now)
{
	int error = change_look_at_relied(change);

	return error ? error : change_fail_overtaken(change, &entry->item, entry->wanted, now);
}

static int check_result(const struct step *step, struct entry *entry,
			const struct item_access *access)
{
	struct isst_change *change = step->change;
	struct isst_context *context = change->context;
	bool moved = !item_value_equal(&entry->item, access->value, entry->now);
	const char *why;

	if (entry->refused)
		return 0;
	/* It was written: of an optional item, too, it is unknown whether it is as it was. */
	if (access->failure.error)
		return message_error(&context->messages, access->failure.error, "%s",
				     access->failure.message);
	if (access->absent)
		return message_error(&context->messages, -EIO,
				     "%s disappeared after it was written",
				     item_describe(context, &entry->item));
	change->moved |= moved || entry->hidden;
	entry->confirmed = entry_served(entry, access->value);
	if (entry->confirmed)
		return 0;
	entry->waited = !entry->timed_out;
	if (item_value_clipped(&entry->item, entry->wanted, access->value, moved)) {
		entry->confirmed = true;
		if (entry->provisional) {
			entry->wanted = access->value;
			return 0;
		}
		if (item_is_limit(&entry->item))
			change_note_held(change, entry, access->value);
		if (falls_short(step, entry))
			return fail_clipped(change, entry, access->value);
		warn_clipped(change, entry, access->value);
		/* Saved settings and a second run are compared with what the machine made of it. */
		if (!entry->held)
			entry->wanted = access->value;
		return 0;
	}
	/* No firmware makes limits higher, nor a third level of two: that is another agent's. */
	if (moved && entry->item.kind == ITEM_TURBO_RATIO_LIMITS)
		return fail_raised(change, entry, access->value);
	change->overtaken |= moved && entry->item.kind == ITEM_LEVEL;
	why = describe_not_taken(change, entry, access->value);
	/* What became another value, or may yet become so, is not left as it is. */
	if (moved || (entry->timed_out && falls_short(step, entry)))
		return message_error(&context->messages, -EIO, "%s", why);
	return entry_skip(change, entry, -EIO, why);
}

/**
 * Reads back what was written, until it is there or has had its time, and with it what may have
 * been disturbed.
 */
static int read_back(struct making *making)
{
	struct poll_timer timer = poll_timer_for(item_settling_time(making->step->kind));
	struct isst_context *context = making->change->context;
	size_t all = making->count + making->disturbed;
	int error = read_written(making, all);
	bool waited = false;

	while (!error && !all_as_wanted(making) && poll_timer_wait(&timer)) {
		waited = true;
		error = read_written(making, making->count);
	}
	if (!error && waited && making->disturbed > 0)
		error = items_read_twice(context, making->accesses + making->count,
					 making->disturbed);
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

		if (!item || !item->value_known || access->failure.error || access->absent)
			continue;
		item->now = access->value;
		item->moved = item->range_moved = false;
	}
}

/** What another agent has set meanwhile, and what came with it, is not rolled back. */
static void leave_to_others(const struct making *making, struct entry *set)
{
	struct step *step = making->step;
	const struct item_access *access = &making->accesses[making->count];

	set->old = set->wanted;
	for (size_t i = 0; i < step->footprint_count; i++) {
		struct entry *entry = &step->footprint[i];

		if (!entry->old_known || !item_is_disturbed(&entry->item))
			continue;
		if (!access->failure.error && !access->absent &&
		    item_reaches_domain(&entry->item, &set->item))
			entry->old = access->value;
		access++;
	}
}

static int verify_step(struct making *making)
{
	struct step *step = making->step;
	int error = read_back(making);

	if (error)
		return error;
	note_present(making);
	for (size_t i = 0; i < making->count; i++)
		if (step->entries[making->owners[i]].others)
			leave_to_others(making, &step->entries[making->owners[i]]);
	for (size_t i = 0; i < making->count && !error; i++) {
		struct entry *entry = &step->entries[making->owners[i]];

		if (step->repeats || !step_moved_level(step, &entry->item))
			error = check_result(step, entry, &making->accesses[i]);
	}
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
		if (step->footprint[i].old_known && item_is_disturbed(&step->footprint[i].item))
			accesses[count++].item = present_item(step, &step->footprint[i].item);
	return count;
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

int step_make(struct isst_change *change, struct step *step)
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
