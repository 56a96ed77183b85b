/* SPDX-License-Identifier: BSD-3-Clause */
/* What TPMI requests tell, against numbers worked out by hand from the registers' description. */
#include "emulator/tpmi_calls.h"

TEST_MACHINE(the_driver_says_api_3_and_no_mailbox, "tests/tpmi-tiny")
{
	struct abi_platform_info info;
	uint32_t value = 0, response;

	check_request(e, ABI_GET_PLATFORM_INFO, info, { 3, 1, 64, 0, 0 });
	assert_int_equal(mailbox_on(e, 0, 0x7f, 0, 0, 0, &response), -ENOTTY);
	assert_int_equal(mmio(e, 0, 8, false, &value), -ENOTTY);
}

TEST_MACHINE(mailbox_platforms_know_no_tpmi, "guide")
{
	struct abi_perf_level_info info = { 0 };

	assert_int_equal(call(e, ABI_PERF_LEVELS, &info), -ENOTTY);
}

TEST_MACHINE(the_valid_mask_has_holes, NULL)
{
	static const struct {
		const char *platform;
		unsigned int socket, count, mask;
	} machines[] = {
		{ "tests/tpmi-tiny", 0, 3, 0x07 },	  { "graniterapids-2s128c", 0, 5, 0x1f },
		{ "graniterapids-2s64c", 1, 5, 0x1b },	  { "sierraforest-2s112c", 0, 5, 0x19 },
		{ "tests/tpmi-odd", 0, 7, 0x7d },	  { "tests/tpmi-odd", 1, 7, 0x3d },
		{ "tests/tpmi-partly-bound", 0, 2, 0x3 }, { "tests/tpmi-partly-bound", 1, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(machines); i++) {
		struct abi_tpmi_instance_count count;

		start(e, machines[i].platform);
		count = instances(e, machines[i].socket);
		assert_int_equal(count.count, machines[i].count);
		assert_int_equal(count.valid_mask, machines[i].mask);
		count.socket_id = 2;
		assert_int_equal(call(e, ABI_COUNT_TPMI_INSTANCES, &count), -ENOTTY);
		finish(e);
	}
}

TEST_MACHINE(levels_of_the_small_one, "tests/tpmi-tiny")
{
	for (uint8_t domain = 0; domain < 3; domain++) {
		struct abi_perf_level_info info = { .power_domain_id = domain };

		/* The highest level, revision, levels; ... enabled, SST-TF, SST-BF. */
		check_request(e, ABI_PERF_LEVELS, info,
			      { 0, domain, 3, 1, 0xb, 0, 0, 0, 1, 0x3, 0x1 });
	}
}

/** Not a mask of levels, but whether the current one has it. */
TEST_MACHINE(api_2_tells_support_as_a_flag, "tests/tpmi-api2")
{
	struct abi_perf_level_info info;

	info = levels(e, 0, 0);
	assert_int_equal(info.sst_bf_support, 1);
	assert_int_equal(info.sst_tf_support, 0);
	assert_int_equal(set_level(e, 0, 0, 1), 0);
	info = levels(e, 0, 0);
	assert_int_equal(info.sst_bf_support, 0);
	assert_int_equal(info.sst_tf_support, 1);
}

TEST_MACHINE(a_real_machine_is_locked, "sierraforest-2s112c")
{
	struct abi_perf_level_info info;

	info = levels(e, 1, 0);
	assert_int_equal(info.locked, 1);
	assert_int_equal(info.max_level, 0);
	assert_int_equal(info.level_mask, 1);
	assert_int_equal(info.sst_bf_support, 0);
	assert_int_equal(info.sst_tf_support, 0);
}

TEST_MACHINE(a_power_domain_may_lack_perf_profile_or_core_power, "tests/tpmi-odd")
{
	struct abi_core_power power = { 0 };

	assert_int_equal(levels(e, 0, 4).enabled, 1);
	assert_int_equal(levels(e, 1, 4).enabled, 0);
	assert_int_equal(core_power(e, 0, 2, false, &power), 0);
	assert_int_equal(power.supported, 0);
	assert_int_equal(core_power(e, 0, 0, false, &power), 0);
	assert_int_equal(power.supported, 1);
	assert_int_equal(levels(e, 0, 0).level_mask, 0x5);
	assert_int_equal(levels(e, 0, 3).level_mask, 0x1);
}

static void assert_words(const uint16_t *words, const uint16_t *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != expected[i])
			fail_msg("%zu: %u, not %u", i, words[i], expected[i]);
}

/** From tdp_ratio to max_trl_levels, as the structure has them; then buckets and limits. */
TEST_MACHINE(level_0_of_a_6980p, "graniterapids-2s128c")
{
	static const uint16_t facts[] = { 20,	2000, 1900, 1500, 1400, 500, 100, 8800, 0, 3900,
					  2000, 800,  500,  2200, 1400, 0,   800, 8,	6 };
	static const uint16_t counts[] = { 22, 26, 30, 32, 36, 38, 40, 42 };
	static const uint16_t amx[] = { 3000, 2700, 2600, 2500, 2100, 2000, 2000, 2000 };
	static const uint16_t none[8] = { 0 };
	struct abi_perf_level_data_info info = { .power_domain_id = 2 };
	struct abi_perf_level_cpu_mask mask = { .power_domain_id = 2, .punit_cpu_map = 1 };

	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_INFO, &info), 0);
	assert_words(&info.tdp_ratio, facts, COUNT(facts));
	assert_words(info.bucket_core_counts, counts, 8);
	assert_words(info.trl_freq_mhz[4], amx, 8);
	assert_words(info.trl_freq_mhz[5], none, 8);
	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_CPU_MASK, &mask), 0);
	assert_true(mask.mask == UINT64_C(0x3ffffffffff));
}

TEST_MACHINE(base_and_turbo_freq_of_a_6980p, "graniterapids-2s128c")
{
	static const uint16_t counts[8] = { 30, 60, 96 };
	static const uint16_t clip[] = { 2000, 2000, 1900, 1500, 1400, 0 };
	static const uint16_t avx512[8] = { 3600, 3100, 2800 };
	struct abi_base_freq_info base = { .socket_id = 1, .power_domain_id = 2 };
	struct abi_turbo_freq_info turbo = { .socket_id = 1, .power_domain_id = 2 };
	struct abi_perf_level_cpu_mask mask = { .socket_id = 1,
						.power_domain_id = 2,
						.punit_cpu_map = 1 };

	check_request(e, ABI_GET_BASE_FREQ_INFO, base, { 1, 2, 0, 2200, 1800, 100, 500 });
	assert_int_equal(call(e, ABI_GET_BASE_FREQ_CPU_MASK, &mask), 0);
	assert_true(mask.mask == UINT64_C(0xee3e02298));
	assert_int_equal(call(e, ABI_GET_TURBO_FREQ_INFO, &turbo), 0);
	assert_int_equal(turbo.max_clip_freqs, 6);
	assert_words(turbo.lp_clip_freq_mhz, clip, 6);
	assert_words(turbo.bucket_core_counts, counts, 8);
	assert_words(turbo.trl_freq_mhz[2], avx512, 8);
}

TEST_MACHINE(an_io_domain_has_clips_and_no_cores, "graniterapids-2s128c")
{
	static const uint16_t none[8] = { 0 };
	struct abi_perf_level_cpu_mask mask = { .power_domain_id = 3, .punit_cpu_map = 1 };
	struct abi_turbo_freq_info turbo = { .power_domain_id = 3 };
	struct abi_perf_level_data_info info = { .power_domain_id = 3 };

	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_CPU_MASK, &mask), 0);
	assert_true(mask.mask == 0);
	assert_int_equal(call(e, ABI_GET_TURBO_FREQ_INFO, &turbo), 0);
	assert_int_equal(turbo.lp_clip_freq_mhz[0], 2000);
	assert_words(turbo.bucket_core_counts, none, 8);
	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_INFO, &info), 0);
	assert_words(info.trl_freq_mhz[0], none, 8);
	assert_int_equal(info.p0_fabric_freq_mhz, 2500);
	assert_int_equal(info.pm_fabric_freq_mhz, 400);
}

TEST_MACHINE(missing_levels_and_domains_are_refused, "tests/tpmi-tiny")
{
	struct abi_perf_level_data_info info = { .level = 2 };
	struct abi_base_freq_info base = { .level = 4 };
	struct abi_turbo_freq_info turbo = { .level = 300 };
	struct abi_perf_level_cpu_mask mask = { .level = 2, .punit_cpu_map = 1 };
	struct abi_perf_level_info all = { .power_domain_id = 3 };

	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_INFO, &info), -ENOTTY);
	assert_int_equal(call(e, ABI_GET_BASE_FREQ_INFO, &base), -ENOTTY);
	assert_int_equal(call(e, ABI_GET_TURBO_FREQ_INFO, &turbo), -ENOTTY);
	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_CPU_MASK, &mask), -ENOTTY);
	mask = (struct abi_perf_level_cpu_mask){ 0 };
	assert_int_equal(call(e, ABI_GET_BASE_FREQ_CPU_MASK, &mask), -ENOTTY);
	assert_int_equal(call(e, ABI_PERF_LEVELS, &all), -ENOTTY);
	all = (struct abi_perf_level_info){ .socket_id = 1 };
	assert_int_equal(call(e, ABI_PERF_LEVELS, &all), -ENOTTY);
	assert_int_equal(call(e, ABI_PERF_LEVELS, NULL), -ENOTTY);
	info.level = 3;
	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_INFO, &info), 0);
}

TEST_MACHINE(nothing_works_of_a_socket_that_is_partly_bound, "tests/tpmi-partly-bound")
{
	struct abi_perf_level_info info = { .socket_id = 1 };
	struct abi_core_power power = { 0 };
	struct associations batch = { .entry[0] = { 1, 0, 0, 0 } };

	assert_int_equal(call(e, ABI_PERF_LEVELS, &info), -ENOTTY);
	assert_int_equal(core_power(e, 1, 0, false, &power), -ENOTTY);
	assert_int_equal(associate(e, false, 1, &batch), -ENOTTY);
	assert_int_equal(set_level(e, 1, 0, 1), -ENOTTY);
	assert_int_equal(levels(e, 0, 0).level_mask, 3);
}

TEST_MACHINE(two_fabrics_and_modules_from_revision_2_on, "diamondrapids-2s32c")
{
	struct abi_perf_level_fabric_info fabric = { 0 };
	struct abi_turbo_freq_info turbo = { 0 };
	struct abi_perf_level_data_info info = { 0 };

	assert_int_equal(levels(e, 1, 1).feature_rev, 2);
	check_request(e, ABI_GET_PERF_LEVEL_FABRIC_INFO, fabric,
		      { 0, 0, 0, 2, { 2400, 2000 }, { 1600, 1200 }, { 800, 600 } });
	assert_int_equal(call(e, ABI_GET_TURBO_FREQ_INFO, &turbo), 0);
	assert_int_equal(turbo.bucket_core_counts[0], 6); /* modules */
	assert_int_equal(turbo.bucket_core_counts[1], 12);
	assert_int_equal(turbo.bucket_core_counts[2], 24); /* none told: cores */
	assert_int_equal(turbo.lp_clip_freq_mhz[5], 1800);
	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_INFO, &info), 0);
	assert_int_equal(info.thermal_design_power_w, 400); /* of 400.5 */
	assert_int_equal(info.trl_freq_mhz[5][3], 2400);
}

TEST_MACHINE(no_fabric_request_before_revision_2_and_release_7_2, "graniterapids-2s64c")
{
	struct abi_perf_level_fabric_info fabric = { 0 };

	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_FABRIC_INFO, &fabric), -ENOTTY);
}

/** Thread, core or module, power domain: the numbers of MSR 0x54, which was captured. */
TEST_MACHINE(punit_numbers, NULL)
{
	static const struct {
		const char *platform;
		unsigned int cpu, id;
	} cpus[] = {
		{ "graniterapids-2s128c", 0, 0x0 },	 { "graniterapids-2s128c", 42, 0x150 },
		{ "graniterapids-2s128c", 43, 0x800 },	 { "graniterapids-2s128c", 256, 0x1 },
		{ "graniterapids-2s128c", 511, 0x1149 }, { "graniterapids-2s64c", 33, 0x808 },
		{ "sierraforest-2s112c", 3, 0x3 },	 { "sierraforest-2s112c", 4, 0x8 },
		{ "sierraforest-2s112c", 223, 0xdb },	 { "tests/tpmi-modules", 6, 0xa },
	};

	for (size_t i = 0; i < COUNT(cpus); i++) {
		start(e, cpus[i].platform);
		assert_phy_id(e, cpus[i].cpu, cpus[i].id);
		assert_msr(e, cpus[i].cpu, 0x54, cpus[i].id);
		finish(e);
	}
}

TEST_MACHINE(turbo_msrs_are_the_packages, "graniterapids-2s128c")
{
	uint64_t value = 0;

	assert_msr(e, 130, 0x1ad, UINT64_C(0x2020212223242627));
	assert_msr(e, 130, 0x1ae, UINT64_C(0x8078726c605a4e40));
	value = 0x1111;
	assert_int_equal(msr(e, 130, 0x1ad, true, &value), 1);
	assert_msr(e, 250, 0x1ad, 0x1111);		       /* another power domain */
	assert_msr(e, 0, 0x1ad, UINT64_C(0x2020212223242627)); /* another package */
}
