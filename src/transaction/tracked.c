/* SPDX-License-Identifier: BSD-3-Clause */
/* The items of an interrupted change: what its journal notes of each, and what each is now. */
#include "transaction/tracked.h"
#include "base/machine.h"
#include "sysfs/cpufreq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values that a machine can have ---- */

enum {
	HIGHEST_LEVEL = 31,
	HIGHEST_CORE = 255,
	HIGHEST_FABRIC = 255,
	HIGHEST_RATIO = 255, /* what fits into a register */
	UNUSED_WORD_BITS = 32,
};

bool item_value_is_plausible(const struct item *item, struct item_value value)
{
	static const char *const PARTITIONS[] = { "absent", "member", "root", "isolated" };
	/* What fits into a register, or 0 or the highest number for no limit. */
	bool is_khz = value.number == CPUFREQ_NO_LIMIT || value.number / 100000 <= HIGHEST_RATIO;

	switch (item->kind) {
	case ITEM_LEVEL:
		return value.number <= HIGHEST_LEVEL;
	case ITEM_FEATURES:
		return item->index <= HIGHEST_LEVEL && value.number <= 3;
	case ITEM_CORE_POWER:
	case ITEM_ONLINE:
	case ITEM_CPUSETS:
	case ITEM_RCU_EXPEDITED:
		return value.number <= 1;
	case ITEM_QOS:
		return !(value.number >> UNUSED_WORD_BITS);
	/* Registers hold what others have written: whatever fits. */
	case ITEM_CLOS:
		return item->index < ISST_CLOS_COUNT && !(value.number >> UNUSED_WORD_BITS);
	case ITEM_ASSOCIATION:
		return item->index <= HIGHEST_CORE && value.number < ISST_CLOS_COUNT;
	case ITEM_TURBO_RATIO_LIMITS:
		return true;
	case ITEM_SCALING_MAX:
	case ITEM_SCALING_MIN:
		return is_khz;
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		return (item->index <= HIGHEST_FABRIC || item_is_of_package(item)) && is_khz;
	case ITEM_PARTITION:
		/* Perhaps `invalid (...)`, with CPUs. */
		for (size_t i = 0; value.text && i < sizeof(PARTITIONS) / sizeof(*PARTITIONS); i++)
			if (strncmp(value.text, PARTITIONS[i], strlen(PARTITIONS[i])) == 0)
				return true;
		return false;
	case ITEM_CPUSET_GROUPS:
		return value.text != NULL;
	default:
		return false;
	}
}

/* ---- Places ---- */

/** Adds a CPU by which an offline place is reached, where the caller wants them. */
static int offline_cpu(struct isst_cpuset *cpus, unsigned int number)
{
	int error = cpus ? isst_cpuset_add(cpus, number, number) : 0;

	return error ? error : PLACE_OFFLINE;
}

/** A domain that the driver does not offer now is none that the machine does not have. */
static int place_in_topology(const struct isst_context *context, const struct item *item)
{
	if (item_domain(context, item))
		return PLACE_REACHED;
	return topology_is_unserved(context->topology, item->package, item->domain) ? PLACE_UNSERVED
										    : PLACE_NONE;
}

static int place_of_cpu(struct isst_context *context, const struct item *item,
			struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	const char *message = context->messages.error;
	struct isst_cpuset *possible;
	int error, place = PLACE_NONE;

	if (isst_cpuset_has(topology->present, item->index)) {
		/* That a CPU is offline can be read, and written. */
		if (item->kind == ITEM_ONLINE)
			return PLACE_REACHED;
		if (!isst_cpuset_has(topology->online, item->index))
			return offline_cpu(cpus, item->index);
		return place_in_topology(context, item);
	}
	/* A CPU that was taken out may come back: the kernel keeps its number free. */
	possible = isst_cpuset_new();
	error = possible
			? kernel_files_cpulist(&context->files, CPU_DIRECTORY "/possible", possible)
			: -ENOMEM;
	if (error == -ENOMEM)
		place = error;
	else if (!error && isst_cpuset_has(possible, item->index))
		place = offline_cpu(cpus, item->index);
	context->messages.error = message;
	isst_cpuset_free(possible);
	return place;
}

/** Turbo ratio limits are reached through a CPU; a power domain is there without. */
static int place_of_limits(const struct isst_context *context, const struct item *item,
			   struct isst_cpuset *cpus)
{
	int place = PLACE_REACHED;
	unsigned int cpu;

	if (item_domain(context, item)->has_cpu)
		return place;
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = context_domain(context, i);
		const struct item own = item_of(item->kind, domain, item->index);

		if (!item_is(&own, item))
			continue;
		isst_cpuset_for_each (cpu, domain->present)
			if (place >= 0)
				place = offline_cpu(cpus, cpu);
	}
	return place;
}

/** CPUs that were online in this boot, and are offline now together with their package or die:
 * those of the item's domain; or @package: of its package, which can be reached by none, since the
 * power domains of I/O have no CPUs of their own. */
static int place_of_remembered(const struct isst_context *context, const struct item *item,
			       bool package, struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	bool power_domains = context_has_power_domains(context);
	int place = PLACE_NONE;

	if (package && (!power_domains || item->domain >= TOPOLOGY_DOMAINS))
		return place;
	for (size_t i = 0; i < topology->domain_count && package; i++)
		if (topology->domains[i]->public.package == item->package)
			return place;
	for (size_t i = 0; i < topology->unreachable_count && place >= 0; i++) {
		const struct cached_cpu *cpu = &topology->unreachable[i];

		/* The numbers of power domains identify them: see item_of(). */
		if (cpu->package == item->package &&
		    (package || item_is_shared(item) ||
		     (cpu->domain == item->domain && (cpu->die == item->die || power_domains))))
			place = offline_cpu(cpus, cpu->number);
	}
	return place;
}

int item_place(struct isst_context *context, const struct item *item, struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	bool unseen = false;
	unsigned int cpu;
	int place;

	if (item_is_of_machine(item))
		return item->index == 0 ? PLACE_REACHED : PLACE_NONE;
	if (item_kinds[item->kind].of_cpu)
		return place_of_cpu(context, item, cpus);
	place = place_in_topology(context, item);
	if (place == PLACE_REACHED && item->kind == ITEM_TURBO_RATIO_LIMITS)
		return place_of_limits(context, item, cpus);
	if (place == PLACE_NONE)
		place = place_of_remembered(context, item, false, cpus);
	if (place == PLACE_NONE)
		place = place_of_remembered(context, item, true, cpus);
	if (place != PLACE_NONE)
		return place;
	/* Where CPUs were never seen online there may be unknown packages. */
	for (size_t i = 0; i < topology->domain_count; i++)
		unseen |= topology->domains[i]->unknown_cpus != NULL;
	isst_cpuset_for_each (cpu, topology->present)
		if (unseen && place >= 0 && !isst_cpuset_has(topology->online, cpu) &&
		    !topology_cpu(topology, cpu) && !topology_is_unreachable(topology, cpu))
			place = offline_cpu(cpus, cpu);
	return place;
}

bool item_is_of_no_core(const struct isst_context *context, const struct item *item)
{
	const struct topology *topology = context->topology;
	const struct topology_domain *domain = topology_find_domain(topology, item->package,
								    item->die, item->domain);

	if (item->kind != ITEM_ASSOCIATION || !domain || domain->unknown_core ||
	    domain->unknown_cpus)
		return false;
	for (size_t i = 0; i < topology->cpu_count; i++)
		if (topology->cpus[i]->domain == domain &&
		    topology->cpus[i]->public.core == item->index)
			return false;
	return true;
}

/* ---- Items of a journal ---- */

struct tracked *journal_find(const struct isst_journal *journal, const struct item *item)
{
	size_t number = item_index_first(&journal->index, item);

	return number != ITEM_NONE ? &journal->tracked[number] : NULL;
}

/** Notes what a line states of its item. */
static void note_line(const struct isst_journal *journal, struct tracked *tracked,
		      const struct journal_line *line)
{
	bool verified = line->step <= journal->text.verified;
	bool before = line->role == JOURNAL_ITEM || line->role == JOURNAL_FOOTPRINT;

	/* A limit that was hidden by turbo, and came to sight before it was written. */
	if (!tracked->written && item_is_limit(&tracked->item) && before)
		tracked->old = tracked->last = tracked->previous = line->saved.old;
	if (line->role == JOURNAL_ITEM || line->role == JOURNAL_BECAME) {
		tracked->held = line->saved.held;
		tracked->shown = line->saved.shown;
	}
	/* The run found it to be another owner's. */
	if (line->saved.held)
		tracked->old = line->saved.old;
	if (line->role == JOURNAL_ITEM) {
		tracked->previous = tracked->last;
		tracked->last = line->saved.written;
		tracked->written = true;
		tracked->unverified = !verified;
		tracked->known |= verified;
		/* Firmware is slow: what it was asked for may be on its way. */
		tracked->pending = !verified && item_kinds[line->saved.item.kind].settling_ms > 0;
	} else if (line->role == JOURNAL_FOOTPRINT) {
		/* What it became stands in a later line, where that is known: the step may not be
		 * complete, or it could not be read back. The kernel moves limits of CPUs in a
		 * known way. */
		tracked->known &= item_kinds[line->saved.item.kind].of_cpu;
	} else {
		tracked->last = line->saved.written;
		tracked->known = true;
	}
}

int journal_track(struct isst_journal *journal)
{
	const struct journal_text *text = &journal->text;
	int error;

	journal->tracked = calloc(text->count + 1, sizeof(*journal->tracked));
	journal->of_line = calloc(text->count + 1, sizeof(*journal->of_line));
	error = journal->tracked && journal->of_line ? 0 : -ENOMEM;
	for (size_t i = 0; i < text->count && !error; i++) {
		const struct journal_line *line = &text->lines[i];
		const struct item_line *saved = &line->saved;
		struct tracked *tracked = journal_find(journal, &saved->item);

		if (!tracked) {
			error = item_index_add(&journal->index, &saved->item);
			if (error)
				break;
			tracked = &journal->tracked[journal->count++];
			*tracked = (struct tracked){ .item = saved->item,
						     .old = saved->old,
						     .last = saved->old,
						     .previous = saved->old,
						     .line = line->number,
						     .known = true };
		}
		journal->of_line[i] = tracked;
		note_line(journal, tracked, line);
	}
	/* Limits of CPUs that the run brought online go away again with the rollback. */
	for (size_t i = 0; i < journal->count && !error; i++) {
		struct tracked *tracked = &journal->tracked[i];
		const struct item item = item_of_cpu(tracked->item.index);
		const struct tracked *online = item_is_limit(&tracked->item)
						       ? journal_find(journal, &item)
						       : NULL;

		tracked->appeared = online && !online->old.number;
	}
	return error;
}

/* Before anything is written: what no run can have noted was put there by others. */
int journal_check_items(struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *tracked = &journal->tracked[i];
		int place = item_place(journal->context, &tracked->item, NULL);

		if (place < 0)
			return place;
		tracked->place = (enum item_place)place;
		if (place == PLACE_NONE || !item_value_is_plausible(&tracked->item, tracked->old) ||
		    !item_value_is_plausible(&tracked->item, tracked->last))
			return message_error(
				&journal->context->messages, -EIO,
				"%s/journal:%u: %s: this machine has no such item, or it cannot "
				"have this value: nothing is changed until the file is removed "
				"with `isst journal discard`, which leaves the machine as it is",
				journal->context->machine->runtime_directory, tracked->line,
				item_describe(journal->context, &tracked->item));
	}
	return 0;
}

/* ---- What is there now ---- */

static void note_present(struct isst_journal *journal, struct tracked *tracked,
			 const struct item_access *access)
{
	tracked->now = access->value;
	tracked->failed = access->failure.error && tracked->place == PLACE_REACHED;
	/* The kernel reports a CPU that was taken out as not online. */
	tracked->unreadable = access->absent || access->failure.error ||
			      (access->item.kind == ITEM_ONLINE && tracked->place == PLACE_OFFLINE);
	if (tracked->failed && !journal->why_unread)
		journal->why_unread = access->failure.message;
}

/** Features are asked for by level, and the level may be another one by now. Those of a mailbox,
 * where the run has nothing to do with levels, went off with their level. */
static int read_features(struct isst_journal *journal)
{
	struct item_access *accesses = calloc(journal->count + 1, sizeof(*accesses));
	size_t count = 0;
	int error = accesses ? 0 : -ENOMEM;

	for (size_t i = 0; i < journal->count && !error; i++) {
		struct tracked *tracked = &journal->tracked[i];
		struct item_access level = { .item = tracked->item };
		const struct tracked *of_run;

		if (tracked->item.kind != ITEM_FEATURES)
			continue;
		level.item.kind = ITEM_LEVEL;
		level.item.index = 0;
		of_run = journal_find(journal, &level.item);
		if (of_run && !of_run->unreadable) {
			accesses[count].item = tracked->item;
			accesses[count++].item.index = (unsigned int)of_run->now.number;
		} else if (!of_run && !tracked->unreadable) {
			error = items_read_twice(journal->context, &level, 1);
			tracked->of_other_level = !level.failure.error && !level.absent &&
						  level.value.number != tracked->item.index;
		}
	}
	if (!error && count > 0)
		error = items_read_twice(journal->context, accesses, count);
	for (size_t i = 0; i < count && !error; i++)
		note_present(journal, journal_find(journal, &accesses[i].item), &accesses[i]);
	free(accesses);
	return error;
}

int journal_read_items(struct isst_journal *journal)
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

uint64_t tracked_bits(const struct tracked *tracked)
{
	return tracked->written ? item_known_bits(tracked->item.kind) : WHOLE_VALUE;
}

bool tracked_waits(const struct tracked *tracked)
{
	enum finding finding = tracked->finding;

	return finding == FOUND_OFFLINE || finding == FOUND_UNSERVED || finding == FOUND_UNREAD;
}
