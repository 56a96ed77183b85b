/* SPDX-License-Identifier: BSD-3-Clause */
/* MSR 0x64f, and counters of throttling. */
#include "emulator/emulated.h"
#include "emulator/front/files.h"
#include "support/check.h"

#include <errno.h>
#include <stdlib.h>

#define SERVER \
	"[cpu]\nmodel = 0x6a\n[topology]\npackages = 0-1\ncores = 0-3\n[level 0]\ncores = 0-3\n" \
	"base = 2000\ntrl-sse = 3000\n[domain]\nturbo-cores = 4\n"

static uint64_t reasons(struct emulated *e, bool write, uint64_t value, int expected)
{
	assert_int_equal(files_access(e->machine->data, "/dev/cpu/4/msr", write, 0x64f, &value),
			 expected);
	return value;
}

TEST_MACHINE(logged_reasons_are_cleared_by_zeros, NULL)
{
	start_written(e, SERVER "limit-register = 0x00030002\nthrottle-count = 7\n");
	assert_int_equal(reasons(e, false, 0, 0), 0x00030002);
	assert_cpu_file(e, 4, "thermal_throttle/core_throttle_count", "7\n");
	assert_cpu_file(e, 4, "thermal_throttle/package_throttle_count", "7\n");
	reasons(e, true, 0x00010000, 0);
	assert_int_equal(reasons(e, false, 0, 0), 0x00030002);
	reasons(e, true, 0, 0);
	assert_int_equal(reasons(e, false, 0, 0), 0x2);
	finish(e);
	start(e, "tests/tpmi-tiny");
	reasons(e, false, 0, -EIO);
}
