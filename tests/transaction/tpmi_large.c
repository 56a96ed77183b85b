/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request on every built-in TPMI platform, with the first, a middle and the last change of
 * each kind failing; the rollback as well. On further small machines every change fails. */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

RUN_ON(sampled_kinds_and_undos_fail, "graniterapids-2s128c", "graniterapids-2s64c",
       "graniterapids-unlocked", "sierraforest-2s112c", "diamondrapids-2s32c")
RUN_ON(every_change_fails, "tests/tpmi-modules", "tests/preset-not-set-up", "tests/tpmi-odd",
       "tests/tpmi-tiny", "tests/preset-unnamed")
RUN_ON(sampled_reads_fail, "tests/tpmi-modules", "tests/preset-not-set-up", "tests/tpmi-odd")
RUN_ON(sampled_undos_fail, "tests/tpmi-modules", "tests/preset-not-set-up", "tests/tpmi-odd")
RUN_ON(every_read_fails, "tests/tpmi-tiny", "tests/preset-unnamed")
RUN_ON(every_undo_fails, "tests/tpmi-tiny", "tests/preset-unnamed")

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
