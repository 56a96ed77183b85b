/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole command on a machine that answers at random. The input: the platform, the number of a
 * command line, then what leads the answers.
 */
#include "fuzz/support/fuzz.h"

static const char *const lines[] = {
	"--info",
	"perf-profile info",
	"-f json perf-profile info",
	"-f json turbo-freq info -l 0",
	"perf-profile get-config-levels",
	"perf-profile get-lock-status",
	"base-freq info -l 0",
	"turbo-freq info -l 0",
	"-c 0-3 core-power info",
	"-c 0-3 core-power get-assoc",
	"core-power get-config -c 0",
	"turbo-mode get-trl",
	"status",
	"-f json status --map",
	"--dry-run core-power enable",
	/* From here on with changes */
	"perf-profile set-config-level -l 1",
	"perf-profile set-config-level -l 1 -o",
	"base-freq enable -a",
	"turbo-freq enable -a",
	"-c 1-2 turbo-freq enable -a",
	"core-power config -c 1 --min 1200 --max 1900",
	"-c 0-2 core-power assoc -c 2",
	"base-freq disable -a",
	"turbo-mode disable",
	"-a perf-profile info",
};
enum { LINES = sizeof(lines) / sizeof(*lines), FIRST_CHANGE = 15 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int line;

	if (size < 2)
		return 0;
	fuzz_silence();
	line = data[1] % LINES;
	command_platform(data[0]);
	command_disturb(data + 2, size - 2);
	command_run(lines[line]);
	command_disturb(NULL, 0);
	if (line >= FIRST_CHANGE)
		command_reset();
	return 0;
}
