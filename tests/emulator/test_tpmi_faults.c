/* SPDX-License-Identifier: BSD-3-Clause */
/* Fault rules about TPMI requests: firmware that is slow, defers or refuses, and what is counted.
 */
#include "emulator/tpmi_calls.h"
#include "support/snapshot.h"

#include <time.h>

enum { BF = 1 };

static void pause_ms(long ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void firmware_within_the_drivers_patience(void **state)
{
	struct emulated e;

	(void)state;
	start(&e, "tests/tpmi-tiny");
	rules(&e, "tpmi perf-set-level deferred 15\n");
	assert_int_equal(set_level(&e, 0, 0, 1), 0);
	assert_int_equal(levels(&e, 0, 0).current_level, 1);
	finish(&e);
}

/** The control register holds the new level, the status register the old one, which cannot be set
 * again; then firmware acts after all. */
static void a_level_change_that_times_out_comes_later(void **state)
{
	struct emulated e;

	(void)state;
	start(&e, "tests/tpmi-tiny");
	assert_int_equal(set_features(&e, 0, 0, BF), 0);
	rules(&e, "tpmi perf-set-level deferred 400 times 1\n");
	assert_int_equal(set_level(&e, 0, 0, 1), -ENOTTY);
	assert_int_equal(levels(&e, 0, 0).current_level, 0);
	assert_int_equal(levels(&e, 0, 0).feature_state, BF);
	assert_int_equal(set_level(&e, 0, 0, 0), -ENOTTY);
	pause_ms(450);
	assert_int_equal(levels(&e, 0, 0).current_level, 1);
	assert_int_equal(set_level(&e, 0, 0, 0), 0);
	finish(&e);
}

static void features_and_core_power_that_come_later(void **state)
{
	struct abi_core_power power = { .enable = 1 };
	struct emulated e;

	(void)state;
	start(&e, "tests/tpmi-tiny");
	rules(&e, "tpmi perf-set-feature deferred 300\ntpmi core-power deferred 300\n");
	assert_int_equal(set_features(&e, 0, 0, BF), 0);
	assert_int_equal(core_power(&e, 0, 0, true, &power), 0);
	assert_int_equal(levels(&e, 0, 0).feature_state, 0);
	assert_int_equal(core_power(&e, 0, 0, false, &power), 0);
	assert_int_equal(power.enable, 0);
	pause_ms(350);
	assert_int_equal(levels(&e, 0, 0).feature_state, BF);
	assert_int_equal(core_power(&e, 0, 0, false, &power), 0);
	assert_int_equal(power.enable, 1);
	assert_file(&e, CPUS "/cpu1/cpufreq/base_frequency", "2300000\n");
	finish(&e);
}

static void classes_that_come_later(void **state)
{
	struct abi_clos_param param = { .clos = 1, .max_freq_mhz = 2000 };
	uint16_t class = 3;
	struct emulated e;

	(void)state;
	start(&e, "tests/tpmi-tiny");
	rules(&e, "tpmi clos-param deferred 300\ntpmi clos-assoc deferred 300\n");
	assert_int_equal(clos(&e, 0, 0, true, &param), 0);
	assert_int_equal(associate_one(&e, 0, 2, true, &class), 0);
	assert_int_equal(clos(&e, 0, 0, false, &param), 0);
	assert_int_equal(param.max_freq_mhz, 25500);
	pause_ms(350);
	assert_int_equal(clos(&e, 0, 0, false, &param), 0);
	assert_int_equal(param.max_freq_mhz, 2000);
	class = 0;
	assert_int_equal(associate_one(&e, 0, 2, false, &class), 0);
	assert_int_equal(class, 3);
	finish(&e);
}

static void firmware_that_refuses_leaves_the_status(void **state)
{
	struct emulated e;
	char *snapshot;

	(void)state;
	start(&e, "tests/tpmi-tiny");
	rules(&e, "tpmi any set refused 5 package 0 power-domain 1\n");
	assert_int_equal(set_level(&e, 0, 1, 1), -ENOTTY);
	assert_int_equal(set_features(&e, 0, 1, BF), 0);
	assert_int_equal(levels(&e, 0, 1).current_level, 0);
	assert_int_equal(levels(&e, 0, 1).feature_state, 0);
	assert_int_equal(set_features(&e, 0, 0, BF), 0);
	assert_int_equal(levels(&e, 0, 0).feature_state, BF);
	snapshot = machine_snapshot(e.directory);
	assert_non_null(snapshot);
	assert_non_null(strstr(snapshot, "domain 1 register 0x078: 0x0000000000000101\n"));
	assert_non_null(strstr(snapshot, "domain 1 register 0x080: 0x0000000500000050\n"));
	assert_non_null(strstr(snapshot, "domain 0 register 0x080: 0x0000000000000100\n"));
	free(snapshot);
	finish(&e);
}

static void errors_ignored_and_conditions(void **state)
{
	struct abi_perf_level_info info = { 0 };
	struct emulated e;

	(void)state;
	start(&e, "tests/tpmi-tiny");
	rules(&e, "tpmi perf-levels EBUSY times 1\n"
		  "tpmi perf-set-level data 1 power-domain 0 ignored\n"
		  "tpmi perf-set-feature data 2 EPERM\n"
		  "tpmi perf-level-info get return 7\n");
	assert_int_equal(call(&e, ABI_PERF_LEVELS, &info), -EBUSY); /* as the rule has it */
	assert_int_equal(call(&e, ABI_PERF_LEVELS, &info), 0);
	assert_int_equal(set_level(&e, 0, 0, 1), 0);
	assert_int_equal(levels(&e, 0, 0).current_level, 0);
	assert_int_equal(set_level(&e, 0, 1, 1), 0);
	assert_int_equal(levels(&e, 0, 1).current_level, 1);
	assert_int_equal(set_features(&e, 0, 0, 2), -EPERM);
	assert_int_equal(set_features(&e, 0, 0, 1), 0);
	assert_int_equal(call(&e, ABI_GET_PERF_LEVEL_INFO, &info), 7);
	finish(&e);
}

/** Each entry of a batch of associations counts, as entries of other batches do. */
static void every_set_is_a_change(void **state)
{
	struct associations batch = { .entry = { { 0, 0, 0, 1 }, { 0, 0, 1, 1 }, { 0, 0, 2, 1 } } };
	struct emulated e;

	(void)state;
	start(&e, "tests/tpmi-tiny");
	rules(&e, "change any EIO after 3 times 1\n");
	assert_int_equal(set_features(&e, 0, 0, BF), 0);
	assert_int_equal(associate(&e, true, 3, &batch), -EIO);
	batch.entry[0].clos = batch.entry[1].clos = batch.entry[2].clos = 0;
	assert_int_equal(associate(&e, false, 3, &batch), 0);
	assert_int_equal(batch.entry[0].clos, 1);
	assert_int_equal(batch.entry[1].clos, 1);
	assert_int_equal(batch.entry[2].clos, 0);
	finish(&e);
}

static void what_is_counted(void **state)
{
	struct isst_emulator_statistics statistics;
	struct associations batch = { 0 };
	struct emulated e;

	(void)state;
	start(&e, "tests/tpmi-tiny");
	statistics = take_statistics(&e, true);
	levels(&e, 0, 0);
	assert_int_equal(set_level(&e, 0, 0, 1), 0);
	assert_int_equal(set_level(&e, 0, 0, 1), -ENOTTY);
	assert_int_equal(associate(&e, true, 5, &batch), 0);
	statistics = take_statistics(&e, false);
	assert_int_equal(statistics.driver_calls, 4);
	assert_int_equal(statistics.commands, 8);
	assert_int_equal(statistics.writes, 6);
	finish(&e);
}

static void rules_that_cannot_be_understood(void **state)
{
	static const struct {
		const char *rule, *message;
	} mistakes[] = {
		{ "tpmi perf-set EIO\n", "found \"perf-set\", expected a request such as" },
		{ "tpmi\n", "found \"end of line\", expected what the rule applies to" },
		{ "tpmi any short\n", "found \"short\"" },
		{ "tpmi any value 3\n", "found \"value\"" },
		{ "mailbox any refused 1\n", "found \"refused\"" },
		{ "mailbox any power-domain 1 EIO\n", "found \"power-domain\"" },
	};
	struct emulated e;

	(void)state;
	start(&e, "tests/tpmi-tiny");
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		struct isst_machine *machine;
		char *error = NULL;

		rules(&e, mistakes[i].rule);
		assert_int_equal(isst_emulator_open(&e.target, &machine, &error), -EINVAL);
		if (!strstr(error, mistakes[i].message))
			fail_msg("%s", error);
		free(error);
	}
	finish(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(firmware_within_the_drivers_patience),
		cmocka_unit_test(a_level_change_that_times_out_comes_later),
		cmocka_unit_test(features_and_core_power_that_come_later),
		cmocka_unit_test(classes_that_come_later),
		cmocka_unit_test(firmware_that_refuses_leaves_the_status),
		cmocka_unit_test(errors_ignored_and_conditions),
		cmocka_unit_test(every_set_is_a_change),
		cmocka_unit_test(what_is_counted),
		cmocka_unit_test(rules_that_cannot_be_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
