/* SPDX-License-Identifier: BSD-3-Clause */
/* Rolls back what an interrupted run left, as far as findings.c has found that it is that run's, or
 * discards its journal. */
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "sysfs/cpufreq.h"
#include "transaction/lock.h"
#include "transaction/run.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <stdlib.h>

/* ---- What a recovery reports of the items of a journal ---- */

enum { LISTED_MOST = 8 }; /* items in a message; of more it counts those of each kind */

char *recovery_join(const struct message_list *list)
{
	size_t shown = list->count > LISTED_MOST ? LISTED_MOST : list->count;
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	for (size_t i = 0; i < shown; i++)
		fprintf(text.stream, "%s%s", i ? "; " : "", list->items[i]->text);
	if (shown < list->count)
		fprintf(text.stream, "; and %zu more", list->count - shown);
	return memory_stream_text(&text);
}

static size_t count_found(const struct isst_journal *journal, enum finding finding)
{
	size_t count = 0;

	for (size_t i = 0; i < journal->count; i++)
		count += journal->tracked[i].finding == finding;
	return count;
}

char *recovery_describe_waiting(const struct isst_journal *journal)
{
	size_t offline = count_found(journal, FOUND_OFFLINE);
	size_t unserved = count_found(journal, FOUND_UNSERVED);
	size_t unread = count_found(journal, FOUND_UNREAD);
	bool one = isst_cpuset_count(journal->offline) == 1;
	char *cpus = offline ? name_numbers("CPU", journal->offline) : NULL;
	struct memory_stream text;

	if ((offline && !cpus) || memory_stream_open(&text)) {
		free(cpus);
		return NULL;
	}
	if (offline)
		fprintf(text.stream,
			"%zu item%s cannot be reached while %s %s offline: bring %s online "
			"(" CPU_DIRECTORY "/cpuN/online)",
			offline, offline == 1 ? "" : "s", cpus, one ? "is" : "are",
			one ? "it" : "them");
	if (unserved)
		fprintf(text.stream,
			"%s%zu item%s cannot be reached while the driver does not provide %s power "
			"domain%s: bind isst_tpmi to the devices again",
			offline ? "; " : "", unserved, unserved == 1 ? "" : "s",
			unserved == 1 ? "its" : "their", unserved == 1 ? "" : "s");
	if (unread)
		fprintf(text.stream, "%s%zu item%s cannot be read (%s): make %s readable",
			offline || unserved ? "; " : "", unread, unread == 1 ? "" : "s",
			journal->why_unread ? journal->why_unread : "out of memory",
			unread == 1 ? "it" : "they");
	free(cpus);
	return memory_stream_text(&text);
}

/** `CLOS (4), scaling_max_freq of CPUs 0-3`; `isst journal show` lists the items. */
char *recovery_list_kinds(const struct isst_journal *journal, tracked_test test)
{
	struct isst_cpuset *cpus[ITEM_KINDS] = { NULL };
	size_t counts[ITEM_KINDS] = { 0 };
	const char *separator = "";
	struct memory_stream text;
	int error = memory_stream_open(&text);

	if (error)
		return NULL;
	for (size_t i = 0; i < journal->count && !error; i++) {
		const struct item *item = &journal->tracked[i].item;

		if (!test(&journal->tracked[i]))
			continue;
		counts[item->kind]++;
		if (!item_kinds[item->kind].of_cpu)
			continue;
		if (!cpus[item->kind])
			cpus[item->kind] = isst_cpuset_new();
		error = cpus[item->kind]
				? isst_cpuset_add(cpus[item->kind], item->index, item->index)
				: -ENOMEM;
	}
	for (int kind = 0; kind < ITEM_KINDS; kind++) {
		char *ranges = cpus[kind] && !error ? name_numbers("CPU", cpus[kind]) : NULL;

		if (cpus[kind] && !ranges)
			error = -ENOMEM;
		if (counts[kind] > 0)
			fprintf(text.stream, "%s%s", separator, item_kinds[kind].what);
		if (ranges)
			fprintf(text.stream, " of %s", ranges);
		else if (counts[kind] > 0)
			fprintf(text.stream, " (%zu)", counts[kind]);
		separator = counts[kind] > 0 ? ", " : separator;
		free(ranges);
		isst_cpuset_free(cpus[kind]);
	}
	if (!error)
		return memory_stream_text(&text);
	memory_stream_drop(&text);
	return NULL;
}

char *recovery_list(const struct isst_journal *journal, tracked_test test)
{
	struct messages *messages = &journal->context->messages;
	const struct isst_message *items[LISTED_MOST], *item;
	struct message_list list = { items, 0 };

	for (size_t i = 0; i < journal->count; i++) {
		const struct isst_journal_entry *listed = &journal->listed[i];

		if (!test(&journal->tracked[i]))
			continue;
		if (list.count == LISTED_MOST)
			return recovery_list_kinds(journal, test);
		item = message_find(messages,
				    journal->tracked[i].finding == FOUND_WRITTEN
					    ? message_make(messages, "%s: %s -> %s", listed->target,
							   listed->present_value, listed->old_value)
					    : message_make(messages, "%s is %s", listed->target,
							   listed->present_value));
		if (item)
			items[list.count++] = item;
	}
	return recovery_join(&list);
}

/* ---- The run, in words ---- */

/** A journal is kept, too, by a run that could not roll its change back. */
static const char *what_happened(const struct journal_text *text)
{
	if (text->rollback)
		return "a change could not be rolled back as a whole";
	return text->held ? "a run ended while it held a change"
			  : "a run was interrupted in the middle of a change";
}

/** The command, and how long ago it began: as much as one wants to know. */
static const char *command_and_age(const struct isst_journal *journal)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} UNITS[] = { { 86400, "days" }, { 3600, "hours" }, { 60, "minutes" }, { 1, "seconds" } };
	struct messages *messages = &journal->context->messages;
	const char *command = journal_text_command(&journal->text);
	int64_t age = isst_journal_age_s(journal);
	size_t i = 0;

	if (age < 0)
		return message_make(messages, "%s, at an unknown time", command);
	while (UNITS[i].seconds > 1 && age < 2 * UNITS[i].seconds)
		i++;
	return message_make(messages, "%s, %lld %s ago", command,
			    (long long)(age / UNITS[i].seconds), UNITS[i].name);
}

/* ---- Applying it ---- */

/** What another process wrote stays: it is restored where the rollback itself disturbs it. */
static void set_entry(const struct isst_journal *journal, struct entry *entry,
		      const struct tracked *tracked)
{
	bool moved = tracked->finding == FOUND_MOVED, found = tracked->finding == FOUND_WRITTEN;

	if (moved ? !tracked->unreadable : tracked->finding < FOUND_OFFLINE)
		entry->state = tracked->pending		   ? ENTRY_WRITTEN
			       : tracked->written && found ? ENTRY_CONFIRMED
							   : ENTRY_NEEDED;
	entry->appeared = tracked->appeared;
	entry->mask = tracked_bits(tracked);
	entry->old = moved ? tracked->now : tracked->old;
	entry->wanted = tracked->last;
	/* The kernel shows neither, or the CPU comes online only with the rollback. */
	entry->hidden = found && !tracked->pending && item_is_limit(&entry->item) &&
			(tracked->unreadable || tracked->now.number == tracked->old.number);
	entry->asked_back = journal->text.rollback && entry->state >= ENTRY_WRITTEN;
}

int journal_restore(const struct isst_journal *journal, struct isst_change *change)
{
	const struct journal_text *text = &journal->text;
	unsigned int number = 0;
	struct step *step = NULL;
	int error;

	/* The steps of the journal are made as if they had been begun. */
	for (size_t i = 0; i < text->count && !change->broken; i++) {
		const struct journal_line *line = &text->lines[i];
		const struct item_line *saved = &line->saved;

		if (line->step != number) {
			number = line->step;
			step = change_step(change, saved->item.kind);
			if (step)
				step->begun = true;
		}
		if (line->role == JOURNAL_ITEM)
			set_entry(journal,
				  step_set(step, saved->item, WHOLE_VALUE, saved->written.number),
				  journal->of_line[i]);
		else if (line->role == JOURNAL_FOOTPRINT)
			set_entry(journal, step_disturbs(step, saved->item), journal->of_line[i]);
	}
	/* Should this run be killed as well, the next one knows that values moved. */
	error = change->broken ? -ENOMEM : journal_reopen(change, text);
	if (error)
		return error;
	return change_undo(change) ? -ENOTRECOVERABLE : 0;
}

/**
 * The CPU that the run may have written an MSR through, which carries no request now: the lowest of
 * the last domain that has it carries them, while it is online. Returns false where it is online.
 */
static bool was_carrier(const struct isst_context *context, const struct item *item,
			unsigned int *carrier)
{
	const struct isst_domain *now = item_domain(context, item);
	bool passed = false;
	unsigned int cpu;

	for (size_t i = isst_domain_count(context); i > 0 && !passed; i--) {
		const struct isst_domain *domain = context_domain(context, i - 1);
		const struct item own = item_of(item->kind, domain, item->index);

		passed = domain == now;
		if (!item_is(&own, item))
			continue;
		isst_cpuset_for_each (cpu, domain->present)
			if (!passed || !domain->has_cpu || cpu < domain->cpu) {
				*carrier = cpu;
				return true;
			}
	}
	return false;
}

/** Before 6.16 the kernel writes an MSR again when the CPU comes online that wrote it last. */
static void report_carriers(const struct isst_journal *journal)
{
	struct isst_context *context = journal->context;

	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *tracked = &journal->tracked[i];
		const struct item *item = &tracked->item;
		unsigned int cpu;

		if (item->kind == ITEM_TURBO_RATIO_LIMITS && tracked->written &&
		    tracked->finding == FOUND_WRITTEN && was_carrier(context, item, &cpu))
			message_notice(
				&context->messages, of_item(context, item),
				"%s were rolled back while CPU %u is offline: if the "
				"incomplete change was made through this CPU, kernels before "
				"6.16 write its limits again when the CPU comes online; a "
				"run with --all-cpus-online brings it online and corrects "
				"this",
				item_describe(context, item), cpu);
	}
}

/** Groups that were left have lost CPUs that went offline with the rollback. */
static void read_left_groups(struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		struct isst_journal_entry *listed = &journal->listed[i];
		struct item_access access = { .item = journal->tracked[i].item };

		if (!listed->moved || access.item.kind != ITEM_CPUSET_GROUPS ||
		    items_read(journal->context, &access, 1) || access.failure.error ||
		    access.absent)
			continue;
		listed->present_value = item_value_text(&journal->context->messages, &access.item,
							access.value);
		listed->present_number = item_number_of(&access.item, access.value, true);
	}
}

static int apply(struct isst_journal *journal, unsigned int flags)
{
	struct isst_context *context = journal->context;
	struct isst_change_options options = { .command = "recovery" };
	struct messages *messages = &context->messages;
	bool kept = context->keep_journal, waits = false;
	struct isst_change *change;
	struct journal_text text;
	char *list;
	int error;

	if (flags)
		return message_error(messages, -EINVAL, "the call does not know the flags %#x",
				     flags);
	error = lock_check(context, journal->unlocks);
	if (error)
		return error;
	/* The file may be gone since it was opened. */
	error = journal_text_read(context, &text);
	journal_text_clear(&text);
	if (error == -ENOENT)
		return message_error(messages, -ENOENT,
				     "the journal no longer exists: it was applied or discarded");
	if (error)
		return error;
	context->keep_journal = false;
	error = isst_change_new(context, &options, &change);
	context->keep_journal = kept;
	if (error)
		return error;
	error = journal_restore(journal, change);
	if (!error)
		read_left_groups(journal);
	for (size_t i = 0; i < journal->count; i++)
		waits |= tracked_waits(&journal->tracked[i]);
	if (error == -ENOTRECOVERABLE) {
		/* Whatever a rollback that was begun ended with: it is not complete. */
		const struct message_list *differences = &change->differences;

		list = differences->count > 0 ? recovery_join(differences) : NULL;
		message_error(messages, error,
			      "the %s change of an %s run could not be rolled back as a whole: "
			      "%s; " JOURNAL_KEPT,
			      journal->text.held ? "held" : "incomplete",
			      journal->text.rollback ? "earlier" : "interrupted",
			      list ? list : "out of memory");
		free(list);
	} else if (!error && waits) {
		/* What can be reached was rolled back; the rest has to wait, with the journal. */
		list = recovery_describe_waiting(journal);
		error = message_error(messages, -EAGAIN,
				      "the reachable items were rolled back, but %s, then run "
				      "`isst journal apply` again; `isst journal discard` leaves "
				      "them as they are",
				      list ? list : "out of memory");
		free(list);
	} else if (!error) {
		/* First: without their journal they would be taken for those of the next change. */
		settings_unstage(context);
		error = journal_end(change);
	}
	change_free(change);
	if (!error || error == -EAGAIN)
		report_carriers(journal);
	return error;
}

int isst_journal_apply(struct isst_journal *journal, unsigned int flags)
{
	struct messages *messages;
	const char *before;

	if (!journal)
		return -EINVAL;
	messages = &journal->context->messages;
	before = message_begin(messages);
	return message_end(messages, before, apply(journal, flags));
}

/* ---- Discarding it ---- */

/**
 * Removes a journal that there is nothing to roll back of. Of a change that is complete the
 * saved settings may not be written yet. @damaged: also one that cannot be read, unless that is for
 * want of memory or descriptors, when it is unknown whether the change is complete.
 */
static int remove_complete(struct isst_context *context, bool damaged)
{
	const char *before = context->messages.error;
	struct journal_text text;
	int error = journal_text_read(context, &text);
	bool done = !error && text.done;

	journal_text_clear(&text);
	if (error && error != -ENOENT && (!damaged || runtime_file_is_shortage(error)))
		return error;
	if (done) {
		error = settings_adopt(context);
		if (error)
			return error;
	} else {
		settings_unstage(context);
	}
	context->messages.error = before;
	return journal_remove(context);
}

int isst_journal_discard(struct isst_context *context, unsigned int flags)
{
	const char *before;
	int error;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	if (flags)
		error = message_error(&context->messages, -EINVAL,
				      "the call does not know the flags %#x", flags);
	else if (!context_has_lock(context))
		error = message_error(&context->messages, -EINVAL,
				      "discarding the journal requires the lock");
	else
		error = lock_check_not_held(context);
	if (!error)
		error = remove_complete(context, true);
	return message_end(&context->messages, before, error);
}

int isst_journal_keep(struct isst_context *context)
{
	const char *before;
	int error = 0;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	/* A discovery under the lock has dealt with the journal. */
	if (context->topology && context_has_lock(context) && !context->stale)
		error = message_error(&context->messages, -EINVAL,
				      "the machine has already been discovered under the lock");
	else
		context->keep_journal = true;
	return message_end(&context->messages, before, error);
}

/* ---- A run that begins ---- */

static bool is_moved(const struct tracked *tracked)
{
	return tracked->finding == FOUND_UNCERTAIN || tracked->finding == FOUND_MOVED;
}

static bool is_rolled_back(const struct tracked *tracked)
{
	return tracked->finding == FOUND_WRITTEN;
}

/** What the run wrote, and cannot be restored. */
static bool is_aside(const struct tracked *tracked)
{
	return tracked->finding == FOUND_SMT_OFF && tracked->written;
}

/** Refuses a recovery: the administrator has to decide, or what the run left is out of reach. */
static int refuse_recovery(const struct isst_journal *journal)
{
	char *moved = recovery_list(journal, is_moved);
	char *waiting = recovery_describe_waiting(journal);
	struct messages *messages = &journal->context->messages;
	const char *what = what_happened(&journal->text), *which = command_and_age(journal);
	int error = -ENOMEM;

	/* Another process wrote, or may have. */
	if (moved && waiting && *moved)
		error = message_error(
			messages, -ISST_ERR_JOURNAL,
			"%s (%s), and the machine was changed since, or may have been: %s%s%s; "
			"nothing is changed before a decision: check `isst journal show`, then run "
			"`isst journal apply` or `isst journal discard`",
			what, which, moved, *waiting ? "; " : "", waiting);
	else if (moved && waiting)
		error = message_error(
			messages, -ISST_ERR_JOURNAL,
			"%s (%s), of which %s, and the next run rolls it back; nothing is changed "
			"until then: `isst journal show` lists the items, `isst journal apply` "
			"rolls back the others, `isst journal discard` leaves the machine as it is",
			what, which, waiting);
	free(moved);
	free(waiting);
	return error;
}

int journal_recover(struct isst_context *context)
{
	struct isst_journal *journal = NULL;
	char *restored, *aside;
	int error;

	error = journal_open(context, &journal);
	if (error)
		return error;
	/* Another boot's: the machine was reset since. Or one of a change that is complete. */
	if (!journal)
		return remove_complete(context, false);
	if (journal_is_moved(journal)) {
		error = refuse_recovery(journal);
		isst_journal_free(journal);
		return error;
	}
	restored = recovery_list(journal, is_rolled_back);
	aside = recovery_list_kinds(journal, is_aside);
	error = apply(journal, 0);
	if (!error) {
		context->recovered |= !restored || *restored;
		message_notice(&context->messages, of_machine(),
			       "rolled back the %s change of an %s run (%s): %s%s%s",
			       journal->text.held ? "held" : "incomplete",
			       journal->text.rollback ? "earlier" : "interrupted",
			       command_and_age(journal),
			       !restored   ? "out of memory"
			       : *restored ? restored
					   : "all items had their old values",
			       aside && !*aside ? "" : "; left unchanged because SMT is off: ",
			       aside ? aside : "out of memory");
	}
	free(restored);
	free(aside);
	isst_journal_free(journal);
	return error;
}

void journal_report(struct isst_context *context)
{
	const char *error = context->messages.error;
	struct journal_text text = { 0 }, again = { 0 };

	/* Unless a run is at work on it: the journal is the same before and after a look at the
	 * lock. */
	if (!journal_text_read(context, &text) && text.count > 0 && !text.done &&
	    !lock_is_held(context) && !journal_text_read(context, &again) && !again.done &&
	    again.whole == text.whole && again.begun_s == text.begun_s)
		message_notice(
			&context->messages, of_machine(),
			"%s; the next run that changes the machine rolls it back, or reports the "
			"obstacle; `isst journal show` lists it",
			what_happened(&text));
	journal_text_clear(&again);
	journal_text_clear(&text);
	/* A caller who may not read the journal gets no notice: this run does not need it. */
	context->messages.error = error;
}
