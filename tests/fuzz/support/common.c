/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the fuzzers: texts, a scratch directory, discarded output. */
#include "fuzz/support/fuzz.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch[64];

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

static void remove_scratch(void)
{
	nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_scratch(void)
{
	if (*scratch)
		return scratch;
	snprintf(scratch, sizeof(scratch), "%s/isst-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(scratch))
		abort();
	atexit(remove_scratch);
	return scratch;
}

void fuzz_silence(void)
{
	static int done;

	if (done)
		return;
	done = 1;
	/* The streams alone: sanitizers and libFuzzer write to the descriptors. */
	stdout = fopen("/dev/null", "w");
	stderr = fopen("/dev/null", "w");
	if (!stdout || !stderr)
		abort();
}
