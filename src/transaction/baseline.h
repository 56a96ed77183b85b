/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The baseline of a change: every item that it may write or disturb, as it was before the first
 * write. What a rollback restores, the journal holds and the comparison afterwards looks for is
 * this, and not what an earlier step of the same change has made of an item.
 */
#ifndef ISST_TRANSACTION_BASELINE_H
#define ISST_TRANSACTION_BASELINE_H

#include "transaction/item_access.h"
#include "transaction/item_index.h"

struct baseline_item {
	struct item item;
	struct item_value value;
	bool asked; /* it is to be read */
	bool read;
	bool value_known; /* @value is known, and the machine has such an item */
	bool appeared;	  /* it was not there before the first write */
	struct isst_failure failure;
	bool relied; /* planning took it for @planned */
	uint64_t planned;
	/* While steps are planned and made: */
	struct item_value now; /* what it is, or will be */
	bool stale;	       /* a step wrote or disturbed it: @now is to be read again */
	bool range_moved;      /* a limit, and a step moved the range that it reads as a part of */
	uint64_t mask;	       /* of what is read to be compared: bits that count */
};

struct baseline {
	struct baseline_item *items; /* in the order in which they were added */
	size_t count;
	struct item_index index;
};

/** Adds an item, named as it was first: ITEM_FEATURES are asked for by level. @asked: the next
 * baseline_read() reads it. Returns 0 or -ENOMEM. */
int baseline_add(struct baseline *baseline, const struct item *item, bool asked);

/** Reads what was asked for, in one batch. @appeared: steps were made already. Returns 0 or
 * -ENOMEM; what cannot be read has its own failure. */
int baseline_read(struct baseline *baseline, struct isst_context *context, bool appeared);

/** The item, or NULL. Valid until an item is added. */
static inline struct baseline_item *baseline_find(const struct baseline *baseline,
						  const struct item *item)
{
	size_t number = item_index_first(&baseline->index, item);

	return number != ITEM_NONE ? &baseline->items[number] : NULL;
}

void baseline_clear(struct baseline *baseline);

#endif
