/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds items among many: a hash of their names. */
#include "transaction/item_index.h"
#include "base/array.h"
#include "common/hash.h"

#include <errno.h>
#include <stdlib.h>

struct indexed_item {
	struct item item;
	size_t next;  /* of the same name */
	size_t last;  /* of a first one: the last of the name */
	size_t other; /* of a first one: another first one of the bucket */
};

enum { FIRST_BUCKETS = 64 }; /* a power of two */

static size_t bucket_of(const struct item_index *index, const struct item *item)
{
	/* An even number, which is hashed by twos. */
	const uint32_t words[] = { item->kind,
				   item->package,
				   item->die,
				   item->domain,
				   item->kind == ITEM_FEATURES ? 0 : item->index,
				   0 };

	return hash_words(words, sizeof(words)) & (index->bucket_count - 1);
}

static bool is_first(const struct item_index *index, size_t number)
{
	return index->items[number].last != ITEM_NONE;
}

/** Puts an item into its bucket. */
static void put(struct item_index *index, size_t number)
{
	size_t *bucket = &index->buckets[bucket_of(index, &index->items[number].item)];

	index->items[number].other = *bucket;
	*bucket = number;
}

/** Makes as many buckets as there are items, with space for as many more. */
static int grow_buckets(struct item_index *index)
{
	size_t count = index->bucket_count ? index->bucket_count * 2 : FIRST_BUCKETS;
	size_t *buckets;

	if (index->count < index->bucket_count)
		return 0;
	buckets = reallocarray(index->buckets, count, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	index->buckets = buckets;
	index->bucket_count = count;
	for (size_t i = 0; i < count; i++)
		buckets[i] = ITEM_NONE;
	for (size_t i = 0; i < index->count; i++)
		if (is_first(index, i))
			put(index, i);
	return 0;
}

int item_index_add(struct item_index *index, const struct item *item)
{
	size_t first, number = index->count;

	if (grow_buckets(index) || ARRAY_GROW(index->items, number))
		return -ENOMEM;
	first = item_index_first(index, item);
	index->items[number] = (struct indexed_item){ *item, ITEM_NONE, ITEM_NONE, ITEM_NONE };
	index->count++;
	if (first == ITEM_NONE) {
		index->items[number].last = number;
		put(index, number);
	} else {
		index->items[index->items[first].last].next = number;
		index->items[first].last = number;
	}
	return 0;
}

size_t item_index_first(const struct item_index *index, const struct item *item)
{
	size_t number;

	if (index->count == 0)
		return ITEM_NONE;
	number = index->buckets[bucket_of(index, item)];
	while (number != ITEM_NONE && !item_is(&index->items[number].item, item))
		number = index->items[number].other;
	return number;
}

size_t item_index_next(const struct item_index *index, size_t number)
{
	return index->items[number].next;
}

void item_index_clear(struct item_index *index)
{
	free(index->items);
	free(index->buckets);
	*index = (struct item_index){ 0 };
}
