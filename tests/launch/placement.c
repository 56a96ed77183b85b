/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that makes system calls by number, as libnuma and taskset do: on CPUs and nodes,
 * which are those of the machine, and on descriptors; to be run on the machine of
 * tests/platforms/tiny.platform.
 */
#include "program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { BITS = 1024, LONG = 8 * sizeof(long) };

static void cpus_are_the_machines(void **state)
{
	unsigned long mask[BITS / LONG] = { 0 }, two = 1UL << 2, none = 1UL << 20;
	cpu_set_t all;

	(void)state;
	errno = 0;
	assert_int_equal(syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask), sizeof(long));
	assert_int_equal(mask[0], 0xf);
	assert_int_equal(syscall(SYS_sched_setaffinity, 0, sizeof(two), &two), 0);
	assert_int_equal(errno, 0);
	assert_int_equal(syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask), sizeof(long));
	assert_int_equal(mask[0], 1UL << 2);
	assert_int_equal(system("test $(nproc) = 1"), 0);
	assert_fails(syscall(SYS_sched_setaffinity, 0, sizeof(none), &none), EINVAL);
	assert_fails(syscall(SYS_sched_getaffinity, 0, 4, mask), EINVAL);
	CPU_ZERO(&all);
	for (size_t i = 0; i < 4; i++)
		CPU_SET(i, &all);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

/** Of which nothing would come. */
static void cpus_of_other_processes_are_not_changed(void **state)
{
	pid_t child = fork();
	cpu_set_t one;

	(void)state;
	if (child == 0)
		_exit(0);
	CPU_ZERO(&one);
	CPU_SET(1, &one);
	assert_fails(sched_setaffinity(getppid(), sizeof(one), &one), EPERM);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_fails(sched_setaffinity(child, sizeof(one), &one), ESRCH);
	assert_fails(sched_setaffinity(-1, sizeof(one), &one), ESRCH);
	assert_fails(sched_getaffinity(-1, sizeof(one), &one), ESRCH);
}

static void assert_policy(int expected_mode, unsigned long expected_nodes)
{
	unsigned long nodes[BITS / LONG];
	int mode = -1;

	for (size_t i = 0; i < BITS / LONG; i++)
		nodes[i] = ~0UL;
	assert_int_equal(syscall(SYS_get_mempolicy, &mode, nodes, BITS + 1, NULL, 0), 0);
	assert_int_equal(mode, expected_mode);
	assert_int_equal(nodes[0], expected_nodes);
	for (size_t i = 1; i < BITS / LONG; i++)
		assert_int_equal(nodes[i], 0);
}

static void nodes_are_the_machines(void **state)
{
	unsigned long node = 1, other = 1UL << 1, nodes[BITS / LONG] = { 0 };
	int mode;

	(void)state;
	assert_policy(MPOL_DEFAULT, 0);
	assert_int_equal(syscall(SYS_get_mempolicy, NULL, nodes, BITS, NULL, MPOL_F_MEMS_ALLOWED),
			 0);
	assert_int_equal(nodes[0], 1);
	errno = 0;
	assert_int_equal(syscall(SYS_set_mempolicy, MPOL_BIND, &node, LONG, NULL), 0);
	assert_int_equal(errno, 0);
	assert_policy(MPOL_BIND, 1);
	assert_int_equal(syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, &node, LONG), 0);
	assert_int_equal(syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, MPOL_F_NODE), 0);
	assert_int_equal(mode, 0);
	assert_int_equal(syscall(SYS_set_mempolicy, MPOL_PREFERRED, NULL, 0), 0);
	assert_policy(MPOL_LOCAL, 0);
	assert_fails(syscall(SYS_set_mempolicy, MPOL_BIND, &other, LONG), EINVAL);
	assert_fails(syscall(SYS_set_mempolicy, MPOL_BIND, NULL, 0), EINVAL);
	assert_fails(syscall(SYS_set_mempolicy, MPOL_DEFAULT, &node, LONG), EINVAL);
	assert_fails(syscall(SYS_set_mempolicy, 99, &node, LONG), EINVAL);
	assert_fails(syscall(SYS_set_mempolicy, MPOL_BIND, (void *)8, LONG), EFAULT);
	assert_policy(MPOL_LOCAL, 0);
	assert_fails(syscall(SYS_get_mempolicy, (void *)8, NULL, 0, NULL, 0), EFAULT);
	assert_fails(syscall(SYS_get_mempolicy, NULL, nodes, 0, NULL, 0), EINVAL);
	assert_fails(syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, MPOL_F_NODE), EINVAL);
	assert_int_equal(syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0), 0);
	assert_policy(MPOL_DEFAULT, 0);
}

static void memory_is_bound_to_nodes_of_the_machine(void **state)
{
	unsigned long node = 1, other = 1UL << 1;
	void *page = aligned_alloc(4096, 4096);

	(void)state;
	assert_int_equal(syscall(SYS_mbind, page, 4096, MPOL_BIND, &node, LONG, 0), 0);
	assert_fails(syscall(SYS_mbind, page, 4096, MPOL_BIND, &other, LONG, 0), EINVAL);
	assert_fails(syscall(SYS_mbind, (char *)page + 1, 4096, MPOL_BIND, &node, LONG, 0), EINVAL);
	assert_policy(MPOL_DEFAULT, 0);
	free(page);
}

/** numactl looks at errno alone. */
static void what_succeeds_keeps_errno(void **state)
{
	struct stat status;
	char content[10];
	DIR *directory;
	int file;

	(void)state;
	errno = 0;
	assert_true((file = open(CPU3, O_RDWR | O_CLOEXEC)) >= 0);
	assert_int_equal(errno, 0);
	assert_int_equal(read(file, content, sizeof(content)), 2);
	assert_int_equal(errno, 0);
	assert_int_equal(write(file, "1", 1), 1);
	assert_int_equal(errno, 0);
	assert_int_equal(close(file), 0);
	assert_int_equal(errno, 0);
	assert_int_equal(stat(CPU3, &status), 0);
	assert_int_equal(errno, 0);
	assert_int_equal(access(CPU3, R_OK), 0);
	assert_int_equal(errno, 0);
	assert_non_null(directory = opendir(CPUS));
	assert_int_equal(errno, 0);
	while (readdir(directory))
		;
	assert_int_equal(errno, 0);
	assert_int_equal(closedir(directory), 0);
	assert_int_equal(errno, 0);
}

/** Programs that become services close all that there is, in one way or another. */
static void closing_by_number_leaves_the_machine(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) {
		pid_t child = fork();
		int status, null;

		if (child == 0) {
			null = open("/dev/null", O_RDWR | O_CLOEXEC);
			for (int i = 3; way == 0 && i < 1024; i++)
				syscall(SYS_close, i);
			if (way == 1)
				syscall(SYS_close_range, 3, ~0U, 0);
			for (int i = null + 1; way == 2 && i < 1024; i++)
				syscall(SYS_dup3, null, i, 0);
			if (way == 2)
				syscall(SYS_close, null);
			_exit(open(CPU3, O_RDONLY | O_CLOEXEC) >= 0 ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	assert_fails(syscall(SYS_close, -1), EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_the_machines),
		cmocka_unit_test(cpus_of_other_processes_are_not_changed),
		cmocka_unit_test(nodes_are_the_machines),
		cmocka_unit_test(memory_is_bound_to_nodes_of_the_machine),
		cmocka_unit_test(what_succeeds_keeps_errno),
		cmocka_unit_test(closing_by_number_leaves_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
