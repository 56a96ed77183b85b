/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What changes cost the driver: what was read before the first write, or read back with a step, is
 * not asked for again.
 */
#include "transaction/support/machines.h"

/**
 * Driver calls, and the commands in them, of the first version (2026-11-21), measured with it. It
 * read back only what it had written. @besides: what it did not look at and has to be: the four
 * CLOS configurations of a domain before and after core-power is switched, and the turbo ratio
 * limits that a level reports (two halves) before base-freq is configured with them; and, once all
 * is made, what other steps than the last one have written, with the levels, in one batch: others
 * may have changed it meanwhile. With base-freq these are 28 associations, 14 values of CLOS, of
 * switches and features, and both levels, which are also read before the first write; with
 * turbo-freq, behind whose associations turbo ratio limits are written, these, added to the
 * commands. What a mailbox answers and a change is decided by is read twice, in the same calls (the
 * last number).
 */
static const struct {
	const char *machine, *request;
	unsigned int calls, commands, besides;
} COSTS[] = {
	{ "guide", "association 1", 8, 149, 2 },
	{ "guide", "core-power enable ordered", 13, 81, 2 * 4 * 2 + 16 },
	{ "guide", "base-freq enable auto", 24, 189, 2 * 2 + 28 + 14 + 2 * 2 + 40 },
	{ "guide", "turbo-freq enable auto cpus", 28, 207 + 28, 2 * 10 + 34 },
	{ "guide", "level 1 online", 14, 163, 2 * 4 + 36 },
	{ "icelake-2s40c", "turbo-freq enable auto cpus", 33, 467 + 80, 2 * 10 + 34 },
	{ "icelake-2s40c", "level 1 online", 18, 361, 2 * 4 + 36 },
	/* Eight power domains; on TPMI servers most commands are calls of their own. */
	{ "graniterapids-unlocked", "core-power enable ordered", 63, 315, 8 * 4 * 2 },
	{ "graniterapids-unlocked", "clos", 79, 331, 0 },
	{ "graniterapids-unlocked", "association 1", 37, 667, 0 },
	{ "graniterapids-unlocked", "turbo-freq enable auto cpus", 277, 911 + 128, 8 * 2 },
	{ "graniterapids-unlocked", "level 1 online", 121, 565, 8 * 2 },
};

/** A twentieth more. */
static unsigned long long most(unsigned int first_version, unsigned int besides)
{
	return first_version * 21ULL / 20 + besides;
}

static void check_cost(size_t i)
{
	struct isst_emulator_statistics before, after;
	unsigned long long calls, commands;
	const struct outcome *outcome;

	automachine struct machine machine = machine_begin(COSTS[i].machine);
	machine_look(&machine);
	before = machine_statistics(&machine);
	outcome = machine_try(&machine, COSTS[i].request);
	after = machine_statistics(&machine);
	assert_int_equal(outcome_error(outcome), 0);
	assert_false(outcome->unchanged);
	calls = after.driver_calls - before.driver_calls;
	commands = after.commands - before.commands;
	if (calls > most(COSTS[i].calls, COSTS[i].besides) ||
	    commands > most(COSTS[i].commands, COSTS[i].besides))
		fail_msg("%s, %s: %llu driver calls, %llu commands; the first version: %u, %u",
			 COSTS[i].machine, COSTS[i].request, calls, commands, COSTS[i].calls,
			 COSTS[i].commands);
}

TEST(the_driver_is_asked_no_more_than_by_the_first_version)
{
	for (size_t i = 0; i < COUNT(COSTS); i++)
		check_cost(i);
}

/** Files that a request opens once the state after boot is kept. */
static unsigned long long count_files(const char *name, const char *request)
{
	struct isst_emulator_statistics before, after;
	const struct outcome *outcome;

	automachine struct machine machine = machine_begin(name);
	machine_prepare(&machine, "clos");
	before = machine_statistics(&machine);
	outcome = machine_try(&machine, request);
	after = machine_statistics(&machine);
	assert_int_equal(outcome_error(outcome), 0);
	assert_false(outcome->unchanged);
	return after.files_opened - before.files_opened;
}

/** Both are of two packages; the one has 56 CPUs, the other 160. */
TEST(a_level_alone_opens_no_file_for_each_cpu)
{
	assert_int_equal(count_files("guide", "level 1"), count_files("icelake-2s40c", "level 1"));
}

/** The limit and the range of each CPU that stays, once: with turbo on no level brings a limit
 * below its base frequency to sight. Of those that go offline the lower limit besides. */
TEST(a_level_reads_limits_once)
{
	assert_true(count_files("icelake-2s40c", "level 1 online") < 3 * 160);
}

/** Of each CPU the base frequency and the end of the range, to plan; both limits with their ends,
 * for a rollback; the write; and the file that was written, which shows it. */
TEST(what_was_written_is_read_back_from_one_file)
{
	assert_int_equal(count_files("icelake-2s40c", "turbo-mode disable") -
				 count_files("guide", "turbo-mode disable"),
			 (2 + 4 + 1 + 1) * (160 - 56));
}
