/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rolls back what an interrupted run left. An item is restored only while it has the value that the
 * run left it with: whatever else it has was given to it by another process since, and stays.
 */
#include "transaction/recovery.h"
#include "base/machine.h"
#include "sysfs/cpufreq.h"
#include "transaction/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* ---- What the journal says of each item ---- */

static struct tracked *find(struct isst_journal *journal, const struct item *item)
{
	for (size_t i = 0; i < journal->count; i++)
		if (item_is(&journal->tracked[i].item, item))
			return &journal->tracked[i];
	return NULL;
}

/** What a line of a footprint says is not known until its step is complete: but the kernel moves
 * limits of CPUs in a known way. */
static bool is_known(const struct isst_journal *journal, const struct journal_line *line)
{
	return !item_is_disturbed(&line->saved.item) || line->step <= journal->text.verified;
}

static void note_role(const struct isst_journal *journal, struct tracked *tracked,
		      const struct journal_line *line)
{
	bool verified = line->step <= journal->text.verified;

	switch (line->role) {
	case JOURNAL_ITEM:
		tracked->previous = tracked->last;
		tracked->last = line->saved.written;
		tracked->written = true;
		tracked->half_done = !verified;
		tracked->known |= verified;
		tracked->pending = !verified && line->step <= journal->text.written &&
				   item_settling_time(line->saved.item.kind) > 0;
		break;
	case JOURNAL_FOOTPRINT:
		/* What it became stands in a later line, where that is known. */
		tracked->known &= is_known(journal, line);
		break;
	default:
		tracked->last = line->saved.written;
		tracked->known = true;
		break;
	}
}

static int track(struct isst_journal *journal)
{
	const struct journal_text *text = &journal->text;

	journal->tracked = calloc(text->count + 1, sizeof(*journal->tracked));
	if (!journal->tracked)
		return -ENOMEM;
	for (size_t i = 0; i < text->count; i++) {
		const struct journal_line *line = &text->lines[i];
		struct tracked *tracked = find(journal, &line->saved.item);

		if (!tracked) {
			tracked = &journal->tracked[journal->count++];
			*tracked = (struct tracked){ .item = line->saved.item,
						     .old = line->saved.old,
						     .last = line->saved.old,
						     .previous = line->saved.old,
						     .line = line->number,
						     .known = true };
		}
		note_role(journal, tracked, line);
	}
	return 0;
}

/** Before anything is written: what no run can have noted was put there by others. */
static int check(const struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *tracked = &journal->tracked[i];

		if (plausible(journal->context, &tracked->item, tracked->old) ||
		    plausible(journal->context, &tracked->item, tracked->last))
			return message_error(
				&journal->context->messages, -EIO,
				"%s/journal:%u: %s: this machine has no such item, or it cannot have "
				"this value: nothing is changed until `isst journal discard` has "
				"removed the file, which leaves the machine as it is",
				journal->context->machine->runtime_directory, tracked->line,
				item_describe(journal->context, &tracked->item));
	}
	return 0;
}

/* ---- What is there now ---- */

/** Features are asked for by level, and the level may be another one by now. */
static int read_features(struct isst_journal *journal)
{
	struct item_access *accesses = calloc(journal->count + 1, sizeof(*accesses));
	size_t count = 0;
	int error = accesses ? 0 : -ENOMEM;

	for (size_t i = 0; i < journal->count && !error; i++) {
		const struct tracked *level = &journal->tracked[i];

		if (level->item.kind != ITEM_LEVEL || level->unreadable)
			continue;
		for (size_t j = 0; j < journal->count; j++)
			if (journal->tracked[j].item.kind == ITEM_FEATURES &&
			    item_same_domain(&journal->tracked[j].item, &level->item)) {
				accesses[count].item = journal->tracked[j].item;
				accesses[count++].item.index = (unsigned int)level->now.number;
			}
	}
	if (!error && count > 0)
		error = items_read(journal->context, accesses, count);
	for (size_t i = 0; i < count && !error; i++) {
		struct tracked *tracked = find(journal, &accesses[i].item);

		tracked->now = accesses[i].value;
		tracked->unreadable = accesses[i].absent || accesses[i].failure.error;
	}
	free(accesses);
	return error;
}

static int read_present(struct isst_journal *journal)
{
	struct item_access *accesses = calloc(journal->count + 1, sizeof(*accesses));
	int error = accesses ? 0 : -ENOMEM;

	for (size_t i = 0; i < journal->count && !error; i++)
		accesses[i].item = journal->tracked[i].item;
	if (!error)
		error = items_read(journal->context, accesses, journal->count);
	for (size_t i = 0; i < journal->count && !error; i++) {
		journal->tracked[i].now = accesses[i].value;
		journal->tracked[i].unreadable = accesses[i].absent || accesses[i].failure.error;
	}
	free(accesses);
	return error ? error : read_features(journal);
}

/** A limit that the kernel holds within the range of the processor, and the lower one below the
 * upper one, is not another's. */
static bool is_clamped(struct isst_journal *journal, const struct tracked *tracked, uint64_t limit)
{
	struct item other = tracked->item;
	const struct tracked *upper;
	uint64_t clamped;

	if (cpufreq_clamp(&journal->context->files, tracked->item.index,
			  tracked->item.kind == ITEM_SCALING_MAX ? CPUFREQ_MAX : CPUFREQ_MIN, limit,
			  &clamped) == 0 &&
	    tracked->now.number == clamped)
		return true;
	if (tracked->item.kind != ITEM_SCALING_MIN)
		return false;
	other.kind = ITEM_SCALING_MAX;
	upper = find(journal, &other);
	return upper && !upper->unreadable && tracked->now.number == upper->now.number &&
	       limit > upper->now.number;
}

/** A limit that reads as before may be the one that was written, where the kernel shows neither:
 * while turbo is off. */
static bool is_hidden(struct isst_journal *journal, const struct tracked *tracked)
{
	return item_is_limit(&tracked->item) && tracked->written &&
	       tracked->last.number != tracked->old.number &&
	       is_clamped(journal, tracked, tracked->last.number);
}

/** An item is away with its CPU, as long as that is where the run left it. */
static bool went_with_cpu(struct isst_journal *journal, const struct tracked *tracked)
{
	const struct item cpu = item_of_cpu(tracked->item.index);
	const struct tracked *online = item_is_limit(&tracked->item) ? find(journal, &cpu) : NULL;

	return online && online->now.number == 0 && online->last.number == 0;
}

/** The register of turbo ratio limits may be that of the package, and then one power domain's item
 * is another name of the next one's. */
static bool has_other_name(const struct isst_journal *journal, const struct tracked *tracked)
{
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *other = &journal->tracked[i];

		if (tracked->item.kind == ITEM_TURBO_RATIO_LIMITS &&
		    other->item.kind == ITEM_TURBO_RATIO_LIMITS && other->written &&
		    other->item.package == tracked->item.package &&
		    other->last.number == tracked->now.number)
			return true;
	}
	return false;
}

static enum finding judge(struct isst_journal *journal, const struct tracked *tracked)
{
	const struct item *item = &tracked->item;

	if (tracked->unreadable)
		return went_with_cpu(journal, tracked) ? FOUND_WRITTEN : FOUND_UNCERTAIN;
	if (item_value_equal(item, tracked->now, tracked->old))
		return tracked->pending || is_hidden(journal, tracked) ? FOUND_WRITTEN : FOUND_OLD;
	if ((tracked->known || tracked->written) &&
	    item_value_serves(item, tracked->now, tracked->last))
		return FOUND_WRITTEN;
	if (has_other_name(journal, tracked))
		return FOUND_WRITTEN;
	if (tracked->half_done && tracked->known &&
	    item_value_equal(item, tracked->now, tracked->previous))
		return FOUND_WRITTEN;
	if (item_is_limit(item) &&
	    (is_clamped(journal, tracked, tracked->last.number) ||
	     (tracked->half_done && is_clamped(journal, tracked, tracked->previous.number))))
		return FOUND_WRITTEN;
	if ((!tracked->known || tracked->half_done || journal->text.rollback) &&
	    item_is_disturbed(item) &&
	    (explained_by_level(journal, tracked) || explained_by_partition(journal, tracked)))
		return FOUND_WRITTEN;
	/* A rollback moves what firmware resets with it, and a partition is several files. */
	if (!tracked->known || (journal->text.rollback && item_is_disturbed(item)) ||
	    (tracked->half_done && item->kind == ITEM_PARTITION))
		return FOUND_UNCERTAIN;
	return FOUND_MOVED;
}

/** Whether an item of a step is what may have disturbed another one: of the same CPU or domain. */
static bool may_disturb(const struct item *item, const struct item *other)
{
	if (item_is_of_cpu(item) && item_is_of_cpu(other))
		return item->index == other->index;
	return item->package == other->package && item->die == other->die &&
	       item->domain == other->domain;
}

/** What a step disturbed is another's, too, once another has changed what the step wrote. */
static bool is_overtaken(struct isst_journal *journal, const struct journal_line *footprint)
{
	const struct journal_text *text = &journal->text;

	for (size_t i = 0; i < text->count; i++) {
		const struct journal_line *line = &text->lines[i];

		if (line->step == footprint->step && line->role == JOURNAL_ITEM &&
		    may_disturb(&line->saved.item, &footprint->saved.item) &&
		    find(journal, &line->saved.item)->finding == FOUND_MOVED)
			return true;
	}
	return false;
}

static void judge_all(struct isst_journal *journal)
{
	const struct journal_text *text = &journal->text;

	for (size_t i = 0; i < journal->count; i++)
		journal->tracked[i].finding = judge(journal, &journal->tracked[i]);
	for (size_t i = 0; i < text->count; i++) {
		struct tracked *tracked = find(journal, &text->lines[i].saved.item);

		if (text->lines[i].role == JOURNAL_FOOTPRINT && !tracked->written &&
		    tracked->finding != FOUND_OLD && is_overtaken(journal, &text->lines[i]))
			tracked->finding = FOUND_MOVED;
	}
}

/** Whether it cannot be said of everything that the interrupted run left it so. */
static bool has_moved(const struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++)
		if (journal->tracked[i].finding >= FOUND_UNCERTAIN)
			return true;
	return false;
}

/* ---- Opening ---- */

static int examine(struct isst_journal *journal)
{
	int error = journal_text_read(journal->context, &journal->text);

	if (error || journal->text.done)
		return error ? error : -ENOENT;
	error = track(journal);
	if (!error)
		error = check(journal);
	if (!error)
		error = read_present(journal);
	if (!error)
		judge_all(journal);
	return error;
}

int isst_journal_open(struct isst_context *context, struct isst_journal **result)
{
	struct isst_journal *journal;
	int error;

	*result = NULL;
	if (!context->topology)
		return message_error(&context->messages, -EINVAL,
				     "the machine is not discovered yet");
	journal = calloc(1, sizeof(*journal));
	if (!journal)
		return -ENOMEM;
	journal->context = context;
	error = examine(journal);
	if (!error)
		*result = journal;
	else
		isst_journal_free(journal);
	return error == -ENOENT ? 0 : error;
}

void isst_journal_free(struct isst_journal *journal)
{
	if (!journal)
		return;
	journal_text_clear(&journal->text);
	free(journal->tracked);
	free(journal->listed);
	free(journal);
}

const char *isst_journal_command(const struct isst_journal *journal)
{
	return journal->text.command ? journal->text.command : "";
}

int64_t isst_journal_age(const struct isst_journal *journal)
{
	struct timespec now;

	if (!journal->text.begun_s || clock_gettime(CLOCK_BOOTTIME, &now) ||
	    (uint64_t)now.tv_sec < journal->text.begun_s)
		return -1;
	return now.tv_sec - (int64_t)journal->text.begun_s;
}

bool isst_journal_moved(const struct isst_journal *journal)
{
	return has_moved(journal);
}

static int list_items(struct isst_journal *journal)
{
	static const char *const FINDINGS[] = {
		[FOUND_OLD] = "as before",
		[FOUND_WRITTEN] = "as the interrupted run left it",
		[FOUND_UNCERTAIN] = "changed by the interrupted run or another process",
		[FOUND_MOVED] = "changed by another process",
	};

	journal->listed = calloc(journal->count + 1, sizeof(*journal->listed));
	for (size_t i = 0; i < journal->count && journal->listed; i++) {
		const struct tracked *tracked = &journal->tracked[i];
		struct isst_context *context = journal->context;

		journal->listed[i] = (struct isst_journal_item){
			.target = item_describe(context, &tracked->item),
			.old_value = item_describe_value(context, &tracked->item, tracked->old),
			.written_value = tracked->written
						 ? item_describe_value(context, &tracked->item,
								       tracked->last)
						 : NULL,
			.present_value = tracked->unreadable
						 ? "unknown"
						 : item_describe_value(context, &tracked->item,
								       tracked->now),
			.finding = FINDINGS[tracked->finding],
			.restored = tracked->finding == FOUND_WRITTEN ||
				    tracked->finding == FOUND_UNCERTAIN,
			.moved = tracked->finding == FOUND_MOVED,
		};
	}
	return journal->listed ? 0 : -ENOMEM;
}

const struct isst_journal_item *isst_journal_item(struct isst_journal *journal, size_t index)
{
	if (!journal->listed && list_items(journal))
		return NULL;
	return index < journal->count ? &journal->listed[index] : NULL;
}

/* ---- Applying ---- */

/** What another process wrote stays: it is put back where the rollback itself disturbs it. */
static void set_entry(struct entry *entry, const struct tracked *tracked)
{
	entry->recorded = !tracked->unreadable || tracked->finding != FOUND_MOVED;
	entry->needed = true;
	entry->old = tracked->finding == FOUND_MOVED ? tracked->now : tracked->old;
	entry->wanted = tracked->last;
	/* What the kernel shows neither of. */
	entry->hidden = tracked->finding == FOUND_WRITTEN && !tracked->pending &&
			item_is_limit(&entry->item) && tracked->now.number == tracked->old.number;
	entry->written = tracked->pending || entry->hidden;
	entry->timed_out = tracked->pending;
	entry->confirmed = !tracked->pending;
}

static void rebuild_line(struct isst_journal *journal, struct step *step,
			 const struct journal_line *line)
{
	const struct item *item = &line->saved.item;

	if (!step)
		return;
	if (line->role == JOURNAL_ITEM) {
		size_t count = step->count;

		step_set(step, *item, WHOLE_VALUE, line->saved.written.number);
		if (step->count > count)
			set_entry(&step->entries[count], find(journal, item));
	} else if (line->role == JOURNAL_FOOTPRINT) {
		size_t count = step->footprint_count;

		step_disturbs(step, *item);
		if (step->footprint_count > count)
			set_entry(&step->footprint[count], find(journal, item));
	}
}

/** Makes the steps that the journal tells of, as if they had been begun. */
static void rebuild(struct isst_journal *journal, struct isst_change *change)
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
		rebuild_line(journal, step, line);
	}
}

/** Texts of a list as one, for the message of an error. */
static char *join(const char *(*next)(const void *list, size_t index), const void *list)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	const char *part;
	bool failed = !stream;

	for (size_t i = 0; !failed && (part = next(list, i)); i++)
		failed = fprintf(stream, "%s%s", i ? "; " : "", part) < 0;
	if (stream && fclose(stream))
		failed = true;
	if (!failed)
		return text;
	free(text);
	return NULL;
}

static const char *next_difference(const void *change, size_t index)
{
	return isst_change_difference(change, index);
}

static int fail(struct isst_journal *journal, const struct isst_change *change, int error)
{
	char *differences = join(next_difference, change);

	message_error(&journal->context->messages, error,
		      "the incomplete change of an interrupted run could not be rolled back as a "
		      "whole: %s; " JOURNAL_KEPT,
		      differences ? differences : "out of memory");
	free(differences);
	return error;
}

int isst_journal_apply(struct isst_journal *journal)
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
	context->keep_journal = false;
	error = isst_change_new(context, &options, &change);
	context->keep_journal = kept;
	if (error)
		return error;
	rebuild(journal, change);
	/* Should this run be killed as well, the next one knows that values moved. */
	error = change->broken ? -ENOMEM : journal_reopen(change);
	if (!error) {
		journal_rollback(change);
		error = change_undo(change);
	}
	if (error == -ENOTRECOVERABLE)
		error = fail(journal, change, error);
	/* What could not be restored is left to the next run. */
	if (!error)
		journal_end(change);
	isst_change_free(change);
	return error;
}

int isst_journal_discard(struct isst_context *context)
{
	if (context->lock < 0)
		return message_error(&context->messages, -EINVAL,
				     "discarding the journal needs the lock");
	return journal_remove(context);
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

struct listing {
	const struct isst_journal *journal;
	bool moved; /* those that were changed since; else those that are rolled back */
};

/** The n-th item of a listing. */
static const char *next_listed(const void *data, size_t index)
{
	const struct listing *listing = data;
	struct isst_context *context = listing->journal->context;

	for (size_t i = 0; i < listing->journal->count; i++) {
		const struct tracked *tracked = &listing->journal->tracked[i];

		if (tracked->finding == FOUND_OLD ||
		    (tracked->finding >= FOUND_UNCERTAIN) != listing->moved || index-- > 0)
			continue;
		return message_make(
			&context->messages, listing->moved ? "%s is %s" : "%s: %s -> %s",
			item_describe(context, &tracked->item),
			tracked->unreadable
				? "unknown"
				: item_describe_value(context, &tracked->item, tracked->now),
			item_describe_value(context, &tracked->item, tracked->old));
	}
	return NULL;
}

static int refuse_moved(const struct isst_journal *journal)
{
	const struct listing listing = { journal, true };
	char *moved = join(next_listed, &listing);
	int error = message_error(
		&journal->context->messages, -EIO,
		"a run was interrupted in the middle of a change (%s, %s), and the machine was "
		"changed since, or may have been: %s; nothing is changed until `isst journal show` "
		"was looked at, and `isst journal apply` or `isst journal discard` was run",
		*isst_journal_command(journal) ? isst_journal_command(journal) : "unknown command",
		describe_age(journal), moved ? moved : "out of memory");

	free(moved);
	return error;
}

static int recover(struct isst_journal *journal)
{
	const struct listing listing = { journal, false };
	char *restored;
	int error;

	if (has_moved(journal))
		return refuse_moved(journal);
	restored = join(next_listed, &listing);
	error = isst_journal_apply(journal);
	if (!error)
		message_notice(
			&journal->context->messages,
			"rolled back the incomplete change of an interrupted run (%s, %s): %s",
			*isst_journal_command(journal) ? isst_journal_command(journal)
						       : "unknown command",
			describe_age(journal),
			!restored   ? "out of memory"
			: *restored ? restored
				    : "everything was as before");
	free(restored);
	return error;
}

int journal_recover(struct isst_context *context)
{
	struct isst_journal *journal;
	int error = isst_journal_open(context, &journal);

	if (error)
		return error;
	/* Another boot's: the machine was reset since. Or one of a change that is complete. */
	if (!journal)
		return journal_remove(context);
	error = recover(journal);
	isst_journal_free(journal);
	return error;
}

/** Whether some run is changing the machine now: then the journal is that run's own. */
static bool change_at_work(const struct isst_context *context)
{
	int descriptor = open(context->machine->lock_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool busy = descriptor < 0 || flock(descriptor, LOCK_SH | LOCK_NB) != 0;

	if (descriptor >= 0)
		close(descriptor);
	return busy;
}

void journal_tell(struct isst_context *context)
{
	const char *error = context->messages.error;
	struct journal_text text;

	if (journal_text_read(context, &text) == 0 && text.count > 0 && !text.done &&
	    !change_at_work(context))
		message_notice(&context->messages,
			       "a run was interrupted in the middle of a change; the next run that "
			       "changes something rolls it back, and `isst journal show` lists it");
	journal_text_clear(&text);
	/* Who may not read the journal is not told of it: this run does not need it. */
	context->messages.error = error;
}
