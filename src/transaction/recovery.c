/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run that begins does about the journal of an interrupted one. */
#include "transaction/recovery.h"
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "sysfs/cpufreq.h"
#include "transaction/findings.h"
#include "transaction/lock.h"
#include "transaction/recovery_apply.h"

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

/** A journal is kept, too, by a run that came to its end, and could not take its change back; and
 * one that was cut off while it did so was not the only thing that went wrong. */
static const char *recovery_what_happened(const struct journal_text *text)
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

size_t recovery_count_waiting(const struct isst_journal *journal)
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

/** `3 min`: as much as one wants to know. */
static const char *recovery_age_text(const struct isst_journal *journal)
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

/** The command, and how long ago it began: as much as one wants to know. */
static const char *recovery_command(const struct isst_journal *journal)
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

/** Items that another process may have changed, that are rolled back, and that stay as they are
 * since SMT is off; "" for none. */
static char *recovery_list_moved(const struct isst_journal *journal)
{
	return recovery_list(journal, is_moved);
}

static char *recovery_list_rolled_back(const struct isst_journal *journal)
{
	return recovery_list(journal, is_rolled_back);
}

static char *recovery_list_aside(const struct isst_journal *journal)
{
	return recovery_list_kinds(journal, is_aside);
}

/* ---- Recovering ---- */

/** Another process wrote, or may have: the administrator has to decide. */
static int refuse_moved(const struct isst_journal *journal, const char *moved, const char *waiting)
{
	return message_error(
		&journal->context->messages, -EIO,
		"%s (%s, %s), and the machine was changed since, or may have been: %s%s%s; "
		"nothing is changed before a decision: check `isst journal show`, then run `isst "
		"journal apply` or `isst journal discard`",
		recovery_what_happened(&journal->text), recovery_command(journal),
		recovery_age_text(journal), moved, *waiting ? "; " : "", waiting);
}

/** What the run left is out of reach for now. */
static int refuse_waiting(const struct isst_journal *journal, const char *waiting)
{
	return message_error(
		&journal->context->messages, -EIO,
		"%s (%s, %s), of which %s, and the next run rolls it back; nothing is changed until then: `isst journal show` lists the "
		"items, `isst journal apply` rolls back the others, `isst journal discard` leaves "
		"the machine as it is",
		recovery_what_happened(&journal->text), recovery_command(journal),
		recovery_age_text(journal), waiting);
}

static int refuse(const struct isst_journal *journal)
{
	char *moved = recovery_list_moved(journal), *waiting = recovery_describe_waiting(journal);
	int error = -ENOMEM;

	if (moved && waiting)
		error = *moved ? refuse_moved(journal, moved, waiting)
			       : refuse_waiting(journal, waiting);
	free(moved);
	free(waiting);
	return error;
}

static void report_rolled_back(struct isst_journal *journal, const char *restored,
			       const char *aside)
{
	message_notice(&journal->context->messages,
		       "rolled back the %s change of an %s run (%s, %s): %s%s%s",
		       recovery_which_change(&journal->text), recovery_which_run(&journal->text),
		       recovery_command(journal), recovery_age_text(journal),
		       *restored ? restored : "all items had their old values",
		       *aside ? "; left unchanged because SMT is off: " : "", aside);
}

static int recover(struct isst_journal *journal)
{
	char *restored, *aside;
	int error;

	if (isst_journal_is_moved(journal))
		return refuse(journal);
	restored = recovery_list_rolled_back(journal);
	aside = recovery_list_aside(journal);
	error = isst_journal_apply(journal, 0);
	if (!error)
		report_rolled_back(journal, restored ? restored : "out of memory",
				   aside ? aside : "out of memory");
	free(restored);
	free(aside);
	return error;
}

int journal_recover(struct isst_context *context)
{
	struct isst_journal *journal;
	int error;

	if (journal_is_missing(context))
		return 0;
	error = isst_journal_open(context, 0, &journal);
	if (error)
		return error;
	/* Another boot's: the machine was reset since. Or one of a change that is complete. */
	if (!journal)
		return journal_remove_complete(context, false);
	error = recover(journal);
	isst_journal_free(journal);
	return error;
}

/** Whether there is a journal that no run is at work on. One that is at work writes its own: the
 * lock is looked at while a journal is there, the same before and after. */
static bool is_left(struct isst_context *context, struct journal_text *text)
{
	struct journal_text again = { 0 };
	bool left;

	if (journal_text_read(context, text) || text->count == 0 || text->done ||
	    lock_is_held(context))
		return false;
	left = journal_text_read(context, &again) == 0 && !again.done &&
	       again.whole == text->whole && again.begun_s == text->begun_s;
	journal_text_clear(&again);
	return left;
}

/** What a process holds looks like the state of the machine, and will be gone. The program that it
 * holds the change for knows. */
static void report_held(struct isst_context *context)
{
	unsigned int holder = journal_is_missing(context) ? 0 : lock_holder(context);
	const char *command = holder && holder != (unsigned int)getppid()
				      ? journal_held_by(context, holder)
				      : NULL;

	if (command)
		message_notice(&context->messages,
			       "process %u holds a change (%s): until it releases it or rolls it "
			       "back, the machine is in a temporary state",
			       holder, command);
}

void journal_report(struct isst_context *context)
{
	const char *error = context->messages.error;
	struct journal_text text = { 0 };

	report_held(context);
	if (is_left(context, &text))
		message_notice(
			&context->messages,
			"%s; the next run that changes the machine rolls it back, or reports the "
			"obstacle; `isst journal show` lists it",
			recovery_what_happened(&text));
	journal_text_clear(&text);
	/* A caller who may not read the journal gets no notice: this run does not need it. */
	context->messages.error = error;
}
