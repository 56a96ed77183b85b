/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What survives suspend and resume, by kernels: the driver writes back what it has saved, of TPMI
 * the first power domain of a partition alone before 7.0; core-power of mailbox servers never, and
 * what it sends again there comes in another order than that of time.
 */
#include "emulator/tpmi_calls.h"
#include "support/check.h"

#include <stdio.h>

#define STATE "/sys/power/state"
#define RESUMES "/sys/power/suspend_stats/success"

static void start_tpmi(struct emulated *e, const char *kernel)
{
	char text[600];

	snprintf(text, sizeof(text),
		 "[cpu]\nmodel = 0xad\n[driver]\napi-version = 3\nkernel = %s\n"
		 "[topology]\npackages = 0-1\npower-domains = 0-1\ncores = 0-3\n"
		 "[level 0-1]\ncores = 0-3\nbase = 2000\ntrl-cores = 2 4\n"
		 "trl-level-0 = 3000 2800\nturbo-freq-cores = 2\nturbo-freq-level-0 = 3200\n",
		 kernel);
	start_written(e, text);
}

/** What is changed in each power domain of package 1. */
static void change(struct emulated *e, unsigned int domain)
{
	struct abi_core_power power = { .enable = 1, .priority_type = 1 };
	struct abi_clos_param param = { .clos = 2, .max_freq_mhz = 1500 };

	assert_int_equal(set_level(e, 1, domain, 1), 0);
	assert_int_equal(set_features(e, 1, domain, 2), 0);
	assert_int_equal(core_power(e, 1, domain, true, &power), 0);
	assert_int_equal(clos(e, 1, domain, true, &param), 0);
}

static void assert_levels(struct emulated *e, unsigned int domain, bool kept)
{
	const struct abi_perf_level_info info = levels(e, 1, domain);

	assert_int_equal(info.current_level, kept ? 1 : 0);
	assert_int_equal(info.feature_state, kept ? 2 : 0);
}

static void assert_core_power(struct emulated *e, unsigned int domain, bool kept)
{
	struct abi_core_power power = { 0 };
	struct abi_clos_param param = { .clos = 2 };

	assert_int_equal(core_power(e, 1, domain, false, &power), 0);
	assert_int_equal(power.enable, kept);
	assert_int_equal(power.priority_type, kept);
	assert_int_equal(clos(e, 1, domain, false, &param), 0);
	assert_int_equal(param.max_freq_mhz, kept ? 1500 : 25500);
}

TEST_MACHINE(kernels_restore_more_and_more_power_domains, NULL)
{
	static const struct {
		const char *kernel;
		bool core_power, levels; /* of power domains but the first */
	} KERNELS[] = { { "6.12", false, false },
			{ "6.18", false, false },
			{ "7.0", true, false },
			{ "7.1", true, false },
			{ "7.2", true, true } };

	for (size_t i = 0; i < COUNT(KERNELS); i++) {
		start_tpmi(e, KERNELS[i].kernel);
		change(e, 0);
		change(e, 1);
		assert_int_equal(write_file(e, STATE, "mem\n"), 0);
		assert_levels(e, 0, true);
		assert_core_power(e, 0, true);
		assert_levels(e, 1, KERNELS[i].levels);
		assert_core_power(e, 1, KERNELS[i].core_power);
		finish(e);
	}
}

/* Of the first power domain early kernels restore also what it does not support; later ones only
 * what a power domain supports. */
TEST_MACHINE(classes_without_core_power_are_restored_by_early_kernels, NULL)
{
	static const struct {
		const char *kernel;
		uint16_t max_mhz;
	} KERNELS[] = { { "6.12", 1500 }, { "7.0", 25500 }, { "7.2", 25500 } };

	for (size_t i = 0; i < COUNT(KERNELS); i++) {
		struct abi_clos_param param = { .clos = 2, .max_freq_mhz = 1500 };
		char text[200];

		snprintf(text, sizeof(text),
			 "[cpu]\nmodel = 0xad\n[driver]\napi-version = 3\nkernel = %s\n"
			 "[topology]\npackages = 0-1\ncores = 0-3\n[domain]\ncore-power = no\n"
			 "[level 0]\ncores = 0-3\nbase = 2000\n",
			 KERNELS[i].kernel);
		start_written(e, text);
		assert_int_equal(clos(e, 1, 0, true, &param), 0);
		assert_int_equal(write_file(e, STATE, "mem"), 0);
		assert_int_equal(clos(e, 1, 0, false, &param), 0);
		assert_int_equal(param.max_freq_mhz, KERNELS[i].max_mhz);
		finish(e);
	}
}

TEST_MACHINE(classes_of_cores_are_restored_with_core_power, NULL)
{
	uint16_t first = 3, second = 3;

	start_tpmi(e, "6.12");
	assert_int_equal(associate_one(e, 0, 1, true, &first), 0);
	assert_int_equal(associate_one(e, 1, 1, true, &second), 0);
	assert_int_equal(write_file(e, STATE, "mem"), 0);
	assert_int_equal(associate_one(e, 0, 1, false, &first), 0);
	assert_int_equal(associate_one(e, 1, 1, false, &second), 0);
	assert_int_equal(first, 3);
	assert_int_equal(second, 0);
}

TEST_MACHINE(frozen_processors_keep_all, NULL)
{
	start_tpmi(e, "6.12");
	change(e, 1);
	assert_file(e, STATE, "freeze mem\n");
	assert_file(e, RESUMES, "0\n");
	assert_int_equal(write_file(e, STATE, "freeze"), 0);
	assert_file(e, RESUMES, "1\n");
	assert_levels(e, 1, true);
	assert_core_power(e, 1, true);
	assert_int_equal(write_file(e, STATE, "disk"), -EINVAL);
	assert_file(e, RESUMES, "1\n");
}

/* Level and features are repeated, MMIO registers written back; 0x95/03 is unknown as a change. */
TEST_MACHINE(mailbox_servers_lose_core_power, "guide")
{
	uint32_t value = 3 << 16;

	assert_int_equal(mailbox_result(e, 0x7f, 8, 0, 4), 1);
	assert_int_equal(mailbox_result(e, 0x95, 3, 0, 1 << 16), 1);
	assert_int_equal(mmio(e, 0, 0x24, true, &value), 1);
	assert_answer(e, 0, 0x94, 3, 0, 0, 0x10001);
	assert_int_equal(write_file(e, STATE, "mem"), 0);
	assert_int_equal(ask(e, 0, 0) >> 16 & 0xff, 4);
	assert_answer(e, 0, 0x94, 3, 0, 0, 1);
	assert_mmio(e, 0, 0x24, 3 << 16);
}

static unsigned int current_level(struct emulated *e, uint32_t cpu)
{
	uint32_t response;

	assert_int_equal(mailbox_on(e, cpu, 0x7f, 0, 0, 0, &response), 1);
	return response >> 16 & 0xff;
}

static uint32_t features_on(struct emulated *e, uint32_t cpu, uint32_t level)
{
	uint32_t response;

	assert_int_equal(mailbox_on(e, cpu, 0x7f, 1, 0, level, &response), 1);
	return response >> 16;
}

static int set_on(struct emulated *e, uint32_t cpu, uint8_t sub, uint32_t data)
{
	uint32_t response;

	return mailbox_on(e, cpu, 0x7f, sub, 0, data, &response);
}

/** Features are sent again in front of the level, which turns them off. */
TEST_MACHINE(mailbox_servers_lose_features_of_another_level, "sapphirerapids-2s56c")
{
	assert_int_equal(set_on(e, 0, 8, 1), 1);
	assert_int_equal(set_on(e, 0, 2, 1 << 16), 1);
	assert_int_equal(set_on(e, 56, 2, 1 << 16), 1);
	assert_int_equal(write_file(e, STATE, "mem"), 0);
	assert_int_equal(current_level(e, 0), 1);
	assert_int_equal(features_on(e, 0, 1), 0);
	assert_int_equal(current_level(e, 56), 0);
	assert_int_equal(features_on(e, 56, 0), 1);
}

/** The driver knows a level for each CPU that set one: that of the first of them stays. */
TEST_MACHINE(mailbox_servers_return_to_a_level_that_was_replaced, "guide")
{
	assert_int_equal(set_on(e, 1, 8, 2), 1);
	assert_int_equal(set_on(e, 0, 8, 4), 1);
	assert_int_equal(set_on(e, 0, 8, 3), 1);
	assert_int_equal(write_file(e, STATE, "mem"), 0);
	assert_int_equal(current_level(e, 0), 2);
	assert_int_equal(set_on(e, 1, 8, 4), 1);
	assert_int_equal(write_file(e, STATE, "mem"), 0);
	assert_int_equal(current_level(e, 0), 4);
}

/** A set that is carried by MSR needs its CPU. */
TEST_MACHINE(offline_cpus_carry_nothing_by_msr, "cooperlake")
{
	assert_int_equal(set_on(e, 1, 8, 1), 1);
	assert_int_equal(write_file(e, "/sys/devices/system/cpu/cpu1/online", "0"), 0);
	assert_int_equal(write_file(e, STATE, "mem"), 0);
	assert_int_equal(current_level(e, 0), 0);
}

static uint64_t limits_on(struct emulated *e, uint32_t cpu, bool set, uint64_t value)
{
	uint64_t data = value;

	assert_int_equal(msr(e, cpu, 0x1ad, set, &data), 1);
	return data;
}

/* MSRs are sent again by drivers of the mailbox; by those of TPMI only as a CPU comes online, which
 * kernels before 6.16 did, and the first CPU never goes offline. */
TEST_MACHINE(turbo_ratio_limits_are_restored_where_there_is_a_mailbox, NULL)
{
	static const struct {
		const char *kernel;
		bool restored; /* by CPUs but the first */
	} KERNELS[] = { { "6.12", true }, { "6.18", false }, { "7.2", false } };
	uint64_t first, second;

	start(e, "sapphirerapids-2s56c");
	limits_on(e, 56, true, UINT64_MAX);
	assert_int_equal(write_file(e, STATE, "mem"), 0);
	assert_true(limits_on(e, 56, false, 0) == UINT64_MAX);
	finish(e);
	for (size_t i = 0; i < COUNT(KERNELS); i++) {
		start_tpmi(e, KERNELS[i].kernel);
		first = limits_on(e, 0, false, 0);
		second = limits_on(e, 9, false, 0);
		assert_true(first != UINT64_MAX && second != UINT64_MAX);
		limits_on(e, 0, true, UINT64_MAX);
		limits_on(e, 9, true, UINT64_MAX);
		assert_int_equal(write_file(e, STATE, "mem"), 0);
		assert_true(limits_on(e, 0, false, 0) == first);
		assert_true(limits_on(e, 9, false, 0) ==
			    (KERNELS[i].restored ? UINT64_MAX : second));
		finish(e);
	}
}
