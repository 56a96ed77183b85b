/* SPDX-License-Identifier: BSD-3-Clause */
/* Defects of the reference tool's changing commands that no other file here
 * is about, by their numbers. */
#include "transaction/support/loops.h"

#define CPU "/sys/devices/system/cpu/"

/** The picture has the line, or does not have it. */
static void check_line(const struct machine *machine, const char *line, bool there)
{
	autofree char *picture = machine_picture(machine);

	if ((strstr(picture, line) != NULL) != there)
		fail_msg("%s: the line '%s' is %s", machine->name, line,
			 there ? "missing" : "there");
}

MACHINE_TEST(D21_frequencies_that_a_clos_cannot_hold_are_refused, "tests/tiny")
{
	static const char *const NAMES[] = { "clos above 25500 MHz", "clos min above max" };

	autofree char *before = machine_picture(machine);
	for (size_t i = 0; i < COUNT(NAMES); i++) {
		const struct outcome *outcome = machine_try(machine, NAMES[i]);

		assert_int_equal(outcome->planning, -EINVAL);
		machine_check(machine, before, "%s", NAMES[i]);
	}
}

/** The command rounds them down, with a warning. */
MACHINE_TEST(D22_frequencies_between_two_ratios_are_refused, "tests/tiny")
{
	struct request request = *request_find("clos");
	const struct outcome *outcome;

	request.clos.max_mhz = 2650;
	outcome = machine_make(machine, &request, NULL);
	assert_int_equal(outcome_error(outcome), -EINVAL);
	assert_int_equal(outcome->written, 0);
}

MACHINE_TEST(D28_limits_are_written_as_clean_numbers, "guide")
{
	machine_expect(machine, "base-freq enable auto", 0);
	check_line(machine, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq: 3200000\n",
		   true);
}

MACHINE_TEST(D29_D30_siblings_share_the_class_of_their_core, "tests/tiny")
{
	/* CPUs 0 and 1 are one core: CPU 0 is named. */
	machine_expect(machine, "turbo-freq enable auto cpus", 0);
	check_line(machine, "domain 0 core 0: ", false);
	check_line(machine, "domain 0 core 1: 0x00030000\n", true);
}

MACHINE_TEST(D34_model_0x55_has_no_epp_and_no_weight, "tests/skylake-mailbox")
{
	machine_expect(machine, "clos", 0);
	check_line(machine, "domain 0 clos 2: 0x00160a00\n", true);
}

MACHINE_TEST(D35_turbo_freq_without_cpus_warns_that_all_cores_become_slow, "guide")
{
	const struct outcome *outcome = machine_expect(machine, "turbo-freq enable auto", 0);

	check_holds(outcome->warnings, "no CPUs are named: every core becomes low priority");
}

MACHINE_TEST(D36_other_packages_are_not_touched, "guide")
{
	struct request request = *request_find("turbo-freq enable auto cpus");
	const struct outcome *outcome;

	request.one_package = true;
	outcome = machine_make(machine, &request, NULL);
	assert_int_equal(outcome_error(outcome), 0);
	assert_null(strstr(outcome->steps, "package 1"));
	check_line(machine, "domain 0 core 1: 0x00030000\n", true);
	check_line(machine, "domain 1 core 1: ", false);
}

MACHINE_TEST(D40_uncore_limits_follow_the_level, "tests/tiny")
{
	machine_change(machine, "uncore-max = 2200\nuncore-base = 1600\nuncore-min = 800",
		       "uncore-max = 1900\nuncore-base = 1600\nuncore-min = 900");
	machine_expect(machine, "level 1 online", 0);
	check_line(machine, "package_00_die_00/max_freq_khz: 1900000\n", true);
	check_line(machine, "package_00_die_00/min_freq_khz: 900000\n", true);
}

TEST(D43_without_intel_pstate_turbo_is_not_off)
{
	struct machine machine;
	const struct outcome *outcome;

	machine_begin(&machine, "tests/no-cpufreq");
	machine_expect(&machine, "turbo-freq enable", 0);
	machine_end(&machine);
	machine_begin_with(&machine, "tests/tiny", "[topology]",
			   "[files]\nno-turbo = yes\n\n[topology]");
	outcome = machine_expect(&machine, "turbo-freq enable", -EIO);
	check_holds(outcome->message, "Turbo mode is disabled");
	machine_end(&machine);
}

MACHINE_TEST(D43_a_limit_of_the_user_is_moved_only_as_far_as_needed, "tests/tiny")
{
	static const char PATH[] = "/sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq";
	struct isst_machine *opened;

	opened = machine_open(machine);
	assert_int_equal(opened->files->write(opened->data, PATH, "2600000", 7), 0);
	opened->release(opened);
	machine_expect(machine, "base-freq enable auto", 0);
	check_line(machine, "cpu2/cpufreq/scaling_max_freq: 2600000\n", true);
	check_line(machine, "cpu2/cpufreq/scaling_min_freq: 2600000\n", true);
}

TEST(D44_turbo_mode_takes_any_number_of_cpus)
{
	static const char *const PLATFORMS[] = { "tests/tiny", "tests/sparse", "guide" };
	struct machine machine;
	const struct outcome *outcome;

	for (size_t i = 0; i < COUNT(PLATFORMS); i++) {
		machine_begin(&machine, PLATFORMS[i]);
		machine_expect(&machine, "turbo-mode disable", 0);
		machine_expect(&machine, "turbo-mode enable", 0);
		machine_end(&machine);
	}
	/* It is unknown where turbo begins. */
	machine_begin_with(&machine, "tests/tiny", "[topology]", "[files]\nhwp = no\n\n[topology]");
	outcome = machine_try(&machine, "turbo-mode disable");
	assert_false(outcome->here);
	assert_false(outcome->unchanged);
	check_holds(outcome->refusals, "has no base_frequency");
	machine_end(&machine);
}

MACHINE_TEST(D47_every_die_of_a_package_is_handled, "tests/multi-die")
{
	machine_expect(machine, "core-power enable", 0);
	check_line(machine, "domain 0 core-power: 1\n", true);
	check_line(machine, "domain 1 core-power: 1\n", true);
}

MACHINE_TEST(D53_each_register_is_written_once_and_in_few_calls, "icelake-2s40c")
{
	struct isst_emulator_statistics before, after;

	before = machine_statistics(machine);
	machine_expect(machine, "association 3", 0);
	after = machine_statistics(machine);
	assert_int_equal(after.writes - before.writes, 2 * 40);
	assert_true(after.driver_calls - before.driver_calls < 40);
	before = after;
	machine_expect(machine, "turbo-freq enable auto cpus", 0);
	after = machine_statistics(machine);
	/* Of each package: core-power, priority, features, limits, 4 CLOS, and the core that leaves
	 * CLOS 3. */
	assert_true(after.writes - before.writes <= 2 * 9);
	assert_true(after.driver_calls - before.driver_calls < 60);
}

MACHINE_TEST(D54_missing_hwp_is_named, "tests/tiny")
{
	const struct outcome *outcome;

	machine_change(machine, "[topology]", "[files]\nhwp = no\n\n[topology]");
	outcome = machine_expect(machine, "core-power enable", 0);
	check_holds(outcome->warnings, "HWP");
}

MACHINE_TEST(D68_the_obstacle_of_each_domain_is_reported, "guide")
{
	const struct outcome *outcome;

	autofree char *before = machine_picture(machine);
	machine_faults(machine, "mailbox 0x7f/0x00 EIO");
	outcome = machine_expect(machine, "level 1", -EIO);
	check_holds(outcome->message, "package 0");
	check_holds(outcome->message, "package 1");
	machine_check(machine, before, "levels that cannot be read");
}

TEST(a_locked_level_is_not_changed)
{
	struct machine machine;
	const struct outcome *outcome;

	machine_begin(&machine, "tests/locked");
	autofree char *before = machine_picture(&machine);
	outcome = machine_expect(&machine, "level 1", -EROFS);
	check_holds(outcome->message, "TDP is locked");
	machine_check(&machine, before, "a locked level");
	machine_end(&machine);
	/* D5: the other source of the lock cannot be read. */
	machine_begin(&machine, "tests/tiny");
	machine_faults(&machine, "msr any get EIO");
	outcome = machine_try(&machine, "level 1");
	assert_true(outcome_error(outcome) < 0);
	machine_end(&machine);
}
