/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal: what a change is about to do, so that the next run can take it back if this one
 * dies. */
#ifndef ISST_TRANSACTION_JOURNAL_H
#define ISST_TRANSACTION_JOURNAL_H

#include "transaction/change.h"

/** Notes what a step will write and may disturb, before it is made. Returns 0 or a negative errno
 * with a message. */
int journal_step(struct isst_change *change, const struct step *step);

/** Removes the journal of a change that is complete, or undone. */
void journal_end(struct isst_change *change);

/**
 * Takes back what an earlier run left half done, and says so in a notice. The lock must be held and
 * the machine be discovered. Returns 0, -ENOTRECOVERABLE with a message that lists what differs, or
 * another negative errno.
 */
int journal_recover(struct isst_context *context);

/** Says in a notice that an earlier run left a change half done, for a run that does not take it
 * back. */
void journal_tell(struct isst_context *context);

#endif
