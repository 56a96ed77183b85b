/* SPDX-License-Identifier: BSD-3-Clause */
/* Rolling a journal back, and what ends one without that. */
#ifndef ISST_TRANSACTION_RECOVERY_APPLY_H
#define ISST_TRANSACTION_RECOVERY_APPLY_H

#include "transaction/tracked.h"

/**
 * Gives all items of a journal their old values, as far as they can be reached and no other process
 * changed them since. @change: an empty one, of which the steps of the journal are made. Returns 0;
 * -ENOTRECOVERABLE without a message, and the differences of @change list what differs; or another
 * negative errno with a message, before anything was written. The file is still there.
 */
int journal_restore(const struct isst_journal *journal, struct isst_change *change);

/**
 * Removes a journal that there is nothing to roll back of. Of a change that is complete the
 * saved settings may not be written yet. @damaged: also one that cannot be read, unless that is for
 * want of memory or descriptors, when it is unknown whether the change is complete.
 */
int journal_remove_complete(struct isst_context *context, bool damaged);

#endif
