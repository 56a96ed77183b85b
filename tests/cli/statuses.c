/* SPDX-License-Identifier: BSD-3-Clause */
/* Exit statuses: of library errors, and of a run over units with different results. */
#include "check.h"

#include "cli/process/exit_status.h"
#include "cli/run/run.h"

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

static int start(void **state)
{
	struct run *run = calloc(1, sizeof(*run));

	run->report = report_new();
	*state = run;
	return 0;
}

static int end(void **state)
{
	struct run *run = *state;

	report_free(run->report);
	free(run);
	return 0;
}

static void report_a_unit(struct run *run)
{
	const struct report_step path = { &keys[KEY_PACKAGE], 0 };

	assert_non_null(report_unit(run->report, &path, 1));
}

TEST_WITH(a_unit_without_the_feature_is_noted, start, end)
{
	struct run *run = *state;

	run_unsupported(run, "package %d does not support it", 1);
	report_a_unit(run);
	run_finish(run);
	assert_int_equal(run->status, 0);
	assert_rendered(run->report, FORMAT_TEXT,
			"Information: package 1 does not support it\n package-0\n");
}

TEST_WITH(a_named_unit_without_the_feature_is_an_error, start, end)
{
	struct run *run = *state;

	run_unsupported(run, "package %d does not support it", 1);
	report_a_unit(run);
	run->targets.named = true;
	run_finish(run);
	assert_int_equal(run->status, 3);
	assert_rendered(run->report, FORMAT_TEXT,
			"Error: package 1 does not support it\n package-0\n");
}

TEST_WITH(a_feature_that_no_unit_has_is_an_error, start, end)
{
	struct run *run = *state;

	run_unsupported(run, "package 0: it is not supported");
	run_unsupported(run, "package 1: it is not supported");
	run_finish(run);
	assert_int_equal(run->status, 3);
	assert_rendered(run->report, FORMAT_TEXT, "Error: packages 0-1: it is not supported\n");
}

TEST_WITH(a_result_exists_or_its_failure_is_reported_once, start, end)
{
	struct run *run = *state;
	const struct failure none = { 0 }, refused = { .error = -EIO, .message = "refused" },
			     unsupported = { .error = -EOPNOTSUPP, .message = "no such thing" };

	assert_true(run_result(run, none, true));
	assert_false(run_result(run, refused, true));
	assert_false(run_result(run, refused, false));
	assert_false(run_result(run, unsupported, true));
	assert_false(run_result(run, unsupported, false));
	report_a_unit(run);
	run_finish(run);
	assert_int_equal(run->status, 1);
	assert_rendered(run->report, FORMAT_TEXT,
			"Error: refused\nInformation: no such thing\n package-0\n");
}

TEST_WITH(a_failure_is_one_error_that_counts_the_others, start, end)
{
	struct run *run = *state;

	run_failure(run, (struct failure){ 0 });
	run_failure(run, (struct failure){ .error = -EOPNOTSUPP, .message = "no such thing" });
	run_failure(run,
		    (struct failure){ .error = -EIO, .message = "package 0: refused", .more = 2 });
	assert_int_equal(run->status, 1);
	assert_rendered(run->report, FORMAT_TEXT,
			"Error: no such thing\nError: package 0: refused (and 2 more)\n");
}
