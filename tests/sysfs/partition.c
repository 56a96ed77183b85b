/* SPDX-License-Identifier: BSD-3-Clause */
/* Cpuset partitions: writes, and the kernel's interpretation. */
#include "sysfs/partition.h"
#include "support/fake_bench.h"

#define ROOT "/sys/fs/cgroup/"

/** A cgroup tree with cpusets and the group 0-0-0, a plain member without CPUs. */
static void start(struct fake_machine *fake, struct bench *bench)
{
	bench_begin(fake, bench);
	fake_file(&fake->files, ROOT "cgroup.controllers", "cpu cpuset memory");
	fake_file(&fake->files, ROOT "cgroup.subtree_control", "cpu cpuset");
	fake_file(&fake->files, ROOT "0-0-0/cpuset.cpus", "%s", "");
	fake_file(&fake->files, ROOT "0-0-0/cpuset.cpus.partition", "member");
}

BENCH_TESTS(start, bench_end)

BENCH_TEST(a_partition_is_created_and_read_back)
{
	char *now;

	assert_int_equal(partition_write(&own.files, "0-0-0", "isolated 2-3"), 0);
	assert_string_equal(fake->files.written,
			    "mkdir " ROOT "0-0-0\n"
			    "'2-3' > " ROOT "0-0-0/cpuset.cpus\n"
			    "'isolated' > " ROOT "0-0-0/cpuset.cpus.partition\n");
	assert_int_equal(partition_read(&own.files, "0-0-0", &now), 0);
	assert_string_equal(now, "isolated 2-3");
	free(now);
}

BENCH_TEST(the_controller_is_switched_on_where_it_is_not)
{
	fake_file(&fake->files, ROOT "cgroup.subtree_control", "cpu cpusets");
	assert_int_equal(partition_write(&own.files, "0-0-0", "isolated 2"), 0);
	check_holds(fake->files.written, "'+cpuset' > " ROOT "cgroup.subtree_control\n");
}

BENCH_TEST(D50_a_partition_that_the_kernel_calls_invalid_is_an_error_with_its_reason)
{
	fake_file(&fake->files, ROOT "0-0-0/cpuset.cpus.partition",
		  "isolated invalid (Cpu list in cpuset.cpus not exclusive)");
	fake_file_refuses(&fake->files, ROOT "0-0-0/cpuset.cpus.partition", 0);
	fake->files.listable = true;
	assert_int_equal(partition_write(&own.files, "0-0-0", "isolated 2-3"), -EIO);
	check_holds(own.messages.error, "did not become isolated: the kernel reports 'isolated");
	check_holds(own.messages.error, "not exclusive)'");
	assert_null(strstr(own.messages.error, "shares"));
}

BENCH_TEST(the_group_that_has_cpus_of_a_refused_partition_is_named)
{
	fake_file(&fake->files, ROOT "a.slice/cpuset.cpus", "0-1");
	fake_file(&fake->files, ROOT "b.slice/cpuset.cpus", "3-5");
	fake_file(&fake->files, ROOT "0-0-0/cpuset.cpus.partition",
		  "isolated invalid (Cpu list in cpuset.cpus not exclusive)");
	fake_file_refuses(&fake->files, ROOT "0-0-0/cpuset.cpus.partition", 0);
	fake->files.listable = true;
	assert_int_equal(partition_write(&own.files, "0-0-0", "isolated 2-3"), -EIO);
	check_holds(own.messages.error, "it shares CPUs with " ROOT "b.slice");
}

BENCH_TEST(D50_cpus_that_the_kernel_refuses_are_no_partition_of_the_former_ones)
{
	fake_file(&fake->files, ROOT "0-0-0/cpuset.cpus", "6-7");
	fake_file_refuses(&fake->files, ROOT "0-0-0/cpuset.cpus", -EINVAL);
	assert_int_equal(partition_write(&own.files, "0-0-0", "isolated 2-3"), -EIO);
	check_holds(own.messages.error, "0-0-0/cpuset.cpus");
	assert_null(strstr(fake->files.written, "cpuset.cpus.partition"));
}

BENCH_TEST(without_cpusets_partitions_are_not_supported)
{
	char *now;

	fake_file(&fake->files, ROOT "cgroup.controllers", "cpu memory");
	assert_int_equal(partition_read(&own.files, "0-0-0", &now), -EOPNOTSUPP);
	fake_file_error(&fake->files, ROOT "cgroup.controllers", -ENOENT);
	assert_int_equal(partition_read(&own.files, "0-0-0", &now), -EOPNOTSUPP);
	check_holds(own.messages.error, "cgroup v2");
}

BENCH_TEST(a_missing_group_is_absent)
{
	char *now;

	assert_int_equal(partition_read(&own.files, "1-0-0", &now), 0);
	assert_string_equal(now, "absent");
	free(now);
	assert_int_equal(partition_write(&own.files, "1-0-0", "absent"), 0);
	assert_null(fake->files.written);
}

BENCH_TEST(D50_a_group_that_is_no_longer_needed_is_emptied_and_removed)
{
	assert_int_equal(partition_write(&own.files, "0-0-0", "absent"), 0);
	assert_string_equal(fake->files.written, "'member' > " ROOT "0-0-0/cpuset.cpus.partition\n"
						 "'\n' > " ROOT "0-0-0/cpuset.cpus\n"
						 "rmdir " ROOT "0-0-0\n");
}
