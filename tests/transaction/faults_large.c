/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request on every built-in platform, with the first, a middle and the last change of each
 * kind failing. */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

#define TEST(what, test, platform) \
	{ \
		platform ": " what, test, NULL, NULL, platform \
	}
#define BOTH(platform) \
	TEST("changes of each kind fail, and the rollback as well", sampled_kinds_and_undos_fail, \
	     platform)

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* On one of them every row of changes counts, not only every kind. */
		TEST("changes of each row fail", sampled_changes_fail, "guide"),
		BOTH("guide"),
		TEST("changes of each kind fail", sampled_kinds_fail, "icelake-2s40c"),
		BOTH("sapphirerapids-2s56c"),
		TEST("changes of each kind fail", sampled_kinds_fail, "emeraldrapids-2s64c"),
		TEST("changes of each kind fail", sampled_kinds_fail, "icelake-8s40c"),
	};

	rests_end_at_once();
	return cmocka_run_group_tests_name("changes that fail on large machines", tests, NULL,
					   NULL);
}
