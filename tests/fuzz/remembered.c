/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What runs remember of a machine, with any content: the journal of a run that was killed, saved
 * settings, the cache of offline CPUs. The input: the platform, the number of the file, its text.
 */
#include "fuzz/support/fuzz.h"

#include <stdlib.h>

static const char *const names[] = {
	"journal",
	"saved-settings",
	"saved-settings",
	"topology",
};
/* Each reads one of them: recovery before a change, disable -a, discovery. */
static const char *const lines[] = {
	"core-power config -c 1 --min 1200",
	"base-freq disable -a",
	"turbo-freq disable -a",
	"perf-profile info",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int which;
	char *text;

	if (size < 2)
		return 0;
	fuzz_silence();
	which = data[1] % 4;
	text = fuzz_text(data + 2, size - 2);
	command_platform(data[0]);
	command_put(names[which], text);
	command_run(lines[which]);
	command_reset();
	free(text);
	return 0;
}
