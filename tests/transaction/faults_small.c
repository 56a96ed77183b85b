/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request on small machines, with every single change failing; reads and the rollback as well.
 */
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
		TEST("every change fails in turn", every_change_fails, "tests/tiny"),
		TEST("every read fails in turn", every_read_fails, "tests/tiny"),
		TEST("a change fails, and the rollback of each one before it as well",
		     every_undo_fails, "tests/tiny"),
		SAMPLED("tests/multi-die"),
		SAMPLED("tests/offline"),
		SAMPLED("tests/features-on"),
		TEST("every change fails in turn", every_change_fails, "tests/skylake-mailbox"),
		TEST("every change fails in turn", every_change_fails, "tests/no-cpufreq"),
		TEST("every change fails in turn", every_change_fails, "tests/packages-differ"),
	};

	rests_end_at_once();
	return cmocka_run_group_tests_name("changes that fail on small machines", tests, NULL,
					   NULL);
}
