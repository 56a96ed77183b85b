/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that locks the device, as earlier tools do to exclude each other; to be run on the
 * machine of tests/platforms/tiny.platform. The lock is that of the file
 * `device` of the state directory, which programs beside this one lock.
 */
#include "program.h"

#include "driver/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define DEVICE "/dev/isst_interface"

/** flock(2) of another descriptor of the device, in another process: 0 or an error number. */
static int lock_elsewhere(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		int device = open(DEVICE, O_RDONLY | O_CLOEXEC);

		_exit(device < 0 || flock(device, LOCK_EX | LOCK_NB) ? errno : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_lock_excludes_other_processes(void **state)
{
	int device = open(DEVICE, O_RDWR | O_CLOEXEC), other;

	(void)state;
	assert_true(device >= 0);
	assert_int_equal(lock_elsewhere(), 0);
	assert_int_equal(flock(device, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(lock_elsewhere(), EWOULDBLOCK);
	other = open(DEVICE, O_RDONLY | O_CLOEXEC);
	assert_fails(flock(other, LOCK_SH | LOCK_NB), EWOULDBLOCK);
	assert_int_equal(flock(device, LOCK_UN), 0);
	assert_int_equal(lock_elsewhere(), 0);
	assert_int_equal(flock(other, LOCK_SH | LOCK_NB), 0);
	assert_int_equal(flock(device, LOCK_SH | LOCK_NB), 0);
	assert_int_equal(lock_elsewhere(), EWOULDBLOCK);
	assert_int_equal(close(other), 0);
	assert_int_equal(close(device), 0);
	assert_int_equal(lock_elsewhere(), 0);
}

/** By whatever number, and in children. */
static void a_lock_belongs_to_what_was_opened(void **state)
{
	int device = open(DEVICE, O_RDWR | O_CLOEXEC), again = dup(device);

	(void)state;
	assert_int_equal(flock(device, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(flock(again, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(close(device), 0);
	assert_int_equal(lock_elsewhere(), EWOULDBLOCK);
	assert_int_equal(close(again), 0);
	assert_int_equal(lock_elsewhere(), 0);
}

static void the_lock_is_that_of_the_state(void **state)
{
	int device = open(DEVICE, O_RDWR | O_CLOEXEC), file;
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/device", getenv("ISST_EMULATE_STATE"));
	file = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(file >= 0);
	assert_int_equal(flock(file, LOCK_EX | LOCK_NB), 0);
	assert_fails(flock(device, LOCK_EX | LOCK_NB), EWOULDBLOCK);
	assert_int_equal(close(file), 0);
	assert_int_equal(flock(device, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(close(device), 0);
}

/** No position of it is read. */
static void the_device_has_no_content(void **state)
{
	int device = open(DEVICE, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct abi_platform_info info = { 0 };
	FILE *stream = fopen(DEVICE, "we");
	struct stat status;
	char byte = 0;

	(void)state;
	assert_true(device >= 0);
	assert_int_equal(fclose(stream), 0);
	assert_int_equal(fstat(device, &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	assert_int_equal(status.st_size, 0);
	assert_fails(pread(device, &byte, 1, 0), EPERM);
	assert_int_equal(ioctl(device, ABI_GET_PLATFORM_INFO, &info), 0);
	assert_int_equal(fcntl(device, F_GETFL) & O_ACCMODE, O_RDWR);
	assert_int_equal(close(device), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_excludes_other_processes),
		cmocka_unit_test(a_lock_belongs_to_what_was_opened),
		cmocka_unit_test(the_lock_is_that_of_the_state),
		cmocka_unit_test(the_device_has_no_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
