/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library has to list if a change could not be rolled back, derived from pictures of
 * the machine before and afterwards. Knows what the items of the library are called, and nothing
 * else of it.
 */
#ifndef TESTS_TRANSACTION_DIFFERENCES_H
#define TESTS_TRANSACTION_DIFFERENCES_H

#include <stdbool.h>

/**
 * Compares @listed, lines in any order, with what the pictures differ in: every item that differs
 * is listed once, with both values, and nothing else; and whatever else differs follows from one of
 * them. Returns NULL, or a text with the error, to be freed.
 */
char *differences_check(const char *before, const char *now, const char *listed);

#endif
