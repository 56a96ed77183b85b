/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that the programs of a test write, for tests that run some. */
#ifndef TESTS_CLI_WRITTEN_FILE_H
#define TESTS_CLI_WRITTEN_FILE_H

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/isst-written.XXXXXX";

/** Makes and removes it, before and after a group of tests. */
static inline int make_file(void **state)
{
	int descriptor = mkstemp(path);

	return descriptor < 0 || close(descriptor) ? -1 : 0;
}

static inline int remove_file(void **state)
{
	return unlink(path);
}

#endif
