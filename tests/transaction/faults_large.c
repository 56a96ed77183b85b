/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request on every built-in platform, with the first, a middle and the last change of each
 * kind failing. */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

RUN_ON(sampled_changes_fail, "guide")
RUN_ON(sampled_kinds_and_undos_fail, "guide", "sapphirerapids-2s56c")
RUN_ON(sampled_kinds_fail, "icelake-2s40c", "emeraldrapids-2s64c", "icelake-8s40c")

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
