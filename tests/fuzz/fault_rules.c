/* SPDX-License-Identifier: BSD-3-Clause */
/* Fault rules: accepted, or refused with the line of the error. */
#include "emulator/front/faults.h"
#include "fuzz/support/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *error = NULL;
	struct faults faults = { .counts = -1 };
	int result = faults_parse(&faults, "faults", text, &error);

	if ((result != 0) != (error != NULL))
		abort();
	faults_clear(&faults);
	free(error);
	free(text);
	return 0;
}
