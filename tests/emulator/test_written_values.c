/* SPDX-License-Identifier: BSD-3-Clause */
/* Which spellings of a list, a switch or a number the kernel's files take, as seen on Linux 6.18.
 */
#include "emulator/emulated.h"
#include "support/check.h"

#define CGROUP "/sys/fs/cgroup"

static void start_with_group(struct emulated *e)
{
	start(e, "tests/tiny"); /* four CPUs */
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", "+cpuset"), 0);
	assert_int_equal(make_directory(e, CGROUP "/g"), 0);
}

TEST_MACHINE(lists_of_cpus_that_are_taken, NULL)
{
	static const struct {
		const char *written, *read;
	} CASES[] = {
		{ "0-1\n", "0-1\n" },
		{ " 0-1 \n\n", "0-1\n" },
		{ "0, 1", "0-1\n" },
		{ "0 1", "0-1\n" },
		{ "0\t1", "0-1\n" },
		{ "0,,1", "0-1\n" },
		{ ",0", "0\n" },
		{ "0,", "0\n" },
		{ "00", "0\n" },
		{ "0\n1", "0\n" },
		{ "2-2", "2\n" },
		{ "0-3:1/2", "0,2\n" },
		{ "0-3:2/3", "0-1,3\n" },
		{ "0-3:2/8", "0-1\n" },
		{ "0-3:0/2", "\n" },
		{ "N", "3\n" },
		{ "1-N", "1-3\n" },
		{ "N-N", "3\n" },
		{ "all", "0-3\n" },
		{ "ALL", "0-3\n" },
		{ "all:1/2", "0,2\n" },
		{ "all,0", "0-3\n" },
		{ "0-3:1/2,1", "0-2\n" },
		{ "", "\n" },
		{ " ", "\n" },
		{ "0-N:1/N", "0,3\n" },
	};

	start_with_group(e);
	for (size_t i = 0; i < COUNT(CASES); i++) {
		int result = write_file(e, CGROUP "/g/cpuset.cpus", CASES[i].written);

		if (result)
			fail_msg("\"%s\": %s", CASES[i].written, strerror(-result));
		assert_file(e, CGROUP "/g/cpuset.cpus", CASES[i].read);
	}
}

TEST_MACHINE(lists_of_cpus_that_are_refused, NULL)
{
	static const struct {
		const char *text;
		int error;
	} CASES[] = {
		{ "1-0", -EINVAL },	 { "0-", -EINVAL },
		{ "-1", -EINVAL },	 { "+1", -EINVAL },
		{ "0x1", -EINVAL },	 { "n", -EINVAL },
		{ "allx", -EINVAL },	 { "none", -EINVAL },
		{ "0..1", -EINVAL },	 { "0 -1", -EINVAL },
		{ "0- 1", -EINVAL },	 { "0-1:1", -EINVAL },
		{ "0-1:1/0", -EINVAL },	 { "0-1:3/2", -EINVAL },
		{ "0:1/2", -EINVAL },	 { "0-1: 1/2", -EINVAL },
		{ "0-1 :1/2", -EINVAL }, { "N:1/1", -EINVAL },
		{ "1-0:1/2", -EINVAL },	 { "4", -ERANGE },
		{ "0-4", -ERANGE },	 { "0-4:1/2", -ERANGE },
		{ "9999", -ERANGE },	 { "4294967296", -EOVERFLOW },
		{ "0,9999x", -EINVAL },	 { "99999999999999999999", -EOVERFLOW },
	};

	start_with_group(e);
	assert_int_equal(write_file(e, CGROUP "/g/cpuset.cpus", "1-2"), 0);
	for (size_t i = 0; i < COUNT(CASES); i++) {
		int result = write_file(e, CGROUP "/g/cpuset.cpus", CASES[i].text);

		if (result != CASES[i].error)
			fail_msg("\"%s\": %s, expected %s", CASES[i].text, strerror(-result),
				 strerror(-CASES[i].error));
	}
	assert_file(e, CGROUP "/g/cpuset.cpus", "1-2\n");
}

/** The first letter counts, of "on" and "off" the first two; nothing is skipped before it. */
TEST_MACHINE(switches, "tests/tiny")
{
	static const char *const ON[] = { "1",	"1\n", "y", "Y",       "yes", "on",
					  "ON", "oN",  "t", "enabled", "10",  "1 and more" };
	static const char *const OFF[] = { "0", "0\n", "n", "No", "off", "oFF", "f", "d", "0x1" };
	static const char *const NEITHER[] = { "", "\n", " 1", "\n1", "2", "x", "o", "-1" };

	for (size_t i = 0; i < COUNT(ON); i++) {
		assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
		assert_int_equal(write_file(e, CPUS "/cpu3/online", ON[i]), 0);
		assert_file(e, CPUS "/cpu3/online", "1\n");
	}
	for (size_t i = 0; i < COUNT(OFF); i++) {
		assert_int_equal(write_file(e, CPUS "/cpu3/online", "1"), 0);
		assert_int_equal(write_file(e, CPUS "/cpu3/online", OFF[i]), 0);
		assert_file(e, CPUS "/cpu3/online", "0\n");
	}
	for (size_t i = 0; i < COUNT(NEITHER); i++)
		assert_int_equal(write_file(e, CPUS "/cpu3/online", NEITHER[i]), -EINVAL);
}

/** It is read as a number, of which nothing but 0 or not counts, and what follows is ignored. */
TEST_MACHINE(no_turbo, "tests/tiny")
{
	static const char *const ON[] = { "1", " 1\n", "2", "1x", "100" };
	static const char *const OFF[] = { "0", "00", "0 1", "\t0" };
	static const char *const NEITHER[] = { "", "\n", "x", "on", "-1", "y" };

	for (size_t i = 0; i < COUNT(ON); i++) {
		assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", "0"), 0);
		assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", ON[i]), 0);
		assert_file(e, CPUS "/intel_pstate/no_turbo", "1\n");
	}
	for (size_t i = 0; i < COUNT(OFF); i++) {
		assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", "1"), 0);
		assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", OFF[i]), 0);
		assert_file(e, CPUS "/intel_pstate/no_turbo", "0\n");
	}
	for (size_t i = 0; i < COUNT(NEITHER); i++)
		assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", NEITHER[i]), -EINVAL);
}

/** Blanks alone are between the words. */
TEST_MACHINE(controllers, "tests/tiny")
{
	set_file(e, CGROUP "/cgroup.subtree_control", "+cpuset  -pids\n", "cpuset cpu memory\n");
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", ""), 0);
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", "+io\n+pids"), -EINVAL);
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", "+io\t+pids"), -EINVAL);
	assert_int_equal(write_file(e, CGROUP "/cgroup.subtree_control", "+io,+pids"), -EINVAL);
	assert_file(e, CGROUP "/cgroup.subtree_control", "cpuset cpu memory\n");
}
