/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands with each read of the machine failing in turn: a driver request, a register, a file. */
#include "failing/support/failing.h"
#include "support/check.h"

TEST_ON(each_read_fails_on, "tests/tiny", "tests/skylake-no-pp", "tests/packages-differ",
	"tests/tpmi-tiny", "tests/tpmi-api2", "tests/preset-unnamed")
{
	each_read_fails(*state);
}
