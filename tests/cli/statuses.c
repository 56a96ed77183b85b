/* SPDX-License-Identifier: BSD-3-Clause */
/* Exit statuses of errors, which of two is the graver one, and the end without memory. */
#include "check.h"

#include "cli/process/exit_status.h"
#include "cli/process/xalloc.h"
#include "cli/run/machine.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(library_errors_have_their_statuses)
{
	assert_int_equal(status_of_error(0), 0);
	assert_int_equal(status_of_error(-EOPNOTSUPP), 3);
	assert_int_equal(status_of_error(-EPERM), 4);
	assert_int_equal(status_of_error(-EACCES), 4);
	assert_int_equal(status_of_error(-EINVAL), 2);
	assert_int_equal(status_of_error(-EIO), 1);
	assert_int_equal(status_of_error(-ENOMEM), 1);
	assert_int_equal(status_of_error(-EINTR), 1);
	assert_int_equal(status_of_error(-ENOTRECOVERABLE), 5);
	assert_int_equal(status_of_error(-EBUSY), 6);
}

TEST(the_gravest_status_of_all_units_wins)
{
	assert_int_equal(status_worse(STATUS_DONE, STATUS_UNSUPPORTED), 3);
	assert_int_equal(status_worse(STATUS_UNSUPPORTED, STATUS_DONE), 3);
	assert_int_equal(status_worse(STATUS_NOT_PERMITTED, STATUS_UNSUPPORTED), 4);
	assert_int_equal(status_worse(STATUS_UNSUPPORTED, STATUS_NOT_PERMITTED), 4);
	assert_int_equal(status_worse(STATUS_FAILED, STATUS_NOT_PERMITTED), 1);
	assert_int_equal(status_worse(STATUS_NOT_PERMITTED, STATUS_FAILED), 1);
	assert_int_equal(status_worse(STATUS_FAILED, STATUS_ROLLBACK_INCOMPLETE), 5);
}

TEST(errors_of_the_emulator_have_their_statuses)
{
	static const struct {
		int error;
		enum exit_status status;
	} cases[] = { { -ENOENT, STATUS_USAGE },
		      { -EINVAL, STATUS_USAGE },
		      { -EPERM, STATUS_NOT_PERMITTED },
		      { -EIO, STATUS_FAILED } };
	const struct emulation target = { .platform = "no-such-machine" };

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *message = strdup("told");

		assert_int_equal(machine_problem(cases[i].error, &target, &message),
				 cases[i].status);
		assert_string_equal(message, "told");
		free(message);
	}
}

/** Ends a process by a lack of memory. Returns its exit status, and its message in @message. */
static int status_without_memory(int status, char *message, size_t size)
{
	int ends[2], result;
	ssize_t length;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		if (status)
			xalloc_exit_with(status);
		xcheck(NULL);
		_exit(0);
	}
	close(ends[1]);
	length = read(ends[0], message, size - 1);
	assert_true(length >= 0);
	message[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &result, 0), child);
	assert_true(WIFEXITED(result));
	return WEXITSTATUS(result);
}

TEST(want_of_memory_ends_the_program)
{
	char message[80];

	assert_int_equal(status_without_memory(0, message, sizeof(message)), 1);
	assert_string_equal(message, "Error: cannot allocate memory\n");
	assert_int_equal(status_without_memory(125, message, sizeof(message)), 125);
	assert_string_equal(message, "Error: cannot allocate memory\n");
}
