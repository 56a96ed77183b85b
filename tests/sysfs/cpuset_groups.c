/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of cgroup v1 cpusets: read with those below them, and written in an order that the kernel
 * takes. */
#include "sysfs/cpuset_groups.h"
#include "support/fake_bench.h"

#define ROOT CPUSET_GROUPS_DIRECTORY "/"

static void start(struct fake_machine *fake, struct bench *bench)
{
	bench_begin(fake, bench);
	fake_file(&fake->files, ROOT "cpuset.effective_cpus", "0-15");
	fake_file(&fake->files, ROOT "cpuset.cpus", "0-15");
	fake_file(&fake->files, ROOT "vm/cpuset.cpus", "2-5");
	fake_file(&fake->files, ROOT "vm/one more/cpuset.cpus", "4");
	fake_file(&fake->files, ROOT "empty/cpuset.cpus", "%s", "");
	fake->files.listable = true;
}

BENCH_TESTS(start, bench_end)

BENCH_TEST(groups_are_read_with_those_below_them)
{
	char *now;

	assert_int_equal(cpuset_groups_read(&own.files, &now), 0);
	check_holds(now, "vm=2-5 vm/one%20more=4");
	check_holds(now, "empty=");
	free(now);
}

FAKE_TEST(a_group_of_v2_that_is_called_cpuset_is_none)
{
	struct bench bench = { 0 };
	char *now;

	kernel_files_init(&bench.files, &fake->machine, &bench.messages);
	fake_file(&fake->files, ROOT "cpuset.cpus", "0-15");
	assert_int_equal(cpuset_groups_read(&bench.files, &now), -ENOENT);
	assert_null(now);
	bench_end(&bench);
}

BENCH_TEST(groups_that_cannot_be_listed_are_not_read)
{
	char *now;

	fake->files.list_error = -EIO;
	assert_int_equal(cpuset_groups_read(&own.files, &now), -EIO);
	assert_null(now);
	check_holds(own.messages.error, "cannot be listed");
}

/* Kernel, validate_change(): a child's CPUs are its parent's. */
BENCH_TEST(parents_grow_first_and_shrink_last)
{
	assert_int_equal(cpuset_groups_write(&own.files, "vm=2-6 vm/one%20more=4,6 gone=1"), 0);
	assert_string_equal(fake->files.written, "'2-6' > " ROOT "vm/cpuset.cpus\n"
						 "'4,6' > " ROOT "vm/one more/cpuset.cpus\n");
}

BENCH_TEST(parents_shrink_last)
{
	assert_int_equal(cpuset_groups_write(&own.files, "vm=2-3 vm/one%20more="), 0);
	assert_string_equal(fake->files.written, "'\n' > " ROOT "vm/one more/cpuset.cpus\n"
						 "'2-3' > " ROOT "vm/cpuset.cpus\n");
}

FAKE_TEST(groups_of_others_do_not_differ)
{
	assert_true(cpuset_groups_equal("a=1 b=2", "b=2 c=3"));
	assert_true(cpuset_groups_equal("", "b=2"));
	assert_false(cpuset_groups_equal("a=1 b=2", "b=2-3"));
	assert_false(cpuset_groups_equal("a=", "a=1"));
}

FAKE_TEST(a_group_gets_back_what_it_lost_and_nothing_else)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *online = isst_cpuset_new();
	char *back;

	assert_int_equal(isst_cpuset_add(online, 0, 13), 0);
	/* Of c others have changed the CPUs since; d is gone, e is new. */
	assert_int_equal(cpuset_groups_regain("a=6 b=1 c=3 e=1", "a=6,12-15 b=1 c=12 d=12",
					      "a=6 b=1 c= d=", online, &back),
			 0);
	assert_string_equal(back, "a=6,12-13");
	free(back);
	assert_int_equal(cpuset_groups_regain("a=6", "a=6,14", "a=6", online, &back), 0);
	assert_null(back);
}

FAKE_TEST(what_groups_lost_is_remembered_over_more_than_one_loss)
{
	char *before;

	assert_int_equal(
		cpuset_groups_before("a=6,12 c=3 e=1", "a=6,12-15 c=12", "a=6,12 c=", &before), 0);
	assert_string_equal(before, "a=6,12-15 c=3 e=1");
	free(before);
}

FAKE_TEST(what_hotplug_takes_is_distinguished_from_what_others_do)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = isst_cpuset_new();

	assert_int_equal(isst_cpuset_add(cpus, 12, 15), 0);
	assert_true(cpuset_groups_lost("a=6,12-15 b=1", "a=6,13 b=1 c=1", cpus));
	assert_false(cpuset_groups_lost("a=6,12-15", "a=12", cpus));
	assert_false(cpuset_groups_lost("a=6", "a=6,12", cpus));
}

FAKE_TEST(groups_that_lose_cpus_have_names)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = isst_cpuset_new();
	char *names;

	assert_int_equal(isst_cpuset_add(cpus, 12, 15), 0);
	assert_int_equal(cpuset_groups_name("a=6,14-15 b=1", cpus, &names), 0);
	assert_string_equal(names, "a (14-15)");
	free(names);
	assert_int_equal(cpuset_groups_name("b=1", cpus, &names), 0);
	assert_null(names);
	assert_int_equal(cpuset_groups_name("a=12 b=12 c=12 d=12 e=12 f=12 g=12 h=12 i=12 j=12",
					    cpus, &names),
			 0);
	check_holds(names, ", h (12) and 2 more");
	free(names);
}
