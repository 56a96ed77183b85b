/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares what an interrupted run left with what is there now. An item is restored only while it
 * has the value that the run left it with: whatever else it has was given to it by another process
 * since, and stays.
 */
#include "transaction/findings.h"
#include "sysfs/cpufreq.h"
#include "sysfs/cpuset_groups.h"
#include "transaction/tracked.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- What a level moved ---- */

/** Whether the level is there by the run's own doing: it was reached, or a rollback left it. */
static bool has_happened(const struct isst_journal *journal, const struct tracked *level)
{
	const struct item *item = &level->item;

	if (level->unreadable || !level->written)
		return false;
	if (item_value_equal(item, level->now, level->old))
		return journal->text.rollback;
	return item_value_equal(item, level->now, level->last);
}

/** What firmware set with the present level. What cannot be read explains nothing. */
static const struct level_effects *effects_of(struct isst_journal *journal, struct tracked *level)
{
	struct isst_context *context = journal->context;
	const struct topology_domain *domain = topology_find_domain(
		context->topology, level->item.package, level->item.die, level->item.domain);
	const char *error = context->messages.error;

	if (level->effects_asked || !domain || !context->level_effects)
		return &level->effects;
	level->effects_asked = true;
	if (context->level_effects(context, &domain->public, (unsigned int)level->now.number,
				   &level->effects))
		level->effects = (struct level_effects){ 0 };
	context->messages.error = error;
	return &level->effects;
}

/** What @level makes of an item; false where that is not known. */
static bool effect_on(struct isst_journal *journal, struct tracked *level, const struct item *item,
		      uint64_t *value)
{
	const struct level_effects *effects;

	*value = 0;
	if (item->kind == ITEM_FEATURES)
		return true; /* both go off */
	effects = effects_of(journal, level);
	if (item->kind == ITEM_TURBO_RATIO_LIMITS)
		*value = effects->turbo_ratio_limits;
	else if (item->kind == ITEM_UNCORE_MAX && item->index < ISST_FABRICS)
		*value = effects->uncore_max_khz[item->index];
	else if (item->kind == ITEM_UNCORE_MIN && item->index < ISST_FABRICS)
		*value = effects->uncore_min_khz[item->index];
	return *value != 0;
}

/** Servers were seen whose uncore goes no lower, whatever the level specifies. */
enum { LOWEST_UNCORE_KHZ = 800000 };

/** Whether an item is what @level makes of it. */
static bool has_effect(struct isst_journal *journal, struct tracked *level,
		       const struct tracked *tracked)
{
	const struct item *item = &tracked->item;
	uint64_t value;

	if (!effect_on(journal, level, item, &value))
		return false;
	if (item->kind == ITEM_UNCORE_MIN && value < LOWEST_UNCORE_KHZ &&
	    tracked->now.number == LOWEST_UNCORE_KHZ)
		return true;
	return ((tracked->now.number ^ value) & item_known_bits(item->kind)) == 0;
}

/**
 * Whether the present value of an item that a level change disturbs is what the level change, or a
 * rollback that was cut off, makes of it.
 */
static bool explained_by_level(struct isst_journal *journal, const struct tracked *tracked)
{
	const struct item *item = &tracked->item;

	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *level = &journal->tracked[i];

		if (level->item.kind == ITEM_LEVEL && item_reaches_domain(item, &level->item) &&
		    has_happened(journal, level) && has_effect(journal, level, tracked))
			return true;
	}
	return false;
}

/* ---- Classes that are reset ---- */

/** The same of classes, which some firmware resets when core-power is enabled. */
static bool explained_by_core_power(const struct isst_journal *journal,
				    const struct tracked *tracked)
{
	/* Weight 15 and no limits: measured (docs/internals/hardware-reports.md). */
	enum { RESET = 0xff00f0 };

	if (tracked->item.kind != ITEM_CLOS || tracked->now.number != RESET)
		return false;
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *other = &journal->tracked[i];

		if ((other->item.kind == ITEM_CORE_POWER || other->item.kind == ITEM_QOS) &&
		    other->written && item_reaches_domain(&tracked->item, &other->item))
			return true;
	}
	return false;
}

/* ---- Limits of a package ---- */

/** The same of uncore limits, which a write of the limit of their package has set. */
static bool explained_by_package(const struct isst_journal *journal, const struct tracked *tracked)
{
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *package = &journal->tracked[i];

		if (item_is_of_package(&package->item) && package->written &&
		    package->item.kind == tracked->item.kind &&
		    package->item.package == tracked->item.package &&
		    (tracked->now.number == package->last.number ||
		     (journal->text.rollback && tracked->now.number == package->old.number)))
			return true;
	}
	return false;
}

/* ---- Partitions ---- */

/** The CPUs of a partition, in the text that is its value; "" for none. */
static const char *cpus_of(struct item_value value)
{
	const char *space = value.text ? strrchr(value.text, ' ') : NULL;

	return space ? space + 1 : "";
}

static bool is_type(struct item_value value, const char *type)
{
	size_t length = strlen(type);

	return value.text && strncmp(value.text, type, length) == 0 &&
	       (value.text[length] == '\0' || value.text[length] == ' ');
}

/** A group is made as an ordinary member, gets its CPUs and then its type; and is removed in the
 * same steps. */
static bool is_in_between(const struct tracked *tracked)
{
	const char *cpus = cpus_of(tracked->now);

	return is_type(tracked->now, "member") &&
	       (*cpus == '\0' || strcmp(cpus, cpus_of(tracked->old)) == 0 ||
		strcmp(cpus, cpus_of(tracked->last)) == 0 ||
		strcmp(cpus, cpus_of(tracked->previous)) == 0);
}

/** The same as explained_by_level() of what partitions that were being made, or removed, leave in
 * between: they are several files, and need the cpuset controller. */
static bool explained_by_partition(const struct isst_journal *journal,
				   const struct tracked *tracked)
{
	/* A rollback takes those of steps that were complete apart, too. */
	if (tracked->item.kind == ITEM_PARTITION)
		return (tracked->unverified || journal->text.rollback) && is_in_between(tracked);
	if (tracked->item.kind != ITEM_CPUSETS)
		return false;
	for (size_t i = 0; i < journal->count; i++)
		if (journal->tracked[i].item.kind == ITEM_PARTITION && journal->tracked[i].written)
			return tracked->now.number == 1;
	return false;
}

/** The same of groups of cgroup v1 cpusets, which lose CPUs that go offline. */
static bool explained_by_hotplug(const struct isst_journal *journal, const struct tracked *tracked)
{
	struct isst_cpuset *gone;
	bool lost = false, failed;

	if (tracked->item.kind != ITEM_CPUSET_GROUPS)
		return false;
	gone = isst_cpuset_new();
	failed = !gone;
	for (size_t i = 0; i < journal->count && !failed; i++) {
		const struct tracked *cpu = &journal->tracked[i];

		if (cpu->item.kind == ITEM_ONLINE && cpu->written)
			failed = isst_cpuset_add(gone, cpu->item.index, cpu->item.index);
	}
	if (!failed)
		lost = cpuset_groups_lost(tracked->old.text, tracked->now.text, gone);
	isst_cpuset_free(gone);
	return lost;
}

/* ---- Findings ---- */

/** The result of reading files of the kernel that show whose a value is. A failure must
 * not make it anybody's. */
static void note_look(struct isst_journal *journal, int error, const char *message)
{
	struct messages *messages = &journal->context->messages;

	if (error == -ENOMEM)
		journal->broken = true;
	else if (error && error != -ENOENT) {
		journal->blind = true;
		journal_note_unread(journal, messages->error);
	}
	messages->error = message;
}

/** The other limit of a CPU, where it could be read. */
static const struct tracked *find_upper(struct isst_journal *journal, const struct tracked *lower)
{
	struct item item = lower->item;
	const struct tracked *upper;

	item.kind = ITEM_SCALING_MAX;
	upper = journal_find(journal, &item);
	if (upper && upper->failed)
		journal->blind = true;
	return upper && !upper->unreadable ? upper : NULL;
}

/** What the kernel shows of a limit. Returns false where that is unknown. */
static bool find_shown(struct isst_journal *journal, const struct item *item, uint64_t limit,
		       uint64_t *shown)
{
	const char *message = journal->context->messages.error;
	int error = limit_clamp(journal->context, item, limit, shown);

	note_look(journal, error, message);
	return !error;
}

/** A limit that the kernel holds within the range of the processor, and the lower one below the
 * upper one, is not another's. A lower one that is held at the lowest frequency reads as none. */
static bool is_clamped(struct isst_journal *journal, const struct tracked *tracked, uint64_t limit)
{
	const struct tracked *upper;
	uint64_t shown;

	if (find_shown(journal, &tracked->item, limit, &shown) && tracked->now.number == shown)
		return true;
	if (tracked->item.kind != ITEM_SCALING_MIN)
		return false;
	upper = find_upper(journal, tracked);
	return upper && limit > upper->now.number &&
	       find_shown(journal, &tracked->item, upper->now.number, &shown) &&
	       tracked->now.number == shown;
}

/** Whether a limit is what the kernel shows of one that the run wrote, or of the old one that a
 * rollback wrote: a lower limit before the upper one. */
static bool is_shown_clamped(struct isst_journal *journal, const struct tracked *tracked)
{
	if (!item_is_limit(&tracked->item))
		return false;
	if (is_clamped(journal, tracked, tracked->last.number) ||
	    (tracked->unverified && is_clamped(journal, tracked, tracked->previous.number)))
		return true;
	return journal->text.rollback && is_clamped(journal, tracked, tracked->old.number);
}

/** A limit that reads as before may be the one that was written, where the kernel shows neither:
 * while turbo is off. */
static bool is_hidden(struct isst_journal *journal, const struct tracked *tracked)
{
	return item_is_limit(&tracked->item) && tracked->written &&
	       tracked->last.number != tracked->old.number &&
	       is_clamped(journal, tracked, tracked->last.number);
}

/** Whether a limit of another owner is known to be in force. */
static bool has_other_owner(struct isst_journal *journal, const struct item *item)
{
	const char *message = journal->context->messages.error;
	char *owners = NULL;
	bool has;

	note_look(journal,
		  cpufreq_limit_owners(&journal->context->files, item->index, item_limit(item),
				       &owners),
		  message);
	has = owners;
	free(owners);
	return has;
}

/** The kernel shows the tightest of the limits of all owners: below another one's is what the run
 * wrote. One that reads as before, though the run wrote a looser one, may be another's. */
static bool is_held(struct isst_journal *journal, const struct tracked *tracked)
{
	if (!item_is_limit(&tracked->item) || !tracked->written ||
	    !cpufreq_is_tighter(item_limit(&tracked->item), tracked->now.number,
				tracked->last.number))
		return false;
	return tracked->now.number == tracked->old.number ||
	       (tracked->held && tracked->now.number == tracked->shown) ||
	       has_other_owner(journal, &tracked->item);
}

/** A rollback takes limits away before it looks whose they are. */
static bool is_lifted(const struct isst_journal *journal, const struct tracked *tracked)
{
	return item_is_limit(&tracked->item) && tracked->written &&
	       (journal->text.rollback || tracked->unverified) &&
	       tracked->now.number == cpufreq_no_limit(item_limit(&tracked->item));
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

/** Whether a CPU stays offline whatever is done: SMT was disabled since. */
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
	const struct tracked *online = journal_find(journal, &item);

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

/** The run raised the upper limit that a lower one was shown at: a lower limit above the upper one
 * is not shown. */
static bool is_uncovered(struct isst_journal *journal, const struct tracked *lower)
{
	const struct tracked *upper;
	uint64_t shown;

	if (lower->item.kind != ITEM_SCALING_MIN)
		return false;
	upper = find_upper(journal, lower);
	return upper && upper->written && upper->last.number > upper->old.number &&
	       lower->now.number > lower->old.number &&
	       find_shown(journal, &lower->item, upper->old.number, &shown) &&
	       lower->old.number == shown;
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

/** Whether an item is now as @value, as far as the run has to do with it. */
static bool is_now(const struct tracked *tracked, struct item_value value)
{
	if (item_value_equal(&tracked->item, tracked->now, value))
		return true;
	/* That of a partition is text. */
	return tracked_bits(tracked) != WHOLE_VALUE &&
	       !((tracked->now.number ^ value.number) & tracked_bits(tracked));
}

static enum finding classify(struct isst_journal *journal, const struct tracked *tracked)
{
	const struct item *item = &tracked->item;

	if (tracked->unreadable)
		return classify_unreadable(journal, tracked);
	if (item->kind == ITEM_ONLINE && tracked->old.number &&
	    is_kept_offline(journal, item->index))
		return FOUND_SMT_OFF;
	/* Power domains that are restored are what it reads as. */
	if (item_is_of_package(item) && tracked->written && journal->text.rollback)
		return FOUND_WRITTEN;
	if (is_now(tracked, tracked->old)) {
		if (is_hidden(journal, tracked) || is_held(journal, tracked))
			return FOUND_WRITTEN;
		return tracked->pending ? FOUND_PENDING : FOUND_OLD;
	}
	if (tracked->of_other_level)
		return FOUND_MOVED;
	if ((tracked->known || tracked->written) &&
	    (is_now(tracked, tracked->last) ||
	     item_value_serves(item, tracked->now, tracked->last)))
		return FOUND_WRITTEN;
	if (explained_by_hotplug(journal, tracked))
		return FOUND_WRITTEN;
	if (is_revealed(journal, tracked))
		return FOUND_OLD;
	if (tracked->unverified && tracked->known && is_now(tracked, tracked->previous))
		return FOUND_WRITTEN;
	if (is_shown_clamped(journal, tracked) || is_lifted(journal, tracked) ||
	    is_held(journal, tracked))
		return FOUND_WRITTEN;
	if ((!tracked->known || tracked->unverified || journal->text.rollback) &&
	    item_is_disturbed(item) &&
	    (explained_by_level(journal, tracked) || explained_by_partition(journal, tracked) ||
	     explained_by_core_power(journal, tracked) || explained_by_package(journal, tracked)))
		return FOUND_WRITTEN;
	/* A rollback moves what firmware resets with it. */
	if (!tracked->known || (journal->text.rollback && item_is_disturbed(item)))
		return FOUND_UNCERTAIN;
	/* A partition is several files; and what a value became is noted after it was read back. */
	if (tracked->unverified && (item->kind == ITEM_PARTITION ||
				    item_value_may_be_clipped(item, tracked->last, tracked->now)))
		return FOUND_UNCERTAIN;
	return FOUND_MOVED;
}

/** Whether an item of a step is what may have disturbed another one: of the same CPU or domain. */
static bool may_disturb(const struct item *item, const struct item *other)
{
	if (item_is_of_cpu(item) && item_is_of_cpu(other))
		return item->index == other->index;
	return item_reaches_domain(item, other);
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
	return !tracked->written && !tracked->unreadable &&
	       (tracked->finding == FOUND_WRITTEN || tracked->finding == FOUND_UNCERTAIN);
}

static int classify_all(struct isst_journal *journal)
{
	const struct journal_text *text = &journal->text;
	int place = PLACE_OFFLINE;

	for (size_t i = 0; i < journal->count; i++) {
		journal->blind = false;
		journal->tracked[i].finding = classify(journal, &journal->tracked[i]);
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

int journal_classify(struct isst_journal *journal)
{
	int error = read_smt(journal);

	return error ? error : classify_all(journal);
}

bool finding_waits(enum finding finding)
{
	return finding == FOUND_OFFLINE || finding == FOUND_UNSERVED || finding == FOUND_UNREAD;
}

bool finding_is_open(enum finding finding)
{
	return finding >= FOUND_UNCERTAIN && finding != FOUND_SMT_OFF;
}
