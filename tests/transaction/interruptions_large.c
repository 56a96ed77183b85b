/* SPDX-License-Identifier: BSD-3-Clause */
/* Built-in platforms: a run is interrupted, or killed, immediately after changes of each kind; on
 * further small machines after each change. */
#include "transaction/support/ends.h"
#include "transaction/support/rests.h"

RUN_ON(sampled_ends, "guide")
RUN_ON(few_ends, "icelake-2s40c", "icelake-8s40c", "sapphirerapids-2s56c", "emeraldrapids-2s64c",
       "cooperlake", "cascadelake-6230n", "icelake-2s36c", "sapphirerapids-4s40c")
RUN_ON(every_interruption, "tests/offline", "tests/skylake-mailbox", "tests/preset-unnamed",
       "tests/multi-die", "tests/tpmi-odd", "tests/tpmi-modules", "tests/tpmi-api2")
RUN_ON(every_kill, "tests/offline", "tests/skylake-mailbox", "tests/preset-unnamed",
       "tests/multi-die", "tests/tpmi-odd", "tests/tpmi-modules", "tests/tpmi-api2")

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
