/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupted changes, for a run that begins. */
#ifndef ISST_TRANSACTION_RECOVERY_H
#define ISST_TRANSACTION_RECOVERY_H

#include "topology/context.h"

/**
 * Rolls back what an interrupted run left, with a notice, unless something was changed
 * since. The lock must be held and the machine be discovered. Returns 0, -EIO with a message that
 * names what was changed since, -ENOTRECOVERABLE with one that lists what differs, or another
 * negative errno.
 */
int journal_recover(struct isst_context *context);

/** Reports in a notice that a run was interrupted in the middle of a change, for a run that does
 * not roll it back; or that a process holds one. */
void journal_report(struct isst_context *context);

#endif
