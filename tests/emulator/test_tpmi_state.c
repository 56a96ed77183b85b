/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers as state: in snapshots, over processes, over kills, gone with a reset. */
#include "emulator/tpmi_calls.h"
#include "support/snapshot.h"

#include <signal.h>
#include <sys/wait.h>

static char *take(struct emulated *e)
{
	char *snapshot = machine_snapshot(e->directory);

	assert_non_null(snapshot);
	return snapshot;
}

/** Makes the change of that number, or puts it back. */
static int make_change(struct emulated *e, unsigned int number, bool back)
{
	struct abi_core_power power = { .enable = !back, .priority_type = !back };
	struct abi_clos_param param = { .clos = 3, .max_freq_mhz = back ? 25500 : 2500 };
	uint64_t ratios = back ? 0x21232527 : 1;
	uint16_t class = back ? 0 : 3;

	switch (number) {
	case 0:
		return set_level(e, 0, 1, !back);
	case 1:
		return set_features(e, 0, 1, !back);
	case 2:
		return core_power(e, 0, 0, true, &power);
	case 3:
		return clos(e, 0, 1, true, &param);
	case 4:
		return associate_one(e, 1, 2, true, &class);
	case 5:
		return msr(e, 7, 0x1ad, true, &ratios) - 1;
	case 6:
		return write_file(e, UNCORE "/uncore02/max_freq_khz", back ? "2500000" : "1000000");
	}
	return -1;
}

TEST_MACHINE(every_change_is_in_a_snapshot_and_can_be_put_back, "tests/tpmi-tiny")
{
	for (unsigned int i = 0; i < 7; i++) {
		char *before = take(e), *changed, *after;

		assert_int_equal(make_change(e, i, false), 0);
		changed = take(e);
		assert_string_not_equal(before, changed);
		assert_int_equal(make_change(e, i, true), 0);
		after = take(e);
		assert_string_equal(before, after);
		free(before);
		free(changed);
		free(after);
	}
}

/** What was set for a package stays a bound of its domains, though no file shows it. */
TEST_MACHINE(the_limit_of_a_package_is_in_a_snapshot, "tests/tpmi-tiny")
{
	char *snapshot;

	assert_int_equal(write_file(e, UNCORE "/package_00_die_00/max_freq_khz", "2500000"), 0);
	snapshot = take(e);
	assert_non_null(strstr(snapshot, "domain 0 uncore of package: 0 2500000\n"));
	free(snapshot);
}

TEST_MACHINE(registers_last_and_are_reset, "graniterapids-unlocked")
{
	char *error;

	assert_int_equal(set_level(e, 1, 0, 1), 0);
	close_machine(e);
	open_machine(e);
	assert_int_equal(levels(e, 1, 0).current_level, 1);
	close_machine(e);
	assert_int_equal(isst_emulator_reset(&e->target, &error), 0);
	open_machine(e);
	assert_int_equal(levels(e, 1, 0).current_level, 0);
}

TEST_MACHINE(a_kill_right_after_a_level_change_loses_nothing, "tests/tpmi-tiny")
{
	pid_t child;
	int status;

	rules(e, "tpmi perf-set-level signal KILL\n");
	child = fork();
	if (child == 0) {
		set_level(e, 0, 0, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(levels(e, 0, 0).current_level, 1);
	assert_file(e, CPUS "/cpu0/cpufreq/base_frequency", "2400000\n");
}
