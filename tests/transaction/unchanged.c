/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that find the machine in the requested state: small machines. */
#include "transaction/support/repeated.h"

/** What may be late on real firmware is read back before it is written again. */
TEST(a_request_that_nothing_stands_against_but_is_done_is_no_error)
{
	struct machine machine;
	struct outcome outcome;

	machine_begin(&machine, "tests/tiny");
	machine_try(&machine, "level 0", &outcome);
	assert_int_equal(outcome_error(&outcome), 0);
	assert_true(outcome.here);
	assert_true(outcome.unchanged);
	outcome_clear(&outcome);
	machine_end(&machine);
}

static void check_repeated(const struct machine *machine, const char *name)
{
	char *picture = machine_picture(machine);
	struct outcome outcome;

	machine_try(machine, name, &outcome);
	assert_int_equal(outcome_error(&outcome), 0);
	assert_true(outcome.unchanged);
	outcome_clear(&outcome);
	machine_check(machine, picture, "%s once more", name);
	free(picture);
}

/** Like the kernel tree's tool: also if the user enabled core-power, or nothing was done
 * with the feature (D38). Repeated immediately, it has nothing to do. */
TEST_ON(without_a_record_disable_auto_switches_core_power_off, "tests/tiny", "tests/multi-die",
	"tests/tpmi-tiny")
{
	static const char *const NAMES[][2] = {
		{ "turbo-freq enable", "turbo-freq disable auto" },
		{ "core-power enable ordered; base-freq enable", "base-freq disable auto" },
		{ "core-power enable ordered", "turbo-freq disable auto" },
		{ "core-power enable ordered", "base-freq disable auto" },
	};
	struct machine machine;

	machine_begin(&machine, *state);
	for (size_t i = 0; i < COUNT(NAMES); i++) {
		struct outcome outcome;

		machine_restart(&machine, NAMES[i][0]);
		for (unsigned int time = 0; time < 2; time++) {
			machine_try(&machine, NAMES[i][1], &outcome);
			assert_int_equal(outcome_error(&outcome), 0);
			check_holds(outcome.warnings, "no saved settings: core-power is disabled");
			check_holds(outcome.steps, "CLOS and priority type: 0x6 -> 0x4");
			outcome_clear(&outcome);
			check_repeated(&machine, NAMES[i][1]);
			assert_true(machine_prepare(&machine, "core-power enable ordered"));
		}
	}
	machine_end(&machine);
}

/** Restored settings are the user's; a feature that is enabled without saved settings after that is
 * not. */
TEST_ON(after_a_record_was_followed_only_a_feature_that_is_on_counts, "tests/tiny",
	"tests/multi-die", "tests/tpmi-tiny")
{
	static const char *const NAMES[][3] = {
		{ "turbo-freq enable auto cpus", "turbo-freq disable auto", "turbo-freq enable" },
		{ "base-freq enable auto", "base-freq disable auto", "base-freq enable" },
	};
	struct machine machine;

	machine_begin(&machine, *state);
	for (size_t i = 0; i < COUNT(NAMES); i++) {
		struct outcome outcome;

		machine_restart(&machine, "core-power enable ordered");
		assert_true(machine_prepare(&machine, NAMES[i][0]));
		assert_true(machine_prepare(&machine, NAMES[i][1]));
		check_repeated(&machine, NAMES[i][1]);
		assert_true(machine_prepare(&machine, NAMES[i][2]));
		machine_try(&machine, NAMES[i][1], &outcome);
		assert_int_equal(outcome_error(&outcome), 0);
		check_holds(outcome.warnings, "no saved settings: core-power is disabled");
		outcome_clear(&outcome);
		check_repeated(&machine, NAMES[i][1]);
	}
	machine_end(&machine);
}

RUN_ON(repeated_requests_write_nothing, "tests/tiny", "tests/multi-die", "tests/offline",
       "tests/features-on", "tests/skylake-mailbox", "tests/tpmi-tiny", "tests/tpmi-odd",
       "tests/tpmi-modules", "tests/preset-unnamed")
