/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may change the emulated machine, the file that changing runs lock, and the system log. */
#include "emulator/emulated.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int capable(struct emulated *e, int capability)
{
	return e->machine->capable(e->machine->data, capability);
}

TEST_MACHINE(the_owner_of_the_state_is_root_there, "tests/tiny")
{
	assert_int_equal(capable(e, CAP_SYS_ADMIN), 1);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
	rules(e, "capability granted\n");
	assert_int_equal(capable(e, CAP_SYS_ADMIN), 1);
	rules(e, "capability denied\n");
	assert_int_equal(capable(e, CAP_SYS_ADMIN), 0);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 0), -EPERM);
	rules(e, "capability number 21 denied\n");
	assert_int_equal(capable(e, CAP_SYS_ADMIN), 0);
	assert_int_equal(capable(e, CAP_DAC_OVERRIDE), 1);
}

/** In a child without any capability. */
static int capable_without_capabilities(struct emulated *e)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (syscall(SYS_capset, &header, data))
			_exit(99);
		_exit(capable(e, CAP_SYS_ADMIN));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST_MACHINE(real_capabilities_count_where_a_rule_says_so, "tests/tiny")
{
	assert_int_equal(capable_without_capabilities(e), 1);
	rules(e, "capability real\n");
	assert_int_equal(capable_without_capabilities(e), 0);
	assert_int_equal(capable(e, 4711), -EINVAL);
}

TEST_MACHINE(the_device_node_can_be_locked, NULL)
{
	struct stat status;
	char path[700];
	int node;

	start(e, "tests/tiny");
	snprintf(path, sizeof(path), "%s/device", e->directory);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	node = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(node >= 0);
	assert_int_equal(flock(node, LOCK_EX), 0);
	/* The machine works on, even through a reset. */
	assert_int_equal(ask(e, 0x00, 0), 0x80000103);
	assert_int_equal(isst_emulator_reset(&e->target, &(char *){ NULL }), 0);
	assert_int_equal(ask(e, 0x00, 0), 0x80000103);
	assert_int_equal(fstat(node, &status), 0);
	assert_int_equal(status.st_nlink, 1);
	close(node);
	finish(e);
	start(e, "tests/no-device");
	assert_int_equal(access(path, F_OK), -1);
}

TEST_MACHINE(the_log_gets_a_line_for_each_message, "tests/tiny")
{
	e->machine->log(e->machine->data, "first");
	e->machine->log(e->machine->data, "second\nof two");
	assert_log(e, "first\nsecond of two\n");
	assert_int_equal(isst_emulator_reset(&e->target, &(char *){ NULL }), 0);
	assert_int_equal(access(path_in(e, "log"), F_OK), -1);
}
