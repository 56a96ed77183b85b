/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated kernel files: what they say, and how they answer writes. */
#include "emulator/emulated.h"
#include "emulator/front/files.h"
#include "support/check.h"

#include "isst.h"

TEST_MACHINE(files_of_the_guide, "guide")
{
	assert_file(e, CPUS "/possible", "0-55\n");
	assert_file(e, CPUS "/present", "0-55\n");
	assert_file(e, CPUS "/online", "0-55\n");
	assert_file(e, CPUS "/offline", "\n");
	assert_file(e, CPUS "/cpu1/online", "1\n");
	assert_int_equal(read_result(e, CPUS "/cpu0/online"), -ENOENT);
	assert_file(e, CPUS "/cpu15/topology/physical_package_id", "1\n");
	assert_file(e, CPUS "/cpu15/topology/die_id", "0\n");
	assert_file(e, CPUS "/cpu15/topology/core_id", "1\n");
	assert_file(e, CPUS "/cpu15/topology/thread_siblings_list", "15,43\n");
	assert_file(e, CPUS "/cpu43/topology/core_cpus", "00000800,00008000\n");
	assert_file(e, CPUS "/cpu15/topology/package_cpus_list", "14-27,42-55\n");
	assert_file(e, CPUS "/cpu15/topology/die_cpus_list", "14-27,42-55\n");
	assert_file(e, CPUS "/cpu15/cpufreq/base_frequency", "2600000\n");
	assert_file(e, CPUS "/cpu15/cpufreq/cpuinfo_max_freq", "3200000\n");
	assert_file(e, CPUS "/cpu15/cpufreq/scaling_driver", "intel_pstate\n");
	assert_file(e, CPUS "/intel_pstate/no_turbo", "0\n");
	assert_file(e, CPUS "/intel_uncore_frequency/package_01_die_00/max_freq_khz", "2400000\n");
}

TEST_MACHINE(variants_of_kernels, NULL)
{
	start(e, "tests/old-kernel");
	assert_int_equal(read_result(e, CPUS "/cpu1/topology/die_id"), -ENOENT);
	assert_int_equal(read_result(e, CPUS "/cpu1/topology/package_cpus_list"), -ENOENT);
	assert_file(e, CPUS "/cpu1/topology/core_siblings_list", "0-3\n");
	assert_file(e, CPUS "/cpu1/topology/thread_siblings_list", "0-1\n");
	assert_file(e, CPUS "/cpu0/online", "1\n");
	finish(e);
	start(e, "tests/no-cpufreq");
	assert_int_equal(read_result(e, CPUS "/cpu1/cpufreq/base_frequency"), -ENOENT);
	assert_int_equal(read_result(e, CPUS "/intel_pstate/no_turbo"), -ENOENT);
	finish(e);
	start(e, "tests/multi-die-across");
	assert_file(e, CPUS "/cpu3/topology/die_id", "1\n");
	assert_file(e, CPUS "/cpu9/topology/die_id", "3\n");
	assert_file(e, CPUS "/cpu5/topology/core_id", "5\n");
	assert_file(e, CPUS "/cpu5/topology/die_cpus_list", "3-5\n");
	assert_file(e, CPUS "/cpu5/topology/package_cpus_list", "0-5\n");
	finish(e);
	start(e, "tests/sparse");
	assert_file(e, CPUS "/present", "0-3,10-13,4094-4097,5000-5003\n");
	assert_file(e, CPUS "/possible", "0-5003\n");
	assert_file(e, CPUS "/cpu5003/topology/physical_package_id", "5\n");
	assert_int_equal(read_result(e, CPUS "/cpu4/topology/core_id"), -ENOENT);
}

TEST_MACHINE(offline_takes_the_topology_away_and_online_brings_it_back, "tests/tiny")
{
	set_file(e, CPUS "/cpu3/online", "0\n", "0\n");
	assert_int_equal(read_result(e, CPUS "/cpu3/topology/core_id"), -ENOENT);
	assert_file(e, CPUS "/online", "0-2\n");
	assert_file(e, CPUS "/offline", "3\n");
	assert_file(e, CPUS "/present", "0-3\n");
	assert_file(e, CPUS "/cpu2/topology/core_cpus_list", "2\n");
	assert_file(e, CPUS "/cpu2/topology/thread_siblings", "00000004\n");
	assert_file(e, CPUS "/cpu0/topology/package_cpus_list", "0-2\n");
	assert_file(e, CPUS "/cpu0/topology/die_cpus", "00000007\n");
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0); /* as it is */
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "1"), 0);
	assert_file(e, CPUS "/cpu3/topology/core_id", "1\n");
	assert_file(e, CPUS "/cpu2/topology/core_cpus_list", "2-3\n");
	assert_file(e, CPUS "/cpu3/topology/package_cpus_list", "0-3\n");
	assert_file(e, CPUS "/online", "0-3\n");
	assert_file(e, CPUS "/offline", "\n");
}

#define FOUR_CPUS \
	"[cpu]\nmodel = 0x6a\n[topology]\npackages = 0\ncores = 0-3\n" \
	"[level 0]\ncores = 0-3\nbase = 2000\ntrl-sse = 3000\n[domain]\nturbo-cores = 4\n"

/** The directory stays. Since 5.19 its files are busy; before they are read as if the CPU were
 * online, and writing fails. */
TEST_MACHINE(cpufreq_of_an_offline_cpu_is_busy_or_readable_or_gone, NULL)
{
	static const struct {
		const char *text;
		int read_error, write_error;
	} CASES[] = {
		{ FOUR_CPUS, -EBUSY, -EBUSY },
		{ FOUR_CPUS "[driver]\nkernel = 5.19\n", -EBUSY, -EBUSY },
		{ FOUR_CPUS "[driver]\nkernel = 5.18\n", 0, -EINVAL },
		{ FOUR_CPUS "[driver]\nkernel = 5.3\n", 0, -EINVAL },
		{ FOUR_CPUS "[files]\noffline-cpufreq = readable\n", 0, -EINVAL },
		{ FOUR_CPUS "[files]\noffline-cpufreq = gone\n", -ENOENT, -ENOENT },
		{ FOUR_CPUS "[driver]\nkernel = 5.18\n[files]\noffline-cpufreq = busy\n", -EBUSY,
		  -EBUSY },
	};
	static const char *const NAMES[] = { "base_frequency", "scaling_max_freq",
					     "scaling_driver" };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		start_written(e, CASES[i].text);
		assert_int_equal(write_file(e, CPUS "/cpu3/cpufreq/scaling_max_freq", "2000000"),
				 0);
		assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
		for (size_t j = 0; j < COUNT(NAMES); j++) {
			char path[128];

			snprintf(path, sizeof(path), CPUS "/cpu3/cpufreq/%s", NAMES[j]);
			assert_int_equal(read_result(e, path), CASES[i].read_error);
		}
		assert_int_equal(read_result(e, CPUS "/cpu3/cpufreq/none"), -ENOENT);
		assert_int_equal(write_file(e, CPUS "/cpu3/cpufreq/scaling_max_freq", "1900000"),
				 CASES[i].write_error);
		assert_int_equal(
			write_file(e, CPUS "/cpu3/cpufreq/scaling_governor", "performance"),
			CASES[i].write_error);
		if (!CASES[i].read_error)
			assert_file(e, CPUS "/cpu3/cpufreq/scaling_max_freq", "2000000\n");
		assert_int_equal(write_file(e, CPUS "/cpu3/online", "1"), 0);
		assert_file(e, CPUS "/cpu3/cpufreq/scaling_max_freq", "2000000\n");
		finish(e);
	}
}

#define SMT CPUS "/smt/"

TEST_MACHINE(smt_control_takes_second_threads_offline_and_keeps_them_there, "tests/tiny")
{
	assert_file(e, SMT "control", "on\n");
	assert_file(e, SMT "active", "1\n");
	assert_int_equal(write_file(e, SMT "control", "of"), -EINVAL);
	assert_int_equal(write_file(e, SMT "active", "0"), -EACCES);
	assert_int_equal(write_file(e, CPUS "/cpu2/online", "0"), 0);
	set_file(e, SMT "control", "off\n", "off\n");
	assert_file(e, SMT "active", "0\n");
	assert_file(e, CPUS "/online", "0\n");
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "1"), -EPERM);
	assert_int_equal(write_file(e, CPUS "/cpu2/online", "1"), 0);
	assert_int_equal(write_file(e, SMT "control", "on"), 0);
	assert_file(e, SMT "active", "1\n");
	assert_file(e, CPUS "/online", "0-3\n");
	set_file(e, SMT "control", "forceoff", "forceoff\n");
	assert_file(e, CPUS "/online", "0,2\n");
	assert_int_equal(write_file(e, SMT "control", "on"), -EPERM);
}

#define EIGHT_CPUS FOUR_CPUS "[topology]\nthreads = 2\n[driver]\nkernel = "

/* CPUs 0-3 are the first threads. */
TEST_MACHINE(which_cpus_smt_control_brings_online_depends_on_the_kernel, NULL)
{
	static const struct {
		const char *text, *online;
		int number;
	} KERNELS[] = {
		{ EIGHT_CPUS "6.1\n", "0-7\n", -EINVAL },
		{ EIGHT_CPUS "6.12\n", "0-7\n", 0 },
		{ EIGHT_CPUS "7.3\n", "0-1,3-5,7\n", 0 },
	};

	for (size_t i = 0; i < COUNT(KERNELS); i++) {
		start_written(e, KERNELS[i].text);
		assert_int_equal(write_file(e, CPUS "/cpu2/online", "0"), 0);
		assert_int_equal(write_file(e, CPUS "/cpu7/online", "0"), 0);
		assert_int_equal(write_file(e, SMT "control", "on"), 0);
		assert_file(e, CPUS "/online", "0-1,3-6\n");
		assert_int_equal(write_file(e, SMT "control", "off"), 0);
		assert_file(e, CPUS "/online", "0-1,3\n");
		assert_int_equal(write_file(e, SMT "control", "on"), 0);
		assert_file(e, CPUS "/online", KERNELS[i].online);
		assert_int_equal(write_file(e, SMT "control", "1\n"), KERNELS[i].number);
		if (!KERNELS[i].number) {
			assert_file(e, SMT "control", "off\n");
			assert_int_equal(write_file(e, SMT "control", "3"), -EINVAL);
			set_file(e, SMT "control", "2", "on\n");
		}
		finish(e);
	}
}

TEST_MACHINE(smt_control_is_what_the_platform_says, NULL)
{
	static const struct {
		const char *text, *control, *online;
		int error;
	} CASES[] = {
		{ FOUR_CPUS, "notsupported\n", "0-3\n", -ENODEV },
		{ FOUR_CPUS "[files]\nsmt = notimplemented\n", "notimplemented\n", "0-3\n",
		  -ENODEV },
		{ FOUR_CPUS "[topology]\nthreads = 2\n", "on\n", "0-7\n", 0 },
		{ FOUR_CPUS "[topology]\nthreads = 2\n[files]\nsmt = off\n", "off\n", "0-3\n", 0 },
		{ FOUR_CPUS "[topology]\nthreads = 2\n[files]\nsmt = forceoff\n", "forceoff\n",
		  "0-3\n", -EPERM },
	};

	for (size_t i = 0; i < COUNT(CASES); i++) {
		start_written(e, CASES[i].text);
		assert_file(e, SMT "control", CASES[i].control);
		assert_file(e, CPUS "/online", CASES[i].online);
		assert_int_equal(write_file(e, SMT "control", "on"), CASES[i].error);
		finish(e);
	}
}

TEST_MACHINE(a_whole_core_goes_and_returns, "tests/tiny")
{
	assert_int_equal(write_file(e, CPUS "/cpu2/online", "0"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "1"), 0);
	assert_file(e, CPUS "/cpu3/topology/core_cpus_list", "3\n");
	assert_int_equal(write_file(e, CPUS "/cpu2/online", "1"), 0);
	assert_file(e, CPUS "/cpu3/topology/core_cpus_list", "2-3\n");
}

TEST_MACHINE(cpus_that_cannot_be_unplugged, NULL)
{
	start(e, "tests/tiny");
	assert_int_equal(write_file(e, CPUS "/cpu0/online", "0"), -ENOENT);
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "2"), -EINVAL);
	assert_int_equal(write_file(e, CPUS "/cpu1/online", ""), -EINVAL);
	finish(e);
	start(e, "tests/old-kernel"); /* CPU 0 can be unplugged, the last one cannot */
	for (unsigned int cpu = 0; cpu < 3; cpu++) {
		char path[64];

		snprintf(path, sizeof(path), CPUS "/cpu%u/online", cpu);
		assert_int_equal(write_file(e, path, "0"), 0);
	}
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), -EBUSY);
	assert_file(e, CPUS "/online", "3\n");
}

TEST_MACHINE(frequencies_follow_a_level_while_offline, "tests/tiny")
{
	rules(e, "capability granted\n");
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), 0);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "1"), 0);
	assert_file(e, CPUS "/cpu1/cpufreq/base_frequency", "2500000\n");
}

TEST_MACHINE(writes_elsewhere, "tests/tiny")
{
	assert_int_equal(write_file(e, CPUS "/cpu1/cpufreq/scaling_max_freq", "2147483647\n"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu1/cpufreq/scaling_max_freq", "2000000 x"),
			 -EINVAL);
	assert_int_equal(write_file(e, CPUS "/cpu1/cpufreq/base_frequency", "1"), -EACCES);
	assert_int_equal(write_file(e, CPUS "/nothing", "1"), -ENOENT);
	assert_int_equal(write_file(e, CPUS, "1"), -EISDIR);
	set_file(e, CPUS "/intel_pstate/no_turbo", "1\n", "1\n");
	assert_int_equal(write_file(e,
				    CPUS "/intel_uncore_frequency/package_00_die_00/"
					 "max_freq_khz",
				    "12800000"),
			 -EINVAL);
	assert_int_equal(write_file(e,
				    CPUS "/intel_uncore_frequency/package_00_die_00/"
					 "max_freq_khz",
				    "1850000"),
			 0);
	assert_file(e, CPUS "/intel_uncore_frequency/package_00_die_00/max_freq_khz", "1800000\n");
}

/* uncore-frequency.c: uncore_event_cpu_offline(), uncore_freq_add_entry(). */
TEST_MACHINE(uncore_limits_of_a_die_that_was_offline_are_initial, NULL)
{
	static const char LIMIT[] = CPUS "/intel_uncore_frequency/package_00_die_00/max_freq_khz";
	static const char INITIAL[] = CPUS
		"/intel_uncore_frequency/package_00_die_00/initial_max_freq_khz";

	start_written(e, "[cpu]\nmodel = 0x6a\n[topology]\npackages = 0-1\ncores = 0-1\n"
			 "[files]\ncpu0-hotplug = yes\n[level 0]\ncores = 0-1\nbase = 2000\n"
			 "uncore-max = 2200\nuncore-min = 800\n");
	assert_int_equal(write_file(e, LIMIT, "1600000"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu0/online", "0"), 0);
	assert_file(e, LIMIT, "1600000\n");
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), 0);
	assert_int_equal(write_file(e, LIMIT, "1700000"), -ENOENT);
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "1"), 0);
	assert_file(e, LIMIT, "1600000\n");
	assert_file(e, INITIAL, "1600000\n");
}

TEST_MACHINE(paths_stay_inside, "tests/tiny")
{
	assert_int_equal(read_result(e, "/sys/../../state"), -EINVAL);
	assert_int_equal(read_result(e, "/.."), -EINVAL);
	assert_int_equal(read_result(e, "sys"), -EINVAL);
	assert_int_equal(read_result(e, "/sys"), -EISDIR);
	assert_int_equal(make_directory(e, "/sys/x"), -EPERM);
	assert_int_equal(remove_directory(e, "/sys"), -EBUSY);
}

TEST_MACHINE(listing, "guide")
{
	assert_int_equal(count_names(e, CPUS "/intel_uncore_frequency", "package_0"), 2);
	assert_int_equal(count_names(e, "/nowhere", ""), -ENOENT);
}

/** As intel_pstate answers: the governor performance keeps its own. */
TEST_MACHINE(preferences_are_words_or_numbers, NULL)
{
	start(e, "tests/tiny");
#define PREFERENCE CPUS "/cpu1/cpufreq/energy_performance_preference"
	assert_file(e, PREFERENCE, "balance_performance\n");
	set_file(e, PREFERENCE, "power\n", "power\n");
	set_file(e, PREFERENCE, "77", "77\n");
	assert_int_equal(write_file(e, PREFERENCE, "256"), -EINVAL);
	assert_int_equal(write_file(e, PREFERENCE, "frugal"), -EINVAL);
	assert_int_equal(write_file(e, CPUS "/cpu1/cpufreq/scaling_governor", "performance"), 0);
	assert_file(e, PREFERENCE, "performance\n");
	assert_int_equal(write_file(e, PREFERENCE, "power"), -EBUSY);
	assert_int_equal(write_file(e, CPUS "/cpu1/cpufreq/scaling_governor", "powersave"), 0);
	assert_file(e, PREFERENCE, "77\n");
	set_file(e, PREFERENCE, "default", "balance_performance\n");
	assert_cpu_file(e, 2, "cpufreq/energy_performance_preference", "balance_performance\n");
	finish(e);
	start(e, "tests/hwp-off");
	assert_int_equal(read_result(e, PREFERENCE), -ENOENT);
}

TEST_MACHINE(idle_states_can_be_disabled, "tests/tiny")
{
	assert_cpu_file(e, 1, "cpuidle/state3/name", "C6\n");
	assert_cpu_file(e, 1, "cpuidle/state3/disable", "0\n");
	assert_int_equal(write_file(e, CPUS "/cpu1/cpuidle/state3/disable", "1"), 0);
	assert_cpu_file(e, 1, "cpuidle/state3/disable", "1\n");
	assert_cpu_file(e, 1, "cpuidle/state2/disable", "0\n");
	assert_cpu_file(e, 2, "cpuidle/state3/disable", "0\n");
	assert_int_equal(write_file(e, CPUS "/cpu1/cpuidle/state3/disable", "off"), -EINVAL);
	assert_int_equal(read_result(e, CPUS "/cpu1/cpuidle/state4/name"), -ENOENT);
	assert_file(e, CPUS "/cpuidle/current_driver", "intel_idle\n");
}

/** A policy of cpufreq is another name of what its CPU has. */
TEST_MACHINE(policies_are_those_of_cpus, "tests/tiny")
{
	static const char POLICY[] = CPUS "/cpufreq/policy1/scaling_max_freq";
	struct kernel_status status;

	assert_int_equal(files_look(e->machine->data, CPUS "/cpufreq/policy1", false, &status), 0);
	assert_int_equal(status.type, KERNEL_LINK);
	assert_string_equal(status.target, "../cpu1/cpufreq");
	free(status.target);
	set_file(e, POLICY, "1500000", "1500000\n");
	assert_cpu_file(e, 1, "cpufreq/scaling_setspeed", "<unsupported>\n");
	assert_int_equal(write_file(e, CPUS "/cpu1/cpufreq/scaling_setspeed", "1500000"), -EINVAL);
	assert_cpu_file(e, 1, "cpufreq/scaling_max_freq", "1500000\n");
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), 0);
	assert_int_equal(read_result(e, POLICY), -EBUSY);
	assert_int_equal(count_names(e, CPUS "/cpufreq", "policy"), 4);
}

/** A big-endian number of an index. */
static uint32_t index_word(const char *at)
{
	const unsigned char *byte = (const unsigned char *)at;

	return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

/** Looks a name up in an index of depmod(8), as libkmod does. Returns NULL where it has none. */
static const char *find_in_index(const char *index, const char *name)
{
	uint32_t node = index_word(index + 8);

	while (node) {
		const char *at = index + (node & 0xfffffff);

		if (node & 0x80000000) {
			if (strncmp(at, name, strlen(at)) != 0)
				return NULL;
			name += strlen(at);
			at += strlen(at) + 1;
		}
		if (!*name) {
			if (node & 0x20000000)
				at += 2 + 4 * (at[1] - at[0] + 1);
			return node & 0x40000000 ? at + 8 : NULL;
		}
		if (!(node & 0x20000000) || *name < at[0] || *name > at[1])
			return NULL;
		node = index_word(at + 2 + 4 * (*name++ - at[0]));
	}
	return NULL;
}

TEST_MACHINE(modprobe_finds_the_modules, NULL)
{
	static const char MODULE[] =
		"kernel/drivers/platform/x86/intel/speed_select_if/isst_tpmi.ko:";
	char *index;
	size_t size;

	start(e, "tests/tiny");
	assert_file(e, "/lib/modules/6.12.0/modules.dep",
		    "kernel/drivers/platform/x86/intel/speed_select_if/isst_if_common.ko:\n"
		    "kernel/drivers/platform/x86/intel/speed_select_if/isst_if_mbox_pci.ko:\n"
		    "kernel/drivers/platform/x86/intel/speed_select_if/isst_if_mmio.ko:\n"
		    "kernel/arch/x86/kernel/msr.ko:\n");
	finish(e);
	start(e, "tests/tpmi-tiny");
	assert_int_equal(e->machine->files->read(e->machine->data,
						 "/lib/modules/6.12.0/modules.dep.bin", &index,
						 &size),
			 0);
	assert_int_equal(index_word(index), 0xb007f457);
	assert_int_equal(index_word(index + 4), 0x00020001);
	assert_string_equal(find_in_index(index, "isst_tpmi"), MODULE);
	assert_non_null(find_in_index(index, "isst_tpmi_core"));
	assert_non_null(find_in_index(index, "isst_if_common"));
	assert_string_equal(find_in_index(index, "msr"), "kernel/arch/x86/kernel/msr.ko:");
	assert_null(find_in_index(index, "isst_if_mmio"));
	assert_null(find_in_index(index, "isst"));
	assert_null(find_in_index(index, "isst_tpmi_cores"));
	assert_null(find_in_index(index, "nonesuch"));
	free(index);
}

/** Names, and latency of the deepest one, as drivers/idle/intel_idle.c has them. */
TEST_MACHINE(idle_states_are_those_of_the_processor, NULL)
{
	static const struct {
		const char *platform, *last, *name, *latency, *next;
	} cases[] = {
		{ "guide", "state3", "C6\n", "170\n", "state4" },
		{ "cooperlake", "state3", "C6\n", "133\n", "state4" },
		{ "sapphirerapids-2s56c", "state3", "C6\n", "290\n", "state4" },
		{ "graniterapids-6776p", "state4", "C6P\n", "210\n", "state5" },
		{ "sierraforest-2s112c", "state3", "C6S\n", "270\n", "state5" },
		{ "sierraforest-2s112c", "state4", "C6SP\n", "310\n", "state5" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char path[100];

		start(e, cases[i].platform);
		snprintf(path, sizeof(path), CPUS "/cpu1/cpuidle/%s/name", cases[i].last);
		assert_file(e, path, cases[i].name);
		snprintf(path, sizeof(path), CPUS "/cpu1/cpuidle/%s/latency", cases[i].last);
		assert_file(e, path, cases[i].latency);
		snprintf(path, sizeof(path), CPUS "/cpu1/cpuidle/%s/name", cases[i].next);
		assert_int_equal(read_result(e, path), -ENOENT);
		finish(e);
	}
}

/** Which modules there are is a matter of the driver's transports. */
TEST_MACHINE(modules_are_those_of_the_driver, NULL)
{
	static const struct {
		const char *platform, *module;
		int result;
	} cases[] = {
		{ "tests/tiny", "isst_if_mbox_pci", 0 },
		{ "tests/tiny", "isst_if_mmio", 0 },
		{ "tests/tiny", "isst_tpmi", -ENOENT },
		{ "tests/skylake-mailbox", "isst_if_mbox_msr", 0 },
		{ "tests/skylake-mailbox", "isst_if_mmio", -ENOENT },
		{ "tests/tpmi-tiny", "isst_tpmi_core", 0 },
		{ "tests/tpmi-tiny", "isst_if_mbox_pci", -ENOENT },
		{ "tests/no-device", "isst_if_common", -ENOENT },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char path[100];

		start(e, cases[i].platform);
		snprintf(path, sizeof(path), "/sys/module/%s/initstate", cases[i].module);
		assert_int_equal(read_result(e, path), cases[i].result);
		finish(e);
	}
}

TEST_MACHINE(links_are_followed_on_the_way, "tests/tiny")
{
	assert_file(e, "/sys/bus/cpu/devices/cpu3/topology/core_id", "1\n");
	assert_file(e, "/sys/devices/system/node/node0/cpu1/node0/cpulist", "0-3\n");
	assert_int_equal(write_file(e, "/sys/bus/cpu/devices/cpu3/online", "0"), 0);
	assert_file(e, CPUS "/online", "0-2\n");
	assert_int_equal(read_result(e, "/sys/bus/cpu/devices/cpu3/topology/core_id"), -ENOENT);
	assert_int_equal(read_result(e, "/sys/bus/cpu/devices/cpu77/online"), -ENOENT);
	assert_int_equal(count_names(e, "/sys/bus/cpu/devices/cpu3", ""), 6);
}
