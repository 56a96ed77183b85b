/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over all requests that a machine can take, in which changes are held. Each is a test whose
 * *state is the name of the platform.
 */
#ifndef TESTS_TRANSACTION_HOLDS_H
#define TESTS_TRANSACTION_HOLDS_H

#include "transaction/support/loops.h"

/** Held and then released: the machine and the saved settings are as after a change that is not
 * held. */
void every_release(void **state);

/** Held and then rolled back, or freed: the machine and the saved settings are as before. */
void every_rollback(void **state);

/** Killed right after each change of making it and of rolling it back, and while it is held: the
 * next run completes the rollback. */
void every_kill_of_holders(void **state);
/** The same after some of the changes. */
void sampled_kills_of_holders(void **state);

/** Each change and each read of the rollback fails: what differs is listed, and the next run
 * completes the rollback. */
void every_failing_rollback(void **state);

#endif
