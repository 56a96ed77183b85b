/* SPDX-License-Identifier: BSD-3-Clause */
/* Built-in platforms: a run is interrupted, or killed, immediately after changes of each kind; on
 * further small machines after each change. */
#include "transaction/support/ends.h"
#include "transaction/support/rests.h"

#define SAMPLED(platform) \
	{ \
		platform ": interrupted and killed runs leave nothing behind", sampled_ends, NULL, \
			NULL, platform \
	}
#define FEW(platform) \
	{ \
		platform ": interrupted and killed runs leave nothing behind", few_ends, NULL, \
			NULL, platform \
	}
#define EVERY(platform) \
	{ platform ": an interrupted run takes its changes back", every_interruption, NULL, NULL, \
	  platform }, \
	{ \
		platform ": the next run recovers from a kill", every_kill, NULL, NULL, platform \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED("guide"),
		FEW("icelake-2s40c"),
		FEW("icelake-8s40c"),
		FEW("sapphirerapids-2s56c"),
		FEW("emeraldrapids-2s64c"),
		FEW("cooperlake"),
		FEW("cascadelake-6230n"),
		FEW("icelake-2s36c"),
		FEW("sapphirerapids-4s40c"),
		EVERY("tests/offline"),
		EVERY("tests/skylake-mailbox"),
		EVERY("tests/preset-unnamed"),
		EVERY("tests/multi-die"),
		EVERY("tests/tpmi-odd"),
		EVERY("tests/tpmi-modules"),
		EVERY("tests/tpmi-api2"),
	};

	rests_end_at_once();
	return cmocka_run_group_tests_name("interrupted and killed runs on large machines", tests,
					   NULL, NULL);
}
