/* SPDX-License-Identifier: BSD-3-Clause */
/* An index of items by what names them. */
#ifndef ISST_TRANSACTION_ITEM_INDEX_H
#define ISST_TRANSACTION_ITEM_INDEX_H

#include "transaction/items.h"

/** No number. */
#define ITEM_NONE SIZE_MAX

struct item_index {
	struct indexed_item *items; /* by number */
	size_t count;
	size_t *buckets; /* the first item of each hash */
	size_t bucket_count;
};

/** Gives an item the next number, from 0 on. Returns 0 or -ENOMEM. */
int item_index_add(struct item_index *index, const struct item *item);

/** The first number of an item, by item_is(); and the next one behind a number. ITEM_NONE: none. */
size_t item_index_first(const struct item_index *index, const struct item *item);
size_t item_index_next(const struct item_index *index, size_t number);

void item_index_clear(struct item_index *index);

#endif
