/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands with each read of the machine failing in turn: a driver request, a register, a file. */
#include "failing/support/failing.h"
#include "support/check.h"

static void each_read_fails_on(void **state)
{
	each_read_fails(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(platform) \
	{ "each read fails on " platform, each_read_fails_on, NULL, NULL, (void *)(platform) }
		CASE("tests/tiny"),	 CASE("tests/skylake-no-pp"), CASE("tests/packages-differ"),
		CASE("tests/tpmi-tiny"), CASE("tests/tpmi-api2"),     CASE("tests/preset-unnamed"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
