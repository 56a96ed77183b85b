/* SPDX-License-Identifier: BSD-3-Clause */
/* cgroup v2 groups and cpuset partitions: what is accepted and what becomes of it. */
#include "emulator/emulated.h"

#define CGROUP "/sys/fs/cgroup"
#define A CGROUP "/0-0-0"
#define B CGROUP "/b"

static void start_with_groups(struct emulated *e, const char *platform)
{
	start(e, platform);
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", " +cpuset"), 0);
	assert_int_equal(make_directory(e, A), 0);
	assert_int_equal(make_directory(e, B), 0);
}

TEST_MACHINE(the_controller_has_to_be_enabled, "tests/tiny")
{
	assert_file(e, CGROUP "/cgroup.controllers", "cpuset cpu io memory hugetlb pids\n");
	assert_file(e, CGROUP "/cgroup.subtree_control", "cpu memory pids\n");
	assert_int_equal(make_directory(e, A), 0);
	assert_int_equal(make_directory(e, A), -EEXIST);
	assert_int_equal(make_directory(e, A "/below"), -EAGAIN);
	assert_int_equal(make_directory(e, CGROUP "/a\nb"), -EINVAL);
	assert_int_equal(write_file(e, A "/cpuset.cpus", "1"), -ENOENT);
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", "cpuset"), -EINVAL);
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", "+nonsense"), -EINVAL);
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", "+cpuset +rdma"), -ENOENT);
	set_file(e, CGROUP "/cgroup.subtree_control", "+cpuset -pids\n", "cpuset cpu memory\n");
	assert_file(e, A "/cpuset.cpus", "\n");
	assert_file(e, A "/cpuset.cpus.effective", "0-3\n");
	assert_file(e, A "/cpuset.cpus.partition", "member\n");
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", "-cpuset"), 0);
	assert_int_equal(read_result(e, A "/cpuset.cpus"), -ENOENT);
	assert_int_equal(remove_directory(e, A), 0);
	assert_int_equal(remove_directory(e, A), -ENOENT);
	assert_int_equal(remove_directory(e, CGROUP "/../cgroup/a"), -EINVAL);
	assert_int_equal(remove_directory(e, CGROUP "/cgroup.controllers"), -ENOTDIR);
}

/** As seen on Linux 6.18. */
TEST_MACHINE(directories_that_cannot_be_made_or_removed, NULL)
{
	static const struct {
		const char *path;
		int made, removed;
	} CASES[] = {
		{ CGROUP, -EEXIST, -EBUSY },
		{ CGROUP "/", -EEXIST, -EBUSY },
		{ CGROUP "/.", -EEXIST, -EINVAL },
		{ A, -EEXIST, 1 },
		{ A "/", -EEXIST, 1 },
		{ A "/.", -EEXIST, -EINVAL },
		{ A "/below", -EAGAIN, -ENOENT },
		{ A "/below/below", -ENOENT, -ENOENT },
		{ A "/cpuset.cpus", -EEXIST, -ENOTDIR },
		{ A "/cpuset.cpus/below", -ENOTDIR, -ENOTDIR },
		{ CGROUP "/none/below", -ENOENT, -ENOENT },
		{ CGROUP "/none/.", -ENOENT, -ENOENT },
		{ CGROUP "/cgroup.controllers", -EEXIST, -ENOTDIR },
		{ CGROUP "/cgroup.controllers/x", -ENOTDIR, -ENOTDIR },
		{ CGROUP "/a\nb", -EINVAL, -ENOENT },
		{ "/sys", -EEXIST, -EBUSY },
		{ "/sys/devices", -EEXIST, -EPERM },
		{ "/sys/devices/none", -EPERM, -ENOENT },
		{ "/proc/none", -EPERM, -ENOENT },
		{ CPUS "/cpu0", -EEXIST, -EPERM },
		{ "/sys/none/below", -ENOENT, -ENOENT },
	};

	start_with_groups(e, "tests/tiny");
	for (size_t i = 0; i < COUNT(CASES); i++) {
		int result = make_directory(e, CASES[i].path);

		if (result != CASES[i].made)
			fail_msg("mkdir %s: %s, expected %s", CASES[i].path, strerror(-result),
				 strerror(-CASES[i].made));
		result = CASES[i].removed == 1 ? 1 : remove_directory(e, CASES[i].path);
		if (result != CASES[i].removed)
			fail_msg("rmdir %s: %s, expected %s", CASES[i].path, strerror(-result),
				 strerror(-CASES[i].removed));
	}
	assert_int_equal(read_result(e, A "/cpuset.cpus"), 0);
}

/** However they are written. */
TEST_MACHINE(names_of_groups, NULL)
{
	char longest[300], path[320];

	start_with_groups(e, "tests/tiny");
	assert_int_equal(make_directory(e, CGROUP "//c//"), 0);
	assert_int_equal(read_result(e, CGROUP "/c/cpuset.cpus"), 0);
	assert_int_equal(remove_directory(e, CGROUP "/./c/"), 0);
	assert_int_equal(read_result(e, CGROUP "/c/cpuset.cpus"), -ENOENT);
	memset(longest, 'x', sizeof(longest));
	longest[255] = '\0';
	snprintf(path, sizeof(path), CGROUP "/%s", longest);
	assert_int_equal(make_directory(e, path), 0);
	assert_int_equal(make_directory(e, path), -EEXIST);
	assert_int_equal(remove_directory(e, path), 0);
	longest[255] = 'x';
	longest[256] = '\0';
	snprintf(path, sizeof(path), CGROUP "/%s", longest);
	assert_int_equal(make_directory(e, path), -ENAMETOOLONG);
	assert_int_equal(remove_directory(e, path), -ENAMETOOLONG);
}

TEST_MACHINE(lists_of_cpus, NULL)
{
	char *longest;

	start_with_groups(e, "tests/tiny");
	set_file(e, A "/cpuset.cpus", "3,1-2\n", "1-3\n");
	assert_file(e, A "/cpuset.cpus.effective", "1-3\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "1-x"), -EINVAL);
	assert_int_equal(write_file(e, A "/cpuset.cpus", "3-4"), -ERANGE);
	assert_file(e, A "/cpuset.cpus", "1-3\n");
	set_file(e, A "/cpuset.cpus", "\n", "\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus.effective", "1"), -EACCES);
	longest = calloc(1, 60000);
	assert_non_null(longest);
	memset(longest, '1', 59999);
	for (size_t i = 1; i < 59999; i += 2)
		longest[i] = ',';
	assert_int_equal(write_file(e, A "/cpuset.cpus", longest), -E2BIG);
	longest[49251] = '\0';
	assert_int_equal(write_file(e, A "/cpuset.cpus", longest), 0);
	assert_file(e, A "/cpuset.cpus", "1\n");
	free(longest);
}

TEST_MACHINE(a_valid_isolated_partition, NULL)
{
	start_with_groups(e, "tests/tiny");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "2-3"), 0);
	assert_int_equal(write_file(e, A "/cpuset.cpus.partition", "nonsense"), -EINVAL);
	set_file(e, A "/cpuset.cpus.partition", "isolated", "isolated\n");
	assert_file(e, A "/cpuset.cpus.effective", "2-3\n");
	assert_file(e, CGROUP "/cpuset.cpus.effective", "0-1\n");
	assert_file(e, CGROUP "/cpuset.cpus.isolated", "2-3\n");
	assert_file(e, B "/cpuset.cpus.effective", "0-1\n");
	set_file(e, A "/cpuset.cpus.partition", "root\n", "root\n");
	assert_file(e, CGROUP "/cpuset.cpus.isolated", "\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus.partition", "member"), 0);
	assert_file(e, CGROUP "/cpuset.cpus.effective", "0-3\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus.partition", "isolated"), 0);
	assert_int_equal(remove_directory(e, A), 0);
	assert_file(e, CGROUP "/cpuset.cpus.effective", "0-3\n");
}

TEST_MACHINE(partitions_that_are_accepted_and_invalid, NULL)
{
	start_with_groups(e, "tests/tiny");
	set_file(e, A "/cpuset.cpus.partition", "isolated",
		 "isolated invalid (cpuset.cpus and cpuset.cpus.exclusive are empty)\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "0-3"), 0);
	assert_file(e, A "/cpuset.cpus.partition",
		    "isolated invalid (Parent unable to distribute cpu downstream)\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "2-3"), 0);
	assert_file(e, A "/cpuset.cpus.partition", "isolated\n");
}

/** Through 6.19: a group that is no partition counts as much as one that is. */
TEST_MACHINE(before_7_0_cpus_of_any_group_are_not_exclusive, NULL)
{
	static const char INVALID[] = "root invalid (Cpu list in cpuset.cpus not exclusive)\n";

	start_with_groups(e, "tests/tiny");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "1-3"), 0);
	assert_int_equal(write_file(e, B "/cpuset.cpus", "2"), 0);
	assert_int_equal(write_file(e, B "/cpuset.cpus.partition", "root"), 0);
	assert_file(e, B "/cpuset.cpus.partition", INVALID);
	assert_file(e, A "/cpuset.cpus.effective", "1-3\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "1,3"), 0);
	assert_file(e, B "/cpuset.cpus.partition", "root\n");
	assert_file(e, CGROUP "/cpuset.cpus.effective", "0-1,3\n");
	/* One that comes later takes a valid partition its CPUs. */
	assert_int_equal(write_file(e, A "/cpuset.cpus", "2"), 0);
	assert_file(e, A "/cpuset.cpus.partition", "member\n");
	assert_file(e, B "/cpuset.cpus.partition", INVALID);
	/* Of two partitions both are invalid. */
	assert_int_equal(write_file(e, A "/cpuset.cpus.partition", "root"), 0);
	assert_file(e, A "/cpuset.cpus.partition", INVALID);
	assert_file(e, B "/cpuset.cpus.partition", INVALID);
	assert_int_equal(remove_directory(e, A), 0);
	assert_file(e, B "/cpuset.cpus.partition", "root\n");
}

TEST_MACHINE(since_7_0_cpus_of_partitions_alone_are_not_exclusive, NULL)
{
	start_with_groups(e, "tests/tpmi-modules"); /* 7.0 */
	assert_int_equal(write_file(e, A "/cpuset.cpus", "2-3"), 0);
	assert_int_equal(write_file(e, B "/cpuset.cpus", "1-2"), 0);
	set_file(e, A "/cpuset.cpus.partition", "isolated", "isolated\n");
	/* Whoever was there first keeps its CPUs, whatever the names. */
	assert_file(e, B "/cpuset.cpus.effective", "1\n");
	set_file(e, B "/cpuset.cpus.partition", "root",
		 "root invalid (Cpu list in cpuset.cpus not exclusive)\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "3"), 0);
	assert_file(e, B "/cpuset.cpus.partition", "root\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "2-3"), 0);
	assert_file(e, A "/cpuset.cpus.partition",
		    "isolated invalid (Cpu list in cpuset.cpus not exclusive)\n");
	assert_file(e, B "/cpuset.cpus.partition", "root\n");
}

TEST_MACHINE(hotplug_turns_partitions_invalid_and_back, NULL)
{
	start_with_groups(e, "tests/tiny");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "2-3"), 0);
	assert_int_equal(write_file(e, A "/cpuset.cpus.partition", "isolated"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu2/online", "0"), 0);
	assert_file(e, A "/cpuset.cpus", "2-3\n");
	assert_file(e, A "/cpuset.cpus.effective", "3\n");
	assert_file(e, A "/cpuset.cpus.partition", "isolated\n");
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
	assert_file(e, A "/cpuset.cpus.partition",
		    "isolated invalid (No cpu available due to hotplug)\n");
	assert_file(e, CGROUP "/cpuset.cpus.effective", "0-1\n");
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "1"), 0);
	assert_file(e, A "/cpuset.cpus.partition", "isolated\n");
	assert_int_equal(write_file(e, CPUS "/cpu2/online", "1"), 0);
	assert_file(e, A "/cpuset.cpus.effective", "2-3\n");
}

TEST_MACHINE(the_kernels_own_isolation, NULL)
{
	start_with_groups(e, "tests/isolcpus");
	assert_file(e, CGROUP "/cpuset.cpus.isolated", "3\n");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "3"), 0);
	set_file(e, A "/cpuset.cpus.partition", "root",
		 "root invalid (partition config conflicts with housekeeping setup)\n");
	set_file(e, A "/cpuset.cpus.partition", "isolated", "isolated\n");
	assert_int_equal(write_file(e, B "/cpuset.cpus", "0-2"), 0);
	set_file(e, B "/cpuset.cpus.partition", "isolated",
		 "isolated invalid (partition config conflicts with housekeeping setup)\n");
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), -EBUSY);
	assert_int_equal(write_file(e, CPUS "/cpu2/online", "0"), 0);
}

TEST_MACHINE(kernels_without, NULL)
{
	start(e, "tests/no-cgroup");
	assert_int_equal(read_result(e, CGROUP "/cgroup.controllers"), -ENOENT);
	assert_int_equal(make_directory(e, A), -ENOENT);
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), 0);
	finish(e);
	start(e, "tests/no-cpuset");
	assert_file(e, CGROUP "/cgroup.controllers", "cpu io memory hugetlb pids\n");
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", "+cpuset"), -ENOENT);
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), 0);
	finish(e);
	start_with_groups(e, "tests/no-isolated");
	assert_int_equal(write_file(e, A "/cpuset.cpus", "1"), 0);
	assert_int_equal(write_file(e, A "/cpuset.cpus.partition", "isolated"), -EINVAL);
	set_file(e, A "/cpuset.cpus.partition", "root", "root\n");
	finish(e);
	start_with_groups(e, "tests/old-kernel"); /* 6.1 */
	assert_int_equal(read_result(e, CGROUP "/cpuset.cpus.isolated"), -ENOENT);
}

/* Kernel: cpuset_hotplug_update_tasks() and hotplug_update_tasks_legacy(), update_cpumask(). */
TEST_MACHINE(groups_of_v1_lose_cpus_for_good, "tests/hybrid-cgroups")
{
	assert_file(e, CGROUP "/unified/cgroup.controllers", "cpu io memory hugetlb pids\n");
	assert_int_equal(read_result(e, CGROUP "/cgroup.controllers"), -ENOENT);
	assert_int_equal(make_directory(e, A), -EPERM);
	assert_int_equal(make_directory(e, CGROUP "/unified/a"), -EPERM);
	assert_int_equal(make_directory(e, CGROUP "/cpuset/a"), 0);
	assert_file(e, CGROUP "/cpuset/a/cpuset.cpus", "\n");
	assert_int_equal(read_result(e, CGROUP "/cpuset/a/cpuset.cpus.partition"), -ENOENT);
	assert_int_equal(write_file(e, CGROUP "/cpuset/a/cpuset.cpus", "1-2"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu2/online", "0"), 0);
	assert_file(e, CGROUP "/cpuset/a/cpuset.cpus", "1\n");
	assert_file(e, CGROUP "/cpuset/cpuset.cpus", "0-1,3\n");
	assert_int_equal(write_file(e, CGROUP "/cpuset/a/cpuset.cpus", "1-2"), -EINVAL);
	assert_int_equal(write_file(e, CPUS "/cpu2/online", "1"), 0);
	assert_file(e, CGROUP "/cpuset/a/cpuset.cpus", "1\n");
	assert_file(e, CGROUP "/cpuset/a/cpuset.effective_cpus", "1\n");
	assert_file(e, CGROUP "/cpuset/cpuset.cpus", "0-3\n");
	set_file(e, CGROUP "/cpuset/a/cpuset.cpus", "1-2", "1-2\n");
}
