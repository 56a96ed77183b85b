/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that find the machine in the requested state: small machines. */
#include "transaction/support/repeated.h"

/** What may be late on real firmware is read back before it is written again. */
MACHINE_TEST(a_request_that_nothing_stands_against_but_is_done_is_no_error, "tests/tiny")
{
	const struct outcome *outcome = machine_expect(machine, "level 0", 0);

	assert_true(outcome->here);
	assert_true(outcome->unchanged);
}

static void check_repeated(const struct machine *machine, const char *name)
{
	autofree char *picture = machine_picture(machine);
	const struct outcome *outcome = machine_expect(machine, name, 0);

	assert_true(outcome->unchanged);
	machine_check(machine, picture, "%s once more", name);
}

/** Like the kernel tree's tool: also if the user enabled core-power, or nothing was done
 * with the feature (D38). Repeated immediately, it has nothing to do. */
MACHINE_TEST(without_a_record_disable_auto_switches_core_power_off, "tests/tiny", "tests/multi-die",
	     "tests/tpmi-tiny")
{
	static const char *const NAMES[][2] = {
		{ "turbo-freq enable", "turbo-freq disable auto" },
		{ "core-power enable ordered; base-freq enable", "base-freq disable auto" },
		{ "core-power enable ordered", "turbo-freq disable auto" },
		{ "core-power enable ordered", "base-freq disable auto" },
	};

	for (size_t i = 0; i < COUNT(NAMES); i++) {
		const struct outcome *outcome;

		machine_restart(machine, NAMES[i][0]);
		for (unsigned int time = 0; time < 2; time++) {
			outcome = machine_expect(machine, NAMES[i][1], 0);
			check_holds(outcome->warnings, "no saved settings: core-power is disabled");
			check_holds(outcome->steps, "CLOS and priority type: 0x6 -> 0x4");
			check_repeated(machine, NAMES[i][1]);
			assert_true(machine_prepare(machine, "core-power enable ordered"));
		}
	}
}

/** Restored settings are the user's; a feature that is enabled without saved settings after that is
 * not. */
MACHINE_TEST(after_a_record_was_followed_only_a_feature_that_is_on_counts, "tests/tiny",
	     "tests/multi-die", "tests/tpmi-tiny")
{
	static const char *const NAMES[][3] = {
		{ "turbo-freq enable auto cpus", "turbo-freq disable auto", "turbo-freq enable" },
		{ "base-freq enable auto", "base-freq disable auto", "base-freq enable" },
	};

	for (size_t i = 0; i < COUNT(NAMES); i++) {
		const struct outcome *outcome;

		machine_restart(machine, "core-power enable ordered");
		assert_true(machine_prepare(machine, NAMES[i][0]));
		assert_true(machine_prepare(machine, NAMES[i][1]));
		check_repeated(machine, NAMES[i][1]);
		assert_true(machine_prepare(machine, NAMES[i][2]));
		outcome = machine_expect(machine, NAMES[i][1], 0);
		check_holds(outcome->warnings, "no saved settings: core-power is disabled");
		check_repeated(machine, NAMES[i][1]);
	}
}

RUN_ON(repeated_requests_write_nothing, "tests/tiny", "tests/multi-die", "tests/offline",
       "tests/features-on", "tests/skylake-mailbox", "tests/tpmi-tiny", "tests/tpmi-odd",
       "tests/tpmi-modules", "tests/preset-unnamed")
