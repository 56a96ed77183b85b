/* SPDX-License-Identifier: BSD-3-Clause */
/* Small machines: every request is made, held, and then released or rolled back; and the process is
 * killed after some of the changes of the way there and back. */
#include "transaction/support/holds.h"
#include "transaction/support/rests.h"

#define TEST(what, test, platform) \
	{ \
		platform ": " what, test, NULL, NULL, platform \
	}
#define HELD(platform) \
	TEST("a held change that is released stands", every_release, platform), \
		TEST("a held change is rolled back", every_rollback, platform)
#define KILLED(platform) \
	TEST("the next run rolls back what a killed one held", sampled_kills_of_holders, platform)
#define FAILED(platform) \
	TEST("a rollback that fails lists what differs", every_failing_rollback, platform)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HELD("tests/tiny"),
		HELD("tests/offline"),
		HELD("tests/features-on"),
		HELD("tests/tpmi-tiny"),
		HELD("tests/preset-unnamed"),
		/* Others: held_large.c */
		KILLED("tests/tiny"),
		KILLED("tests/tpmi-tiny"),
		KILLED("tests/preset-unnamed"),
		FAILED("tests/tiny"),
	};

	rests_end_at_once();
	return cmocka_run_group_tests_name("held changes", tests, NULL, NULL);
}
