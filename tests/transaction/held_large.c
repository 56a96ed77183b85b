/* SPDX-License-Identifier: BSD-3-Clause */
/* Built-in platforms: every request is made and held; and the process is killed. On small machines
 * it is killed right after each change. */
#include "transaction/support/holds.h"
#include "transaction/support/rests.h"

RUN_ON(every_release, "guide", "icelake-2s36c", "cascadelake-6230n", "graniterapids-2s64c",
       "graniterapids-6776p", "tests/multi-die", "tests/tpmi-odd", "tests/tpmi-modules")
RUN_ON(every_rollback, "guide", "icelake-2s36c", "cascadelake-6230n", "graniterapids-2s64c",
       "graniterapids-6776p", "tests/multi-die", "tests/tpmi-odd", "tests/tpmi-modules")
RUN_ON(sampled_kills_of_holders, "guide", "icelake-2s36c", "cascadelake-6230n",
       "graniterapids-2s64c", "graniterapids-6776p")
RUN_ON(every_kill_of_holders, "tests/tiny", "tests/tpmi-tiny", "tests/preset-unnamed",
       "tests/multi-die", "tests/offline", "tests/tpmi-odd", "tests/tpmi-modules")
RUN_ON(every_failing_rollback, "tests/tpmi-odd", "tests/preset-unnamed")

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
