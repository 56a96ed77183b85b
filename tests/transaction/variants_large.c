/* SPDX-License-Identifier: BSD-3-Clause */
/* The same as faults_large.c on built-in platforms whose firmware is reached through the mailbox
 * alone, or not at all, and on those of several packages. */
#include "transaction/support/loops.h"

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
		BOTH("cascadelake-6230n"),
		BOTH("cooperlake"),
		BOTH("icelake-2s36c"),
		BOTH("sapphirerapids-4s40c"),
	};

	return cmocka_run_group_tests_name("changes that fail on other large machines", tests, NULL,
					   NULL);
}
