/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands with each allocation failing in turn. */
#include "failing/support/failing.h"
#include "support/check.h"

static void each_allocation_fails(void **state)
{
	each_fails(*state, "memory", false);
}

static void all_allocations_from_one_on_fail(void **state)
{
	each_fails(*state, "memory", true);
}

static void a_plan_that_fails_is_freed(void **state)
{
	each_plan_is_freed(*state);
}

static void a_comparison_has_the_cause(void **state)
{
	each_comparison_fails(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name, platform) { #name " on " platform, name, NULL, NULL, (void *)(platform) }
		CASE(each_allocation_fails, "tests/tiny"),
		CASE(all_allocations_from_one_on_fail, "tests/tiny"),
		CASE(each_allocation_fails, "tests/tpmi-tiny"),
		CASE(all_allocations_from_one_on_fail, "tests/tpmi-tiny"),
		CASE(a_plan_that_fails_is_freed, "tests/multi-die"),
		CASE(a_plan_that_fails_is_freed, "tests/tpmi-tiny"),
		CASE(a_comparison_has_the_cause, "tests/package-offline"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
