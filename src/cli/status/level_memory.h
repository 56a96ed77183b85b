/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command that is carried out again keeps of levels: what they consist of stays as it is,
 * for as long as the levels are the same. */
#ifndef ISST_CLI_LEVEL_MEMORY_H
#define ISST_CLI_LEVEL_MEMORY_H

#include "isst.h"

/** Results of isst_read_levels(); NULL: none are kept. */
struct level_memory {
	struct isst_results *properties, *buckets;
};

/** NULL without memory: then nothing is kept. */
struct level_memory *level_memory_new(void);
void level_memory_free(struct level_memory *memory);

#endif
