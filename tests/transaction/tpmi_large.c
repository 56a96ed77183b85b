/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request on every built-in TPMI platform, with the first, a middle and the last change of
 * each kind failing; the rollback as well. On further small machines every change fails. */
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
#define ALL(platform) \
	TEST("every change fails in turn", every_change_fails, platform), \
		TEST("every read fails in turn", every_read_fails, platform), \
		TEST("a change fails, and the rollback of each one before it as well", \
		     every_undo_fails, platform)
#define BOTH(platform) \
	TEST("changes of each kind fail, and the rollback as well", sampled_kinds_and_undos_fail, \
	     platform)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH("graniterapids-2s128c"),
		BOTH("graniterapids-2s64c"),
		BOTH("graniterapids-unlocked"),
		BOTH("sierraforest-2s112c"),
		BOTH("diamondrapids-2s32c"),
		SAMPLED("tests/tpmi-modules"),
		SAMPLED("tests/preset-not-set-up"),
		SAMPLED("tests/tpmi-odd"),
		ALL("tests/tpmi-tiny"),
		ALL("tests/preset-unnamed"),
	};

	rests_end_at_once();
	return cmocka_run_group_tests_name("changes that fail on large TPMI machines", tests, NULL,
					   NULL);
}
