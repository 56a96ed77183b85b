/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares what an interrupted run left with what is there now. An item is restored only while it
 * has the value that the run left it with: whatever else it has was given to it by another process
 * since, and stays.
 */
#include "sysfs/cpufreq.h"
#include "sysfs/cpuset_groups.h"
#include "sysfs/system.h"
#include "transaction/lock.h"
#include "transaction/tracked.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- What other items of the run explain ---- */

/** Whether an item is what @level makes of it, and the level is there by the run's own doing: it
 * was reached, or a rollback left it. What cannot be read of its effects explains nothing. */
static bool has_effect(struct isst_journal *journal, struct tracked *level,
		       const struct tracked *tracked)
{
	/* Servers were seen whose uncore goes no lower, whatever the level specifies. */
	enum { LOWEST_UNCORE_KHZ = 800000 };
	struct level_effects *effects = &level->effects;
	struct isst_context *context = journal->context;
	const struct topology_domain *domain = topology_find_domain(
		context->topology, level->item.package, level->item.die, level->item.domain);
	const char *error = context->messages.error;
	const struct item *item = &tracked->item;
	uint64_t value = 0;

	if (level->unreadable || !level->written)
		return false;
	if (item_value_equal(&level->item, level->now, level->old)
		    ? !journal->text.rollback
		    : !item_value_equal(&level->item, level->now, level->last))
		return false;
	if (item->kind != ITEM_FEATURES) {
		if (!level->effects_asked && domain && context->level_effects) {
			level->effects_asked = true;
			if (context->level_effects(context, &domain->public,
						   (unsigned int)level->now.number, effects))
				*effects = (struct level_effects){ 0 };
			context->messages.error = error;
		}
		if (item->kind == ITEM_TURBO_RATIO_LIMITS)
			value = effects->turbo_ratio_limits;
		else if (item->kind == ITEM_UNCORE_MAX && item->index < ISST_FABRICS)
			value = effects->uncore_max_khz[item->index];
		else if (item->kind == ITEM_UNCORE_MIN && item->index < ISST_FABRICS)
			value = effects->uncore_min_khz[item->index];
		if (value == 0)
			return false;
	}
	if (item->kind == ITEM_UNCORE_MIN && value < LOWEST_UNCORE_KHZ &&
	    tracked->now.number == LOWEST_UNCORE_KHZ)
		return true;
	/* Features go off with a level. */
	return ((tracked->now.number ^ value) & item_known_bits(item->kind)) == 0;
}

/** Whether what the run, or its rollback, does to @other made a disturbed item what it is. */
static bool explains(struct isst_journal *journal, struct tracked *other,
		     const struct tracked *tracked)
{
	/* Weight 15 and no limits: measured (docs/internals/hardware-reports.md). */
	enum { CLOS_RESET = 0xff00f0 };
	const struct item *item = &tracked->item;

	switch (other->item.kind) {
	case ITEM_LEVEL:
		return item_reaches_domain(item, &other->item) &&
		       has_effect(journal, other, tracked);
	case ITEM_CORE_POWER:
	case ITEM_QOS:
		/* Some firmware resets classes when core-power is enabled. */
		return other->written && item->kind == ITEM_CLOS &&
		       tracked->now.number == CLOS_RESET && item_reaches_domain(item, &other->item);
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		/* A write of the limit of a package sets those of its power domains. */
		return other->written && item_is_of_package(&other->item) &&
		       other->item.kind == item->kind && other->item.package == item->package &&
		       (tracked->now.number == other->last.number ||
			(journal->text.rollback && tracked->now.number == other->old.number));
	case ITEM_PARTITION:
		/* They need the cpuset controller. */
		return other->written && item->kind == ITEM_CPUSETS && tracked->now.number == 1;
	default:
		return false;
	}
}

/** The CPUs of a partition, in the text that is its value; "" for none. */
static const char *cpus_of(struct item_value value)
{
	const char *space = value.text ? strrchr(value.text, ' ') : NULL;

	return space ? space + 1 : "";
}

static bool is_explained(struct isst_journal *journal, const struct tracked *tracked)
{
	const char *text = tracked->now.text, *cpus = cpus_of(tracked->now);
	bool explained = false;

	/* A partition that is incomplete, in the making or in a rollback, also one of steps that
	 * were complete: its group is an ordinary member first and last. */
	if (tracked->item.kind == ITEM_PARTITION)
		return (tracked->unverified || journal->text.rollback) && text &&
		       (strcmp(text, "member") == 0 || strncmp(text, "member ", 7) == 0) &&
		       (*cpus == '\0' || strcmp(cpus, cpus_of(tracked->old)) == 0 ||
			strcmp(cpus, cpus_of(tracked->last)) == 0 ||
			strcmp(cpus, cpus_of(tracked->previous)) == 0);
	for (size_t i = 0; i < journal->count && !explained; i++)
		explained = explains(journal, &journal->tracked[i], tracked);
	return explained;
}

/** Groups of cgroup v1 cpusets lose CPUs that go offline. Each is a file: a run that is killed amid
 * its writes leaves some as they were. */
static bool is_of_groups(struct isst_journal *journal, const struct tracked *tracked)
{
	struct isst_cpuset *gone;
	char *before = NULL;
	bool ours = false, failed;

	if (tracked->item.kind != ITEM_CPUSET_GROUPS)
		return false;
	gone = isst_cpuset_new();
	failed = !gone;
	for (size_t i = 0; i < journal->count && !failed; i++) {
		const struct tracked *cpu = &journal->tracked[i];

		if (cpu->item.kind == ITEM_ONLINE && cpu->written)
			failed = isst_cpuset_add(gone, cpu->item.index, cpu->item.index);
	}
	journal->broken |= failed;
	if (!failed)
		ours = cpuset_groups_lost(tracked->old.text, tracked->now.text, gone);
	isst_cpuset_free(gone);
	if (ours || !(tracked->unverified || journal->text.rollback))
		return ours;
	if (cpuset_groups_before(tracked->now.text, tracked->old.text, tracked->last.text, &before))
		journal->broken = true;
	else
		ours = cpuset_groups_equal(before, tracked->old.text);
	free(before);
	return ours;
}

/* ---- Limits of CPUs ---- */

/** Notes how a look at whose a value is ended: a failure must not make it anybody's. */
static void note_look(struct isst_journal *journal, int error, const char *message)
{
	struct messages *messages = &journal->context->messages;

	if (error == -ENOMEM)
		journal->broken = true;
	else if (error && error != -ENOENT) {
		journal->blind = true;
		if (!journal->why_unread)
			journal->why_unread = messages->error;
	}
	messages->error = message;
}

/** The upper limit that goes with a lower one, where it could be read. */
static const struct tracked *find_upper(struct isst_journal *journal, const struct tracked *lower)
{
	struct item item = lower->item;
	const struct tracked *upper;

	if (item.kind != ITEM_SCALING_MIN)
		return NULL;
	item.kind = ITEM_SCALING_MAX;
	upper = tracked_find(journal, &item);
	if (upper && upper->failed)
		journal->blind = true;
	return upper && !upper->unreadable ? upper : NULL;
}

/** A limit that the kernel holds within the range of the processor, and the lower one below the
 * upper one, is not another's. False where that is unknown. */
static bool is_shown(struct isst_journal *journal, const struct tracked *tracked, uint64_t limit)
{
	const char *message = journal->context->messages.error;
	uint64_t shown;
	int error = limit_shown(journal->context, &tracked->item, limit, &shown);

	note_look(journal, error, message);
	return !error && shown == tracked->now.number;
}

/** Whether a limit is what the run left, and reads as something else. */
static bool is_concealed(struct isst_journal *journal, struct tracked *tracked)
{
	tracked->concealed = is_shown(journal, tracked, tracked->last.number);
	return tracked->concealed;
}

/** The kernel shows the tightest of the limits of all owners: below another one's is what the run
 * wrote. One that reads as before, though the run wrote a looser one, may be another's. */
static bool is_held(struct isst_journal *journal, const struct tracked *tracked)
{
	const char *message = journal->context->messages.error;
	const struct item *item = &tracked->item;
	enum cpufreq_limit limit = item_limit(item);
	char *owners = NULL;
	bool held;

	if (!item_is_limit(item) || !tracked->written ||
	    !cpufreq_is_tighter(limit, tracked->now.number, tracked->last.number))
		return false;
	if (tracked->now.number == tracked->old.number ||
	    (tracked->other_owner && tracked->now.number == tracked->shown))
		return true;
	note_look(journal,
		  cpufreq_limit_owners(&journal->context->files, item->index, limit, &owners),
		  message);
	held = owners;
	free(owners);
	return held;
}

/** Another base frequency, or a higher upper limit, brought a limit to sight that the run has not
 * written: it was there before. */
static bool is_revealed(struct isst_journal *journal, const struct tracked *tracked)
{
	const char *message = journal->context->messages.error;
	bool base_moves = false, revealed = false;
	const struct tracked *upper;
	uint64_t shown;
	int error;

	if (tracked->written || !item_is_limit(&tracked->item))
		return false;
	/* A lower limit above the upper one is not shown: it was shown at that. */
	upper = find_upper(journal, tracked);
	if (upper && upper->written && upper->last.number > upper->old.number &&
	    tracked->now.number > tracked->old.number) {
		error = limit_clamp(journal->context, &tracked->item, upper->old.number, &shown);
		note_look(journal, error, message);
		if (!error && shown == tracked->old.number)
			return true;
	}
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

/* ---- Items out of reach ---- */

/** Whether a CPU stays offline whatever is done: SMT was disabled since. */
static bool is_kept_offline(const struct isst_journal *journal, unsigned int number)
{
	const struct topology *topology = journal->context->topology;
	const struct topology_cpu *cpu = topology_find_cpu(topology, number);
	/* Of one that nothing is known of: a second thread, offline since boot without SMT. */
	unsigned int thread = cpu ? cpu->public.thread : 1;

	for (size_t i = 0; i < topology->unreachable_count && !cpu; i++)
		if (topology->unreachable[i].number == number)
			thread = topology->unreachable[i].thread;
	return journal->smt_off && !isst_cpuset_has(topology->online, number) && thread > 0;
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
		isst_cpuset_for_each (cpu, cpus) {
			const struct item item = item_of_cpu(cpu);
			const struct tracked *online = tracked_find(journal, &item);

			/* Offline by the run's doing. */
			comes |= online && !online->unreadable && online->now.number == 0 &&
				 online->last.number == 0 && !is_kept_offline(journal, cpu);
		}
	isst_cpuset_free(cpus);
	return comes;
}

/** What cannot be read now: it may be in reach once CPUs are online. */
static enum finding classify_unreadable(struct isst_journal *journal, const struct tracked *tracked)
{
	if (tracked->place == PLACE_UNSERVED)
		return FOUND_UNSERVED;
	if (tracked->place != PLACE_OFFLINE)
		return tracked->failed ? FOUND_UNREAD : FOUND_UNCERTAIN;
	/* A rollback restores the limits of a CPU before it takes it offline again. */
	if (tracked->appeared && journal->text.rollback)
		return FOUND_OLD;
	if (item_is_limit(&tracked->item) && is_kept_offline(journal, tracked->item.index))
		return FOUND_SMT_OFF;
	return comes_with_cpu(journal, tracked) ? FOUND_WRITTEN : FOUND_OFFLINE;
}

/* ---- Findings ---- */

/** Whether an item is now as @value, as far as the run has to do with it. */
static bool is_now(const struct tracked *tracked, struct item_value value)
{
	if (item_value_equal(&tracked->item, tracked->now, value))
		return true;
	/* That of a partition is text. */
	return tracked_bits(tracked) != WHOLE_VALUE &&
	       !((tracked->now.number ^ value.number) & tracked_bits(tracked));
}

/** The first row that holds decides: it looks at no more of the machine than it needs. */
static enum finding classify(struct isst_journal *journal, struct tracked *tracked)
{
	const struct item *item = &tracked->item;
	bool rollback = journal->text.rollback, disturbed = !item_kinds[item->kind].of_cpu;
	bool limit = item_is_limit(item);

	if (tracked->unreadable)
		return classify_unreadable(journal, tracked);
	if (item->kind == ITEM_ONLINE && tracked->old.number &&
	    is_kept_offline(journal, item->index))
		return FOUND_SMT_OFF;
	/* Power domains that are restored are what it reads as. */
	if (item_is_of_package(item) && tracked->written && rollback)
		return FOUND_WRITTEN;
	if (is_now(tracked, tracked->old)) {
		/* Or written, and not shown: while turbo is off the kernel shows neither. */
		if ((limit && tracked->written && tracked->last.number != tracked->old.number &&
		     is_concealed(journal, tracked)) ||
		    is_held(journal, tracked))
			return FOUND_WRITTEN;
		return tracked->pending ? FOUND_PENDING : FOUND_OLD;
	}
	if (tracked->of_other_level)
		return FOUND_MOVED;
	if ((tracked->known || tracked->written) &&
	    (is_now(tracked, tracked->last) ||
	     item_value_serves(item, tracked->now, tracked->last)))
		return FOUND_WRITTEN;
	if (is_of_groups(journal, tracked))
		return FOUND_WRITTEN;
	if (is_revealed(journal, tracked))
		return FOUND_OLD;
	if (tracked->unverified && tracked->known && is_now(tracked, tracked->previous))
		return FOUND_WRITTEN;
	/* What the kernel shows of a limit that the run wrote, or of the old one that a rollback
	 * wrote: a lower limit before the upper one. */
	if (limit &&
	    (is_concealed(journal, tracked) ||
	     (tracked->unverified && is_shown(journal, tracked, tracked->previous.number)) ||
	     (rollback && is_shown(journal, tracked, tracked->old.number))))
		return FOUND_WRITTEN;
	/* A rollback takes a limit away before it looks whose it is. */
	if (limit && tracked->written && (rollback || tracked->unverified) &&
	    tracked->now.number == cpufreq_no_limit(item_limit(item)))
		return FOUND_WRITTEN;
	if (is_held(journal, tracked))
		return FOUND_WRITTEN;
	if ((!tracked->known || tracked->unverified || rollback) && disturbed &&
	    is_explained(journal, tracked))
		return FOUND_WRITTEN;
	/* A rollback moves what firmware resets with it. */
	if (!tracked->known || (rollback && disturbed))
		return FOUND_UNCERTAIN;
	/* A partition is several files; and what a value became is noted after it was read back. */
	if (tracked->unverified && (item->kind == ITEM_PARTITION ||
				    (!limit && item_value_clipped(item, tracked->last, tracked->now,
								  item_is_file(item->kind)))))
		return FOUND_UNCERTAIN;
	return FOUND_MOVED;
}

/** What a step disturbed is another's once another changed what it wrote. @line: of the text */
static bool is_overtaken(const struct isst_journal *journal, size_t line)
{
	const struct journal_line *lines = journal->text.lines;
	const struct item *disturbed = &lines[line].saved.item;
	size_t i = line;

	/* The lines of a step stand together. */
	while (i > 0 && lines[i - 1].step == lines[line].step)
		i--;
	for (; i < journal->text.count && lines[i].step == lines[line].step; i++) {
		const struct item *item = &lines[i].saved.item;

		/* Of the same CPU or domain. */
		if (lines[i].role == JOURNAL_ITEM && journal->of_line[i]->finding == FOUND_MOVED &&
		    (item_kinds[item->kind].of_cpu && item_kinds[disturbed->kind].of_cpu
			     ? item->index == disturbed->index
			     : item_reaches_domain(item, disturbed)))
			return true;
	}
	return false;
}

/** Compares all items with what the run left. Returns 0 or -ENOMEM. */
static int classify_items(struct isst_journal *journal)
{
	const struct journal_text *text = &journal->text;
	const char *message = journal->context->messages.error;
	char *control = NULL;
	int place = PLACE_OFFLINE;
	int error = hotplug_smt_control(&journal->context->files, &control);

	journal->smt_off = !error && hotplug_smt_is_off(control);
	free(control);
	journal->context->messages.error = message;
	if (error == -ENOMEM)
		return error;
	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *tracked = &journal->tracked[i];

		journal->blind = false;
		tracked->finding = classify(journal, tracked);
		if (journal->blind)
			tracked->finding = FOUND_UNREAD;
	}
	for (size_t i = 0; i < text->count; i++) {
		struct tracked *tracked = journal->of_line[i];

		if (text->lines[i].role == JOURNAL_FOOTPRINT && !tracked->written &&
		    !tracked->unreadable &&
		    (tracked->finding == FOUND_WRITTEN || tracked->finding == FOUND_UNCERTAIN) &&
		    is_overtaken(journal, i))
			tracked->finding = FOUND_MOVED;
	}
	for (size_t i = 0; i < journal->count && place >= 0; i++)
		if (journal->tracked[i].finding == FOUND_OFFLINE)
			place = item_place(journal->context, &journal->tracked[i].item,
					   journal->offline);
	if (journal->broken)
		return -ENOMEM;
	return place < 0 ? place : 0;
}

/** Reads all items, and compares them. */
static int judge(struct isst_journal *journal)
{
	int error = tracked_fill(journal);

	if (!error)
		error = tracked_check(journal);
	if (!error)
		error = tracked_read(journal);
	return error ? error : classify_items(journal);
}

int journal_judge(struct isst_context *context, const struct item_lines *lines,
		  struct isst_journal **result)
{
	struct isst_journal *journal = calloc(1, sizeof(*journal));
	int error;

	*result = journal;
	if (!journal)
		return -ENOMEM;
	journal->context = context;
	journal->offline = isst_cpuset_new();
	journal->text.written = journal->text.verified = 1;
	journal->text.lines = calloc(lines->count + 1, sizeof(*journal->text.lines));
	error = journal->offline && journal->text.lines ? 0 : -ENOMEM;
	for (size_t i = 0; i < lines->count && !error; i++)
		journal->text.lines[journal->text.count++] = (struct journal_line){
			.step = 1, .role = JOURNAL_ITEM, .saved = lines->items[i]
		};
	if (!error)
		error = judge(journal);
	for (size_t i = 0; i < journal->count && !error; i++)
		if (journal->tracked[i].finding == FOUND_UNREAD)
			error = message_error(&context->messages, -EIO, "%s",
					      journal->why_unread ? journal->why_unread
								  : "out of memory");
	return error;
}

/* ---- The journal of an interrupted run ---- */

/** Whether the run of a journal is at work; who holds the lock knows that of its own. */
static int check_at_work(struct isst_context *context)
{
	return context_has_lock(context) ? 0 : lock_check_free(context);
}

/** The items as journal_item() shows them. */
static int list_items(struct isst_journal *journal)
{
	static const char *const FINDINGS[] = {
		[FOUND_OLD] = "as before",
		[FOUND_PENDING] = "as before, but may still change",
		[FOUND_WRITTEN] = "as the interrupted run left it",
		[FOUND_UNCERTAIN] = "changed by the interrupted run or another process",
		[FOUND_MOVED] = "changed by another process",
		[FOUND_OFFLINE] = "unreachable while its CPUs are offline",
		[FOUND_UNSERVED] = "unreachable while the driver does not provide its power domain",
		[FOUND_UNREAD] = "currently unreadable, or its origin cannot be determined",
		[FOUND_SMT_OFF] = "offline because SMT is off",
	};
	struct isst_context *context = journal->context;

	journal->listed = calloc(journal->count + 1, sizeof(*journal->listed));
	if (!journal->listed)
		return -ENOMEM;
	context->messages.lost = false;
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *tracked = &journal->tracked[i];
		const struct item *item = &tracked->item;
		struct isst_journal_entry *listed = &journal->listed[i];

		*listed = (struct isst_journal_entry){
			.target = item_describe(context, item),
			.old_value = item_value_text(&context->messages, item, tracked->old),
			.present_value = "unknown",
			.item = item_public(context, item),
			.old_number = item_number_of(item, tracked->old, true),
			.written_number = item_number_of(item, tracked->last, tracked->written),
			.present_number.error = -EIO,
			.finding = FINDINGS[tracked->finding],
			/* What may appear yet is waited for and overwritten. */
			.restored = tracked->finding == FOUND_PENDING ||
				    tracked->finding == FOUND_WRITTEN ||
				    tracked->finding == FOUND_UNCERTAIN,
			.moved = tracked->finding == FOUND_MOVED,
			.kept = tracked_waits(tracked),
		};
		if (tracked->written)
			listed->written_value = item_value_text(&context->messages, item,
								tracked->last);
		if (!tracked->unreadable) {
			listed->present_value = item_value_text(&context->messages, item,
								tracked->now);
			listed->present_number = item_number_of(item, tracked->now, true);
		}
	}
	/* An item without its texts is none that could be shown. */
	return context->messages.lost ? -ENOMEM : 0;
}

int journal_open(struct isst_context *context, struct isst_journal **result)
{
	struct isst_journal *journal;
	bool none = false;
	int error;

	*result = NULL;
	if (!context->topology)
		return message_error(&context->messages, -EINVAL,
				     "the machine has not been discovered yet");
	journal = calloc(1, sizeof(*journal));
	if (!journal)
		return -ENOMEM;
	journal->context = context;
	journal->unlocks = context->unlocks;
	journal->offline = isst_cpuset_new();
	error = journal->offline ? journal_text_read(context, &journal->text) : -ENOMEM;
	/* There is none, or that of a change that is complete. */
	none = error == -ENOENT || journal->text.done;
	if (none)
		error = 0;
	if (!none && check_at_work(context))
		error = -EBUSY;
	if (!error && !none)
		error = judge(journal);
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

int isst_journal_open(struct isst_context *context, unsigned int flags,
		      struct isst_journal **result)
{
	const char *before;

	if (!context || !result)
		return context_refuse(context, "there is nowhere to put the journal (NULL)");
	before = message_begin(&context->messages);
	*result = NULL;
	return message_end(&context->messages, before,
			   flags ? message_error(&context->messages, -EINVAL,
						 "the journal does not know the flags %#x", flags)
				 : journal_open(context, result));
}

void isst_journal_free(struct isst_journal *journal)
{
	if (!journal)
		return;
	journal_text_clear(&journal->text);
	isst_cpuset_free(journal->offline);
	item_index_clear(&journal->index);
	free(journal->of_line);
	free(journal->tracked);
	free(journal->listed);
	free(journal);
}

const char *isst_journal_command(const struct isst_journal *journal)
{
	return journal && journal->text.command ? journal->text.command : "";
}

bool isst_journal_is_held(const struct isst_journal *journal)
{
	return journal && journal->text.held;
}

int64_t isst_journal_age_s(const struct isst_journal *journal)
{
	struct timespec now;

	if (!journal || !journal->text.begun_s || clock_gettime(CLOCK_BOOTTIME, &now) ||
	    (uint64_t)now.tv_sec < journal->text.begun_s)
		return -1;
	return now.tv_sec - (int64_t)journal->text.begun_s;
}

bool journal_is_moved(const struct isst_journal *journal)
{
	for (size_t i = 0; journal && i < journal->count; i++)
		if (journal->tracked[i].finding >= FOUND_UNCERTAIN &&
		    journal->tracked[i].finding != FOUND_SMT_OFF)
			return true;
	return false;
}

const struct isst_journal_entry *journal_item(const struct isst_journal *journal, size_t index)
{
	return index < journal->count ? &journal->listed[index] : NULL;
}
