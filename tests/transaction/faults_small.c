/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request on small machines, with every single change failing; reads and the rollback as well.
 */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

RUN_ON(every_change_fails, "tests/tiny", "tests/multi-die", "tests/offline", "tests/features-on",
       "tests/skylake-mailbox", "tests/no-cpufreq", "tests/packages-differ")
RUN_ON(every_read_fails, "tests/tiny")
RUN_ON(every_undo_fails, "tests/tiny")
RUN_ON(sampled_reads_fail, "tests/multi-die", "tests/offline", "tests/features-on")
RUN_ON(sampled_undos_fail, "tests/multi-die", "tests/offline", "tests/features-on")

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
