/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's files of machines with TPMI: what they show, and what follows a set. */
#include "emulator/tpmi_calls.h"

enum { BF = 1 };

/** As it was captured: one die a package, whatever its power domains are. */
TEST_MACHINE(topology_of_a_6980p, "graniterapids-2s128c")
{
	assert_file(e, CPUS "/present", "0-511\n");
	assert_file(e, CPUS "/cpu0/topology/die_id", "0\n");
	assert_file(e, CPUS "/cpu127/topology/die_id", "0\n");
	assert_file(e, CPUS "/cpu128/topology/die_id", "1\n");
	assert_file(e, CPUS "/cpu0/topology/die_cpus_list", "0-127,256-383\n");
	assert_file(e, CPUS "/cpu470/topology/die_cpus_list", "128-255,384-511\n");
	assert_file(e, CPUS "/cpu43/topology/core_id", "64\n");
	assert_file(e, CPUS "/cpu127/topology/core_id", "169\n");
	assert_file(e, CPUS "/cpu43/topology/thread_siblings_list", "43,299\n");
	assert_file(e, CPUS "/cpu43/topology/cluster_cpus_list", "43,299\n");
	assert_file(e, CPUS "/cpu128/topology/core_id", "0\n");
	assert_file(e, CPUS "/cpu128/topology/thread_siblings_list", "128,384\n");
}

TEST_MACHINE(a_module_is_four_cores_to_the_kernel, "sierraforest-2s112c")
{
	char *content;

	assert_file(e, CPUS "/cpu5/topology/core_id", "5\n");
	assert_file(e, CPUS "/cpu5/topology/thread_siblings_list", "5\n");
	assert_file(e, CPUS "/cpu223/topology/core_id", "111\n");
	assert_file(e, CPUS "/cpu5/topology/cluster_cpus_list", "4-7\n");
	assert_file(e, CPUS "/cpu5/topology/die_cpus_list", "0-111\n");
	content = file_text(e, "/proc/cpuinfo");
	assert_non_null(strstr(content, "siblings\t: 112\ncore id\t\t: 0\ncpu cores\t: 112\n"));
	free(content);
}

TEST_MACHINE(pstate_files_as_captured, NULL)
{
	static const struct {
		const char *platform, *states, *turbo, *least;
	} machines[] = {
		{ "graniterapids-2s128c", "32\n", "60\n", "20\n" },
		{ "graniterapids-2s64c", "32\n", "57\n", "20\n" },
		{ "sierraforest-2s112c", "20\n", "36\n", "29\n" },
	};

	for (size_t i = 0; i < COUNT(machines); i++) {
		start(e, machines[i].platform);
		assert_file(e, CPUS "/intel_pstate/status", "active\n");
		assert_file(e, CPUS "/intel_pstate/num_pstates", machines[i].states);
		assert_file(e, CPUS "/intel_pstate/turbo_pct", machines[i].turbo);
		assert_file(e, CPUS "/intel_pstate/min_perf_pct", machines[i].least);
		assert_file(e, CPUS "/intel_pstate/max_perf_pct", "100\n");
		finish(e);
	}
}

TEST_MACHINE(uncore_directories_as_captured, NULL)
{
	start(e, "graniterapids-2s64c");
	assert_file(e, UNCORE "/package_00_die_00/initial_max_freq_khz", "2500000\n");
	assert_file(e, UNCORE "/package_01_die_00/min_freq_khz", "800000\n");
	assert_int_equal(read_result(e, UNCORE "/package_00_die_00/current_freq_khz"), -ENOENT);
	assert_int_equal(read_result(e, UNCORE "/package_00_die_00/domain_id"), -ENOENT);
	assert_file(e, UNCORE "/uncore01/domain_id", "1\n");
	assert_file(e, UNCORE "/uncore01/max_freq_khz", "2200000\n");
	assert_file(e, UNCORE "/uncore01/agent_types", "core cache memory\n");
	assert_file(e, UNCORE "/uncore02/domain_id", "3\n"); /* there is no 2 */
	assert_file(e, UNCORE "/uncore02/agent_types", "io\n");
	assert_file(e, UNCORE "/uncore02/initial_min_freq_khz", "800000\n");
	assert_file(e, UNCORE "/uncore02/fabric_cluster_id", "0\n");
	assert_file(e, UNCORE "/uncore07/domain_id", "4\n");
	assert_file(e, UNCORE "/uncore07/package_id", "1\n");
	assert_int_equal(read_result(e, UNCORE "/uncore08/domain_id"), -ENOENT);
	assert_int_equal(read_result(e, UNCORE "/uncore00/instance_id"), -ENOENT);
	finish(e);
	start(e, "graniterapids-2s128c");
	assert_int_equal(read_result(e, UNCORE "/uncore00/agent_types"), -ENOENT); /* 6.18 */
	finish(e);
	start(e, "diamondrapids-2s32c");
	assert_file(e, UNCORE "/uncore06/instance_id", "2\n"); /* 7.2 */
	assert_int_equal(read_result(e, UNCORE "/uncore06/die_id"), -ENOENT);
}

/* Three dies, for which the kernel counts four: uncore-frequency-tpmi.c, set_domain_id(). A package
 * has no directory then. */
TEST_MACHINE(uncore_directories_of_enumerated_dies, NULL)
{
	start(e, "tests/tpmi-three-dies");
	assert_int_equal(read_result(e, UNCORE "/package_00_die_00/max_freq_khz"), -ENOENT);
	assert_file(e, UNCORE "/uncore02/domain_id", "2\n");
	assert_file(e, UNCORE "/uncore02/instance_id", "2\n");
	assert_file(e, UNCORE "/uncore02/die_id", "2\n");
	assert_file(e, UNCORE "/uncore03/agent_types", "io\n");
	assert_file(e, UNCORE "/uncore03/domain_id", "4\n");
	assert_file(e, UNCORE "/uncore03/instance_id", "3\n");
	assert_int_equal(read_result(e, UNCORE "/uncore03/die_id"), -ENOENT);
	assert_file(e, UNCORE "/uncore04/domain_id", "5\n");
	finish(e);
	start(e, "tests/tpmi-dies");
	assert_int_equal(read_result(e, UNCORE "/package_00_die_00/max_freq_khz"), -ENOENT);
	assert_file(e, UNCORE "/uncore02/domain_id", "2\n"); /* 6.12 */
}

/* The package's directory is of the first of its devices, which set no limit for the second. */
TEST_MACHINE(the_directory_of_a_package_with_two_devices, NULL)
{
	start_written(e, "[cpu]\nmodel = 0xad\n[driver]\napi-version = 3\nkernel = 6.12\n"
			 "[topology]\npackages = 0\npower-domains = 0-3\ncores = 0-1\n"
			 "[files]\nuncore-ids = repeated\n[level 0]\ncores = 0-1\nbase = 2000\n"
			 "uncore-max = 2000\nuncore-min = 800\n");
	assert_file(e, UNCORE "/uncore01/domain_id", "1\n");
	assert_file(e, UNCORE "/uncore02/domain_id", "0\n");
	assert_int_equal(write_file(e, UNCORE "/package_00_die_00/max_freq_khz", "1500000"), 0);
	assert_file(e, UNCORE "/uncore01/max_freq_khz", "1500000\n");
	assert_file(e, UNCORE "/uncore02/max_freq_khz", "2000000\n");
	assert_int_equal(write_file(e, UNCORE "/uncore01/max_freq_khz", "1600000"), -EINVAL);
	assert_int_equal(write_file(e, UNCORE "/uncore02/max_freq_khz", "2100000"), 0);
	assert_file(e, UNCORE "/package_00_die_00/max_freq_khz", "1500000\n");
}

TEST_MACHINE(the_packages_limit_is_all_of_its_domains, "graniterapids-2s64c")
{
	/* Nothing was set for the package: a domain may go anywhere. */
	assert_int_equal(write_file(e, UNCORE "/uncore00/max_freq_khz", "2600000"), 0);
	assert_file(e, UNCORE "/package_00_die_00/max_freq_khz", "2600000\n");
	set_file(e, UNCORE "/package_00_die_00/max_freq_khz", "2050000", "2000000\n");
	assert_file(e, UNCORE "/uncore00/max_freq_khz", "2000000\n");
	assert_file(e, UNCORE "/uncore03/max_freq_khz", "2000000\n");
	assert_file(e, UNCORE "/uncore04/max_freq_khz", "2200000\n"); /* the other package */
	assert_int_equal(write_file(e, UNCORE "/uncore00/max_freq_khz", "2100000"), -EINVAL);
	assert_int_equal(write_file(e, UNCORE "/uncore00/max_freq_khz", "1900000"), 0);
	assert_int_equal(write_file(e, UNCORE "/package_00_die_00/min_freq_khz", "1000000"), 0);
	assert_int_equal(write_file(e, UNCORE "/uncore02/min_freq_khz", "900000"), -EINVAL);
	assert_int_equal(write_file(e, UNCORE "/uncore02/min_freq_khz", "12800000"), -EINVAL);
	assert_file(e, UNCORE "/package_00_die_00/initial_max_freq_khz", "2500000\n");
}

TEST_MACHINE(what_a_level_change_moves, "tests/tpmi-tiny")
{
	assert_file(e, CPUS "/cpu4/cpufreq/base_frequency", "2000000\n");
	assert_int_equal(set_level(e, 0, 1, 1), 0);
	/* CPUs 4 to 7 and 12 to 15 are in power domain 1. */
	assert_file(e, CPUS "/cpu4/cpufreq/base_frequency", "2400000\n");
	/* The first bucket of SST-TF, at level 0, too. */
	assert_file(e, CPUS "/cpu15/cpufreq/cpuinfo_max_freq", "4300000\n");
	assert_file(e, CPUS "/cpu3/cpufreq/base_frequency", "2000000\n");
	assert_file(e, CPUS "/cpu3/cpufreq/cpuinfo_max_freq", "4200000\n");
	assert_file(e, UNCORE "/uncore01/max_freq_khz", "2000000\n");
	assert_file(e, UNCORE "/uncore01/initial_max_freq_khz", "2200000\n");
	assert_file(e, UNCORE "/uncore00/max_freq_khz", "2200000\n");
	assert_msr(e, 0, 0x1ad, 0x2628);
}

/** An IO domain has no turbo limits and no CPUs, so only its uncore changes. */
TEST_MACHINE(what_a_level_change_of_an_io_domain_moves, "tests/tpmi-modules")
{
	assert_int_equal(set_level(e, 0, 3, 1), 0);
	assert_msr(e, 0, 0x1ad, 0x191b);
	assert_file(e, CPUS "/cpu0/cpufreq/base_frequency", "2000000\n");
	assert_file(e, UNCORE "/uncore01/max_freq_khz", "2000000\n");
}

TEST_MACHINE(base_freq_moves_base_frequency, "graniterapids-unlocked")
{
	assert_int_equal(set_features(e, 1, 1, BF), 0);
	assert_file(e, CPUS "/cpu100/cpufreq/base_frequency", "2600000\n"); /* core 4 */
	assert_file(e, CPUS "/cpu228/cpufreq/base_frequency", "2600000\n"); /* its sibling */
	assert_file(e, CPUS "/cpu96/cpufreq/base_frequency", "2100000\n");
	assert_file(e, CPUS "/cpu64/cpufreq/base_frequency", "2300000\n"); /* another domain */
	assert_int_equal(set_features(e, 1, 1, 0), 0);
	assert_file(e, CPUS "/cpu100/cpufreq/base_frequency", "2300000\n");
}

TEST_MACHINE(base_freq_of_a_module_is_that_of_its_cores, "tests/tpmi-modules")
{
	assert_int_equal(set_features(e, 0, 0, BF), 0);
	for (unsigned int cpu = 0; cpu < 16; cpu++)
		assert_cpu_file(e, cpu, "cpufreq/base_frequency",
				cpu / 4 == 1 ? "2300000\n" : "1900000\n");
}

TEST_MACHINE(offline_cpus_and_a_lost_domain, NULL)
{
	uint32_t id;

	start(e, "tests/tpmi-odd");
	assert_file(e, CPUS "/offline", "5,14\n");
	assert_phy_id(e, 5, 0); /* never online: the driver knows nothing of it */
	assert_int_equal(write_file(e, CPUS "/cpu5/online", "1"), 0);
	assert_phy_id(e, 5, 2 << 11 | 3 << 3);
	assert_file(e, CPUS "/cpu11/topology/physical_package_id", "3\n");
	finish(e);
	start(e, "tests/tpmi-lost-domain");
	assert_int_equal(phy_id(e, 4, &id), 1);
	assert_int_equal(id >> 11, 2);
	assert_int_equal(instances(e, 0).valid_mask, 0x3);
	assert_file(e, CPUS "/cpu4/cpufreq/base_frequency", "800000\n");
}

/* A line for the domain with coarse words, and one for each CPU; they stand until 0 is written. */
TEST_MACHINE(performance_limit_reasons, NULL)
{
	static const char FIRST[] = "/sys/kernel/debug/tpmi-0000:00:03.1/plr/domain0/status";
	static const char SECOND[] = "/sys/kernel/debug/tpmi-0000:80:03.1/plr/domain0/status";

	start(e, "tests/tpmi-limited");
	assert_file(
		e, FIRST,
		"cpus THERMAL\ncpu0 none\ncpu1 none\ncpu2 THERMAL THERMAL_PER_CORE\ncpu3 none\n");
	assert_file(e, SECOND,
		    "cpus POWER FREQUENCY\n"
		    "cpu4 POWER POWER_PKG_PL1_MSR_TPMI FREQUENCY\n"
		    "cpu5 POWER POWER_PKG_PL1_MSR_TPMI FREQUENCY\n"
		    "cpu6 POWER POWER_PKG_PL1_MSR_TPMI FREQUENCY\n"
		    "cpu7 POWER POWER_PKG_PL1_MSR_TPMI FREQUENCY\n");
	assert_int_equal(
		write_file(e, "/sys/kernel/debug/tpmi-0000:00:03.1/plr/domain1/status", "0"),
		-ENOENT);
	assert_int_equal(write_file(e, FIRST, "1"), -EINVAL);
	set_file(e, FIRST, "0\n", "cpus none\ncpu0 none\ncpu1 none\ncpu2 none\ncpu3 none\n");
	assert_int_equal(write_file(e, CPUS "/cpu5/online", "0"), 0);
	assert_file(e, SECOND,
		    "cpus POWER FREQUENCY\n"
		    "cpu4 POWER POWER_PKG_PL1_MSR_TPMI FREQUENCY\n"
		    "cpu5 POWER POWER_PKG_PL1_MSR_TPMI FREQUENCY\n"
		    "cpu6 POWER POWER_PKG_PL1_MSR_TPMI FREQUENCY\n"
		    "cpu7 POWER POWER_PKG_PL1_MSR_TPMI FREQUENCY\n");
	finish(e);
	/* A CPU that was never online is core 0 of the first power domain to the driver. */
	start_written(e, "[cpu]\nmodel = 0xad\n[driver]\napi-version = 3\nkernel = 6.12\n"
			 "[topology]\npackages = 0-1\ncores = 0-1\noffline = 1,3\n"
			 "[domain]\nlimit-reasons = THERMAL\nlimited-cores = 0\n"
			 "[level 0]\ncores = 0-1\nbase = 2000\n");
	assert_file(e, FIRST, "cpus THERMAL\ncpu0 THERMAL\ncpu1 THERMAL\ncpu3 THERMAL\n");
	assert_file(e, SECOND, "cpus THERMAL\ncpu2 THERMAL\n");
	finish(e);
	start(e, "guide");
	assert_int_equal(write_file(e, FIRST, "0"), -ENOENT);
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

/* The rows of 05 and 81 are those of a captured 6980P, which is of the same processor. */
TEST_MACHINE(a_device_says_what_it_has_and_of_which_package_it_is, NULL)
{
	start(e, "graniterapids-6776p");
	assert_file(
		e, "/sys/kernel/debug/tpmi-0000:00:03.1/pfs_dump",
		"tpmi PFS start offset 0x:90000000\n"
		"tpmi_id\t\tentries\t\tsize\t\tcap_offset\tattribute\tvsec_offset\tlocked\t"
		"disabled\tread_blocked\twrite_blocked\n"
		"0x05\t\t0x05\t\t0x00fe\t\t0x001c\t\t0x01\t\t0x0000000090007000\tY\tN\t\tN\t\tN\n"
		"0x81\t\t0x01\t\t0x0004\t\t0x0034\t\t0x01\t\t0x000000009000d000\tY\tN\t\tN\t\tN\n");
	/* Bus 0x80, device 3, function 1, package 1, power domains 0 and 1 have cores. */
	assert_file(e, "/sys/kernel/debug/tpmi-0000:80:03.1/tpmi-id-81/mem_dump",
		    "TPMI Instance:0 offset:0xa000d000\n"
		    " 00000000: 00000002 00000000 00018019 0000000c\n");
	assert_int_equal(
		write_file(e, "/sys/kernel/debug/tpmi-0000:80:03.1/tpmi-id-81/mem_write", "0,8,1"),
		0);
	assert_int_equal(
		write_file(e, "/sys/kernel/debug/tpmi-0000:80:03.1/tpmi-id-81/mem_write", "1,8,1"),
		-EINVAL);
	finish(e);
	/* Locked: a level is refused. */
	start(e, "tests/tpmi-locked");
	assert_int_equal(write_file(e, MEM_WRITE, "0,0x78,1"), 0);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
}

#define ELC UNCORE "/uncore00/elc_"

/* Values of three captured servers; steps as uncore-frequency-tpmi.c makes them. */
TEST_MACHINE(latency_control_of_the_uncore, NULL)
{
	start(e, "graniterapids-6776p");
	assert_file(e, ELC "low_threshold_percent", "11\n");
	assert_file(e, ELC "high_threshold_percent", "95\n");
	assert_file(e, ELC "high_threshold_enable", "1\n");
	assert_file(e, ELC "floor_freq_khz", "1400000\n");
	assert_file(e, UNCORE "/uncore02/elc_floor_freq_khz", "800000\n");
	set_file(e, ELC "low_threshold_percent", "50", "50\n");
	set_file(e, ELC "high_threshold_percent", "100", "100\n");
	set_file(e, ELC "high_threshold_enable", "n", "0\n");
	set_file(e, ELC "floor_freq_khz", "1650000", "1600000\n");
	assert_int_equal(write_file(e, ELC "low_threshold_percent", "101"), -EINVAL);
	assert_int_equal(write_file(e, ELC "floor_freq_khz", "12800000"), -EINVAL);
	assert_int_equal(write_file(e, ELC "floor_freq_khz", "0x10"), -EINVAL);
	assert_int_equal(write_file(e, ELC "high_threshold_enable", "2"), -EINVAL);
	assert_file(e, UNCORE "/uncore01/elc_low_threshold_percent", "11\n");
	assert_int_equal(read_result(e, UNCORE "/package_00_die_00/elc_floor_freq_khz"), -ENOENT);
	finish(e);
	start(e, "graniterapids-6962p"); /* kernel 6.8 */
	assert_int_equal(read_result(e, ELC "floor_freq_khz"), -ENOENT);
}
