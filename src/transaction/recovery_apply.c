/* SPDX-License-Identifier: BSD-3-Clause */
/* Rolls back what an interrupted run left, as far as findings.c has found that it is that run's. */
#include "transaction/recovery_apply.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "sysfs/cpufreq.h"
#include "transaction/findings.h"
#include "transaction/lock.h"
#include "transaction/recovery.h"
#include "transaction/run.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- What a recovery reports ---- */

enum { LISTED_MOST = 8 }; /* items in a message; of more it counts those of each kind */

/** Texts of a list as one, for a message: at most LISTED_MOST of them. */
char *recovery_join(const char *const *texts, size_t count)
{
	size_t shown = count > LISTED_MOST ? LISTED_MOST : count;
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	for (size_t i = 0; i < shown; i++)
		fprintf(text.stream, "%s%s", i ? "; " : "", texts[i]);
	if (shown < count)
		fprintf(text.stream, "; and %zu more", count - shown);
	return memory_stream_text(&text);
}

const char *recovery_what_happened(const struct journal_text *text)
{
	if (text->rollback)
		return "a change could not be rolled back as a whole";
	return text->held ? "a run ended while it held a change"
			  : "a run was interrupted in the middle of a change";
}

const char *recovery_which_change(const struct journal_text *text)
{
	return text->held ? "held" : "incomplete";
}

const char *recovery_which_run(const struct journal_text *text)
{
	return text->rollback ? "earlier" : "interrupted";
}

static size_t count_found(const struct isst_journal *journal, enum finding finding)
{
	size_t count = 0;

	for (size_t i = 0; i < journal->count; i++)
		count += journal->tracked[i].finding == finding;
	return count;
}

/** How many items cannot be reached for now. */
static size_t recovery_count_waiting(const struct isst_journal *journal)
{
	size_t count = 0;

	for (size_t i = 0; i < journal->count; i++)
		count += finding_waits(journal->tracked[i].finding);
	return count;
}

static int print_offline(FILE *stream, const struct isst_journal *journal)
{
	size_t count = count_found(journal, FOUND_OFFLINE);
	char *cpus = name_numbers("CPU", journal->offline);
	bool one = isst_cpuset_count(journal->offline) == 1;

	if (cpus)
		fprintf(stream,
			"%zu item%s cannot be reached while %s %s offline: bring %s online (" CPU_DIRECTORY
			"/cpuN/online)",
			count, count == 1 ? "" : "s", cpus, one ? "is" : "are",
			one ? "it" : "them");
	free(cpus);
	return cpus ? 0 : -ENOMEM;
}

static void print_unserved(FILE *stream, const struct isst_journal *journal)
{
	size_t count = count_found(journal, FOUND_UNSERVED);

	fprintf(stream,
		"%zu item%s cannot be reached while the driver does not provide %s power domain%s: bind "
		"isst_tpmi to the devices again",
		count, count == 1 ? "" : "s", count == 1 ? "its" : "their", count == 1 ? "" : "s");
}

static void print_unread(FILE *stream, const struct isst_journal *journal)
{
	size_t count = count_found(journal, FOUND_UNREAD);

	fprintf(stream, "%zu item%s cannot be read (%s): make %s readable", count,
		count == 1 ? "" : "s", journal->why_unread ? journal->why_unread : "out of memory",
		count == 1 ? "it" : "they");
}

/** What cannot be reached, and what helps; "" where all can be. To be freed. */
char *recovery_describe_waiting(const struct isst_journal *journal)
{
	bool offline = count_found(journal, FOUND_OFFLINE) > 0;
	bool unserved = count_found(journal, FOUND_UNSERVED) > 0;
	bool unread = count_found(journal, FOUND_UNREAD) > 0;
	struct memory_stream text;
	int error = memory_stream_open(&text);

	if (error)
		return NULL;
	if (offline)
		error = print_offline(text.stream, journal);
	if (offline && unserved)
		fputs("; ", text.stream);
	if (unserved)
		print_unserved(text.stream, journal);
	if (unread && (offline || unserved))
		fputs("; ", text.stream);
	if (unread)
		print_unread(text.stream, journal);
	if (!error)
		return memory_stream_text(&text);
	memory_stream_drop(&text);
	return NULL;
}

const char *recovery_age_text(const struct isst_journal *journal)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} UNITS[] = { { 86400, "days" }, { 3600, "hours" }, { 60, "minutes" } };
	int64_t age = isst_journal_age_s(journal);

	if (age < 0)
		return "at an unknown time";
	for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
		if (age >= 2 * UNITS[i].seconds)
			return message_make(&journal->context->messages, "%lld %s ago",
					    (long long)(age / UNITS[i].seconds), UNITS[i].name);
	return message_make(&journal->context->messages, "%lld seconds ago", (long long)age);
}

const char *recovery_command(const struct isst_journal *journal)
{
	return journal_text_command(&journal->text);
}

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

static const char *describe_tracked(const struct isst_journal *journal,
				    const struct tracked *tracked)
{
	struct isst_context *context = journal->context;
	const char *target = item_describe(context, &tracked->item);
	const char *now = tracked->unreadable
				  ? "unknown"
				  : item_describe_value(context, &tracked->item, tracked->now);

	if (tracked->finding != FOUND_WRITTEN)
		return message_make(&context->messages, "%s is %s", target, now);
	return message_make(&context->messages, "%s: %s -> %s", target, now,
			    item_describe_value(context, &tracked->item, tracked->old));
}

static char *list_items(const struct isst_journal *journal, tracked_test test)
{
	const char *texts[LISTED_MOST];
	size_t count = 0;

	for (size_t i = 0; i < journal->count && count < LISTED_MOST; i++)
		if (test(&journal->tracked[i]))
			texts[count++] = describe_tracked(journal, &journal->tracked[i]);
	return recovery_join(texts, count);
}

/** ` of CPUs 0-3`. Returns 0 or -ENOMEM. */
static int print_cpus(FILE *stream, const struct isst_cpuset *cpus)
{
	char *ranges = name_numbers("CPU", cpus);

	if (ranges)
		fprintf(stream, " of %s", ranges);
	free(ranges);
	return ranges ? 0 : -ENOMEM;
}

/** `CLOS (4)`, or `scaling_max_freq of CPUs 0-3`: the items of one kind, where there are any.
 * Returns 0 or -ENOMEM. */
static int print_kind(FILE *stream, const struct isst_journal *journal, tracked_test test,
		      enum item_kind kind, const char **separator)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	size_t count = 0;
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < journal->count && !error; i++) {
		const struct tracked *tracked = &journal->tracked[i];

		if (tracked->item.kind != kind || !test(tracked))
			continue;
		count++;
		if (item_is_of_cpu(&tracked->item))
			error = isst_cpuset_add(cpus, tracked->item.index, tracked->item.index);
	}
	if (!error && count > 0) {
		fprintf(stream, "%s%s", *separator, item_kind_text(kind));
		*separator = ", ";
		if (isst_cpuset_count(cpus) > 0)
			error = print_cpus(stream, cpus);
		else
			fprintf(stream, " (%zu)", count);
	}
	isst_cpuset_free(cpus);
	return error;
}

/** How many items of which kinds; all of them are what `isst journal show` is for. */
char *recovery_list_kinds(const struct isst_journal *journal, tracked_test test)
{
	struct memory_stream text;
	const char *separator = "";
	int error = memory_stream_open(&text);

	if (error)
		return NULL;
	for (int kind = 0; kind < ITEM_KINDS && !error; kind++)
		error = print_kind(text.stream, journal, test, (enum item_kind)kind, &separator);
	if (!error)
		return memory_stream_text(&text);
	memory_stream_drop(&text);
	return NULL;
}

/** The items that a test is about, for a message; "" for none. To be freed. */
char *recovery_list(const struct isst_journal *journal, tracked_test test)
{
	size_t count = 0;

	for (size_t i = 0; i < journal->count; i++)
		count += test(&journal->tracked[i]);
	return count > LISTED_MOST ? recovery_list_kinds(journal, test) : list_items(journal, test);
}

char *recovery_list_moved(const struct isst_journal *journal)
{
	return recovery_list(journal, is_moved);
}

char *recovery_list_rolled_back(const struct isst_journal *journal)
{
	return recovery_list(journal, is_rolled_back);
}

char *recovery_list_aside(const struct isst_journal *journal)
{
	return recovery_list_kinds(journal, is_aside);
}

/* ---- Applying it ---- */

/** What another process wrote stays: it is restored where the rollback itself disturbs it. */
static void set_entry(const struct isst_journal *journal, struct entry *entry,
		      const struct tracked *tracked)
{
	entry->old_known = tracked->finding == FOUND_MOVED ? !tracked->unreadable
							   : tracked->finding < FOUND_OFFLINE;
	entry->needed = true;
	entry->appeared = tracked->appeared;
	entry->mask = tracked_bits(tracked);
	entry->old = tracked->finding == FOUND_MOVED ? tracked->now : tracked->old;
	entry->wanted = tracked->last;
	/* What the kernel shows neither of; and what it will show of a CPU that the rollback brings
	 * online is not known yet. */
	entry->hidden = tracked->finding == FOUND_WRITTEN && !tracked->pending &&
			item_is_limit(&entry->item) &&
			(tracked->unreadable || tracked->now.number == tracked->old.number);
	entry->written = tracked->pending ||
			 (tracked->written && tracked->finding == FOUND_WRITTEN);
	entry->confirmed = !tracked->pending;
	entry->asked_back = journal->text.rollback && entry->written;
}

static void rebuild_line(const struct isst_journal *journal, struct step *step, size_t number)
{
	const struct journal_line *line = &journal->text.lines[number];
	const struct tracked *tracked = journal->of_line[number];
	const struct item *item = &line->saved.item;

	if (!step)
		return;
	if (line->role == JOURNAL_ITEM) {
		size_t count = step->count;

		step_set(step, *item, WHOLE_VALUE, line->saved.written.number);
		if (step->count > count)
			set_entry(journal, &step->entries[count], tracked);
	} else if (line->role == JOURNAL_FOOTPRINT) {
		size_t count = step->footprint_count;

		step_disturbs(step, *item);
		if (step->footprint_count > count)
			set_entry(journal, &step->footprint[count], tracked);
	}
}

/** Makes the steps of the journal, as if they had been begun. */
static void rebuild(const struct isst_journal *journal, struct isst_change *change)
{
	const struct journal_text *text = &journal->text;
	unsigned int number = 0;
	struct step *step = NULL;

	for (size_t i = 0; i < text->count && !change->broken; i++) {
		const struct journal_line *line = &text->lines[i];

		if (line->step != number) {
			number = line->step;
			step = change_step(change, line->saved.item.kind);
			if (step)
				step->begun = true;
		}
		rebuild_line(journal, step, i);
	}
}

/** Whatever a rollback that was begun ended with: it is not complete. */
static int fail(struct isst_journal *journal, const struct isst_change *change)
{
	size_t count = change->differences.count;
	char *differences = count > 0 ? recovery_join(change->differences.texts, count) : NULL;
	int error = message_error(&journal->context->messages, -ENOTRECOVERABLE,
				  "the %s change of an %s run could not be rolled back as a whole: "
				  "%s; " JOURNAL_KEPT,
				  recovery_which_change(&journal->text),
				  recovery_which_run(&journal->text),
				  differences ? differences : "out of memory");
	free(differences);
	return error;
}

/** What can be reached was rolled back; the rest has to wait, with the journal. */
static int keep_rest(struct isst_journal *journal)
{
	char *waiting = recovery_describe_waiting(journal);
	int error = message_error(
		&journal->context->messages, -EAGAIN,
		"the reachable items were rolled back, but %s, then run `isst journal apply` "
		"again; `isst journal discard` leaves them as they are",
		waiting ? waiting : "out of memory");

	free(waiting);
	return error;
}

/** The file may be gone since it was opened: applied or discarded. */
static int check_there(struct isst_journal *journal)
{
	struct journal_text text;
	int error = journal_text_read(journal->context, &text);

	journal_text_clear(&text);
	if (error != -ENOENT)
		return error;
	return message_error(&journal->context->messages, -ENOENT,
			     "the journal no longer exists: it was applied or discarded");
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

		if (item->kind != ITEM_TURBO_RATIO_LIMITS || !tracked->written ||
		    tracked->finding != FOUND_WRITTEN)
			continue;
		if (was_carrier(context, item, &cpu))
			message_notice(
				&context->messages,
				"%s were rolled back while CPU %u is offline: if the incomplete change was made through this CPU, "
				"kernels before 6.16 write its limits again when the CPU comes "
				"online; a run with --all-cpus-online brings it online and "
				"corrects this",
				item_describe(context, item), cpu);
	}
}

int journal_restore(const struct isst_journal *journal, struct isst_change *change)
{
	int error;

	rebuild(journal, change);
	/* Should this run be killed as well, the next one knows that values moved. */
	error = change->broken ? -ENOMEM : journal_reopen(change, &journal->text);
	if (error)
		return error;
	return change_undo(change) ? -ENOTRECOVERABLE : 0;
}

static int apply(struct isst_journal *journal)
{
	struct isst_context *context = journal->context;
	struct isst_change_options options = { .command = "recovery" };
	struct isst_change *change;
	bool kept = context->keep_journal;
	int error;

	error = lock_check(context, journal->unlocks);
	if (!error)
		error = check_there(journal);
	if (error)
		return error;
	context->keep_journal = false;
	error = isst_change_new(context, &options, &change);
	context->keep_journal = kept;
	if (error)
		return error;
	error = journal_restore(journal, change);
	if (error == -ENOTRECOVERABLE)
		error = fail(journal, change);
	if (!error && recovery_count_waiting(journal) > 0)
		error = keep_rest(journal);
	/* What could not be restored is left to the next run. */
	if (!error) {
		/* First: without their journal they would be taken for those of the next change. */
		settings_unstage(context);
		error = journal_end(change);
	}
	change_free(change);
	if (!error || error == -EAGAIN)
		report_carriers(journal);
	return error;
}

/** There are none yet. */
static int check_flags(struct isst_context *context, unsigned int flags)
{
	return flags ? message_error(&context->messages, -EINVAL,
				     "the call does not know the flags %#x", flags)
		     : 0;
}

int isst_journal_apply(struct isst_journal *journal, unsigned int flags)
{
	struct messages *messages;
	const char *before;
	int error;

	if (!journal)
		return -EINVAL;
	messages = &journal->context->messages;
	before = message_begin(messages);
	error = check_flags(journal->context, flags);
	return message_end(messages, before, error ? error : apply(journal));
}

int journal_remove_complete(struct isst_context *context, bool damaged)
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

static int discard(struct isst_context *context)
{
	int error;

	if (!context_has_lock(context))
		return message_error(&context->messages, -EINVAL,
				     "discarding the journal requires the lock");
	error = lock_check_not_held(context);
	return error ? error : journal_remove_complete(context, true);
}

int isst_journal_discard(struct isst_context *context, unsigned int flags)
{
	const char *before;
	int error;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	error = check_flags(context, flags);
	return message_end(&context->messages, before, error ? error : discard(context));
}

/** A discovery under the lock has dealt with the journal. */
static int keep(struct isst_context *context)
{
	if (context->topology && context_has_lock(context) && !context->stale)
		return message_error(&context->messages, -EINVAL,
				     "the machine has already been discovered under the lock");
	context->keep_journal = true;
	return 0;
}

int isst_journal_keep(struct isst_context *context)
{
	const char *before;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	return message_end(&context->messages, before, keep(context));
}
