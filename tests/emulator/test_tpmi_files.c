/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines with TPMI: registers that follow a set, and sets by files. The cases emulated-* have
 * what files show. */
#include "emulator/tpmi_calls.h"

/** Of an IO domain, which has no turbo limits and no CPUs, only the uncore changes. */
TEST_MACHINE(turbo_limits_follow_the_level, NULL)
{
	start(e, "tests/tpmi-tiny");
	assert_int_equal(set_level(e, 0, 1, 1), 0);
	assert_msr(e, 0, 0x1ad, 0x2628);
	finish(e);
	start(e, "tests/tpmi-modules");
	assert_int_equal(set_level(e, 0, 3, 1), 0);
	assert_msr(e, 0, 0x1ad, 0x191b);
}

TEST_MACHINE(offline_cpus_and_a_lost_domain, NULL)
{
	uint32_t id;

	start(e, "tests/tpmi-odd");
	assert_phy_id(e, 5, 0); /* never online: the driver knows nothing of it */
	assert_int_equal(write_file(e, CPUS "/cpu5/online", "1"), 0);
	assert_phy_id(e, 5, 2 << 11 | 3 << 3);
	finish(e);
	start(e, "tests/tpmi-lost-domain");
	assert_int_equal(phy_id(e, 4, &id), 1);
	assert_int_equal(id >> 11, 2);
	assert_int_equal(instances(e, 0).valid_mask, 0x3);
}

#define DEVICE "/sys/kernel/debug/tpmi-0000:00:03.1"
#define MEM_WRITE DEVICE "/tpmi-id-05/mem_write"

/* The core-power bank begins at 0x08, that of perf-profile at 0x60: see the header. */
TEST_MACHINE(registers_are_written_by_debugfs, "tests/tpmi-tiny")
{
	struct abi_core_power power = { 0 };
	struct abi_clos_param param = { .clos = 1 };

	assert_file(e, MEM_WRITE, "");
	/* Level 1, as PERF_SET_LEVEL sets it. */
	assert_int_equal(write_file(e, MEM_WRITE, "1,0x78,0x1\n"), 0);
	assert_int_equal(levels(e, 0, 1).current_level, 1);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
	assert_file(e, CPUS "/cpu4/cpufreq/base_frequency", "2400000\n");
	assert_int_equal(write_file(e, MEM_WRITE, "0,0x10,3"), 0);
	assert_int_equal(core_power(e, 0, 0, false, &power), 0);
	assert_int_equal(power.enable, 1);
	assert_int_equal(power.priority_type, 1);
	/* Class 1: weight 5, 1000 to 2000 MHz. */
	assert_int_equal(write_file(e, MEM_WRITE, "0,0x28,0x00140a50"), 0);
	assert_int_equal(clos(e, 0, 0, false, &param), 0);
	assert_int_equal(param.prop_prio, 5);
	assert_int_equal(param.min_freq_mhz, 1000);
	assert_int_equal(param.max_freq_mhz, 2000);
	/* Status is the firmware's. */
	assert_int_equal(write_file(e, MEM_WRITE, "0,0x80,1"), 0);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
	assert_int_equal(write_file(e, MEM_WRITE, "0,0x10"), -EINVAL);
	assert_int_equal(write_file(e, MEM_WRITE, "0,0x10,1,1"), -EINVAL);
	assert_int_equal(write_file(e, MEM_WRITE, "3,0x10,1"), -EINVAL);
	assert_int_equal(write_file(e, MEM_WRITE, "0,0x10000,1"), -EINVAL);
}

/** A level is refused. */
TEST_MACHINE(registers_that_are_locked, "tests/tpmi-locked")
{
	assert_int_equal(write_file(e, MEM_WRITE, "0,0x78,1"), 0);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
}
