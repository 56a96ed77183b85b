/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs that run on the emulated machine share: its paths, and how they look at files.
 */
#ifndef TESTS_LAUNCH_PROGRAM_H
#define TESTS_LAUNCH_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPUS "/sys/devices/system/cpu"
#define CPU2 CPUS "/cpu2/online"
#define CPU3 CPUS "/cpu3/online"
#define GROUPS "/sys/fs/cgroup"

#define assert_fails(call, error) \
	do { \
		errno = 0; \
		assert_true((call) < 0); \
		assert_int_equal(errno, (error)); \
	} while (0)

/** Asserts what a file holds, read by openat(2) and read(2). */
static inline void assert_content_at(int directory, const char *path, const char *expected)
{
	int descriptor = openat(directory, path, O_RDONLY | O_CLOEXEC);
	char content[4096];
	ssize_t size;

	assert_true(descriptor >= 0);
	size = read(descriptor, content, sizeof(content) - 1);
	assert_true(size >= 0);
	content[size] = '\0';
	assert_string_equal(content, expected);
	assert_int_equal(close(descriptor), 0);
}

static inline void assert_content(const char *path, const char *expected)
{
	assert_content_at(AT_FDCWD, path, expected);
}

/** Creates the file where it can be created. */
static inline void write_file(const char *path, const char *content)
{
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(descriptor >= 0);
	assert_int_equal(write(descriptor, content, strlen(content)), strlen(content));
	assert_int_equal(close(descriptor), 0);
}

/** Runs it in a child, which exits with that status where it returns, and returns the child's
 * status as of waitpid(2). */
static inline int child_status(void (*act)(void), int otherwise)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		act();
		exit(otherwise);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/** After a test: CPU 3 is online again, whatever the test did. */
static inline int reset_cpu(void **state)
{
	(void)state;
	write_file(CPU3, "1");
	return 0;
}

#endif
