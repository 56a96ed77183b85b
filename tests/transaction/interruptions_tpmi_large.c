/* SPDX-License-Identifier: BSD-3-Clause */
/* Built-in TPMI platforms: a run is interrupted, or killed, immediately after changes of each kind.
 */
#include "transaction/support/ends.h"
#include "transaction/support/rests.h"

#define TEST(test, platform) \
	{ \
		platform ": interrupted and killed runs leave nothing behind (" #test ")", test, \
			NULL, NULL, platform \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_interruption, "tests/tpmi-tiny"),  TEST(every_kill, "tests/tpmi-tiny"),
		TEST(sampled_ends, "graniterapids-2s128c"),   TEST(few_ends, "graniterapids-2s64c"),
		TEST(sampled_ends, "graniterapids-unlocked"), TEST(few_ends, "sierraforest-2s112c"),
		TEST(few_ends, "diamondrapids-2s32c"),
	};

	rests_end_at_once();
	return cmocka_run_group_tests_name("interrupted and killed runs on TPMI machines", tests,
					   NULL, NULL);
}
