/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other agents change the machine in the middle of a change: a management controller sets a level,
 * the reference tool has no lock. What a change wrote or relied on is looked at again before it
 * counts as made.
 */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

#include <errno.h>

static const struct {
	const char *machine, *name;
	const char *level; /* that the management controller sets, right after a write */
} MADE[] = {
	{ "guide", "level 1", "4 package 0" },
	{ "guide", "level 1 online", "4 package 0" },
	{ "guide", "base-freq enable", "4 package 0" },
	{ "guide", "base-freq disable", "4 package 0" },
	{ "guide", "base-freq enable auto", "4 package 0" },
	{ "guide", "turbo-freq enable", "4 package 0" },
	{ "guide", "turbo-freq enable auto cpus", "4 package 0" },
	{ "guide", "turbo-freq disable", "4 package 0" },
	{ "guide", "turbo ratio limits", "4 package 0" },
	{ "tests/tpmi-tiny", "base-freq enable auto", "1 package 0 power-domain 0" },
	{ "tests/tpmi-tiny", "turbo-freq enable", "1 package 0 power-domain 0" },
	{ "tests/tpmi-tiny", "turbo-freq enable auto cpus", "1 package 0 power-domain 0" },
};

/** What the machine is where nothing but the level of package 0 was changed. */
static char *picture_with_level(const struct machine *machine, const char *before,
				const char *level)
{
	machine_restart(machine, before);
	machine_faults(machine, "open times 1 then level %s", level);
	machine_look(machine);
	machine_faults(machine, "%s", "");
	return machine_answers(machine);
}

/** Returns false once no write is left that the agent could act after. */
static bool check_level_after(const struct machine *machine, size_t i, const char *made,
			      const char *expected, unsigned int number)
{
	const char *name = MADE[i].name;
	const char *limits = "domain 0 msr 0x1ad";
	unsigned long long writes;
	const struct outcome *outcome;
	bool failed;

	machine_restart(machine, request_find(name)->before);
	writes = machine_statistics(machine).writes;
	machine_faults(machine, "change any after %u times 1 then level %s", number, MADE[i].level);
	outcome = machine_try(machine, name);
	machine_faults(machine, "%s", "");
	writes = machine_statistics(machine).writes - writes;
	failed = outcome_error(outcome) != 0;
	if (failed && (outcome_error(outcome) != -EIO || *outcome->differences ||
		       !strstr(outcome->message, "; all other changes were rolled back")))
		fail_msg("%s, write %u: %d %s %s", name, number, outcome_error(outcome),
			 outcome->message, outcome->differences);
	/* Limits that the level replaced right after they were written pass for clipped ones. */
	autofree char *now = machine_answers(machine);
	if (!failed || !strstr(name, "turbo-freq"))
		limits = "nothing";
	machine_check_without(machine, failed ? expected : made, now, limits, name);
	/* Where it acted, the change must not hold. */
	if (!failed && (number == 0 || writes > number))
		fail_msg("%s, %s: made, but the level changed after write %u of %llu",
			 machine->name, name, number, writes);
	return failed;
}

TEST(a_level_that_changes_meanwhile_fails_the_change)
{
	for (size_t i = 0; i < COUNT(MADE); i++) {
		const char *before = request_find(MADE[i].name)->before;

		automachine struct machine machine = machine_begin(MADE[i].machine);
		assert_true(machine_restart(&machine, before));
		assert_true(machine_prepare(&machine, MADE[i].name));
		autofree char *made = machine_answers(&machine);
		autofree char *expected = picture_with_level(&machine, before, MADE[i].level);
		for (unsigned int number = 0;
		     check_level_after(&machine, i, made, expected, number);)
			number++;
	}
}

/** Between planning and the first write nothing is written at all. */
MACHINE_TEST(a_level_that_changes_before_the_first_write_ends_the_change, "guide")
{
	const char *name = "base-freq enable auto";
	unsigned int seen = 0;

	autofree char *expected = picture_with_level(machine, NULL, "4 package 0");
	for (unsigned int number = 0; number < 150; number++) {
		const struct outcome *outcome;
		char *now;

		machine_restart(machine, NULL);
		machine_faults(machine, "command any after %u times 1 then level 4 package 0",
			       number);
		outcome = machine_try(machine, name);
		machine_faults(machine, "%s", "");
		if (strstr(outcome->message,
			   "level: it was 0, and became 4 while the change was planned")) {
			seen++;
			assert_int_equal(outcome_error(outcome), -EIO);
			assert_int_equal(machine_statistics(machine).writes, 0);
			now = machine_answers(machine);
			assert_string_equal(now, expected);
			free(now);
		}
	}
	assert_true(seen > 0);
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
