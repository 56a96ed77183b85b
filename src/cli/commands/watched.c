/* SPDX-License-Identifier: BSD-3-Clause */
#include "watched.h"

#include <string.h>

enum {
	UNSTABLE_MS = 10 * 1000,
	OWN_LOOK_MS = 250,
	OWN_LOOKS = 4,
	OWN_LIMIT_MS = 120 * 1000, /* a level change takes hundreds of CPUs offline */
	FIGHT_MS = 10 * 60 * 1000,
	FIRST_RETRY_MS = 1000,
	LAST_RETRY_MS = 300 * 1000,
};

void watched_know(struct watched *watched, uint64_t value)
{
	watched->state = WATCHED_KNOWN;
	watched->has_value = true;
	watched->value = value;
}

/** The delay of the next look: torn answers and changes in several steps are over soon. */
static int64_t delay_ms(unsigned int looks)
{
	static const int64_t delays[] = { 50, 250, 1000 };
	const size_t last = sizeof(delays) / sizeof(delays[0]) - 1;

	return delays[looks < last ? looks : last];
}

static void begin_suspicion(struct watched *watched)
{
	watched->state = watched->has_value ? WATCHED_SUSPECT : WATCHED_UNKNOWN;
	watched->has_last = false;
	watched->looks = 0;
}

/** Notes the time of something that happened, as the last of those that are kept. */
static void push_time(int64_t *times, size_t *count, size_t most, int64_t now_ms)
{
	*count += *count < most;
	memmove(times + 1, times, (*count - 1) * sizeof(*times));
	times[0] = now_ms;
}

static void push_value(struct watched *watched, uint64_t value, int64_t now_ms)
{
	push_time(watched->values_ms, &watched->value_count, WATCHED_FIGHT, now_ms);
	memmove(watched->values + 1, watched->values,
		(watched->value_count - 1) * sizeof(*watched->values));
	watched->values[0] = value;
}

/** Two looks agree. */
static enum watched_verdict settle(struct watched *watched, bool there, uint64_t value,
				   int64_t now_ms)
{
	watched->unstable = false;
	watched->next_ms = INT64_MAX;
	if (!there) {
		bool is_new = !watched->gone;

		watched->state = WATCHED_GONE;
		watched->gone = true;
		return is_new ? WATCHED_HAS_GONE : WATCHED_NOTHING;
	}
	watched->gone = false;
	if (watched->has_value && value != watched->value) {
		watched->state = WATCHED_CHANGED;
		return WATCHED_HAS_CHANGED;
	}
	if (!watched->has_value)
		push_value(watched, value, now_ms);
	watched_know(watched, value);
	watched->own_ms = 0;
	return WATCHED_NOTHING;
}

static enum watched_verdict compare_looks(struct watched *watched, bool there, uint64_t value,
					  int64_t now_ms)
{
	bool agrees = watched->has_last && watched->last_there == there &&
		      (!there || watched->last == value);

	if (watched->looks == 0)
		watched->suspect_ms = now_ms;
	watched->has_last = true;
	watched->last_there = there;
	watched->last = value;
	if (agrees)
		return settle(watched, there, value, now_ms);
	/* What another program changes all the time is not to be looked at all the time. */
	watched->next_ms = watched->unstable ? INT64_MAX : now_ms + delay_ms(watched->looks++);
	if (watched->unstable || now_ms - watched->suspect_ms < UNSTABLE_MS)
		return WATCHED_NOTHING;
	watched->unstable = true;
	return WATCHED_IS_UNSTABLE;
}

enum watched_verdict watched_look(struct watched *watched, bool there, uint64_t value,
				  int64_t now_ms)
{
	bool was_gone = watched->state == WATCHED_GONE;
	bool is_known = watched->state == WATCHED_KNOWN && there && value == watched->value;

	if (is_known || (was_gone && !there)) {
		watched->next_ms = INT64_MAX;
		return WATCHED_NOTHING;
	}
	if (watched->state == WATCHED_KNOWN || was_gone)
		begin_suspicion(watched);
	return compare_looks(watched, there, value, now_ms);
}

void watched_suspect(struct watched *watched, int64_t now_ms)
{
	if (watched->state != WATCHED_GONE)
		begin_suspicion(watched);
	watched->next_ms = now_ms;
}

bool watched_accept(struct watched *watched, bool by_others, int64_t now_ms)
{
	const uint64_t *values = watched->values;

	watched->state = WATCHED_KNOWN;
	watched->value = watched->last;
	watched->own_ms = 0;
	if (!by_others)
		watched->value_count = 0;
	push_value(watched, watched->value, now_ms);
	return watched->value_count == WATCHED_FIGHT && values[0] == values[2] &&
	       values[1] == values[3] && now_ms - watched->values_ms[2] <= FIGHT_MS;
}

bool watched_defer(struct watched *watched, bool busy, int64_t now_ms)
{
	bool goes_on = busy || (watched->own_ms > 0 && !watched->own_over);

	watched->own_over = !busy;
	if (busy && watched->own_ms == 0)
		watched->own_ms = now_ms;
	if (!goes_on || now_ms - watched->own_ms > OWN_LIMIT_MS)
		return false;
	begin_suspicion(watched);
	watched->state = WATCHED_OWN;
	/* The longer a run holds the lock, the fewer looks; the last one is at the limit. */
	watched->next_ms = now_ms + (busy ? OWN_LOOK_MS + (now_ms - watched->own_ms) / OWN_LOOKS
					  : delay_ms(0));
	if (watched->next_ms > watched->own_ms + OWN_LIMIT_MS + 1)
		watched->next_ms = watched->own_ms + OWN_LIMIT_MS + 1;
	return true;
}

/* ---- Actions ---- */

bool actions_may(const struct actions *actions, int64_t now_ms)
{
	return !actions->fights && now_ms >= actions->retry_ms;
}

bool actions_made(struct actions *actions, int64_t now_ms)
{
	bool begins;

	actions_forgive_failures(actions);
	push_time(actions->made_ms, &actions->count, WATCHED_FIGHT, now_ms);
	begins = !actions->fights && actions->count == WATCHED_FIGHT &&
		 now_ms - actions->made_ms[WATCHED_FIGHT - 1] <= FIGHT_MS;
	actions->fights |= begins;
	return begins;
}

bool actions_failed(struct actions *actions, uint64_t cause, int64_t now_ms)
{
	bool is_new = actions->failures == 0 || cause != actions->cause;
	int64_t delay = FIRST_RETRY_MS;

	for (unsigned int i = 0; i < actions->failures && delay < LAST_RETRY_MS; i++)
		delay *= 2;
	actions->failures++;
	actions->cause = cause;
	actions->retry_ms = now_ms + (delay < LAST_RETRY_MS ? delay : LAST_RETRY_MS);
	return is_new;
}

void actions_forgive_failures(struct actions *actions)
{
	actions->failures = 0;
	actions->retry_ms = 0;
}
