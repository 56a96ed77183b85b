/* SPDX-License-Identifier: BSD-3-Clause */
/* Items as they were before a change, each once. */
#include "transaction/baseline.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

int baseline_add(struct baseline *baseline, const struct item *item, bool asked)
{
	struct baseline_item *known = baseline_find(baseline, item);

	if (known) {
		known->asked |= asked;
		return 0;
	}
	if (ARRAY_GROW(baseline->items, baseline->count) || item_index_add(&baseline->index, item))
		return -ENOMEM;
	baseline->items[baseline->count++] = (struct baseline_item){ .item = *item,
								     .asked = asked };
	return 0;
}

int baseline_read(struct baseline *baseline, struct isst_context *context, bool appeared)
{
	struct item_access *accesses = calloc(baseline->count + 1, sizeof(*accesses));
	size_t count = 0;
	int error = accesses ? 0 : -ENOMEM;

	for (size_t i = 0; i < baseline->count && !error; i++)
		if (baseline->items[i].asked && !baseline->items[i].read)
			accesses[count++] = (struct item_access){ .item = baseline->items[i].item,
								  .owner = i };
	if (!error && count > 0)
		error = items_read_twice(context, accesses, count);
	for (size_t i = 0; i < count && !error; i++) {
		struct baseline_item *item = &baseline->items[accesses[i].owner];

		item->read = true;
		item->appeared = appeared;
		item->failure = accesses[i].failure;
		item->value_known = !accesses[i].absent && !accesses[i].failure.error;
		item->value = item->now = accesses[i].value;
	}
	free(accesses);
	return error;
}

void baseline_clear(struct baseline *baseline)
{
	item_index_clear(&baseline->index);
	free(baseline->items);
	*baseline = (struct baseline){ 0 };
}
