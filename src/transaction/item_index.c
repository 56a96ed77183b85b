/* SPDX-License-Identifier: BSD-3-Clause */
/* An index of items: a hash of what they are called. */
#include "transaction/item_index.h"
#include "base/array.h"
#include "common/hash.h"

#include <errno.h>
#include <stdlib.h>

struct indexed_item {
	struct item item;
	size_t next; /* of the same bucket */
};

enum { FIRST_BUCKETS = 64 }; /* a power of two */

static size_t *bucket_of(const struct item_index *index, const struct item *item)
{
	/* An even number, which is hashed by twos. */
	const uint32_t words[] = { item->kind,
				   item->package,
				   item->die,
				   item->domain,
				   item->kind == ITEM_FEATURES ? 0 : item->index,
				   0 };

	return &index->buckets[hash_words(words, sizeof(words)) & (index->bucket_count - 1)];
}

/** Puts an item behind the others of its bucket: they are few. */
static void put_item(struct item_index *index, size_t number)
{
	size_t *link = bucket_of(index, &index->items[number].item);

	while (*link != ITEM_NONE)
		link = &index->items[*link].next;
	index->items[number].next = ITEM_NONE;
	*link = number;
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
		put_item(index, i);
	return 0;
}

int item_index_add(struct item_index *index, const struct item *item)
{
	if (grow_buckets(index) || ARRAY_GROW(index->items, index->count))
		return -ENOMEM;
	index->items[index->count].item = *item;
	put_item(index, index->count++);
	return 0;
}

/** The first one from @number on in its bucket that has a name. */
static size_t find_from(const struct item_index *index, size_t number, const struct item *item)
{
	while (number != ITEM_NONE && !item_is(&index->items[number].item, item))
		number = index->items[number].next;
	return number;
}

size_t item_index_first(const struct item_index *index, const struct item *item)
{
	return index->count ? find_from(index, *bucket_of(index, item), item) : ITEM_NONE;
}

size_t item_index_next(const struct item_index *index, size_t number)
{
	return find_from(index, index->items[number].next, &index->items[number].item);
}

void item_index_clear(struct item_index *index)
{
	free(index->items);
	free(index->buckets);
	*index = (struct item_index){ 0 };
}
