/* SPDX-License-Identifier: BSD-3-Clause */
/* Rolling a change back. */
#ifndef ISST_TRANSACTION_UNDO_H
#define ISST_TRANSACTION_UNDO_H

#include "transaction/change.h"

/**
 * Rolls back what entries of steps that were begun wrote, in reverse order, and what they
 * disturbed; afterwards compares all with the baseline and lists differences. Returns 0 if
 * nothing differs, else -ENOTRECOVERABLE, or -ENOMEM.
 */
int change_undo(struct isst_change *change);

#endif
