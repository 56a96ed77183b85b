/* SPDX-License-Identifier: BSD-3-Clause */
/* Permissions of the kernel's files, as stat(2) shows them and tests -w and -r go by. */
#include "emulator/emulated.h"
#include "emulator/front/files.h"

static void assert_mode(struct emulated *e, const char *path, unsigned int expected)
{
	struct kernel_status status;
	int result = files_look(e->machine->data, path, true, &status);

	if (result)
		fail_msg("%s: %s", path, strerror(-result));
	free(status.target);
	if (status.mode != expected)
		fail_msg("%s: %04o, expected %04o", path, (unsigned int)status.mode, expected);
}

TEST_MACHINE(files_without_a_write_are_read_only, "graniterapids-2s64c")
{
	static const char *const paths[] = {
		"/proc/cpuinfo",
		"/proc/modules",
		"/proc/sys/kernel/osrelease",
		"/proc/sys/kernel/random/boot_id",
		CPUS "/online",
		CPUS "/possible",
		CPUS "/smt/active",
		CPUS "/cpu1/topology/core_id",
		CPUS "/cpu1/cpufreq/base_frequency",
		CPUS "/cpu1/cpufreq/scaling_cur_freq",
		CPUS "/cpu1/cpuidle/state1/latency",
		CPUS "/intel_pstate/num_pstates",
		CPUS "/intel_uncore_frequency/package_00_die_00/initial_max_freq_khz",
		"/sys/devices/system/node/node0/cpulist",
		"/sys/fs/cgroup/cgroup.controllers",
		"/sys/fs/cgroup/cpuset.cpus.effective",
		"/sys/fs/cgroup/cpuset.cpus.isolated",
	};

	for (size_t i = 0; i < COUNT(paths); i++)
		assert_mode(e, paths[i], 0444);
}

TEST_MACHINE(files_that_can_be_written_are_the_owners, "graniterapids-2s64c")
{
	static const char *const paths[] = {
		CPUS "/cpu1/online",
		CPUS "/smt/control",
		CPUS "/cpu1/cpufreq/scaling_max_freq",
		CPUS "/cpu1/cpufreq/scaling_governor",
		CPUS "/cpu1/cpufreq/energy_performance_preference",
		CPUS "/cpu1/cpuidle/state1/disable",
		CPUS "/intel_pstate/no_turbo",
		CPUS "/intel_uncore_frequency/uncore00/max_freq_khz",
		"/sys/fs/cgroup/cgroup.subtree_control",
		"/sys/fs/cgroup/g/cpuset.cpus",
		"/sys/fs/cgroup/g/cpuset.cpus.partition",
	};

	assert_int_equal(write_file(e, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset"), 0);
	assert_int_equal(make_directory(e, "/sys/fs/cgroup/g"), 0);
	for (size_t i = 0; i < COUNT(paths); i++)
		assert_mode(e, paths[i], 0644);
}

TEST_MACHINE(some_are_for_root_alone, "graniterapids-2s64c")
{
	static const char *const names[] = { "package_id", "domain_id", "fabric_cluster_id",
					     "current_freq_khz" };

	for (size_t i = 0; i < COUNT(names); i++) {
		char path[128];

		snprintf(path, sizeof(path), CPUS "/intel_uncore_frequency/uncore00/%s", names[i]);
		assert_mode(e, path, 0400);
	}
	assert_mode(e, "/dev/cpu/0/msr", 0600);
}

TEST_MACHINE(directories, "graniterapids-2s64c")
{
	assert_mode(e, CPUS, 0755);
	assert_mode(e, CPUS "/cpu0/topology", 0755);
	assert_mode(e, "/sys", 0555);
	assert_mode(e, "/sys/fs/cgroup", 0555);
	assert_mode(e, "/sys/kernel/debug", 0700);
	assert_mode(e, "/proc", 0555);
	assert_mode(e, "/proc/sys/kernel", 0555);
}

/** Files of /proc can be opened for writing by root, and have no write; those of sysfs cannot. */
TEST_MACHINE(writes_to_read_only_files, "tests/tiny")
{
	assert_int_equal(write_file(e, "/proc/cpuinfo", "x"), -EIO);
	assert_int_equal(write_file(e, "/proc/modules", "x"), -EIO);
	assert_int_equal(write_file(e, "/proc/sys/kernel/osrelease", "x"), -EACCES);
	assert_int_equal(write_file(e, CPUS "/online", "x"), -EACCES);
}
