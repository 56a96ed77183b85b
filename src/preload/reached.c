/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions of a function are reached from its start, as far as they name where they lead.
 * What only an indirect jump leads to is not found.
 */
#include "preload/instructions.h"

#ifdef __x86_64__

#include <stdlib.h>
#include <string.h>

/* Of each byte of a function. */
enum { STARTS = 1, CONTINUES = 2 };

struct walk {
	const unsigned char *function;
	size_t size;
	unsigned char *bytes;
	size_t *waiting; /* instructions, each of which starts; decoded one after the other */
	size_t waiting_count;
};

static void reach(struct walk *walk, int64_t at)
{
	if (at < 0 || at >= (int64_t)walk->size || walk->bytes[at] & STARTS)
		return;
	walk->bytes[at] |= STARTS;
	walk->waiting[walk->waiting_count++] = (size_t)at;
}

/** Returns false where it is not certain what follows. */
static bool decode(struct walk *walk, size_t at)
{
	struct instruction instruction;
	int64_t target;

	if (!instruction_decode(walk->function + at, walk->size - at, &instruction))
		return false;
	for (size_t i = 1; i < instruction.size; i++)
		walk->bytes[at + i] |= CONTINUES;
	target = (int64_t)(at + instruction.size) + instruction.distance;
	/* By a call into itself a function gets the address of data behind that. */
	if (instruction.flow == FLOW_CALL && target > 0 && target < (int64_t)walk->size)
		return false;
	if (instruction.flow == FLOW_BRANCH || instruction.flow == FLOW_JUMP)
		reach(walk, target);
	if (instruction.flow != FLOW_JUMP && instruction.flow != FLOW_END)
		reach(walk, (int64_t)(at + instruction.size));
	return true;
}

/** Whether an instruction is reached, and its bytes as no other one. */
static bool is_certain(const struct walk *walk, size_t at, size_t count)
{
	if (walk->bytes[at] != STARTS)
		return false;
	for (size_t i = 1; i < count; i++)
		if (walk->bytes[at + i] != CONTINUES)
			return false;
	return true;
}

void reached_find(const unsigned char *function, size_t size, const unsigned char *bytes,
		  size_t count, void (*found)(const unsigned char *instruction, void *data),
		  void *data)
{
	struct walk walk = { .function = function, .size = size };
	const unsigned char *at = memmem(function, size, bytes, count);
	bool known = true;

	if (!at)
		return;
	walk.bytes = calloc(size, 1);
	walk.waiting = calloc(size, sizeof(*walk.waiting));
	if (!walk.bytes || !walk.waiting)
		goto out;
	reach(&walk, 0);
	while (known && walk.waiting_count > 0)
		known = decode(&walk, walk.waiting[--walk.waiting_count]);
	while (known && at) {
		if (is_certain(&walk, (size_t)(at - function), count))
			found(at, data);
		at++;
		at = memmem(at, size - (size_t)(at - function), bytes, count);
	}
out:
	free(walk.bytes);
	free(walk.waiting);
}

#endif
