/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is peculiar to changes by TPMI: levels that take no effect in time, features that settle
 * late, what a level change resets, and what belongs to a package as a whole.
 */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "tests/tpmi-tiny"

/* ---- Tests that watch another process ---- */

static int begin_by_the_clock(void **state)
{
	(void)state;
	rests_take_their_time();
	return 0;
}

static int end_by_the_clock(void **state)
{
	(void)state;
	rests_end_at_once();
	return 0;
}

#define BY_THE_CLOCK(name) TEST_WITH(name, begin_by_the_clock, end_by_the_clock)

static unsigned long long writes_of(const struct machine *machine)
{
	return machine_statistics(machine).writes;
}

/* ---- Levels that take no effect in time ---- */

/** What programs can see: the register by which the kernel asks for a level keeps what was asked
 * for, and the driver has no way to take it back. */
static char *visible_picture(const struct machine *machine)
{
	char *picture = machine_picture(machine), *rest = picture, *line, *to = picture;

	while ((line = strsep(&rest, "\n"))) {
		size_t length = strlen(line);

		if (*line != '/')
			continue;
		memmove(to, line, length);
		to[length] = '\n';
		to += length + 1;
	}
	assert_true(to > picture);
	*to = '\0';
	return picture;
}

static void check_visible(const struct machine *machine, const char *before)
{
	autofree char *now = visible_picture(machine);
	const struct outcome *outcome;

	assert_string_equal(now, before);
	outcome = machine_expect(machine, "level 0", 0);
	assert_true(outcome->unchanged);
}

static void check_given_up(const struct machine *machine, const char *rules, const char *name)
{
	autofree char *before = visible_picture(machine);
	const struct outcome *outcome = machine_expect_under(machine, rules, name, -EIO);

	check_holds(outcome->message, "it did not take effect in 3000 ms");
	check_holds(outcome->message, "all changes were rolled back");
	assert_string_equal(outcome->differences, "");
	machine_check_no_journal(machine, "");
	check_visible(machine, before);
}

/** The driver then refuses the old level as the current one, which is no sign that the new one is
 * on its way. */
MACHINE_TEST(a_level_that_takes_no_effect_in_time_is_rolled_back, TINY)
{
	static const char *const RULES[] = {
		"tpmi perf-set-level power-domain 1 deferred 60000",
		"tpmi perf-set-level power-domain 1 refused 1",
	};

	for (size_t i = 0; i < COUNT(RULES); i++) {
		check_given_up(machine, RULES[i], "level 1");
		machine_restart(machine, "base-freq enable auto; turbo-freq enable auto cpus");
		check_given_up(machine, RULES[i], "level 1 online");
		/* Nothing stands against the next change. */
		machine_expect(machine, "core-power disable", 0);
		machine_restart(machine, NULL);
	}
}

MACHINE_TEST(a_machine_that_switches_no_levels_is_left_as_it_was, TINY)
{
	machine_change(machine, "[domain]\n", "[domain]\ndynamic-switch = no\n");
	check_given_up(machine, "", "level 1");
}

/** The driver gives up after 20 ms; what it leaves out then, features off, is done all the same. */
MACHINE_TEST(a_level_that_comes_late_is_a_success, TINY)
{
	static const unsigned int DELAYS_MS[] = { 10, 60, 400, 900 };
	static const char *const NAMES[] = { "level 1", "level 1 online" };
	static const char BEFORE[] = "base-freq enable; turbo-freq enable";

	for (size_t i = 0; i < COUNT(DELAYS_MS) * COUNT(NAMES); i++) {
		unsigned int delay_ms = DELAYS_MS[i / COUNT(NAMES)];
		const char *name = NAMES[i % COUNT(NAMES)];

		machine_restart(machine, BEFORE);
		assert_true(machine_prepare(machine, name));
		autofree char *soon = machine_picture(machine);
		machine_restart(machine, BEFORE);
		autofree char *rules = formatted("tpmi perf-set-level deferred %u", delay_ms);
		machine_expect_under(machine, rules, name, 0);
		machine_check(machine, soon, "%s, %s", name, rules);
	}
}

/** A level that appeared during the wait is rolled back when something else fails. */
MACHINE_TEST(a_level_that_takes_effect_late_is_rolled_back, TINY)
{
	static const char *const BEFORE[] = {
		NULL, "base-freq enable auto; turbo-freq enable auto cpus"
	};
	static const char *const RULES[] = {
		"tpmi perf-set-level power-domain 1 deferred 150 times 1\n"
		"write /sys/devices/system/cpu/cpu*/online EBUSY",
		/* Refused while the other one is still awaited. */
		"tpmi perf-set-level power-domain 0 deferred 150 times 1\n"
		"tpmi perf-set-level power-domain 1 EIO",
	};

	for (size_t i = 0; i < COUNT(BEFORE) * COUNT(RULES); i++) {
		const struct outcome *outcome;

		machine_restart(machine, BEFORE[i % COUNT(BEFORE)]);
		autofree char *before = machine_picture(machine);
		outcome = machine_expect_under(machine, RULES[i / COUNT(BEFORE)], "level 1 online",
					       -EIO);
		check_holds(outcome->message, "all changes were rolled back");
		assert_string_equal(outcome->differences, "");
		machine_check(machine, before, "a level that came late, then: %s",
			      RULES[i / COUNT(BEFORE)]);
	}
}

static void check_taken_back_late(const struct machine *machine, const char *before_it,
				  unsigned int delay_ms)
{
	const struct outcome *outcome;

	machine_restart(machine, before_it);
	autofree char *before = machine_picture(machine);
	autofree char *rules = formatted("tpmi perf-set-level deferred %u\n"
					 "write /sys/devices/system/cpu/cpu*/online EBUSY",
					 delay_ms);
	outcome = machine_expect_under(machine, rules, "level 1 online", -EIO);
	check_holds(outcome->message, "all changes were rolled back");
	assert_string_equal(outcome->differences, "");
	machine_check_no_journal(machine, "");
	machine_check(machine, before, "a level that goes back late: %s", rules);
	/* Nothing was on its way any more that undoes what was restored. */
	rest_ms(delay_ms);
	machine_look(machine);
	machine_check(machine, before, "a level that went back late: %s", rules);
}

/** Firmware that takes its time for a level takes it for the way back, too. */
MACHINE_TEST(a_rollback_waits_for_the_old_level_as_long_as_for_the_new_one, TINY)
{
	static const unsigned int DELAYS_MS[] = { 10, 60, 250, 900 };

	for (size_t i = 0; i < COUNT(DELAYS_MS); i++) {
		check_taken_back_late(machine, NULL, DELAYS_MS[i]);
		check_taken_back_late(machine, "base-freq enable auto; turbo-freq enable auto cpus",
				      DELAYS_MS[i]);
	}
}

/** An immediate refusal is not pending: nothing was accepted, and there is no wait. */
static void check_refused(const struct machine *machine, const char *rules, const char *part)
{
	autofree char *before = machine_picture(machine);
	const struct outcome *outcome = machine_expect_under(machine, rules, "level 3", -EIO);

	check_holds(outcome->message, part);
	assert_null(strstr(outcome->message, "may still do so"));
	assert_string_equal(outcome->differences, "");
	machine_check(machine, before, "a level that is not allowed");
}

MACHINE_TEST(a_level_that_is_refused_is_not_pending, TINY)
{
	check_refused(machine, "", "the firmware does not allow the level");
}

/** Another program holds the mutex of the driver: a refusal takes as long as the driver waits. */
BY_THE_CLOCK(a_level_that_is_refused_late_is_not_pending)
{
	automachine struct machine machine = machine_begin(TINY);
	check_refused(&machine, "tpmi perf-set-level delay 30",
		      "the kernel's driver refused level 3");
}

/** The driver refuses a level that is there already: who recovers must not write it again. */
MACHINE_TEST(recovery_leaves_a_level_alone_that_is_as_it_was, TINY)
{
	unsigned long long before;

	autofree char *picture = machine_picture(machine);
	/* The journal lists both power domains; only the first one was changed. */
	machine_try_killed(machine, "level 1", "tpmi perf-set-level power-domain 0 signal KILL");
	autofree char *journal = machine_text(machine, "run/journal");
	assert_non_null(journal);
	before = writes_of(machine);
	/* Any other level write is refused, so that the recovery would fail. */
	machine_faults(machine, "tpmi perf-set-level power-domain 1 EIO\n"
				"tpmi perf-set-level power-domain 2 EIO");
	{
		freed_by(isst_close) struct isst_context *context = machine_lock(machine);

		assert_int_equal(isst_discover(context), 0);
		check_holds(isst_message_text(isst_notice_at(context, 0)),
			    "rolled back the incomplete change");
	}
	assert_int_equal(writes_of(machine) - before, 1);
	machine_faults(machine, "%s", "");
	machine_check(machine, picture, "recovery");
}

/** Ends a run some time after its journal has got a line. */
static void kill_after(const struct machine *machine, const char *name, const char *line,
		       unsigned int wait_ms)
{
	pid_t child = fork();
	bool written = false;
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		machine_try(machine, name);
		_exit(1);
	}
	while (!written && waitpid(child, &status, WNOHANG) == 0) {
		autofree char *journal = machine_text(machine, "run/journal");

		written = journal && strstr(journal, line);
		rest_ms(1);
	}
	assert_true(written);
	rest_ms(wait_ms);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

/** A level that was accepted and is not there yet may come after the run was killed. */
BY_THE_CLOCK(B20_recovery_waits_for_a_level_that_was_late_when_the_run_was_killed)
{
	enum { LATE_MS = 1000 };
	const struct outcome *outcome;

	automachine struct machine machine = machine_begin(TINY);
	autofree char *before = machine_picture(&machine);
	machine_faults(&machine, "tpmi perf-set-level power-domain 1 deferred %d times 1", LATE_MS);
	kill_after(&machine, "level 1", "\n1 written\n", 0);
	machine_faults(&machine, "%s", "");
	outcome = machine_expect(&machine, "level 0", 0);
	check_holds(outcome->notices, "rolled back the incomplete change");
	assert_string_equal(outcome->differences, "");
	rest_ms(LATE_MS);
	machine_look(&machine);
	machine_check(&machine, before, "a late level, and the run killed");
}

static void check_recovers(const struct machine *machine, const char *rules)
{
	const struct outcome *outcome = machine_try(machine, "core-power disable");

	if (outcome_error(outcome))
		fail_msg("%s: %s", rules, outcome->message);
	check_holds(outcome->notices, "rolled back the incomplete change");
	machine_check_no_journal(machine, "");
}

/** The line for completed writes does not exist yet, while some values are pending. */
TEST(recovery_waits_for_what_was_asked_for_before_the_run_was_killed)
{
	static const struct {
		const char *platform, *rules;
	} KILLS[] = {
		{ TINY, "tpmi perf-set-level power-domain 0 deferred 1500 times 1\n"
			"tpmi perf-set-level power-domain 1 signal KILL" },
		{ "tests/multi-die-across",
		  "mailbox 0x7f/0x08 set package 0 deferred 1500 times 1\n"
		  "mailbox 0x7f/0x08 set package 1 signal KILL" },
	};

	for (size_t i = 0; i < COUNT(KILLS); i++) {
		automachine struct machine machine = machine_begin(KILLS[i].platform);
		autofree char *before = machine_picture(&machine);
		machine_try_killed(&machine, "level 1", KILLS[i].rules);
		check_recovers(&machine, KILLS[i].rules);
		/* All that was late is there by then. */
		rest_ms(2000);
		machine_look(&machine);
		machine_check(&machine, before, "recovery after: %s", KILLS[i].rules);
	}
}

/** Pending values are rolled back, and listed as pending. */
MACHINE_TEST(pending_values_are_listed_as_those_that_a_rollback_restores, TINY)
{
	const struct isst_journal_entry *item;
	struct isst_context *context;
	struct isst_journal *journal;
	unsigned int pending = 0;

	autofree char *before = machine_picture(machine);
	machine_try_killed(machine, "level 1",
			   "tpmi perf-set-level power-domain 0 deferred 1500 times 1\n"
			   "tpmi perf-set-level power-domain 1 signal KILL");
	context = machine_lock(machine);
	isst_journal_keep(context);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_journal_open(context, 0, &journal), 0);
	for (size_t i = 0; (item = journal_item(journal, i)); i++) {
		if (strcmp(item->finding, "as before, but may still change") != 0)
			continue;
		assert_string_equal(item->present_value, item->old_value);
		assert_true(item->restored && !item->moved && !item->kept);
		pending++;
	}
	assert_true(pending > 0);
	assert_int_equal(isst_journal_apply(journal, 0), 0);
	isst_journal_free(journal);
	isst_close(context);
	rest_ms(2000);
	machine_look(machine);
	machine_check(machine, before, "what was late");
}

/** As long as firmware is slow it is so for the recovery as well. */
TEST(recovery_waits_for_the_old_level)
{
	enum { LATE_MS = 400 };
	static const char *const KILLS[] = {
		"tpmi perf-set-level power-domain 0 deferred 400\n"
		"tpmi perf-set-level power-domain 1 signal KILL",
		"tpmi perf-set-level deferred 400\n"
		"write /sys/devices/system/cpu/cpu*/online signal KILL",
	};

	for (size_t i = 0; i < COUNT(KILLS); i++) {
		const struct outcome *outcome;

		automachine struct machine machine = machine_begin(TINY);
		autofree char *before = machine_picture(&machine);
		machine_try_killed(&machine, "level 1 online", KILLS[i]);
		outcome = machine_expect_under(&machine, "tpmi perf-set-level deferred 400",
					       "core-power disable", 0);
		check_holds(outcome->notices, "rolled back the incomplete change");
		machine_check_no_journal(&machine, "");
		rest_ms(LATE_MS);
		machine_look(&machine);
		machine_check(&machine, before, "recovery by slow firmware after: %s", KILLS[i]);
	}
}

/** Killed in a rollback that had asked for the old level: kernels that compare with what was asked
 * for refuse it then, while it is on its way. */
BY_THE_CLOCK(recovery_waits_for_what_an_earlier_rollback_asked_for)
{
	static const char *const COMPARES[] = { "status", "control" };

	for (size_t i = 0; i < COUNT(COMPARES); i++) {
		const struct outcome *outcome;
		char *compare;

		compare = formatted("[driver]\nlevel-compare = %s\n", COMPARES[i]);
		automachine struct machine machine = machine_begin_with(TINY, "[driver]\n",
									compare);
		autofree char *before = visible_picture(&machine);
		machine_faults(&machine, "tpmi perf-set-level deferred 900\n"
					 "write /sys/devices/system/cpu/cpu*/online EBUSY");
		kill_after(&machine, "level 1 online", "\nrollback\n", 300);
		machine_faults(&machine, "%s", "");
		outcome = machine_try(&machine, "level 0");
		if (outcome_error(outcome))
			fail_msg("level-compare = %s: %s", COMPARES[i], outcome->message);
		check_holds(outcome->notices, "rolled back the incomplete change");
		machine_check_no_journal(&machine, "");
		check_visible(&machine, before);
		free(compare);
	}
}

/** Uncore limits come back with the kernel's module, and all else is rolled back without it. */
MACHINE_TEST(recovery_names_the_missing_module_of_uncore_limits, TINY)
{
	struct isst_context *context;
	struct isst_journal *journal;

	autofree char *before = machine_picture(machine);
	machine_try_killed(machine, "level 1 online",
			   "write /sys/devices/system/cpu/cpu*/online signal KILL");
	machine_faults(machine, "list /sys/devices/system/cpu/intel_uncore_frequency ENOENT");
	context = machine_lock(machine);
	isst_journal_keep(context);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_journal_open(context, 0, &journal), 0);
	assert_int_equal(isst_journal_apply(journal, 0), -ENOTRECOVERABLE);
	check_holds(isst_error(context), "is the module intel_uncore_frequency_tpmi loaded?");
	isst_journal_free(journal);
	isst_close(context);
	machine_faults(machine, "%s", "");
	check_recovers(machine, "the module is loaded again");
	machine_look(machine);
	machine_check(machine, before, "recovery once the module is loaded");
}

/** What the firmware never makes keeps no journal for ever. */
BY_THE_CLOCK(recovery_ends_where_a_level_was_refused_and_the_run_killed)
{
	static const char RULES[] = "tpmi perf-set-level power-domain 1 refused 1";

	automachine struct machine machine = machine_begin(TINY);
	autofree char *before = visible_picture(&machine);
	machine_faults(&machine, "%s", RULES);
	kill_after(&machine, "level 1", "\n1 written\n", 0);
	machine_faults(&machine, "%s", "");
	check_recovers(&machine, RULES);
	check_visible(&machine, before);
}

/** Which CPUs a level enables is known only where the place of each CPU is. */
MACHINE_TEST(a_cpu_of_an_unknown_power_domain_is_no_reason_to_guess, TINY)
{
	const struct outcome *outcome;

	autofree char *before = machine_picture(machine);
	outcome = machine_expect_under(machine, "phy-id cpu 3 EIO", "level 1 online", -EIO);
	check_holds(outcome->message, "does not report the core of CPU 3");
	machine_check(machine, before, "a CPU whose place is not known");
}

/* ---- What a level change resets ---- */

MACHINE_TEST(a_rollback_of_a_level_restores_features_limits_and_uncore, TINY,
	     "graniterapids-unlocked")
{
	static const char *const BEFORE[] = {
		"base-freq enable auto; turbo-freq enable auto cpus",
		"turbo-freq enable limits",
		"core-power enable ordered; clos; association; base-freq enable",
	};

	for (size_t i = 0; i < COUNT(BEFORE); i++) {
		const struct outcome *outcome;

		machine_restart(machine, NULL);
		assert_true(machine_prepare(machine, BEFORE[i]));
		autofree char *before = machine_picture(machine);
		outcome = machine_expect_under(machine,
					       "write /sys/devices/system/cpu/cpu*/online EBUSY",
					       "level 1 online", -EIO);
		assert_true(outcome->written > 0);
		check_holds(outcome->steps, "level: 0 -> 1");
		assert_string_equal(outcome->differences, "");
		machine_check(machine, before, "level 1 after %s", BEFORE[i]);
	}
}

/** If uncore limits do not follow the level automatically, they are written: of each
 * fabric cluster, identified by its files. */
MACHINE_TEST(uncore_limits_of_clusters_are_written_and_rolled_back, TINY)
{
	const struct outcome *outcome;

	machine_change(machine, "[topology]", "[files]\nuncore-follows-level = no\n\n[topology]");
	autofree char *before = machine_picture(machine);
	outcome = machine_expect_under(
		machine,
		"write /sys/devices/system/cpu/intel_uncore_frequency/uncore01/max_freq_khz EIO "
		"after 1",
		"level 1 online", -EIO);
	check_holds(outcome->steps, "package 0, power domain 0: uncore max: 2200000 kHz -> "
				    "2000000 kHz");
	machine_check(machine, before, "uncore limits that cannot be written");
	machine_expect(machine, "level 1 online", 0);
	autofree char *now = machine_picture(machine);
	check_holds(now, "intel_uncore_frequency/uncore00/max_freq_khz: 2000000\n");
	check_holds(now, "intel_uncore_frequency/uncore01/max_freq_khz: 2000000\n");
	check_holds(now, "intel_uncore_frequency/uncore02/max_freq_khz: 2500000\n");
}

/* ---- Settling ---- */

MACHINE_TEST(features_and_core_power_are_waited_for, TINY)
{
	machine_prepare(machine, "base-freq enable auto");
	autofree char *soon = machine_picture(machine);
	machine_restart(machine, NULL);
	machine_expect_under(machine,
			     "tpmi perf-set-feature deferred 40\ntpmi core-power deferred 40",
			     "base-freq enable auto", 0);
	autofree char *late = machine_picture(machine);
	assert_string_equal(late, soon);
}

/** The wait is limited: values that appear later are overwritten, and the run reports a failure. */
MACHINE_TEST(a_value_that_settles_too_late_is_a_failure, TINY)
{
	static const char *const RULES[][2] = {
		{ "tpmi perf-set-feature deferred 400 times 1", "turbo-freq enable" },
		{ "tpmi core-power deferred 400 times 1", "core-power enable ordered" },
	};

	for (size_t i = 0; i < COUNT(RULES); i++) {
		const struct outcome *outcome;

		machine_restart(machine, NULL);
		autofree char *before = machine_picture(machine);
		outcome = machine_try_under(machine, RULES[i][0], RULES[i][1]);
		assert_true(outcome_error(outcome) < 0);
		check_holds(outcome->message, "read back");
		/* Firmware looks at what is asked for by then: the old value. */
		rest_ms(500);
		machine_look(machine);
		machine_check(machine, before, "%s under %s", RULES[i][1], RULES[i][0]);
	}
}

/* ---- Writes that have no effect ---- */

static const struct {
	const char *rules, *name, *part;
} IGNORED[] = {
	{ "tpmi perf-set-feature ignored", "turbo-freq enable", "turbo-freq" },
	{ "tpmi perf-set-feature ignored", "base-freq enable auto", "base-freq" },
	{ "tpmi core-power set ignored", "core-power enable ordered", "CLOS and priority type" },
	{ "tpmi clos-param set power-domain 1 ignored", "clos", "power domain 1: CLOS 2" },
	{ "tpmi clos-assoc set power-domain 1 data 2 ignored", "association",
	  "power domain 1: CLOS of core 2" },
	{ "msr 0x1ad set ignored", "turbo ratio limits", "turbo ratio limits" },
};

MACHINE_TEST(D12_what_was_not_taken_is_a_failure_and_undone, TINY)
{
	for (size_t i = 0; i < COUNT(IGNORED); i++) {
		autofree char *before = machine_picture(machine);
		const struct outcome *outcome = machine_expect_under(machine, IGNORED[i].rules,
								     IGNORED[i].name, -EIO);

		check_holds(outcome->message, IGNORED[i].part);
		machine_check(machine, before, "%s under '%s'", IGNORED[i].name, IGNORED[i].rules);
	}
}

/* ---- What is the package's ---- */

/** The fault affects a power domain that was not named; the changes of its neighbours are rolled
 * back. */
MACHINE_TEST(package_wide_changes_are_rolled_back_everywhere, TINY, "graniterapids-2s128c")
{
	static const char *const RULES[][2] = {
		{ "tpmi core-power set power-domain 1 EIO",
		  "first domain: core-power enable ordered" },
		{ "tpmi clos-param set power-domain 1 EIO", "first domain: clos" },
		{ "tpmi clos-param set power-domain 1 EIO", "first domain: base-freq enable auto" },
		{ "tpmi core-power set power-domain 1 EIO",
		  "first domain: turbo-freq enable auto cpus" },
	};

	for (size_t i = 0; i < COUNT(RULES); i++) {
		const struct outcome *outcome;

		machine_restart(machine, NULL);
		autofree char *before = machine_picture(machine);
		outcome = machine_expect_under(machine, RULES[i][0], RULES[i][1], -EIO);
		check_holds(outcome->message, "power domain 1");
		check_holds(outcome->message, "all changes were rolled back");
		check_holds(outcome->steps, "package 0, power domain 0");
		machine_check(machine, before, "%s under '%s'", RULES[i][1], RULES[i][0]);
	}
}

/** And where nothing fails all power domains of the package have it. */
MACHINE_TEST(package_wide_settings_reach_all_power_domains, TINY)
{
	static const struct {
		const char *name, *step;
	} WANTED[] = {
		{ "first domain: core-power enable ordered", "CLOS and priority type: 0x0 -> 0x6" },
		{ "first domain: clos", "CLOS 2: 0xff0000 -> 0x160a50" },
	};

	for (size_t i = 0; i < COUNT(WANTED); i++) {
		const struct outcome *outcome;

		machine_restart(machine, NULL);
		outcome = machine_expect(machine, WANTED[i].name, 0);
		for (unsigned int number = 0; number < 3; number++) {
			autofree char *line = formatted("package 0, power domain %u: %s\n", number,
							WANTED[i].step);
			check_holds(outcome->steps, line);
		}
	}
}

/** Firmware that resets CLOS 2 and 3 with core-power: they are as before when core-power is. */
MACHINE_TEST(classes_that_core_power_resets_are_restored_by_a_rollback, "tests/tpmi-clos-resets")
{
	const struct outcome *outcome;

	machine_restart(machine, "clos");
	autofree char *before = machine_picture(machine);
	outcome = machine_expect_under(machine, "tpmi core-power power-domain 1 set ENOTTY",
				       "core-power enable ordered", -EIO);
	assert_string_equal(outcome->differences, "");
	machine_check(machine, before, "core-power enable");
}

/** The same where a step behind it wants them as they were before: that is not so any more. */
MACHINE_TEST(classes_that_core_power_resets_are_configured_again, "tests/tpmi-clos-resets")
{
	const struct outcome *outcome;

	assert_true(machine_prepare(machine, "turbo-freq enable auto cpus"));
	autofree char *configured = machine_picture(machine);
	assert_true(machine_prepare(machine, "core-power disable"));
	outcome = machine_expect(machine, "turbo-freq enable auto cpus", 0);
	assert_false(outcome->unchanged);
	machine_check(machine, configured, "core-power off and on again");
}

/* ---- Features, where another level was requested last than the present one ---- */

static const struct {
	const char *before, *name; /* @before: by the host, which requests what is there */
	unsigned int level;	   /* then set by a management controller */
} FEATURE_WRITES[] = {
	{ "level 0", "turbo-freq enable", 1 },
	{ "level 0", "turbo-freq enable auto cpus", 1 },
	{ "turbo-freq enable", "turbo-freq disable", 1 },
	{ "turbo-freq enable auto cpus", "turbo-freq disable auto", 1 },
	{ "level 1", "turbo-freq enable", 0 },
	/* Level 1 lacks SST-BF: it does not come with the first write. */
	{ "level 1", "base-freq enable", 0 },
	{ "level 1", "base-freq enable auto", 0 },
};

/** A management controller sets a level in all power domains. */
static void set_level_by_controller(const struct machine *machine, unsigned int level)
{
	machine_faults(machine, "open times 1 then level %u", level);
	machine_look(machine);
	machine_faults(machine, "%s", "");
}

static void check_answers(const struct machine *machine, const char *expected, const char *what,
			  unsigned int number)
{
	autofree char *now = machine_answers(machine);

	if (strcmp(now, expected) != 0)
		fail_msg("%s, %u:\n%s\n---- and not\n%s", what, number, now, expected);
}

/** The driver requests the last requested level with each write of a feature (isst_tpmi_core.c,
 * _write_pp_info): the machine is as where the host has set the level itself. */
MACHINE_TEST(a_feature_does_not_change_the_level, TINY)
{
	for (size_t i = 0; i < COUNT(FEATURE_WRITES); i++) {
		const char *name = FEATURE_WRITES[i].name;

		machine_restart(machine, FEATURE_WRITES[i].before);
		set_level_by_controller(machine, FEATURE_WRITES[i].level);
		/* There and back: now that level is the one requested last. */
		assert_true(machine_prepare(machine, FEATURE_WRITES[i].level ? "level 0; level 1"
									     : "level 1; level 0"));
		assert_true(machine_prepare(machine, name));
		autofree char *expected = machine_answers(machine);
		machine_restart(machine, FEATURE_WRITES[i].before);
		set_level_by_controller(machine, FEATURE_WRITES[i].level);
		machine_expect(machine, name, 0);
		check_answers(machine, expected, name, 0);
	}
}

/** Whatever fails, the level is as before, too. */
MACHINE_TEST(a_rollback_of_features_restores_the_level, TINY)
{
	for (size_t i = 0; i < COUNT(FEATURE_WRITES); i++) {
		bool failed = true;

		for (unsigned int number = 0; failed; number++) {
			const struct outcome *outcome;
			char *before, rules[64];

			machine_restart(machine, FEATURE_WRITES[i].before);
			set_level_by_controller(machine, FEATURE_WRITES[i].level);
			before = machine_answers(machine);
			snprintf(rules, sizeof(rules), "change any EIO after %u times 1", number);
			outcome = machine_try_under(machine, rules, FEATURE_WRITES[i].name);
			failed = outcome_error(outcome) != 0;
			if (failed) {
				assert_string_equal(outcome->differences, "");
				check_answers(machine, before, FEATURE_WRITES[i].name, number);
			} else {
				assert_true(number > 1);
			}
			free(before);
		}
	}
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
