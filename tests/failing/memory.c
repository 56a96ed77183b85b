/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands with each allocation failing in turn. */
#include "failing/support/failing.h"
#include "support/check.h"
#include "transaction/support/machines.h"

TEST_ON(each_allocation_fails, "tests/tiny", "tests/tpmi-tiny")
{
	each_fails(*state, "memory", false);
}

TEST_ON(all_allocations_from_one_on_fail, "tests/tiny", "tests/tpmi-tiny")
{
	each_fails(*state, "memory", true);
}

/** Plans from sets of CPUs of several domains, of which the later ones fail. */
TEST_ON(a_plan_that_fails_is_freed, "tests/multi-die", "tests/tpmi-tiny")
{
	static const char *const PLANS[] = {
		"--dry-run perf-profile set-config-level -l 1 -o",
		"--dry-run base-freq enable -a",
		"--dry-run turbo-freq enable -a",
	};

	allocations_fail(*state, PLANS, COUNT(PLANS), suite_is_large() ? 1 : 7);
}

/** Of CPUs that are offline it is looked which partition holds them. */
TEST_ON(a_plan_of_partitions_has_the_cause, "tests/tiny")
{
	static const char *const PLANS[] = {
		"config apply --set 'cpus offline 3'",
		"--dry-run --cgroupv2 perf-profile set-config-level -l 1 -o",
	};

	allocations_fail(*state, PLANS, COUNT(PLANS), 1);
}

TEST_ON(a_comparison_has_the_cause, "tests/package-offline")
{
	static const char *const CHECK = "config check --set 'cpus by-level'";

	allocations_fail(*state, &CHECK, 1, 1);
}
