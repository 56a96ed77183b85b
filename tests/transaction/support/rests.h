/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rests of the library and of the emulated machine, in the process of a test. Whoever waits for
 * firmware counts what it has rested, so that loops over many kills need not take that time.
 */
#ifndef TESTS_TRANSACTION_RESTS_H
#define TESTS_TRANSACTION_RESTS_H

/** From now on each rest ends at once; in processes that are forked, too. Not for tests of machines
 * that are late. */
void rests_end_at_once(void);

#endif
