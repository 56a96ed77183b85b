/* SPDX-License-Identifier: BSD-3-Clause */
/* Items as they were before a change, each once, found by what they are called. */
#include "transaction/baseline.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

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
		first->mask |= baseline->items[i].mask;
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
