/* SPDX-License-Identifier: BSD-3-Clause */
/* How messages describe an interrupted change. */
#include "transaction/recovery_text.h"
#include "common/memory_stream.h"
#include "sysfs/cpufreq.h"
#include "transaction/findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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
	char *cpus = isst_cpuset_to_list(journal->offline);
	bool one = isst_cpuset_count(journal->offline) == 1;

	if (cpus)
		fprintf(stream,
			"%zu item%s cannot be reached while CPU%s %s %s offline: bring %s online (" CPU_DIRECTORY
			"/cpuN/online)",
			count, count == 1 ? "" : "s", one ? "" : "s", cpus, one ? "is" : "are",
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
	char *ranges = isst_cpuset_to_list(cpus);

	if (ranges)
		fprintf(stream, " of CPU%s %s", isst_cpuset_count(cpus) == 1 ? "" : "s", ranges);
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
