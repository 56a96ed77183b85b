/* SPDX-License-Identifier: BSD-3-Clause */
/* Items as they were before a change, each once, found by what they are called. */
#include "transaction/baseline.h"
#include "base/array.h"
#include "sysfs/cpufreq.h"
#include "transaction/item_files.h"
#include "transaction/report.h"
#include "transaction/run.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Whether all could be restored ---- */

void change_note_irreversible(struct isst_change *change, const char *why, const char *what)
{
	change_warn(change, ISST_WARNING_IRREVERSIBLE, "%s; a rollback would leave %s unchanged",
		    why, what ? what : "it");
	if (!change->irreversible)
		change->irreversible = message_make(&change->texts, "%s", why);
}

static int refuse(struct isst_change *change, const char *why)
{
	return message_error(&change->context->messages, -EIO,
			     "%s: the change was not made, because it could not be rolled back as "
			     "a whole",
			     why);
}

/** Whether what a limit was may be something else than what the kernel shows: while turbo is off
 * all those from the base frequency up look alike. */
static int is_concealed(struct isst_change *change, const struct entry *entry, bool *concealed)
{
	struct kernel_files *files = &change->context->files;
	unsigned int cpu = entry->item.index;
	uint64_t base_khz;
	int error;

	*concealed = entry->hidden && entry->old.number == entry->shown;
	if (*concealed)
		return 0;
	if (entry->item.kind == ITEM_SCALING_MAX)
		return entry->old.number == CPUFREQ_NO_LIMIT
			       ? cpufreq_hides_limit(files, cpu, TURBO_OFF, concealed)
			       : 0;
	error = cpufreq_read(files, cpu, "base_frequency", &base_khz);
	*concealed = !error && entry->old.number >= base_khz;
	return error == -ENOENT ? 0 : error;
}

static int check_limits(struct isst_change *change, const struct step *step)
{
	struct isst_context *context = change->context;
	bool concealed = false;
	int error = 0;

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];

		if (!entry->needed || !item_is_limit(&entry->item))
			continue;
		error = is_concealed(change, entry, &concealed);
		if (!error && concealed)
			error = refuse(change,
				       message_make(&context->messages,
						    "%s: the present limit is not visible while "
						    "turbo is disabled",
						    item_describe(context, &entry->item)));
	}
	return error;
}

int change_check_reversible(struct isst_change *change)
{
	enum turbo_state turbo;
	int error;

	if (!change->options.reversible)
		return 0;
	if (change->irreversible)
		return refuse(change, change->irreversible);
	error = cpufreq_turbo_state(&change->context->files, &turbo);
	for (size_t i = 0; i < change->count && !error && turbo == TURBO_OFF; i++)
		if (change->steps[i]->expected)
			error = check_limits(change, change->steps[i]);
	return error;
}

/**
 * A limit that comes along with a level, and was not asked for itself, stays as it is. Limits of
 * all power domains of a package are set with that of the package: only a rollback would end with
 * another value, so that it is no reason for a change that is to stay.
 */
static int leave_irreversible(struct isst_change *change, const struct step *step,
			      struct entry *entry, const char *why)
{
	bool kept = !change->options.hold && !change->options.reversible;

	if (entry->provisional && kept) {
		change_warn(change, ISST_WARNING_IRREVERSIBLE,
			    "%s; a rollback would end with another value", why);
		return 0;
	}
	if (step->exact || !kept)
		return refuse(change, why);
	entry->refused = true;
	change_warn(change, ISST_WARNING_UNCORE_LIMITS_KEPT, "%s; it is left unchanged", why);
	return 0;
}

int change_check_restorable(struct isst_change *change)
{
	int error = 0;

	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->expected && !error; j++) {
			struct entry *entry = &step->entries[j];
			const char *why;

			if (!entry->needed || !entry->old_known)
				continue;
			error = item_check_restorable(change->context, &entry->item, &why);
			if (!error && why)
				error = leave_irreversible(change, step, entry, why);
		}
	}
	return error;
}

/* ---- The baseline ---- */

static int by_item_and_order(const void *a, const void *b)
{
	const struct baseline_item *left = a, *right = b;
	int order = item_compare(&left->item, &right->item);

	if (order)
		return order;
	return left->order < right->order ? -1 : left->order > right->order;
}

int baseline_add(struct baseline *baseline, const struct item *item, bool asked)
{
	if (ARRAY_GROW(baseline->items, baseline->count))
		return -ENOMEM;
	baseline->items[baseline->count] =
		(struct baseline_item){ .item = *item, .order = baseline->added++, .asked = asked };
	baseline->count++;
	return 0;
}

/** Keeps the first of those that are the same: the others came later, and were not read. */
static void sort(struct baseline *baseline)
{
	size_t kept = 0;

	if (baseline->count == baseline->sorted)
		return;
	qsort(baseline->items, baseline->count, sizeof(*baseline->items), by_item_and_order);
	for (size_t i = 1; i < baseline->count; i++) {
		struct baseline_item *first = &baseline->items[kept];

		if (item_compare(&first->item, &baseline->items[i].item)) {
			baseline->items[++kept] = baseline->items[i];
			continue;
		}
		first->asked |= baseline->items[i].asked;
		if (baseline->items[i].relied && !first->relied)
			first->planned = baseline->items[i].planned;
		first->relied |= baseline->items[i].relied;
	}
	baseline->sorted = baseline->count = kept + 1;
}

static void take(struct baseline_item *item, const struct item_access *access, bool appeared)
{
	item->read = true;
	item->appeared = appeared;
	item->failure = access->failure;
	item->value_known = !access->absent && !access->failure.error;
	item->value = item->now = access->value;
}

static int by_order(const void *a, const void *b)
{
	const struct baseline_item *left = *(struct baseline_item *const *)a;
	const struct baseline_item *right = *(struct baseline_item *const *)b;

	return left->order < right->order ? -1 : left->order > right->order;
}

int baseline_read(struct baseline *baseline, struct isst_context *context, bool appeared)
{
	struct baseline_item **items;
	struct item_access *accesses;
	size_t count = 0;
	int error;

	sort(baseline);
	items = calloc(baseline->count + 1, sizeof(*items));
	accesses = calloc(baseline->count + 1, sizeof(*accesses));
	error = items && accesses ? 0 : -ENOMEM;
	for (size_t i = 0; i < baseline->count && !error; i++)
		if (baseline->items[i].asked && !baseline->items[i].read)
			items[count++] = &baseline->items[i];
	/* In the order of the steps, which is the one that a reader of a trace expects. */
	if (count > 0)
		qsort(items, count, sizeof(*items), by_order);
	for (size_t i = 0; i < count; i++)
		accesses[i].item = items[i]->item;
	if (!error && count > 0)
		error = items_read_twice(context, accesses, count);
	for (size_t i = 0; i < count && !error; i++)
		take(items[i], &accesses[i], appeared);
	free(items);
	free(accesses);
	return error;
}

static int by_item(const void *key, const void *element)
{
	return item_compare(key, &((const struct baseline_item *)element)->item);
}

struct baseline_item *baseline_find(const struct baseline *baseline, const struct item *item)
{
	if (baseline->sorted == 0)
		return NULL;
	return bsearch(item, baseline->items, baseline->sorted, sizeof(*baseline->items), by_item);
}

void baseline_note_range_moved(struct baseline *baseline, const struct item *domain)
{
	static const enum item_kind KINDS[] = { ITEM_SCALING_MAX, ITEM_SCALING_MIN };

	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
		struct item first = *domain;
		size_t at;

		first.kind = KINDS[i];
		first.index = 0;
		at = array_lower_bound(&first, baseline->items, baseline->sorted,
				       sizeof(*baseline->items), by_item);
		for (; at < baseline->sorted; at++) {
			if (baseline->items[at].item.kind != first.kind ||
			    !item_same_domain(&baseline->items[at].item, domain))
				break;
			baseline->items[at].range_moved = true;
		}
	}
}

void baseline_clear(struct baseline *baseline)
{
	free(baseline->items);
	*baseline = (struct baseline){ 0 };
}
