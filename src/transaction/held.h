/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes that are made, and can still be rolled back: held by their process until it releases them
 * or rolls them back. Their journal stays, so that the next run rolls them back if the process
 * dies.
 */
#ifndef ISST_TRANSACTION_HELD_H
#define ISST_TRANSACTION_HELD_H

#include "transaction/change.h"

/** Holds a change of which all steps are made. Returns 0 or a negative errno with a message. */
int change_hold(struct isst_change *change);

/** Makes a held change stand. Returns 0 or -EINVAL with a message. */
int change_release(struct isst_change *change);

/** Rolls a held change back; returns as isst_change_roll_back() does. */
int change_roll_back(struct isst_change *change);

/** The same of a change of which all steps are made, and that is not held: another agent has
 * changed an item since, which stays as it is and is named. */
int change_roll_back_overtaken(struct isst_change *change);

/** For a change, or NULL, that nothing more can become of: rolls it back if it is held. One of the
 * parent of this process is left to that. It is no longer held in any case: what fails, which is
 * logged, is left to the next run. Returns as isst_change_roll_back() does. */
int change_abandon(struct isst_change *change);

#endif
