/* SPDX-License-Identifier: BSD-3-Clause */
/* Exit statuses of errors, and which of two is the graver one. */
#include "check.h"

#include "cli/process/exit_status.h"
#include "cli/run/machine.h"

#include <errno.h>

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
