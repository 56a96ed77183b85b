/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets that firmware has accepted and has not carried out yet, kept in the state until a process
 * that uses the machine finds them due. Why they are deferred, and what they do, is not known here.
 */
#include "emulator/state/state.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int deferred_add(struct server *server, unsigned long request, const void *entry, size_t size,
		 uint64_t delay_ms)
{
	const size_t count = server->state->deferred_count;
	struct deferred deferred = { .due_ms = now_ms() + (int64_t)delay_ms, .request = request };
	int result;

	if (size > sizeof(deferred.entry))
		return -EIO;
	memcpy(deferred.entry, entry, size);
	result = state_resize_deferred(server, count + 1);
	if (!result)
		state_deferred(server)[count] = deferred;
	return result;
}

bool deferred_take_due(struct server *server, struct deferred *due)
{
	const size_t count = server->state->deferred_count;
	struct deferred *all = state_deferred(server);
	size_t first = 0;

	if (count == 0)
		return false;
	for (size_t i = 1; i < count; i++)
		if (all[i].due_ms < all[first].due_ms)
			first = i;
	if (all[first].due_ms > now_ms())
		return false;
	*due = all[first];
	memmove(&all[first], &all[first + 1], (count - first - 1) * sizeof(*all));
	state_resize_deferred(server, count - 1);
	return true;
}
