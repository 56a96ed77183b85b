/* SPDX-License-Identifier: BSD-3-Clause */
/* Platform files: accepted, or refused with the line of the error. */
#include "emulator/model/platform.h"
#include "fuzz/support/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *error = NULL;
	struct platform *platform = NULL;
	int result = platform_read("fuzz", "fuzz.platform", text, &platform, &error);

	if (result == 0 && (!platform || platform->cpu_count == 0))
		abort();
	if (result == -EINVAL && (!error || strncmp(error, "fuzz.platform:", 14) != 0))
		abort();
	platform_free(platform);
	free(error);
	free(text);
	return 0;
}
