/* SPDX-License-Identifier: BSD-3-Clause */
/* Items that a change found as they shall be, and had no need to write. */
#ifndef ISST_TRANSACTION_UNWRITTEN_H
#define ISST_TRANSACTION_UNWRITTEN_H

#include "transaction/change.h"

/**
 * Reads what exact steps did not write of the firmware once more, in one batch: since the baseline
 * was read, another process may have moved it. Of a change that wrote nothing, nothing is read.
 * Returns 0, also where it cannot be read, or -EIO or -ENOMEM with a message.
 */
int change_check_unwritten(struct isst_change *change);

#endif
