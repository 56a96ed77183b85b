/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends a journal without rolling it back. */
#ifndef ISST_TRANSACTION_RECOVERY_APPLY_H
#define ISST_TRANSACTION_RECOVERY_APPLY_H

#include "topology/context.h"

/**
 * Removes a journal that there is nothing to roll back of. Of a change that is complete the
 * saved settings may not be written yet. @damaged: also one that cannot be read, unless that is for
 * want of memory or descriptors, when it is unknown whether the change is complete.
 */
int journal_remove_complete(struct isst_context *context, bool damaged);

#endif
