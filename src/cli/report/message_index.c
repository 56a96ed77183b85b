/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table with open addressing, at most half full. */
#include "message_index.h"

#include "../../common/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 64 };

/** Where a search for a text begins; by both halves of its hash. */
static size_t slot_of(const struct message_index *index, const char *text)
{
	uint64_t hash = hash_text(text);

	return (size_t)(hash ^ hash >> 32) & (index->size - 1);
}

static void put(struct message_index *index, const struct report_entry *entry)
{
	size_t slot = slot_of(index, entry->message);

	while (index->slots[slot])
		slot = (slot + 1) & (index->size - 1);
	index->slots[slot] = entry;
	index->count++;
}

static bool grow(struct message_index *index)
{
	struct message_index grown = { .size = index->size ? index->size * 2 : FIRST_SIZE,
				       .last = index->last };

	grown.slots = calloc(grown.size, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (size_t i = 0; i < index->size; i++)
		if (index->slots[i])
			put(&grown, index->slots[i]);
	free(index->slots);
	*index = grown;
	return true;
}

bool message_index_update(struct message_index *index, const struct report_entry *first)
{
	const struct report_entry *entry = index->last ? index->last->next : first;

	for (; entry; entry = entry->next) {
		if (entry->message) {
			if (index->count * 2 >= index->size && !grow(index))
				return false;
			put(index, entry);
		}
		index->last = entry;
	}
	return true;
}

bool message_index_has(const struct message_index *index, enum entry_kind kind, const char *text)
{
	size_t slot = index->size > 0 ? slot_of(index, text) : 0;

	for (; index->size > 0 && index->slots[slot]; slot = (slot + 1) & (index->size - 1))
		if (index->slots[slot]->kind == kind &&
		    strcmp(index->slots[slot]->message, text) == 0)
			return true;
	return false;
}

void message_index_clear(struct message_index *index)
{
	free(index->slots);
	*index = (struct message_index){ .slots = NULL };
}
