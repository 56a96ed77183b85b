/* SPDX-License-Identifier: BSD-3-Clause */
/* Built-in TPMI platforms: a run is interrupted, or killed, immediately after changes of each kind.
 */
#include "transaction/support/ends.h"
#include "transaction/support/rests.h"

RUN_ON(every_interruption, "tests/tpmi-tiny")
RUN_ON(every_kill, "tests/tpmi-tiny")
RUN_ON(sampled_ends, "graniterapids-2s128c", "graniterapids-unlocked")
RUN_ON(few_ends, "graniterapids-2s64c", "sierraforest-2s112c", "diamondrapids-2s32c")

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
