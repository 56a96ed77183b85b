/* SPDX-License-Identifier: BSD-3-Clause */
/* Small machines: every request is made, held, and then released or rolled back; and the process is
 * killed after some of the changes of the way there and back. */
#include "transaction/support/holds.h"
#include "transaction/support/rests.h"

RUN_ON(every_release, "tests/tiny", "tests/offline", "tests/features-on", "tests/tpmi-tiny",
       "tests/preset-unnamed")
RUN_ON(every_rollback, "tests/tiny", "tests/offline", "tests/features-on", "tests/tpmi-tiny",
       "tests/preset-unnamed")
RUN_ON(sampled_kills_of_holders, "tests/tiny", "tests/tpmi-tiny", "tests/preset-unnamed")
RUN_ON(every_failing_rollback, "tests/tiny")

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
