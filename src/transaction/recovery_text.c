/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recovery reports of the items of a journal. */
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "sysfs/cpufreq.h"
#include "transaction/recovery.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { LISTED_MOST = 8 }; /* items in a message; of more it counts those of each kind */

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

size_t recovery_count(const struct isst_journal *journal, tracked_test test)
{
	size_t count = 0;

	for (size_t i = 0; i < journal->count; i++)
		count += test(&journal->tracked[i]);
	return count;
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

static const char *describe_tracked(const struct isst_journal *journal,
				    const struct tracked *tracked)
{
	struct isst_context *context = journal->context;
	const char *target = item_describe(context, &tracked->item);
	const char *now = tracked->unreadable ? "unknown"
					      : item_value_text(&context->messages, &tracked->item,
								tracked->now);

	if (tracked->finding != FOUND_WRITTEN)
		return message_make(&context->messages, "%s is %s", target, now);
	return message_make(&context->messages, "%s: %s -> %s", target, now,
			    item_value_text(&context->messages, &tracked->item, tracked->old));
}

/** `CLOS (4)`, or `scaling_max_freq of CPUs 0-3`: the items of one kind, where there are any.
 * Returns 0 or -ENOMEM. */
static int print_kind(FILE *stream, const struct isst_journal *journal, tracked_test test,
		      enum item_kind kind, const char **separator)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	char *ranges = NULL;
	size_t count = 0;
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < journal->count && !error; i++) {
		const struct tracked *tracked = &journal->tracked[i];

		if (tracked->item.kind != kind || !test(tracked))
			continue;
		count++;
		if (item_kinds[tracked->item.kind].of_cpu)
			error = isst_cpuset_add(cpus, tracked->item.index, tracked->item.index);
	}
	if (!error && isst_cpuset_count(cpus) > 0) {
		ranges = name_numbers("CPU", cpus);
		error = ranges ? 0 : -ENOMEM;
	}
	if (!error && count > 0) {
		fprintf(stream, "%s%s", *separator, item_kinds[kind].what);
		*separator = ", ";
		if (ranges)
			fprintf(stream, " of %s", ranges);
		else
			fprintf(stream, " (%zu)", count);
	}
	free(ranges);
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

char *recovery_list(const struct isst_journal *journal, tracked_test test)
{
	const char *texts[LISTED_MOST];
	size_t count = 0;

	if (recovery_count(journal, test) > LISTED_MOST)
		return recovery_list_kinds(journal, test);
	for (size_t i = 0; i < journal->count; i++)
		if (test(&journal->tracked[i]))
			texts[count++] = describe_tracked(journal, &journal->tracked[i]);
	return recovery_join(texts, count);
}
