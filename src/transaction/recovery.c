/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares what an interrupted run left with what is there now. An item is restored only while it
 * has the value that the run left it with: whatever else it has was given to it by another process
 * since, and stays.
 */
#include "transaction/recovery.h"
#include "base/machine.h"
#include "sysfs/cpufreq.h"
#include "topology/cache.h"
#include "transaction/lock.h"
#include "transaction/revealed.h"
#include "transaction/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- What the journal says of each item ---- */

static int by_item(const void *key, const void *element)
{
	return item_compare(key, &(*(struct tracked *const *)element)->item);
}

static struct tracked *find(const struct isst_journal *journal, const struct item *item)
{
	struct tracked **found = bsearch(item, journal->sorted, journal->count,
					 sizeof(struct tracked *), by_item);

	return found ? *found : NULL;
}

/** A limit that was hidden while turbo was off, and came to sight before the run wrote it. */
static void note_revealed(struct tracked *tracked, const struct journal_line *line)
{
	if (!tracked->written && item_is_limit(&tracked->item) &&
	    (line->role == JOURNAL_ITEM || line->role == JOURNAL_FOOTPRINT))
		tracked->old = tracked->last = tracked->previous = line->saved.old;
}

static void note_role(const struct isst_journal *journal, struct tracked *tracked,
		      const struct journal_line *line)
{
	bool verified = line->step <= journal->text.verified;

	note_revealed(tracked, line);
	switch (line->role) {
	case JOURNAL_ITEM:
		tracked->previous = tracked->last;
		tracked->last = line->saved.written;
		tracked->written = true;
		tracked->half_done = !verified;
		tracked->known |= verified;
		/* Firmware is slower than a line of this file: what it was about to be asked for
		 * may be on its way. */
		tracked->pending = !verified && item_settling_time(line->saved.item.kind) > 0;
		break;
	case JOURNAL_FOOTPRINT:
		/* What it became stands in a later line, where that is known: the step may not be
		 * complete, or it could not be read back. The kernel moves limits of CPUs in a
		 * known way. */
		tracked->known &= !item_is_disturbed(&line->saved.item);
		break;
	default:
		tracked->last = line->saved.written;
		tracked->known = true;
		break;
	}
}

static int by_item_and_line(const void *left, const void *right)
{
	const struct journal_line *a = *(const struct journal_line *const *)left;
	const struct journal_line *b = *(const struct journal_line *const *)right;
	int order = item_compare(&a->saved.item, &b->saved.item);

	return order ? order : (a > b) - (a < b);
}

/** Finds which lines are about the same item: each points to the first of them. */
static int find_first_lines(const struct journal_text *text, const struct journal_line **first)
{
	const struct journal_line **sorted = calloc(text->count + 1, sizeof(*sorted));
	const struct journal_line *leader = NULL;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < text->count; i++)
		sorted[i] = &text->lines[i];
	qsort(sorted, text->count, sizeof(*sorted), by_item_and_line);
	for (size_t i = 0; i < text->count; i++) {
		const struct journal_line *line = sorted[i];

		if (!leader || item_compare(&leader->saved.item, &line->saved.item))
			leader = line;
		first[line - text->lines] = leader;
	}
	free(sorted);
	return 0;
}

static struct tracked *track_item(struct isst_journal *journal, const struct journal_line *line)
{
	struct tracked *tracked = &journal->tracked[journal->count];

	*tracked = (struct tracked){ .item = line->saved.item,
				     .old = line->saved.old,
				     .last = line->saved.old,
				     .previous = line->saved.old,
				     .line = line->number,
				     .known = true };
	journal->sorted[journal->count++] = tracked;
	return tracked;
}

static int by_tracked_item(const void *left, const void *right)
{
	return item_compare(&(*(struct tracked *const *)left)->item,
			    &(*(struct tracked *const *)right)->item);
}

/** Limits of CPUs that the run brought online go away again with the rollback. */
static void mark_late(struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *tracked = &journal->tracked[i];
		const struct item item = item_of_cpu(tracked->item.index);
		const struct tracked *online = item_is_limit(&tracked->item) ? find(journal, &item)
									     : NULL;

		tracked->late = online && !online->old.number;
	}
}

static int track(struct isst_journal *journal)
{
	const struct journal_text *text = &journal->text;
	const struct journal_line **first = calloc(text->count + 1, sizeof(*first));
	int error = -ENOMEM;

	journal->tracked = calloc(text->count + 1, sizeof(*journal->tracked));
	journal->of_line = calloc(text->count + 1, sizeof(*journal->of_line));
	journal->sorted = calloc(text->count + 1, sizeof(*journal->sorted));
	if (first && journal->tracked && journal->of_line && journal->sorted)
		error = find_first_lines(text, first);
	for (size_t i = 0; i < text->count && !error; i++) {
		const struct journal_line *line = &text->lines[i];

		journal->of_line[i] = first[i] == line ? track_item(journal, line)
						       : journal->of_line[first[i] - text->lines];
		note_role(journal, journal->of_line[i], line);
	}
	if (!error)
		qsort(journal->sorted, journal->count, sizeof(struct tracked *), by_tracked_item);
	if (!error)
		mark_late(journal);
	free(first);
	return error;
}

/** Before anything is written: what no run can have noted was put there by others. */
static int check(const struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *tracked = &journal->tracked[i];
		int place = item_place(journal->context, &tracked->item, NULL);

		if (place < 0)
			return place;
		tracked->place = (enum place)place;
		if (place == PLACE_NONE || !plausible(&tracked->item, tracked->old) ||
		    !plausible(&tracked->item, tracked->last))
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

static void note_unread(struct isst_journal *journal, const char *why)
{
	if (!journal->why_unread)
		journal->why_unread = why;
}

static void note_present(struct isst_journal *journal, struct tracked *tracked,
			 const struct item_access *access)
{
	tracked->now = access->value;
	tracked->failed = access->failure.error && tracked->place == PLACE_REACHED;
	/* The kernel says of a CPU that was taken out that it is not online. */
	tracked->unreadable = access->absent || access->failure.error ||
			      (access->item.kind == ITEM_ONLINE && tracked->place == PLACE_OFFLINE);
	if (tracked->failed)
		note_unread(journal, access->failure.message);
}

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
		error = items_read_twice(journal->context, accesses, count);
	for (size_t i = 0; i < count && !error; i++)
		note_present(journal, find(journal, &accesses[i].item), &accesses[i]);
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
		error = items_read_twice(journal->context, accesses, journal->count);
	for (size_t i = 0; i < journal->count && !error; i++)
		note_present(journal, &journal->tracked[i], &accesses[i]);
	free(accesses);
	return error ? error : read_features(journal);
}

/** What a look at the kernel's files ended with that tells whose a value is. One that failed must
 * not make it anybody's. */
static void note_look(struct isst_journal *journal, int error, const char *message)
{
	struct messages *messages = &journal->context->messages;

	if (error == -ENOMEM)
		journal->broken = true;
	else if (error && error != -ENOENT) {
		journal->blind = true;
		note_unread(journal, messages->error);
	}
	messages->error = message;
}

/** The other limit of a CPU, where it could be read. */
static const struct tracked *find_upper(struct isst_journal *journal, const struct tracked *lower)
{
	struct item item = lower->item;
	const struct tracked *upper;

	item.kind = ITEM_SCALING_MAX;
	upper = find(journal, &item);
	if (upper && upper->failed)
		journal->blind = true;
	return upper && !upper->unreadable ? upper : NULL;
}

/** A limit that the kernel holds within the range of the processor, and the lower one below the
 * upper one, is not another's. */
static bool is_clamped(struct isst_journal *journal, const struct tracked *tracked, uint64_t limit)
{
	const char *message = journal->context->messages.error;
	const struct tracked *upper;
	uint64_t clamped;
	int error = limit_clamp(journal->context, &tracked->item, limit, &clamped);

	note_look(journal, error, message);
	if (!error && tracked->now.number == clamped)
		return true;
	if (tracked->item.kind != ITEM_SCALING_MIN)
		return false;
	upper = find_upper(journal, tracked);
	return upper && tracked->now.number == upper->now.number && limit > upper->now.number;
}

/** A limit that reads as before may be the one that was written, where the kernel shows neither:
 * while turbo is off. */
static bool is_hidden(struct isst_journal *journal, const struct tracked *tracked)
{
	return item_is_limit(&tracked->item) && tracked->written &&
	       tracked->last.number != tracked->old.number &&
	       is_clamped(journal, tracked, tracked->last.number);
}

static int read_smt(struct isst_journal *journal)
{
	const char *message = journal->context->messages.error;
	char *control = NULL;
	int error = hotplug_smt_control(&journal->context->files, &control);

	journal->smt_off = !error && hotplug_smt_is_off(control);
	free(control);
	journal->context->messages.error = message;
	return error == -ENOMEM ? error : 0;
}

/** Which thread of its core a CPU is; where nothing is known of it, it has been offline since boot,
 * as second threads are without SMT. */
static unsigned int thread_of(const struct topology *topology, unsigned int number)
{
	const struct topology_cpu *cpu = topology_cpu(topology, number);

	if (cpu)
		return cpu->public.thread;
	for (size_t i = 0; i < topology->unreachable_count; i++)
		if (topology->unreachable[i].number == number)
			return topology->unreachable[i].thread;
	return 1;
}

/** Whether a CPU stays offline whatever is done: SMT was switched off since. */
static bool is_kept_offline(const struct isst_journal *journal, unsigned int cpu)
{
	const struct topology *topology = journal->context->topology;

	return journal->smt_off && !isst_cpuset_has(topology->online, cpu) &&
	       thread_of(topology, cpu) > 0;
}

/** Whether a CPU is offline by the run's doing, and comes online with the rollback. */
static bool comes_online(const struct isst_journal *journal, unsigned int cpu)
{
	const struct item item = item_of_cpu(cpu);
	const struct tracked *online = find(journal, &item);

	return online && !online->unreadable && online->now.number == 0 &&
	       online->last.number == 0 && !is_kept_offline(journal, cpu);
}

/** Whether the rollback brings a CPU online by which an item can be reached. */
static bool comes_with_cpu(struct isst_journal *journal, const struct tracked *tracked)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	int place = cpus ? item_place(journal->context, &tracked->item, cpus) : -ENOMEM;
	bool comes = false;
	unsigned int cpu;

	journal->broken |= place < 0;
	if (place == PLACE_OFFLINE)
		isst_cpuset_for_each (cpu, cpus)
			comes |= comes_online(journal, cpu);
	isst_cpuset_free(cpus);
	return comes;
}

/** What cannot be read now: it may be in reach once CPUs are online. */
static enum finding judge_unreadable(struct isst_journal *journal, const struct tracked *tracked)
{
	if (tracked->place == PLACE_UNSERVED)
		return FOUND_UNSERVED;
	if (tracked->place != PLACE_OFFLINE)
		return tracked->failed ? FOUND_UNREAD : FOUND_UNCERTAIN;
	/* A rollback restores the limits of a CPU before it takes it offline again. */
	if (tracked->late && journal->text.rollback)
		return FOUND_OLD;
	if (item_is_limit(&tracked->item) && is_kept_offline(journal, tracked->item.index))
		return FOUND_SMT_OFF;
	return comes_with_cpu(journal, tracked) ? FOUND_WRITTEN : FOUND_OFFLINE;
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

/** The run raised the upper limit that a lower one was shown at: a lower limit above the upper one
 * is not shown. */
static bool is_uncovered(struct isst_journal *journal, const struct tracked *lower)
{
	const struct tracked *upper;

	if (lower->item.kind != ITEM_SCALING_MIN)
		return false;
	upper = find_upper(journal, lower);
	return upper && upper->written && upper->last.number > upper->old.number &&
	       lower->old.number == upper->old.number && lower->now.number > lower->old.number;
}

/** Another base frequency, or a higher upper limit, brought a limit to sight that the run has not
 * written: it was there before. */
static bool is_revealed(struct isst_journal *journal, const struct tracked *tracked)
{
	const char *message = journal->context->messages.error;
	bool base_moves = false, revealed = false;

	if (tracked->written || !item_is_limit(&tracked->item))
		return false;
	if (is_uncovered(journal, tracked))
		return true;
	for (size_t i = 0; i < journal->count && !base_moves; i++) {
		const struct item *item = &journal->tracked[i].item;

		base_moves = (item->kind == ITEM_LEVEL || item->kind == ITEM_FEATURES) &&
			     item_same_domain(item, &tracked->item);
	}
	if (base_moves)
		note_look(journal,
			  limit_is_revealed(journal->context, &tracked->item, tracked->old.number,
					    tracked->now.number, &revealed),
			  message);
	return revealed;
}

uint64_t tracked_bits(const struct tracked *tracked)
{
	return tracked->written ? item_known_bits(tracked->item.kind) : WHOLE_VALUE;
}

/** Whether an item is now as @value, as far as the run has to do with it. */
static bool is_now(const struct tracked *tracked, struct item_value value)
{
	if (item_value_equal(&tracked->item, tracked->now, value))
		return true;
	/* That of a partition is text. */
	return tracked_bits(tracked) != WHOLE_VALUE &&
	       !((tracked->now.number ^ value.number) & tracked_bits(tracked));
}

static enum finding judge(struct isst_journal *journal, const struct tracked *tracked)
{
	const struct item *item = &tracked->item;

	if (tracked->unreadable)
		return judge_unreadable(journal, tracked);
	if (item->kind == ITEM_ONLINE && tracked->old.number &&
	    is_kept_offline(journal, item->index))
		return FOUND_SMT_OFF;
	if (is_now(tracked, tracked->old)) {
		if (is_hidden(journal, tracked))
			return FOUND_WRITTEN;
		return tracked->pending ? FOUND_PENDING : FOUND_OLD;
	}
	if ((tracked->known || tracked->written) &&
	    (is_now(tracked, tracked->last) ||
	     item_value_serves(item, tracked->now, tracked->last)))
		return FOUND_WRITTEN;
	if (has_other_name(journal, tracked))
		return FOUND_WRITTEN;
	if (is_revealed(journal, tracked))
		return FOUND_OLD;
	if (tracked->half_done && tracked->known && is_now(tracked, tracked->previous))
		return FOUND_WRITTEN;
	if (item_is_limit(item) &&
	    (is_clamped(journal, tracked, tracked->last.number) ||
	     (tracked->half_done && is_clamped(journal, tracked, tracked->previous.number))))
		return FOUND_WRITTEN;
	if ((!tracked->known || tracked->half_done || journal->text.rollback) &&
	    item_is_disturbed(item) &&
	    (explained_by_level(journal, tracked) || explained_by_partition(journal, tracked)))
		return FOUND_WRITTEN;
	/* A rollback moves what firmware resets with it. */
	if (!tracked->known || (journal->text.rollback && item_is_disturbed(item)))
		return FOUND_UNCERTAIN;
	/* A partition is several files; and what a value became is noted after it was read back. */
	if (tracked->half_done && (item->kind == ITEM_PARTITION ||
				   item_value_may_be_clipped(item, tracked->last, tracked->now)))
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

/** What a step disturbed is another's, too, once another has changed what the step wrote. @line
 * counts the lines of the text. */
static bool is_overtaken(const struct isst_journal *journal, size_t line)
{
	const struct journal_text *text = &journal->text;
	const struct journal_line *footprint = &text->lines[line];
	size_t first = line;

	/* The lines of a step stand together. */
	while (first > 0 && text->lines[first - 1].step == footprint->step)
		first--;
	for (size_t i = first; i < text->count && text->lines[i].step == footprint->step; i++)
		if (text->lines[i].role == JOURNAL_ITEM &&
		    journal->of_line[i]->finding == FOUND_MOVED &&
		    may_disturb(&text->lines[i].saved.item, &footprint->saved.item))
			return true;
	return false;
}

static bool may_be_overtaken(const struct tracked *tracked)
{
	return !tracked->written &&
	       (tracked->finding == FOUND_WRITTEN || tracked->finding == FOUND_UNCERTAIN);
}

static int judge_all(struct isst_journal *journal)
{
	const struct journal_text *text = &journal->text;
	int place = PLACE_OFFLINE;

	for (size_t i = 0; i < journal->count; i++) {
		journal->blind = false;
		journal->tracked[i].finding = judge(journal, &journal->tracked[i]);
		if (journal->blind)
			journal->tracked[i].finding = FOUND_UNREAD;
	}
	for (size_t i = 0; i < text->count; i++)
		if (text->lines[i].role == JOURNAL_FOOTPRINT &&
		    may_be_overtaken(journal->of_line[i]) && is_overtaken(journal, i))
			journal->of_line[i]->finding = FOUND_MOVED;
	for (size_t i = 0; i < journal->count && place >= 0; i++)
		if (journal->tracked[i].finding == FOUND_OFFLINE)
			place = item_place(journal->context, &journal->tracked[i].item,
					   journal->offline);
	if (journal->broken)
		return -ENOMEM;
	return place < 0 ? place : 0;
}

bool finding_waits(enum finding finding)
{
	return finding == FOUND_OFFLINE || finding == FOUND_UNSERVED || finding == FOUND_UNREAD;
}

bool finding_is_open(enum finding finding)
{
	return finding >= FOUND_UNCERTAIN && finding != FOUND_SMT_OFF;
}

/* ---- Opening ---- */

/** @none: there is no journal, or that of a change that is complete. */
static int read_text(struct isst_journal *journal, bool *none)
{
	int error = journal_text_read(journal->context, &journal->text);

	*none = error == -ENOENT || journal->text.done;
	return *none ? 0 : error;
}

/** Whether a journal is that of a run which is at work. Who holds the lock knows that of its own.
 */
static int check_at_work(struct isst_context *context)
{
	if (context->lock >= 0 || !lock_is_held(context))
		return 0;
	return message_error(&context->messages, -EBUSY,
			     "another run is changing the machine: what it does is no interrupted "
			     "change, and what it leaves can be seen once it has ended");
}

static int examine(struct isst_journal *journal)
{
	int error = track(journal);

	if (!error)
		error = check(journal);
	if (!error)
		error = read_present(journal);
	if (!error)
		error = read_smt(journal);
	return error ? error : judge_all(journal);
}

/** What may appear yet is waited for and overwritten, whether it has come by then or not. */
static bool is_restored(enum finding finding)
{
	return finding == FOUND_PENDING || finding == FOUND_WRITTEN || finding == FOUND_UNCERTAIN;
}

/** The items as isst_journal_item() shows them. */
static int list_items(struct isst_journal *journal)
{
	static const char *const FINDINGS[] = {
		[FOUND_OLD] = "as before",
		[FOUND_PENDING] = "as before, and may change yet",
		[FOUND_WRITTEN] = "as the interrupted run left it",
		[FOUND_UNCERTAIN] = "changed by the interrupted run or another process",
		[FOUND_MOVED] = "changed by another process",
		[FOUND_OFFLINE] = "not in reach while its CPUs are offline",
		[FOUND_UNSERVED] = "not in reach while the driver does not offer its power domain",
		[FOUND_UNREAD] = "cannot be read just now, or what tells whose it is",
		[FOUND_SMT_OFF] = "offline, as SMT is off",
	};

	journal->listed = calloc(journal->count + 1, sizeof(*journal->listed));
	if (!journal->listed)
		return -ENOMEM;
	journal->context->messages.lost = false;
	for (size_t i = 0; i < journal->count; i++) {
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
			.restored = is_restored(tracked->finding),
			.moved = tracked->finding == FOUND_MOVED,
			.kept = finding_waits(tracked->finding),
		};
	}
	/* An item without its texts is none that could be shown. */
	return journal->context->messages.lost ? -ENOMEM : 0;
}

static int open_journal(struct isst_context *context, struct isst_journal **result)
{
	struct isst_journal *journal;
	bool none = false;
	int error;

	*result = NULL;
	if (!context->topology)
		return message_error(&context->messages, -EINVAL,
				     "the machine is not discovered yet");
	journal = calloc(1, sizeof(*journal));
	if (!journal)
		return -ENOMEM;
	journal->context = context;
	journal->offline = isst_cpuset_new();
	error = journal->offline ? read_text(journal, &none) : -ENOMEM;
	if (!none && check_at_work(context))
		error = -EBUSY;
	if (!error && !none)
		error = examine(journal);
	/* A run may have begun while the items were read, or ended. */
	if (!none && check_at_work(context))
		error = -EBUSY;
	none |= journal_is_missing(context);
	if (!error && !none)
		error = list_items(journal);
	if (!error && !none)
		*result = journal;
	else
		isst_journal_free(journal);
	return error;
}

int isst_journal_open(struct isst_context *context, struct isst_journal **result)
{
	const char *before = message_begin(&context->messages);

	return message_end(&context->messages, before, open_journal(context, result));
}

void isst_journal_free(struct isst_journal *journal)
{
	if (!journal)
		return;
	journal_text_clear(&journal->text);
	isst_cpuset_free(journal->offline);
	free(journal->of_line);
	free(journal->sorted);
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
	for (size_t i = 0; i < journal->count; i++)
		if (finding_is_open(journal->tracked[i].finding))
			return true;
	return false;
}

const struct isst_journal_item *isst_journal_item(struct isst_journal *journal, size_t index)
{
	return index < journal->count ? &journal->listed[index] : NULL;
}
