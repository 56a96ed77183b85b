/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands with each file descriptor failing in turn. */
#include "failing/support/failing.h"
#include "support/check.h"

static void each_descriptor_fails(void **state)
{
	each_fails(*state, "descriptors", false);
}

static void all_descriptors_from_one_on_fail(void **state)
{
	each_fails(*state, "descriptors", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name, platform) { #name " on " platform, name, NULL, NULL, (void *)(platform) }
		CASE(each_descriptor_fails, "tests/tiny"),
		CASE(all_descriptors_from_one_on_fail, "tests/tiny"),
		CASE(each_descriptor_fails, "tests/tpmi-tiny"),
		CASE(all_descriptors_from_one_on_fail, "tests/tpmi-tiny"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
