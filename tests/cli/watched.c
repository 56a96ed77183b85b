/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from looks at a part of the machine, without a clock or a machine. */
#include "check.h"

#include "cli/commands/watched.h"

#include <stdlib.h>

enum { A = 1, B = 2, C = 3, NONE = -1 };

/** Looks at the times that are asked for, each finding the next value of a list that ends with 0;
 * NONE: nothing is there. Returns the verdicts other than WATCHED_NOTHING, as letters. */
static const char *look_at(struct watched *watched, int64_t *now_ms, const int *values)
{
	static const char letters[] = "-CUG";
	static char seen[64];
	size_t count = 0;

	for (; *values; values++) {
		enum watched_verdict verdict = watched_look(watched, *values != NONE,
							    (uint64_t)*values, *now_ms);

		if (verdict != WATCHED_NOTHING && count < sizeof(seen) - 1)
			seen[count++] = letters[verdict];
		if (verdict == WATCHED_HAS_CHANGED)
			watched_accept(watched, true, *now_ms);
		*now_ms = watched->next_ms < INT64_MAX ? watched->next_ms : *now_ms + 2000;
	}
	seen[count] = '\0';
	return seen;
}

#define LOOKS(...) ((const int[]){ __VA_ARGS__, 0 })

static struct watched known(int value, int64_t *now_ms)
{
	struct watched watched = { 0 };

	assert_string_equal(look_at(&watched, now_ms, LOOKS(value, value)), "");
	assert_int_equal(watched.state, WATCHED_KNOWN);
	assert_int_equal(watched.value, value);
	return watched;
}

TEST(what_is_found_first_is_no_change)
{
	int64_t now = 0;
	struct watched watched = { 0 };

	assert_string_equal(look_at(&watched, &now, LOOKS(A, B, B)), "");
	assert_int_equal(watched.state, WATCHED_KNOWN);
	assert_int_equal(watched.value, B);
}

TEST(one_look_is_no_change)
{
	int64_t now = 0;
	struct watched watched = known(A, &now);

	/* A torn answer; and a change that went back before it was looked at again. */
	assert_string_equal(look_at(&watched, &now, LOOKS(B, A, A, C, A, A)), "");
	assert_int_equal(watched.value, A);
}

TEST(two_looks_that_agree_are_one)
{
	int64_t now = 0;
	struct watched watched = known(A, &now);

	assert_string_equal(look_at(&watched, &now, LOOKS(B, B)), "C");
	assert_int_equal(watched.value, B);
	/* A quick double change: the last value counts. */
	assert_string_equal(look_at(&watched, &now, LOOKS(A, C, C)), "C");
	assert_int_equal(watched.value, C);
}

TEST(looks_follow_after_50_250_and_1000_ms)
{
	int64_t now = 0;
	struct watched watched = known(A, &now);

	now = 10000;
	watched_look(&watched, true, B, now);
	assert_int_equal(watched.next_ms, now + 50);
	now = watched.next_ms;
	watched_look(&watched, true, C, now);
	assert_int_equal(watched.next_ms, now + 250);
	for (int value = 4; value < 8; value++) {
		now = watched.next_ms;
		watched_look(&watched, true, (uint64_t)value, now);
		assert_int_equal(watched.next_ms, now + 1000);
	}
}

TEST(what_never_agrees_is_reported_once)
{
	int64_t now = 0;
	struct watched watched = known(A, &now);
	unsigned int reports = 0;
	int64_t begin = now;

	for (int value = 10; value < 60; value++) {
		if (watched_look(&watched, true, (uint64_t)value, now) == WATCHED_IS_UNSTABLE) {
			assert_true(now - begin >= 10000 && now - begin < 11300);
			reports++;
		}
		/* Once it is reported, with the rounds. */
		now = watched.next_ms < INT64_MAX ? watched.next_ms : now + 2000;
	}
	assert_int_equal(reports, 1);
	assert_string_equal(look_at(&watched, &now, LOOKS(B, B)), "C");
	assert_false(watched.unstable);
}

TEST(what_is_gone_keeps_its_value)
{
	int64_t now = 0;
	struct watched watched = known(A, &now);

	assert_string_equal(look_at(&watched, &now, LOOKS(NONE, NONE)), "G");
	assert_int_equal(watched.value, A);
	assert_string_equal(look_at(&watched, &now, LOOKS(A, A)), "");
	assert_string_equal(look_at(&watched, &now, LOOKS(NONE, NONE, B, B)), "GC");
	assert_int_equal(watched.value, B);
	/* One look that fails is no loss, and one that succeeds no return. */
	assert_string_equal(look_at(&watched, &now, LOOKS(NONE, B, B)), "");
	assert_string_equal(look_at(&watched, &now, LOOKS(NONE, NONE, B, NONE, NONE)), "G");
}

TEST(an_event_after_a_look_is_not_lost)
{
	int64_t now = 0;
	struct watched watched = known(A, &now);

	watched_look(&watched, true, A, now);
	watched_suspect(&watched, now);
	assert_int_equal(watched.next_ms, now);
	assert_string_equal(look_at(&watched, &now, LOOKS(B, B)), "C");
	/* Also while another one is looked at. */
	watched_look(&watched, true, C, now);
	watched_suspect(&watched, now + 10);
	assert_int_equal(watched.next_ms, now + 10);
}

TEST(another_run_is_waited_for_with_a_bound)
{
	int64_t now = 0;
	struct watched watched = known(A, &now);
	int64_t begin = 0;
	unsigned int waits = 0;

	for (bool waiting = true; waiting && waits < 10000;) {
		enum watched_verdict verdict = watched_look(&watched, true, B, now);

		if (verdict == WATCHED_HAS_CHANGED) {
			begin = begin ? begin : now;
			waiting = watched_defer(&watched, true, now);
			waits += waiting;
		}
		if (waiting)
			now = watched.next_ms;
	}
	assert_true(waits > 15 && waits < 30);
	assert_true(now - begin > 120000 && now - begin < 121000);
	assert_false(watched_accept(&watched, true, now));
	assert_int_equal(watched.value, B);
	/* One that has gone back meanwhile was none. */
	now += 2000;
	watched_look(&watched, true, A, now);
	assert_int_equal(watched_look(&watched, true, A, now + 50), WATCHED_HAS_CHANGED);
	assert_true(watched_defer(&watched, true, now + 50));
	assert_int_equal(watched.state, WATCHED_OWN);
	watched_look(&watched, true, B, now + 300);
	assert_int_equal(watched_look(&watched, true, B, now + 350), WATCHED_NOTHING);
	assert_int_equal(watched.state, WATCHED_KNOWN);
	/* Nor is what was read while the run was at work judged by a lock that is free since. */
	now += 2000;
	watched_look(&watched, true, A, now);
	assert_int_equal(watched_look(&watched, true, A, now + 50), WATCHED_HAS_CHANGED);
	assert_true(watched_defer(&watched, true, now + 50));
	watched_look(&watched, true, A, now + 300);
	assert_int_equal(watched_look(&watched, true, A, now + 350), WATCHED_HAS_CHANGED);
	assert_true(watched_defer(&watched, false, now + 350));
	watched_look(&watched, true, A, now + 400);
	assert_int_equal(watched_look(&watched, true, A, now + 450), WATCHED_HAS_CHANGED);
	assert_false(watched_defer(&watched, false, now + 450));
	assert_false(watched_accept(&watched, true, now + 450));
	/* Without a run there is nothing to be waited for. */
	watched_look(&watched, true, B, now + 2500);
	assert_int_equal(watched_look(&watched, true, B, now + 2550), WATCHED_HAS_CHANGED);
	assert_false(watched_defer(&watched, false, now + 2550));
}

TEST(failures_are_tried_again_after_1_2_4_to_300_s)
{
	static const int delays_s[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300 };
	struct actions actions = { 0 };
	int64_t now = 0;

	for (size_t i = 0; i < COUNT(delays_s); i++) {
		assert_true(actions_may(&actions, now));
		assert_int_equal(actions_failed(&actions, 7, now), i == 0);
		assert_false(actions_may(&actions, now + delays_s[i] * 1000 - 1));
		now += delays_s[i] * 1000;
	}
	/* Another cause is reported. */
	assert_true(actions_failed(&actions, 8, now));
	actions_forgive_failures(&actions);
	assert_true(actions_may(&actions, now));
}

TEST(the_fourth_action_within_ten_minutes_is_the_last)
{
	struct actions actions = { 0 };
	int64_t now = 0;

	/* More than that, slowly. */
	for (int i = 0; i < 10; i++) {
		assert_false(actions_made(&actions, now));
		now += 200001;
	}
	now += 600000;
	for (int i = 0; i < 4; i++) {
		assert_true(actions_may(&actions, now));
		assert_int_equal(actions_made(&actions, now), i == 3);
		now += 1000;
	}
	actions_forgive_failures(&actions);
	assert_false(actions_may(&actions, now + 100000000));
}

/** Looks that find value after value, two of each. Returns how often that was a fight of others. */
static unsigned int count_fights(struct watched *watched, int64_t *now_ms, const int *values,
				 int64_t pause_ms)
{
	unsigned int fights = 0;

	for (; *values; values++) {
		for (int look = 0; look < 2; look++) {
			if (watched_look(watched, true, (uint64_t)*values, *now_ms) ==
			    WATCHED_HAS_CHANGED)
				fights += watched_accept(watched, true, *now_ms);
			*now_ms += 50;
		}
		*now_ms += pause_ms;
	}
	return fights;
}

TEST(two_values_by_turns_are_a_fight_of_others)
{
	int64_t now = 0;
	struct watched watched = known(A, &now);

	assert_int_equal(count_fights(&watched, &now, LOOKS(B, A), 0), 0);
	assert_int_equal(count_fights(&watched, &now, LOOKS(B, A), 0), 2);
	/* What was answered is none, and slowly it is none, and nor are three values. */
	watched.value_count = 0;
	assert_int_equal(count_fights(&watched, &now, LOOKS(B, A, B), 0), 0);
	watched = known(A, &now);
	assert_int_equal(count_fights(&watched, &now, LOOKS(B, A, B, A, B, A), 400000), 0);
	assert_int_equal(count_fights(&watched, &now, LOOKS(C, B, A, C, B), 0), 0);
}

/** Random looks and events: what is known is what two looks in a row have found, no change is
 * reported of what was known, and what is suspect is looked at within a second. */
TEST(random_looks_keep_the_rules)
{
	int64_t now = 0;
	struct watched watched = { 0 };
	uint64_t previous = 0;
	bool repeated = false;

	srand(1);
	for (int i = 0; i < 200000; i++) {
		const uint64_t value = (uint64_t)(rand() % 3 + 1), known_value = watched.value;
		const bool had_value = watched.has_value, there = rand() % 20 != 0;
		enum watched_verdict verdict;

		now += rand() % 3000;
		switch (rand() % 12) {
		case 0:
			watched_suspect(&watched, now);
			repeated = false;
			continue;
		case 1:
			watched.value_count = 0;
			continue;
		}
		verdict = watched_look(&watched, there, value, now);
		if (verdict == WATCHED_HAS_CHANGED) {
			assert_true(had_value && value != known_value);
			assert_true(repeated && previous == value);
			if (rand() % 4 || !watched_defer(&watched, true, now))
				watched_accept(&watched, true, now);
			repeated = false;
		} else {
			assert_true(!had_value || watched.value == known_value);
			repeated = there;
		}
		previous = value;
		if (watched.state == WATCHED_KNOWN)
			assert_true(watched.value == value);
		if (watched.state == WATCHED_SUSPECT || watched.state == WATCHED_UNKNOWN)
			assert_true(watched.next_ms > now &&
				    (watched.unstable || watched.next_ms <= now + 1000));
		assert_true(watched.state != WATCHED_GONE || !there);
	}
}
