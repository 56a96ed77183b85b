/* SPDX-License-Identifier: BSD-3-Clause */
/* The real device's system calls, as far as they can be made without a device. */
#include "driver/linux_device.h"
#include "support/check.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void failures_come_back_as_errno(void **state)
{
	int unused = 0;

	(void)state;
	assert_int_equal(linux_device.ioctl(NULL, -1, FIONREAD, &unused), -EBADF);
	assert_int_equal(linux_device.close(NULL, -1), -EBADF);
}

static void answers_come_back_as_they_are(void **state)
{
	int ends[2], waiting = 0;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "abc", 3), 3);
	assert_int_equal(linux_device.ioctl(NULL, ends[0], FIONREAD, &waiting), 0);
	assert_int_equal(waiting, 3);
	assert_int_equal(linux_device.close(NULL, ends[0]), 0);
	assert_int_equal(linux_device.close(NULL, ends[1]), 0);
}

static void opening_gives_a_descriptor_only_where_there_is_a_device(void **state)
{
	int answer = linux_device.open(NULL);

	(void)state;
	if (access("/dev/isst_interface", F_OK) == 0) {
		assert_true(answer >= 0 || answer == -EACCES);
		if (answer >= 0)
			assert_int_equal(linux_device.close(NULL, answer), 0);
		return;
	}
	assert_true(answer == -ENOENT || answer == -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failures_come_back_as_errno),
		cmocka_unit_test(answers_come_back_as_they_are),
		cmocka_unit_test(opening_gives_a_descriptor_only_where_there_is_a_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
