/* SPDX-License-Identifier: BSD-3-Clause */
/* Rolls back what an interrupted run left, as far as recovery.c has found that it is that run's. */
#include "base/machine.h"
#include "sysfs/cpufreq.h"
#include "transaction/lock.h"
#include "transaction/record.h"
#include "transaction/recovery.h"
#include "transaction/steps.h"
#include "transaction/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MOST = 8 }; /* items in a message; of more it says how many of which kind */

/* ---- Applying ---- */

/** What another process wrote stays: it is put back where the rollback itself disturbs it. */
static void set_entry(const struct isst_journal *journal, struct entry *entry,
		      const struct tracked *tracked)
{
	entry->recorded = tracked->finding == FOUND_MOVED ? !tracked->unreadable
							  : tracked->finding < FOUND_OFFLINE;
	entry->needed = true;
	entry->late = tracked->late;
	entry->mask = tracked_bits(tracked);
	entry->old = tracked->finding == FOUND_MOVED ? tracked->now : tracked->old;
	entry->wanted = tracked->last;
	/* What the kernel shows neither of. */
	entry->hidden = tracked->finding == FOUND_WRITTEN && !tracked->pending &&
			item_is_limit(&entry->item) && tracked->now.number == tracked->old.number;
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

/** Makes the steps that the journal tells of, as if they had been begun. */
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

/** Texts of a list as one, for a message: not more of them than somebody reads. */
static char *join(const char *const *texts, size_t count)
{
	char *text = NULL;
	size_t size, shown = count > LISTED_MOST ? LISTED_MOST : count;
	FILE *stream = open_memstream(&text, &size);
	bool failed = !stream;

	for (size_t i = 0; i < shown && !failed; i++)
		failed = fprintf(stream, "%s%s", i ? "; " : "", texts[i]) < 0;
	if (!failed && shown < count)
		failed = fprintf(stream, "; and %zu more", count - shown) < 0;
	if (stream && fclose(stream))
		failed = true;
	if (!failed)
		return text;
	free(text);
	return NULL;
}

/** A journal is kept, too, by a run that came to its end, and could not take its change back; and
 * one that was cut off while it did so was not the only thing that went wrong. */
static const char *what_happened(const struct journal_text *text)
{
	return text->rollback ? "a change could not be rolled back as a whole"
			      : "a run was interrupted in the middle of a change";
}

static const char *which_run(const struct journal_text *text)
{
	return text->rollback ? "earlier" : "interrupted";
}

/** Whatever a rollback that was begun ended with: it is not complete. */
static int fail(struct isst_journal *journal, const struct isst_change *change)
{
	size_t count = change->differences.count;
	char *differences = count > 0 ? join(change->differences.texts, count) : NULL;
	int error = message_error(
		&journal->context->messages, -ENOTRECOVERABLE,
		"the incomplete change of an %s run could not be rolled back as a whole: "
		"%s; " JOURNAL_KEPT,
		which_run(&journal->text), differences ? differences : "out of memory");
	free(differences);
	return error;
}

static size_t count_found(const struct isst_journal *journal, enum finding finding)
{
	size_t count = 0;

	for (size_t i = 0; i < journal->count; i++)
		count += journal->tracked[i].finding == finding;
	return count;
}

static size_t count_waiting(const struct isst_journal *journal)
{
	size_t count = 0;

	for (size_t i = 0; i < journal->count; i++)
		count += finding_waits(journal->tracked[i].finding);
	return count;
}

static bool print_offline(FILE *stream, const struct isst_journal *journal)
{
	size_t count = count_found(journal, FOUND_OFFLINE);
	char *cpus = isst_cpuset_ranges(journal->offline);
	bool one = isst_cpuset_count(journal->offline) == 1;
	bool good = cpus && fprintf(stream,
				    "%zu item%s cannot be reached while CPU%s %s %s offline: bring "
				    "%s online (" CPU_DIRECTORY "/cpuN/online)",
				    count, count == 1 ? "" : "s", one ? "" : "s", cpus,
				    one ? "is" : "are", one ? "it" : "them") >= 0;

	free(cpus);
	return good;
}

static bool print_unserved(FILE *stream, const struct isst_journal *journal)
{
	size_t count = count_found(journal, FOUND_UNSERVED);

	return fprintf(stream,
		       "%zu item%s cannot be reached while the driver does not offer %s power "
		       "domain%s: let isst_tpmi serve the devices again",
		       count, count == 1 ? "" : "s", count == 1 ? "its" : "their",
		       count == 1 ? "" : "s") >= 0;
}

static bool print_unread(FILE *stream, const struct isst_journal *journal)
{
	size_t count = count_found(journal, FOUND_UNREAD);

	return fprintf(stream, "%zu item%s cannot be read (%s): see that %s can be", count,
		       count == 1 ? "" : "s",
		       journal->why_unread ? journal->why_unread : "out of memory",
		       count == 1 ? "it" : "they") >= 0;
}

/** Closes the stream of a text. Returns it, or NULL where it is not whole. */
static char *end_text(FILE *stream, char **text, bool good)
{
	if (stream && fclose(stream))
		good = false;
	if (good)
		return *text;
	free(*text);
	return NULL;
}

/** What cannot be reached, and what helps; "" where all can be. To be freed. */
static char *describe_waiting(const struct isst_journal *journal)
{
	bool offline = count_found(journal, FOUND_OFFLINE) > 0;
	bool unserved = count_found(journal, FOUND_UNSERVED) > 0;
	bool unread = count_found(journal, FOUND_UNREAD) > 0;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	bool good = stream && (!offline || print_offline(stream, journal)) &&
		    (!offline || !unserved || fputs("; ", stream) >= 0) &&
		    (!unserved || print_unserved(stream, journal)) &&
		    (!unread || !(offline || unserved) || fputs("; ", stream) >= 0) &&
		    (!unread || print_unread(stream, journal));

	return end_text(stream, &text, good);
}

/** What can be reached was rolled back; the rest has to wait, with the journal. */
static int keep_rest(struct isst_journal *journal)
{
	char *waiting = describe_waiting(journal);
	int error = message_error(
		&journal->context->messages, -EAGAIN,
		"what can be reached was rolled back, but %s, then run `isst "
		"journal apply` again; `isst journal discard` leaves them as they "
		"are",
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
			     "the journal is not there any more: it was applied or discarded");
}

/**
 * The CPU that the run may have written a domain's MSR through, which carries no request now: the
 * lowest of the domain's carries them, while it is online. Returns false where it is online.
 */
static bool was_carrier(const struct isst_domain *domain, unsigned int *carrier)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, domain->present)
		if (!domain->has_cpu || cpu < domain->cpu) {
			*carrier = cpu;
			return true;
		}
	return false;
}

/** Before 6.16 the kernel writes an MSR again when the CPU comes online that wrote it last. */
static void tell_carriers(const struct isst_journal *journal)
{
	struct isst_context *context = journal->context;

	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *tracked = &journal->tracked[i];
		const struct item *item = &tracked->item;
		const struct topology_domain *domain;
		unsigned int cpu;

		if (item->kind != ITEM_TURBO_RATIO_LIMITS || !tracked->written ||
		    tracked->finding != FOUND_WRITTEN)
			continue;
		domain = topology_find_domain(context->topology, item->package, item->die,
					      item->domain);
		if (domain && was_carrier(&domain->public, &cpu))
			message_notice(
				&context->messages,
				"%s: the turbo ratio limits were rolled back while CPU %u is "
				"offline: kernels before 6.16 write those of the incomplete change "
				"again once it comes online, if that was made through it; a run "
				"with --all-cpus-online brings it online and corrects that",
				domain->public.name, cpu);
	}
}

static int apply(struct isst_journal *journal)
{
	struct isst_context *context = journal->context;
	struct isst_change_options options = { .command = "recovery" };
	struct isst_change *change;
	bool kept = context->keep_journal;
	int error;

	if (context->lock < 0)
		return message_error(
			&context->messages, -EINVAL,
			"a rollback needs the lock, taken before the machine is discovered");
	error = check_there(journal);
	if (error)
		return error;
	context->keep_journal = false;
	error = isst_change_new(context, &options, &change);
	context->keep_journal = kept;
	if (error)
		return error;
	rebuild(journal, change);
	/* Should this run be killed as well, the next one knows that values moved. */
	error = change->broken ? -ENOMEM : journal_reopen(change, &journal->text);
	if (!error) {
		journal_rollback(change);
		if (change_undo(change))
			error = fail(journal, change);
	}
	if (!error && count_waiting(journal) > 0)
		error = keep_rest(journal);
	/* What could not be restored is left to the next run. */
	if (!error) {
		/* First: without their journal they would be taken for those of the next change. */
		record_unstage(context);
		error = journal_end(change);
	}
	isst_change_free(change);
	if (!error || error == -EAGAIN)
		tell_carriers(journal);
	return error;
}

int isst_journal_apply(struct isst_journal *journal)
{
	struct messages *messages = &journal->context->messages;
	const char *before = message_begin(messages);

	return message_end(messages, before, apply(journal));
}

/**
 * Removes a journal that there is nothing to roll back of. Of a change that is complete the
 * records may be missing yet. @damaged: also one that cannot be read, unless that is for want of
 * memory or descriptors, when nobody knows whether the change is complete.
 */
static int remove_journal(struct isst_context *context, bool damaged)
{
	const char *before = context->messages.error;
	struct journal_text text;
	int error = journal_text_read(context, &text);
	bool done = !error && text.done;

	journal_text_clear(&text);
	if (error && error != -ENOENT && (!damaged || runtime_file_is_shortage(error)))
		return error;
	if (done) {
		error = record_adopt(context);
		if (error)
			return error;
	} else {
		record_unstage(context);
	}
	context->messages.error = before;
	return journal_remove(context);
}

static int discard(struct isst_context *context)
{
	if (context->lock < 0)
		return message_error(&context->messages, -EINVAL,
				     "discarding the journal needs the lock");
	return remove_journal(context, true);
}

int isst_journal_discard(struct isst_context *context)
{
	const char *before = message_begin(&context->messages);

	return message_end(&context->messages, before, discard(context));
}

void isst_journal_keep(struct isst_context *context)
{
	context->keep_journal = true;
}

/* ---- On the way of another change ---- */

/** `3 min`: as much as one wants to know. */
static const char *describe_age(const struct isst_journal *journal)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} UNITS[] = { { 86400, "days" }, { 3600, "hours" }, { 60, "minutes" } };
	int64_t age = isst_journal_age(journal);

	if (age < 0)
		return "at an unknown time";
	for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
		if (age >= 2 * UNITS[i].seconds)
			return message_make(&journal->context->messages, "%lld %s ago",
					    (long long)(age / UNITS[i].seconds), UNITS[i].name);
	return message_make(&journal->context->messages, "%lld seconds ago", (long long)age);
}

static const char *command_of(const struct isst_journal *journal)
{
	const char *command = isst_journal_command(journal);

	return *command ? command : "unknown command";
}

/** Which items a message is about. */
typedef bool (*tracked_test)(const struct tracked *tracked);

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
	return join(texts, count);
}

/** `CLOS (4)`, or `scaling_max_freq of CPUs 0-3`: the items of one kind, where there are any. */
static bool print_kind(FILE *stream, const struct isst_journal *journal, tracked_test test,
		       enum item_kind kind, bool first)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	char *ranges = NULL;
	size_t count = 0;
	bool good = cpus != NULL;

	for (size_t i = 0; i < journal->count && good; i++) {
		const struct tracked *tracked = &journal->tracked[i];

		if (tracked->item.kind != kind || !test(tracked))
			continue;
		count++;
		if (item_is_of_cpu(&tracked->item))
			good = !isst_cpuset_add(cpus, tracked->item.index, tracked->item.index);
	}
	if (good && count > 0 && isst_cpuset_count(cpus) > 0) {
		ranges = isst_cpuset_ranges(cpus);
		good = ranges &&
		       fprintf(stream, "%s%s of CPU%s %s", first ? "" : ", ", item_kind_text(kind),
			       isst_cpuset_count(cpus) == 1 ? "" : "s", ranges) >= 0;
	} else if (good && count > 0) {
		good = fprintf(stream, "%s%s (%zu)", first ? "" : ", ", item_kind_text(kind),
			       count) >= 0;
	}
	free(ranges);
	isst_cpuset_free(cpus);
	return good;
}

/** How many items of which kinds; all of them are what `isst journal show` is for. */
static char *count_items(const struct isst_journal *journal, tracked_test test)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	bool good = stream != NULL;

	for (int kind = 0; kind < ITEM_KINDS && good; kind++)
		good = print_kind(stream, journal, test, (enum item_kind)kind, ftell(stream) == 0);
	return end_text(stream, &text, good);
}

/** The items that a test is about, for a message; "" for none. To be freed. */
static char *summarise(const struct isst_journal *journal, tracked_test test)
{
	size_t count = 0;

	for (size_t i = 0; i < journal->count; i++)
		count += test(&journal->tracked[i]);
	return count > LISTED_MOST ? count_items(journal, test) : list_items(journal, test);
}

/** Another process wrote, or may have: somebody has to look. */
static int refuse_moved(const struct isst_journal *journal, const char *moved, const char *waiting)
{
	return message_error(
		&journal->context->messages, -EIO,
		"%s (%s, %s), and the machine was changed since, or may have been: %s%s%s; nothing is changed until `isst journal "
		"show` was looked at, and `isst journal apply` or `isst journal discard` was run",
		what_happened(&journal->text), command_of(journal), describe_age(journal), moved,
		*waiting ? "; " : "", waiting);
}

/** What the run left is out of reach for now. */
static int refuse_waiting(const struct isst_journal *journal, const char *waiting)
{
	return message_error(
		&journal->context->messages, -EIO,
		"%s (%s, %s), of which %s, and the next run rolls it back; nothing is changed until then: `isst journal show` lists the "
		"items, `isst journal apply` rolls back the others, `isst journal discard` leaves "
		"the machine as it is",
		what_happened(&journal->text), command_of(journal), describe_age(journal), waiting);
}

static int refuse(const struct isst_journal *journal)
{
	char *moved = summarise(journal, is_moved), *waiting = describe_waiting(journal);
	int error = -ENOMEM;

	if (moved && waiting)
		error = *moved ? refuse_moved(journal, moved, waiting)
			       : refuse_waiting(journal, waiting);
	free(moved);
	free(waiting);
	return error;
}

static void tell_rolled_back(struct isst_journal *journal, const char *restored, const char *aside)
{
	message_notice(&journal->context->messages,
		       "rolled back the incomplete change of an %s run (%s, %s): %s%s%s",
		       which_run(&journal->text), command_of(journal), describe_age(journal),
		       *restored ? restored : "everything was as before",
		       *aside ? "; left as they are, as SMT is off: " : "", aside);
}

static int recover(struct isst_journal *journal)
{
	char *restored, *aside;
	int error;

	if (isst_journal_moved(journal))
		return refuse(journal);
	restored = summarise(journal, is_rolled_back);
	aside = count_items(journal, is_aside);
	error = isst_journal_apply(journal);
	if (!error)
		tell_rolled_back(journal, restored ? restored : "out of memory",
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
	error = isst_journal_open(context, &journal);
	if (error)
		return error;
	/* Another boot's: the machine was reset since. Or one of a change that is complete. */
	if (!journal)
		return remove_journal(context, false);
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

void journal_tell(struct isst_context *context)
{
	const char *error = context->messages.error;
	struct journal_text text = { 0 };

	if (is_left(context, &text))
		message_notice(
			&context->messages,
			"%s; the next run that changes something rolls it back, or says what "
			"stands in the way, and `isst journal show` lists it",
			what_happened(&text));
	journal_text_clear(&text);
	/* Who may not read the journal is not told of it: this run does not need it. */
	context->messages.error = error;
}
