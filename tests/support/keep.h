/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory kept in memory, so that a machine can be put back without being made again. */
#ifndef TESTS_SUPPORT_KEEP_H
#define TESTS_SUPPORT_KEEP_H

#include <stdbool.h>
#include <stdio.h>

struct kept;

/** Reads a directory with all that is below it. To be freed. */
struct kept *kept_take(const char *directory);
/** Makes the directory what it was, wherever it is not. */
void kept_restore(struct kept *kept);
void kept_free(struct kept *kept);

#endif
