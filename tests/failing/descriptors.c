/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands with each file descriptor failing in turn. */
#include "failing/support/failing.h"
#include "support/check.h"

TEST_ON(each_descriptor_fails, "tests/tiny", "tests/tpmi-tiny")
{
	each_fails(*state, "descriptors", false);
}

TEST_ON(all_descriptors_from_one_on_fail, "tests/tiny", "tests/tpmi-tiny")
{
	each_fails(*state, "descriptors", true);
}
