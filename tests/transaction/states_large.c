/* SPDX-License-Identifier: BSD-3-Clause */
/* As states.c, for every built-in platform. */
#include "transaction/support/rests.h"
#include "transaction/support/states.h"

#include "isst-emulator.h"

#include <assert.h>

static void states_are_configurations(void **state)
{
	states_of_platform(*state, 1);
}

int main(void)
{
	struct CMUnitTest tests[64];
	const char *name;
	size_t count = 0;

	while ((name = isst_emulator_platform_name(count))) {
		assert(count < COUNT(tests));
		tests[count++] = (struct CMUnitTest){ name, states_are_configurations, NULL, NULL,
						      (void *)(uintptr_t)name };
	}
	rests_end_at_once();
	return _cmocka_run_group_tests("states as configurations, large machines", tests, count,
				       NULL, NULL);
}
