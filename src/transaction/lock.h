/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a run that changes the machine is at work. */
#ifndef ISST_TRANSACTION_LOCK_H
#define ISST_TRANSACTION_LOCK_H

#include "topology/context.h"

/** Whether another run holds the lock, as isst_lock() would find it; makes no file. */
bool lock_is_held(const struct isst_context *context);

#endif
