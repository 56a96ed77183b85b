/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over all requests that a machine can take, in which runs end in the middle. Each is a test
 * whose *state is the name of the platform.
 */
#ifndef TESTS_TRANSACTION_ENDS_H
#define TESTS_TRANSACTION_ENDS_H

#include "transaction/support/loops.h"

/** Interrupted right after each change: the machine is as before. */
void every_interruption(void **state);
/** Killed right after each change: the next run takes it back. */
void every_kill(void **state);
/** Killed at a middle change of each kind, and then another process changes something: that stays.
 */
void every_change_after_a_kill(void **state);
/** Both at the first, a middle and the last change of each kind. */
void sampled_ends(void **state);
/** Both at a middle change of each kind. */
void few_ends(void **state);

#endif
