/* SPDX-License-Identifier: BSD-3-Clause */
/* Rolls a change back: in reverse order, items that were written first, then what they disturbed.
 */
#include "transaction/item_files.h"
#include "transaction/poll.h"
#include "transaction/report.h"
#include "transaction/run.h"
#include "transaction/steps.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Whether all could be restored ---- */

void change_note_irreversible(struct isst_change *change, const char *why, const char *what)
{
	change_warn(change, ISST_WARNING_IRREVERSIBLE, "%s; a rollback would leave %s unchanged",
		    why, what ? what : "it");
	if (!change->irreversible)
		change->irreversible = message_make(&change->texts, "%s", why);
}

static int refuse(struct isst_change *change, const char *why)
{
	return message_error(&change->context->messages, -EIO,
			     "%s: the change was not made, because it could not be rolled back as "
			     "a whole",
			     why);
}

/** Whether what a limit was may be something else than what the kernel shows: while turbo is off
 * all those from the base frequency up look alike. */
static int is_concealed(struct isst_change *change, const struct entry *entry, bool *concealed)
{
	struct kernel_files *files = &change->context->files;
	unsigned int cpu = entry->item.index;
	uint64_t base_khz;
	int error;

	*concealed = entry->hidden && entry->old.number == entry->shown;
	if (*concealed)
		return 0;
	if (entry->item.kind == ITEM_SCALING_MAX)
		return entry->old.number == CPUFREQ_NO_LIMIT
			       ? cpufreq_hides_limit(files, cpu, TURBO_OFF, concealed)
			       : 0;
	error = cpufreq_read(files, cpu, "base_frequency", &base_khz);
	*concealed = !error && entry->old.number >= base_khz;
	return error == -ENOENT ? 0 : error;
}

static int check_limits(struct isst_change *change, const struct step *step)
{
	struct isst_context *context = change->context;
	bool concealed = false;
	int error = 0;

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];

		if (!entry->needed || !item_is_limit(&entry->item))
			continue;
		error = is_concealed(change, entry, &concealed);
		if (!error && concealed)
			error = refuse(change,
				       message_make(&context->messages,
						    "%s: the present limit is not visible while "
						    "turbo is disabled",
						    item_describe(context, &entry->item)));
	}
	return error;
}

int change_check_reversible(struct isst_change *change)
{
	enum turbo_state turbo;
	int error;

	if (!change->options.reversible)
		return 0;
	if (change->irreversible)
		return refuse(change, change->irreversible);
	error = cpufreq_turbo_state(&change->context->files, &turbo);
	for (size_t i = 0; i < change->count && !error && turbo == TURBO_OFF; i++)
		if (change->steps[i]->expected)
			error = check_limits(change, change->steps[i]);
	return error;
}

/**
 * A limit that comes along with a level, and was not asked for itself, stays as it is. Limits of
 * all power domains of a package are set with that of the package: only a rollback would end with
 * another value, so that it is no reason for a change that is to stay.
 */
static int leave_irreversible(struct isst_change *change, const struct step *step,
			      struct entry *entry, const char *why)
{
	bool kept = !change->options.hold && !change->options.reversible;

	if (entry->provisional && kept) {
		change_warn(change, ISST_WARNING_IRREVERSIBLE,
			    "%s; a rollback would end with another value", why);
		return 0;
	}
	if (step->exact || !kept)
		return refuse(change, why);
	entry->refused = true;
	change_warn(change, ISST_WARNING_UNCORE_LIMITS_KEPT, "%s; it is left unchanged", why);
	return 0;
}

int change_check_restorable(struct isst_change *change)
{
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->expected && !error; j++) {
			struct entry *entry = &step->entries[j];
			const char *why;

			if (!entry->needed || !entry->old_known)
				continue;
			error = item_check_restorable(change->context, &entry->item, &why);
			if (!error && why)
				error = leave_irreversible(change, step, entry, why);
		}
	}
	return error;
}

/* ---- Rolling back ---- */

/** Whether an item has the value that an entry found, as far as the entry may have changed it. */
static bool is_as_before(const struct entry *entry, struct item_value now)
{
	if (entry->mask == WHOLE_VALUE)
		return item_value_equal(&entry->item, now, entry->old);
	return ((now.number ^ entry->old.number) & entry->mask) == 0;
}

/** What is to be written to restore it: bits that are not the entry's stay as they are now. */
static struct item_value restored_value(const struct entry *entry, const struct item_access *now)
{
	struct item_value value = entry->old;

	/* Of an item that cannot be read right now the old value is the best guess at all bits. */
	if (!now->failure.error)
		value.number = (now->value.number & ~entry->mask) |
			       (entry->old.number & entry->mask);
	return value;
}

/** Entries of one array and one kind that are not as they were. */
struct restoration {
	struct isst_change *change;
	struct entry *entries;
	size_t *owners;		      /* which of @entries each access is for */
	struct item_access *accesses; /* what they are now; then what is written */
	struct item_value *now;
	bool *unread; /* their present values are unknown */
	size_t count;
};

static void log_restored(const struct restoration *work, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++) {
		const struct item_access *access = &work->accesses[i];

		if (access->failure.error != -ECANCELED)
			change_log(work->change, &access->item, work->now[i], access->value,
				   access->failure.error ? access->failure.message : "rolled back");
	}
}

/** Writes old values; one that fails does not keep the others from being restored. */
static int write_all(struct restoration *work)
{
	size_t at = 0;
	int error = items_lift_limits(work->change->context, work->accesses, work->count);

	if (error)
		return error;
	while (at < work->count) {
		size_t rest = work->count - at, done = 0;

		error = items_write(work->change->context, &work->accesses[at], rest);

		if (error)
			return error;
		while (done < rest && !work->accesses[at + done].failure.error)
			work->entries[work->owners[at + done++]].overwritten = true;
		/* It was asked for, and comes later. */
		if (done < rest && work->accesses[at + done].failure.error == -ETIMEDOUT)
			work->entries[work->owners[at + done]].overwritten = true;
		/* The one that failed is passed over; what became of it is seen when all is
		 * compared. A level that is there already is refused as the current one. */
		if (done < rest)
			done++;
		log_restored(work, at, done);
		at += done;
	}
	return 0;
}

/** Whether an old value is on its way. One that was refused is not, unless a rollback that was cut
 * off had asked for it: kernels may refuse what is asked for already. */
static bool is_awaited(const struct restoration *work, size_t i)
{
	int error = work->accesses[i].failure.error;

	return !error || error == -ETIMEDOUT || work->entries[work->owners[i]].asked_back;
}

/** Waits until values that take time are there, as long as when they were first written. */
static int await_restored(struct restoration *work, enum item_kind kind)
{
	struct item_access *accesses = calloc(work->count, sizeof(*accesses));
	struct poll_timer timer = poll_timer_for(item_settling_time(kind));
	bool there = false;
	int error = accesses ? 0 : -ENOMEM;

	while (!error && !there) {
		memcpy(accesses, work->accesses, work->count * sizeof(*accesses));
		error = items_read(work->change->context, accesses, work->count);
		there = true;
		for (size_t i = 0; i < work->count && !error; i++)
			there &= !is_awaited(work, i) ||
				 item_value_equal(&accesses[i].item, accesses[i].value,
						  work->accesses[i].value);
		if (!there && !poll_timer_wait(&timer))
			break;
	}
	/* What has not come by now is not on its way. */
	for (size_t i = 0; i < work->count; i++)
		work->entries[work->owners[i]].asked_back = false;
	free(accesses);
	return error;
}

/** Whether a value was asked for that has not been seen, of a kind that takes time to appear. */
static bool may_appear(const struct entry *entry)
{
	return entry->written && !entry->confirmed && item_settling_time(entry->item.kind) > 0;
}

/**
 * A value that was accepted and never appeared, and one that the kernel does not show, has to be
 * overwritten even though nothing seems to have happened: a register may still hold it. Of no limit
 * of cpufreq it is certain that it is shown: another process may have disabled turbo since. (A
 * recovery has found out what is hidden.)
 */
static bool is_unseen(const struct isst_change *change, const struct entry *entry)
{
	return !entry->overwritten &&
	       ((entry->written && (entry->hidden || item_is_of_package(&entry->item) ||
				    (change->ran && item_is_limit(&entry->item)))) ||
		may_appear(entry));
}

/** Whether nothing is to be restored of an item, as far as can be seen. */
static bool is_restored(struct isst_change *change, const struct entry *entry,
			struct item_value now)
{
	return is_as_before(entry, now) || limit_is_held(entry, now.number) ||
	       change_reveal(change, &entry->item, entry->old, now) ||
	       limit_is_concealed(change, &entry->item, entry->old.number, now.number);
}

/** Keeps those accesses that differ from the baseline, to be written, in reverse order. */
static void select_changed(struct restoration *work)
{
	size_t count = 0;

	for (size_t i = work->count; i-- > 0;) {
		const struct entry *entry = &work->entries[work->owners[i]];
		struct item_access access = work->accesses[i];
		size_t to = work->count + count;

		if (!access.failure.error && !is_unseen(work->change, entry) &&
		    (access.absent || is_restored(work->change, entry, access.value)))
			continue;
		work->owners[to] = work->owners[i];
		work->now[to] = access.value;
		work->unread[to] = access.failure.error != 0;
		access.value = restored_value(entry, &access);
		access.restores = true;
		work->accesses[to] = access;
		count++;
	}
	memmove(work->owners, work->owners + work->count, count * sizeof(*work->owners));
	memmove(work->accesses, work->accesses + work->count, count * sizeof(*work->accesses));
	memmove(work->now, work->now + work->count, count * sizeof(*work->now));
	memmove(work->unread, work->unread + work->count, count * sizeof(*work->unread));
	work->count = count;
}

/**
 * Gives firmware the time that it may take for values that have not appeared in time: one that is
 * there can be rolled back, while one that is not may be refused to be overwritten. What has not
 * come by then does not come.
 */
static int await_pending(struct restoration *work, enum item_kind kind)
{
	struct poll_timer timer = poll_timer_for(item_settling_time(kind));
	int error = 0;
	bool pending;

	do {
		pending = false;
		error = items_read(work->change->context, work->accesses, work->count);
		for (size_t i = 0; i < work->count && !error; i++) {
			const struct entry *entry = &work->entries[work->owners[i]];

			pending |= may_appear(entry) && !entry->waited &&
				   !work->accesses[i].failure.error &&
				   is_as_before(entry, work->accesses[i].value);
		}
	} while (!error && pending && poll_timer_wait(&timer));
	return error;
}

/** Reads what entries are now; the first @attempt waits for what may still appear. */
static int read_present(struct restoration *work, enum item_kind kind, unsigned int attempt)
{
	if (work->count == 0)
		return 0;
	if (attempt == 0)
		return await_pending(work, kind);
	return items_read(work->change->context, work->accesses, work->count);
}

/** Restores the entries of one kind. */
static int restore_kind(struct isst_change *change, struct entry *entries, size_t count,
			enum item_kind kind, unsigned int attempt)
{
	struct restoration work = { .change = change, .entries = entries };
	int error = -ENOMEM;

	work.owners = calloc(2 * count, sizeof(*work.owners));
	work.accesses = calloc(2 * count, sizeof(*work.accesses));
	work.now = calloc(2 * count, sizeof(*work.now));
	work.unread = calloc(2 * count, sizeof(*work.unread));
	if (!work.owners || !work.accesses || !work.now || !work.unread)
		goto out;
	for (size_t i = 0; i < count; i++)
		if (entries[i].item.kind == kind && entries[i].old_known) {
			work.owners[work.count] = i;
			work.accesses[work.count++].item = entries[i].item;
		}
	error = read_present(&work, kind, attempt);
	if (!error)
		select_changed(&work);
	if (error || work.count == 0)
		goto out;
	error = write_all(&work);
	if (!error && item_settling_time(kind))
		error = await_restored(&work, kind);
out:
	free(work.owners);
	free(work.accesses);
	free(work.now);
	free(work.unread);
	return error;
}

/** Restores entries. Memory that is short for those of one kind does not keep the others from being
 * restored. Returns the first error. */
static int restore(struct isst_change *change, struct entry *entries, size_t count,
		   unsigned int attempt)
{
	int first_error = 0;

	for (int kind = 0; kind < ITEM_KINDS && count > 0; kind++) {
		int error = restore_kind(change, entries, count, (enum item_kind)kind, attempt);

		first_error = first_error ? first_error : error;
	}
	return first_error;
}

/** CPUs that carried requests may have gone offline. */
static void rediscover(struct isst_change *change)
{
	if (change_touches_cpus(change) && context_discover_topology(change->context))
		message_trace(&change->context->messages, "rollback: %s",
			      isst_error(change->context));
}

/* ---- What differs in the end ---- */

/** Called for each entry whose old value is known. */
typedef int (*entry_visitor)(struct isst_change *change, struct baseline *present,
			     const struct entry *entry);

static int visit(struct isst_change *change, struct baseline *present, const struct entry *entries,
		 size_t count, entry_visitor visitor)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		if (entries[i].old_known)
			error = visitor(change, present, &entries[i]);
	return error;
}

static int visit_all(struct isst_change *change, struct baseline *present, entry_visitor visitor)
{
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		const struct step *step = change->steps[i];

		if (!step->begun)
			continue;
		error = visit(change, present, step->entries, step->count, visitor);
		if (!error)
			error = visit(change, present, step->footprint, step->footprint_count,
				      visitor);
	}
	return error;
}

static int add_present(struct isst_change *change, struct baseline *present,
		       const struct entry *entry)
{
	(void)change;
	return baseline_add(present, &entry->item, true);
}

/** Bits that no step wrote or disturbed are ignored here. */
static int add_mask(struct isst_change *change, struct baseline *present, const struct entry *entry)
{
	struct baseline_item *item = baseline_find(present, &entry->item);

	(void)change;
	if (item)
		item->mask |= entry->mask;
	return 0;
}

/** Why an item no longer exists, and what restores it. */
static const char *why_gone(struct isst_change *change, const struct item *item)
{
	if (item->kind != ITEM_UNCORE_MAX && item->kind != ITEM_UNCORE_MIN)
		return item_why_gone(change->context, item, "it no longer exists");
	return message_make(&change->texts,
			    "it no longer exists; is the module intel_uncore_frequency%s loaded?",
			    context_has_power_domains(change->context) ? "_tpmi" : "");
}

/** Compares an item once: the old value of the first entry counts. */
static int compare_entry(struct isst_change *change, struct baseline *present,
			 const struct entry *entry)
{
	struct baseline_item *item = baseline_find(present, &entry->item);
	struct entry whole = *entry;

	/* It reads as what others are; what was written to it is known. */
	if (item_is_of_package(&entry->item)) {
		if (entry->written && !entry->overwritten)
			change_differs_unread(change, &entry->item, "it could not be restored");
		return 0;
	}
	if (!item || item->compared)
		return 0;
	item->compared = true;
	whole.mask = item->mask;
	if (item->failure.error)
		change_differs_unread(change, &entry->item, item->failure.message);
	else if (!item->value_known && !entry->appeared)
		change_differs_unread(change, &entry->item, why_gone(change, &entry->item));
	else if (item->value_known && !is_as_before(&whole, item->value) &&
		 !limit_is_concealed(change, &entry->item, entry->old.number, item->value.number) &&
		 !limit_is_held(entry, item->value.number))
		change_differs(change, &entry->item, item->value, entry->old);
	return 0;
}

static int compare_all(struct isst_change *change)
{
	struct baseline present = { 0 };
	int error = visit_all(change, &present, add_present);

	if (!error)
		error = baseline_read(&present, change->context, false);
	if (!error)
		error = visit_all(change, &present, add_mask);
	if (!error)
		error = visit_all(change, &present, compare_entry);
	baseline_clear(&present);
	return error;
}

/** Restores all steps and compares. Returns as change_undo() does. */
static int roll_back(struct isst_change *change, unsigned int attempt)
{
	int unrestored = 0, error;

	rediscover(change);
	for (size_t i = change->count; i-- > 0;) {
		struct step *step = change->steps[i];

		if (!step->begun)
			continue;
		error = restore(change, step->entries, step->count, attempt);
		if (step->kind == ITEM_ONLINE)
			rediscover(change);
		unrestored = unrestored ? unrestored : error;
		error = restore(change, step->footprint, step->footprint_count, attempt);
		unrestored = unrestored ? unrestored : error;
	}
	error = compare_all(change);
	if (!error && change->differences.count > 0)
		error = -ENOTRECOVERABLE;
	return error ? error : unrestored;
}

/* A register, a file or firmware that is busy for a moment, or memory that is short, must not leave
 * the machine half changed: what still differs is restored again after a pause. */
static const unsigned int PAUSES_US[] = { 2000, 25000 };

int change_undo(struct isst_change *change)
{
	int error = roll_back(change, 0);

	for (unsigned int i = 0; i < sizeof(PAUSES_US) / sizeof(PAUSES_US[0]) && error; i++) {
		poll_sleep_us(PAUSES_US[i]);
		change_forget_differences(change);
		error = roll_back(change, i + 1);
	}
	return error;
}
