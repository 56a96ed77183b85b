/* SPDX-License-Identifier: BSD-3-Clause */
/* Rolls a change back: in reverse order, items that were written first, then what they disturbed.
 */
#include "sysfs/cpuset_groups.h"
#include "transaction/item_access.h"
#include "transaction/journal.h"
#include "transaction/run.h"
#include "transaction/steps.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rolling back ---- */

/** Whether an item has the value that an entry found, as far as @mask goes. */
static bool is_as_before(const struct entry *entry, uint64_t mask, struct item_value now)
{
	if (mask == WHOLE_VALUE)
		return item_value_equal(&entry->item, now, entry->old);
	return ((now.number ^ entry->old.number) & mask) == 0;
}

/** Entries of one array and one kind that are to be restored. */
struct restoration {
	struct isst_change *change;
	enum item_kind kind;
	struct entry *entries;
	struct item_access *accesses; /* owner: which of @entries it is for */
	size_t count;
};

/** Writes old values; one that fails does not keep the others from being restored. */
static int write_all(struct restoration *work)
{
	struct isst_change *change = work->change;
	struct item_access *accesses = work->accesses;
	size_t at = 0;
	int error = items_lift_limits(change->context, accesses, work->count);

	while (at < work->count && !error) {
		size_t first = at;

		error = items_write(change->context, &accesses[at], work->count - at);
		while (!error && at < work->count && !accesses[at].failure.error)
			work->entries[accesses[at++].owner].overwritten = true;
		/* The one that failed is passed over; what became of it is seen when all is
		 * compared. A level that is there already is refused as the current one; one that
		 * timed out was asked for, and comes later. */
		if (!error && at < work->count) {
			if (accesses[at].failure.error == -ETIMEDOUT)
				work->entries[accesses[at].owner].overwritten = true;
			at++;
		}
		for (; first < at; first++) {
			const struct item_access *access = &accesses[first];

			if (access->failure.error != -ECANCELED)
				change_log(change, &access->item, access->found, access->value,
					   access->failure.error ? access->failure.message
								 : "rolled back");
		}
	}
	return error;
}

/** Whether a value was asked for that has not been seen, of a kind that takes time to appear. */
static bool may_appear(const struct entry *entry)
{
	return (entry->state == ENTRY_WRITTEN || entry->state == ENTRY_MISSED) &&
	       item_kinds[entry->item.kind].settling_ms > 0;
}

/**
 * Whether nothing is to be restored of an entry, as far as can be seen. A value that was accepted
 * and never appeared, and one that the kernel does not show, has to be overwritten even though
 * nothing seems to have happened: a register may still hold it. Of no limit of cpufreq it is
 * certain that it is shown: another process may have disabled turbo since. (A recovery has found
 * out what is hidden.)
 */
static bool is_restored(struct isst_change *change, const struct entry *entry,
			const struct item_access *now)
{
	uint64_t number = now->value.number;
	bool unseen = may_appear(entry) || (entry->state >= ENTRY_WRITTEN &&
					    (entry->hidden || item_is_of_package(&entry->item) ||
					     (change->ran && item_is_limit(&entry->item))));

	if (now->failure.error || (unseen && !entry->overwritten))
		return false;
	return now->absent || is_as_before(entry, entry->mask, now->value) ||
	       limit_is_held(entry, number) ||
	       change_reveal(change, &entry->item, entry->old, now->value) ||
	       limit_is_concealed(change, &entry->item, entry->old.number, number);
}

/** Keeps those that differ from the baseline, in reverse order, with what is to be written. */
static void select_changed(struct restoration *work)
{
	size_t kept = 0;

	for (size_t i = 0; i < work->count / 2; i++) {
		struct item_access access = work->accesses[i];

		work->accesses[i] = work->accesses[work->count - 1 - i];
		work->accesses[work->count - 1 - i] = access;
	}
	for (size_t i = 0; i < work->count; i++) {
		struct item_access access = work->accesses[i];
		const struct entry *entry = &work->entries[access.owner];

		if (is_restored(work->change, entry, &access))
			continue;
		access.found = access.value;
		access.restores = true;
		access.value = entry->old;
		/* Bits of others stay; where nothing can be read the old value is the best guess.
		 */
		if (!access.failure.error)
			access.value.number = (access.found.number & ~entry->mask) |
					      (entry->old.number & entry->mask);
		work->accesses[kept++] = access;
	}
	work->count = kept;
}

/**
 * Reads entries until none is @pending, or has had the time of its kind: old values that were asked
 * for, or @first what was asked for and has not appeared yet. One that is there can be rolled back,
 * while one that is not may be refused to be overwritten.
 */
static int await_values(const struct restoration *work, struct item_access *now, bool first)
{
	struct poll_timer timer = poll_timer_for(item_kinds[work->kind].settling_ms);
	bool pending;
	int error;

	do {
		error = items_read(work->change->context, now, work->count);
		pending = false;
		for (size_t i = 0; i < work->count && !error; i++) {
			const struct entry *entry = &work->entries[now[i].owner];
			const struct item_access *asked = &work->accesses[i];

			/* An old value that was refused is not on its way, unless a rollback that
			 * was cut off had asked for it: kernels may refuse what is asked for
			 * already. */
			if (first)
				pending |= may_appear(entry) && entry->state != ENTRY_MISSED &&
					   !now[i].failure.error &&
					   is_as_before(entry, entry->mask, now[i].value);
			else if (!asked->failure.error || asked->failure.error == -ETIMEDOUT ||
				 entry->asked_back)
				pending |= !now[i].failure.error &&
					   !item_value_equal(&asked->item, now[i].value,
							     asked->value);
		}
	} while (!error && pending && poll_timer_wait(&timer));
	return error;
}

/** Restores the entries of one kind; the first @attempt waits for what may still appear. */
static int restore_kind(struct isst_change *change, struct entry *entries, size_t count,
			enum item_kind kind, unsigned int attempt)
{
	struct restoration work = { .change = change, .kind = kind, .entries = entries };
	struct item_access *now = NULL;
	int error;

	work.accesses = calloc(count, sizeof(*work.accesses));
	if (!work.accesses)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (entries[i].item.kind == kind && entries[i].state != ENTRY_UNKNOWN)
			work.accesses[work.count++] = (struct item_access){ .item = entries[i].item,
									    .owner = i };
	if (work.count == 0)
		error = 0;
	else if (attempt == 0)
		error = await_values(&work, work.accesses, true);
	else
		error = items_read(change->context, work.accesses, work.count);
	if (!error)
		select_changed(&work);
	if (!error && work.count > 0)
		error = write_all(&work);
	if (!error && work.count > 0 && item_kinds[kind].settling_ms) {
		now = calloc(work.count, sizeof(*now));
		error = now ? 0 : -ENOMEM;
		for (size_t i = 0; i < work.count && !error; i++)
			now[i] = work.accesses[i];
		if (!error)
			error = await_values(&work, now, false);
		/* What has not come by now is not on its way. */
		for (size_t i = 0; i < work.count; i++)
			entries[work.accesses[i].owner].asked_back = false;
		free(now);
	}
	free(work.accesses);
	return error;
}

/** Restores entries, those of each kind whatever became of others. *@first: the first error */
static void undo_entries(struct isst_change *change, struct entry *entries, size_t count,
			 unsigned int attempt, int *first)
{
	for (int kind = 0; kind < ITEM_KINDS && count > 0; kind++) {
		int error = restore_kind(change, entries, count, (enum item_kind)kind, attempt);

		*first = *first ? *first : error;
	}
}

/** CPUs that carried requests may have gone offline. */
static void rediscover(struct isst_change *change)
{
	if (change_touches_cpus(change) && context_discover_topology(change->context))
		message_trace(&change->context->messages, "rollback: %s",
			      isst_error(change->context));
}

/* ---- What differs in the end ---- */

/** Whether groups of cgroup v1, which another process changed, lost nothing but CPUs that the
 * rollback takes offline. False without memory. */
static bool follows_cpus(const struct isst_change *change, const struct entry *groups,
			 struct item_value now)
{
	struct isst_cpuset *gone;
	bool follows;

	if (groups->item.kind != ITEM_CPUSET_GROUPS)
		return false;
	gone = isst_cpuset_new();
	follows = gone;
	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; change->steps[i]->kind == ITEM_ONLINE && follows &&
				   j < change->steps[i]->count;
		     j++) {
			const struct entry *cpu = &change->steps[i]->entries[j];

			if (!cpu->old.number)
				follows = !isst_cpuset_add(gone, cpu->item.index, cpu->item.index);
		}
	follows = follows && cpuset_groups_lost(groups->old.text, now.text, gone);
	isst_cpuset_free(gone);
	return follows;
}

/** Lists an item that is not as before. @mask: the bits that steps wrote or disturbed */
static void compare_item(struct isst_change *change, const struct entry *entry, uint64_t mask,
			 const struct item_access *now)
{
	const struct item *item = &entry->item;
	const char *gone = "it no longer exists";

	if (item_is_of_package(item)) {
		change_differs_unread(change, item, "it could not be restored");
	} else if (now->failure.error) {
		change_differs_unread(change, item, now->failure.message);
	} else if (now->absent && !entry->appeared) {
		gone = item->kind == ITEM_UNCORE_MAX || item->kind == ITEM_UNCORE_MIN
			       ? message_make(
					 &change->texts,
					 "%s; is the module intel_uncore_frequency%s loaded?", gone,
					 context_has_power_domains(change->context) ? "_tpmi" : "")
			       : item_why_gone(change->context, item, gone);
		change_differs_unread(change, item, gone);
	} else if (!now->absent && !is_as_before(entry, mask, now->value) &&
		   !limit_is_concealed(change, item, entry->old.number, now->value.number) &&
		   !limit_is_held(entry, now->value.number)) {
		if (follows_cpus(change, entry, now->value))
			message_notice(&change->context->messages, of_item(change->context, item),
				       "%s is %s: groups lose CPUs that go offline with the "
				       "rollback",
				       item_describe(change->context, item),
				       item_value_text(&change->texts, item, now->value));
		else
			change_differs(change, item, now->value, entry->old);
	}
}

/** Compares each item of the steps that were begun once. */
static int compare_all(struct isst_change *change)
{
	struct item_access *now = calloc(change->index.count + 1, sizeof(*now));
	const struct entry **firsts = calloc(change->index.count + 1, sizeof(*firsts));
	uint64_t *masks = calloc(change->index.count + 1, sizeof(*masks));
	int error = now && firsts && masks ? 0 : -ENOMEM;
	size_t count = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		const struct step *step = change->steps[i];
		const struct entry *entry;

		for (size_t j = 0; step->begun && (entry = step_entry(step, j)); j++) {
			const struct entry *first = NULL;

			if (entry->state == ENTRY_UNKNOWN)
				continue;
			masks[count] = 0;
			change_for_each_place (place, change, &entry->item) {
				const struct entry *one = place_entry(place);

				if (!place->step->begun || one->state == ENTRY_UNKNOWN)
					continue;
				first = first ? first : one;
				masks[count] |= one->mask;
			}
			firsts[count] = first;
			/* That of a package reads as others; what was written is known. */
			if (item_is_of_package(&entry->item)
				    ? entry->state >= ENTRY_WRITTEN && !entry->overwritten
				    : first == entry)
				now[count++].item = entry->item;
		}
	}
	if (!error && count > 0)
		error = items_read_twice(change->context, now, count);
	for (size_t i = 0; i < count && !error; i++)
		compare_item(change, firsts[i], masks[i], &now[i]);
	free(now);
	free(firsts);
	free(masks);
	return error;
}

/** Restores all steps and compares. Returns as change_undo() does. */
static int undo_steps(struct isst_change *change, unsigned int attempt)
{
	int unrestored = 0, error;

	rediscover(change);
	for (size_t i = change->count; i-- > 0;) {
		struct step *step = change->steps[i];

		if (!step->begun)
			continue;
		undo_entries(change, step->entries, step->count, attempt, &unrestored);
		if (step->kind == ITEM_ONLINE)
			rediscover(change);
		undo_entries(change, step->footprint, step->footprint_count, attempt, &unrestored);
	}
	error = compare_all(change);
	if (!error && change->differences.count > 0)
		error = -ENOTRECOVERABLE;
	return error ? error : unrestored;
}

/* What still differs is restored again after a pause: registers, files and memory may be busy. */
static const unsigned int PAUSES_US[] = { 2000, 25000 };

int change_undo(struct isst_change *change)
{
	int error;

	journal_rollback(change);
	error = undo_steps(change, 0);
	for (unsigned int i = 0; i < sizeof(PAUSES_US) / sizeof(PAUSES_US[0]) && error; i++) {
		poll_sleep_us(PAUSES_US[i]);
		/* The rollback is tried again. */
		change->differences.count = 0;
		error = undo_steps(change, i + 1);
	}
	return error;
}
