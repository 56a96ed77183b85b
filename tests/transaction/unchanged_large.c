/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that find the machine in the requested state: large machines of both firmware
 * interfaces. */
#include "transaction/support/repeated.h"

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPEATED("guide"),
		REPEATED("graniterapids-unlocked"),
		REPEATED("sapphirerapids-2s56c"),
		REPEATED("emeraldrapids-2s64c"),
	};

	return cmocka_run_group_tests_name("repeated requests on large machines", tests, NULL,
					   NULL);
}
