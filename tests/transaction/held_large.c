/* SPDX-License-Identifier: BSD-3-Clause */
/* Built-in platforms: every request is made and held; and the process is killed. On small machines
 * it is killed right after each change. */
#include "transaction/support/holds.h"
#include "transaction/support/rests.h"

#define TEST(what, test, platform) \
	{ \
		platform ": " what, test, NULL, NULL, platform \
	}
#define ENDED(platform) \
	TEST("a held change that is released stands", every_release, platform), \
		TEST("a held change is rolled back", every_rollback, platform)
#define HELD(platform) \
	ENDED(platform), TEST("the next run rolls back what a killed one held", \
			      sampled_kills_of_holders, platform)
#define KILLED(platform) \
	TEST("the next run rolls back what a killed one held", every_kill_of_holders, platform)
#define FAILED(platform) \
	TEST("a rollback that fails lists what differs", every_failing_rollback, platform)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HELD("guide"),
		HELD("icelake-2s36c"),
		HELD("cascadelake-6230n"),
		HELD("graniterapids-2s64c"),
		HELD("graniterapids-6776p"),
		ENDED("tests/multi-die"),
		ENDED("tests/tpmi-odd"),
		ENDED("tests/tpmi-modules"),
		KILLED("tests/tiny"),
		KILLED("tests/tpmi-tiny"),
		KILLED("tests/preset-unnamed"),
		KILLED("tests/multi-die"),
		KILLED("tests/offline"),
		KILLED("tests/tpmi-odd"),
		KILLED("tests/tpmi-modules"),
		FAILED("tests/tpmi-odd"),
		FAILED("tests/preset-unnamed"),
	};

	rests_end_at_once();
	return cmocka_run_group_tests_name("held changes on large machines", tests, NULL, NULL);
}
