/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rests of the library and of the emulated machine, in the process of a test. Whoever waits for
 * firmware need not take that time: a rest ends at once, and the clocks go on by as much.
 */
#ifndef TESTS_TRANSACTION_RESTS_H
#define TESTS_TRANSACTION_RESTS_H

/** From now on, in processes that are forked, too. Not for tests in which one process watches what
 * another is doing meanwhile. */
void rests_end_at_once(void);

/** The contrary, as it is at first. */
void rests_take_their_time(void);

/** A rest of the test itself. */
void rest_ms(unsigned int ms);

#endif
