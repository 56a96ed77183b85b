/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request on small TPMI and preset machines, with every single change failing; reads and
 * the rollback as well. */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

#define TEST(what, test, platform) \
	{ \
		platform ": " what, test, NULL, NULL, platform \
	}
#define SAMPLED(platform) \
	TEST("every change fails in turn", every_change_fails, platform), \
		TEST("reads fail", sampled_reads_fail, platform), \
		TEST("changes fail, and the rollback as well", sampled_undos_fail, platform)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED("tests/tpmi-tiny"), SAMPLED("tests/tpmi-api2"),
		SAMPLED("tests/preset-unnamed"),
		/* Others, and every read and rollback: tpmi_large.c */
	};

	rests_end_at_once();
	return cmocka_run_group_tests_name("changes that fail on small TPMI and preset machines",
					   tests, NULL, NULL);
}
