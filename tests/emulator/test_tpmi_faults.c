/* SPDX-License-Identifier: BSD-3-Clause */
/* Fault rules about TPMI requests: firmware that is slow, defers or refuses, and what is counted.
 */
#include "emulator/tpmi_calls.h"
#include "support/snapshot.h"

enum { BF = 1 };

TEST_MACHINE(firmware_within_the_drivers_patience, "tests/tpmi-tiny")
{
	rules(e, "tpmi perf-set-level deferred 15\n");
	assert_int_equal(set_level(e, 0, 0, 1), 0);
	assert_int_equal(levels(e, 0, 0).current_level, 1);
}

/** The control register holds the new level, the status register the old one, which cannot be set
 * again; then firmware acts after all. */
TEST_MACHINE(a_level_change_that_times_out_comes_later, "tests/tpmi-tiny")
{
	assert_int_equal(set_features(e, 0, 0, BF), 0);
	rules(e, "tpmi perf-set-level deferred 400 times 1\n");
	assert_int_equal(set_level(e, 0, 0, 1), -ENOTTY);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
	assert_int_equal(levels(e, 0, 0).feature_state, BF);
	assert_int_equal(set_level(e, 0, 0, 0), -ENOTTY);
	usleep(450 * 1000);
	assert_int_equal(levels(e, 0, 0).current_level, 1);
	assert_int_equal(set_level(e, 0, 0, 0), 0);
}

TEST_MACHINE(features_and_core_power_that_come_later, "tests/tpmi-tiny")
{
	struct abi_core_power power = { .enable = 1 };

	rules(e, "tpmi perf-set-feature deferred 300\ntpmi core-power deferred 300\n");
	assert_int_equal(set_features(e, 0, 0, BF), 0);
	assert_int_equal(core_power(e, 0, 0, true, &power), 0);
	assert_int_equal(levels(e, 0, 0).feature_state, 0);
	assert_int_equal(core_power(e, 0, 0, false, &power), 0);
	assert_int_equal(power.enable, 0);
	usleep(350 * 1000);
	assert_int_equal(levels(e, 0, 0).feature_state, BF);
	assert_int_equal(core_power(e, 0, 0, false, &power), 0);
	assert_int_equal(power.enable, 1);
	assert_file(e, CPUS "/cpu1/cpufreq/base_frequency", "2300000\n");
}

TEST_MACHINE(classes_that_come_later, "tests/tpmi-tiny")
{
	struct abi_clos_param param = { .clos = 1, .max_freq_mhz = 2000 };
	uint16_t class = 3;

	rules(e, "tpmi clos-param deferred 300\ntpmi clos-assoc deferred 300\n");
	assert_int_equal(clos(e, 0, 0, true, &param), 0);
	assert_int_equal(associate_one(e, 0, 2, true, &class), 0);
	assert_int_equal(clos(e, 0, 0, false, &param), 0);
	assert_int_equal(param.max_freq_mhz, 25500);
	usleep(350 * 1000);
	assert_int_equal(clos(e, 0, 0, false, &param), 0);
	assert_int_equal(param.max_freq_mhz, 2000);
	assert_class(e, 0, 2, 3);
}

TEST_MACHINE(firmware_that_refuses_leaves_the_status, "tests/tpmi-tiny")
{
	char *snapshot;

	rules(e, "tpmi any set refused 5 package 0 power-domain 1\n");
	assert_int_equal(set_level(e, 0, 1, 1), -ENOTTY);
	assert_int_equal(set_features(e, 0, 1, BF), 0);
	assert_int_equal(levels(e, 0, 1).current_level, 0);
	assert_int_equal(levels(e, 0, 1).feature_state, 0);
	assert_int_equal(set_features(e, 0, 0, BF), 0);
	assert_int_equal(levels(e, 0, 0).feature_state, BF);
	snapshot = machine_snapshot(e->directory);
	assert_non_null(snapshot);
	assert_non_null(strstr(snapshot, "domain 1 register 0x078: 0x0000000000000101\n"));
	assert_non_null(strstr(snapshot, "domain 1 register 0x080: 0x0000000500000050\n"));
	assert_non_null(strstr(snapshot, "domain 0 register 0x080: 0x0000000000000100\n"));
	free(snapshot);
}

TEST_MACHINE(errors_ignored_and_conditions, "tests/tpmi-tiny")
{
	struct abi_perf_level_info info = { 0 };

	rules(e, "tpmi perf-levels EBUSY times 1\n"
		 "tpmi perf-set-level data 1 power-domain 0 ignored\n"
		 "tpmi perf-set-feature data 2 EPERM\n"
		 "tpmi perf-level-info get return 7\n");
	assert_int_equal(call(e, ABI_PERF_LEVELS, &info), -EBUSY); /* as the rule has it */
	assert_int_equal(call(e, ABI_PERF_LEVELS, &info), 0);
	assert_int_equal(set_level(e, 0, 0, 1), 0);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
	assert_int_equal(set_level(e, 0, 1, 1), 0);
	assert_int_equal(levels(e, 0, 1).current_level, 1);
	assert_int_equal(set_features(e, 0, 0, 2), -EPERM);
	assert_int_equal(set_features(e, 0, 0, 1), 0);
	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_INFO, &info), 7);
}

/** Each entry of a batch of associations counts, as entries of other batches do. */
TEST_MACHINE(every_set_is_a_change, "tests/tpmi-tiny")
{
	struct associations batch = { .entry = { { 0, 0, 0, 1 }, { 0, 0, 1, 1 }, { 0, 0, 2, 1 } } };

	rules(e, "change any EIO after 3 times 1\n");
	assert_int_equal(set_features(e, 0, 0, BF), 0);
	assert_int_equal(associate(e, true, 3, &batch), -EIO);
	batch.entry[0].clos = batch.entry[1].clos = batch.entry[2].clos = 0;
	assert_int_equal(associate(e, false, 3, &batch), 0);
	assert_int_equal(batch.entry[0].clos, 1);
	assert_int_equal(batch.entry[1].clos, 1);
	assert_int_equal(batch.entry[2].clos, 0);
}

TEST_MACHINE(what_is_counted, "tests/tpmi-tiny")
{
	struct isst_emulator_statistics statistics;
	struct associations batch = { 0 };

	statistics = take_statistics(e, true);
	levels(e, 0, 0);
	assert_int_equal(set_level(e, 0, 0, 1), 0);
	assert_int_equal(set_level(e, 0, 0, 1), -ENOTTY);
	assert_int_equal(associate(e, true, 5, &batch), 0);
	statistics = take_statistics(e, false);
	assert_int_equal(statistics.driver_calls, 4);
	assert_int_equal(statistics.commands, 8);
	assert_int_equal(statistics.writes, 6);
}
