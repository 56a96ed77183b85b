/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls of the real device, as far as they can be tested without a device. */
#include "driver/linux_device.h"
#include "support/check.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(failures_come_back_as_errno)
{
	int unused = 0;

	assert_int_equal(linux_device.ioctl(NULL, -1, FIONREAD, &unused), -EBADF);
	assert_int_equal(linux_device.close(NULL, -1), -EBADF);
}

TEST(answers_are_returned_unchanged)
{
	int ends[2], waiting = 0;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "abc", 3), 3);
	assert_int_equal(linux_device.ioctl(NULL, ends[0], FIONREAD, &waiting), 0);
	assert_int_equal(waiting, 3);
	assert_int_equal(linux_device.close(NULL, ends[0]), 0);
	assert_int_equal(linux_device.close(NULL, ends[1]), 0);
}

TEST(opening_gives_a_descriptor_only_where_there_is_a_device)
{
	int answer = linux_device.open(NULL);

	if (access("/dev/isst_interface", F_OK) == 0) {
		assert_true(answer >= 0 || answer == -EACCES);
		if (answer >= 0)
			assert_int_equal(linux_device.close(NULL, answer), 0);
		return;
	}
	assert_true(answer == -ENOENT || answer == -ENODEV);
}

/** Puts a FIFO in the place of the device, for this process alone. */
static bool place_fifo(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount("none", "/", "", MS_REC | MS_PRIVATE, "") == 0 &&
	       mount("none", "/dev", "tmpfs", 0, "") == 0 &&
	       mkfifo("/dev/isst_interface", 0600) == 0;
}

/** Ends with 0 where that is opened and no driver answers, with 77 where it cannot be tried. */
static void open_fifo(void)
{
	int descriptor;

	if (!place_fifo())
		_exit(77);
	alarm(10);
	descriptor = linux_device.open(NULL);
	_exit(descriptor < 0 || linux_device.ioctl(NULL, descriptor, 0xfe00, NULL) == -ENOTTY ? 0
											      : 1);
}

TEST(a_fifo_in_its_place_is_not_waited_for)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		open_fifo();
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}
