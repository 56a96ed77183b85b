/* SPDX-License-Identifier: BSD-3-Clause */
/* Chance that is the same on every machine, and the numbers by which a run of it is chosen. */
#ifndef TESTS_TRANSACTION_CHANCE_H
#define TESTS_TRANSACTION_CHANCE_H

#include <stdbool.h>
#include <stddef.h>

/** Begins the row of a seed. */
void chance_begin(unsigned long seed);
/** A number from 0 to @count - 1. */
unsigned int any_of(size_t count);
bool coin(void);

/** A number of the environment, such as ISST_SEED. */
unsigned long number_of(const char *name, unsigned long otherwise);

#endif
