/* SPDX-License-Identifier: BSD-3-Clause */
/* Each request on small TPMI and preset machines, with every single change failing; reads and
 * the rollback as well. */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

RUN_ON(every_change_fails, "tests/tpmi-tiny", "tests/tpmi-api2", "tests/preset-unnamed")
RUN_ON(sampled_reads_fail, "tests/tpmi-tiny", "tests/tpmi-api2", "tests/preset-unnamed")
RUN_ON(sampled_undos_fail, "tests/tpmi-tiny", "tests/tpmi-api2", "tests/preset-unnamed")

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
