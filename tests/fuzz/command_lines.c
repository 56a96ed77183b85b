/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines, one word per line, under both names of the program. */
#include "cli/request_read.h"
#include "fuzz/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 60 };

static void read_line(const uint8_t *data, size_t size, bool reference)
{
	char *text = fuzz_text(data, size), *rest = text, *problem;
	char *words[MOST_WORDS + 2] = { (char *)"isst" };
	struct request request;
	int count = 1;

	while (rest && count <= MOST_WORDS)
		words[count++] = strsep(&rest, "\n");
	problem = request_read(&request, reference, count, words);
	if (problem && *problem == '\0')
		abort(); /* it has to report the error */
	free(problem);
	request_clear(&request);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_line(data, size, false);
	read_line(data, size, true);
	return 0;
}
