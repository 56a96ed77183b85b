/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a run that changes the machine is at work. */
#ifndef ISST_TRANSACTION_LOCK_H
#define ISST_TRANSACTION_LOCK_H

#include "topology/context.h"

/** Whether another run holds the lock, as isst_lock() would find it; makes no file. */
bool lock_is_held(const struct isst_context *context);

/** Reports that another run holds the lock, and what it does. Returns 0 or -EBUSY with a message.
 */
int lock_check_free(struct isst_context *context);

/** The process that holds the lock, by the kernel's list; 0 where that is unknown, or none does. */
unsigned int lock_holder(const struct isst_context *context);

/** Gives up what isst_claim() took. */
void lock_release_claims(struct isst_context *context);

/** Releases the lock if this process holds it; a child that was forked closes its copies. */
void lock_release(struct isst_context *context);

/**
 * Checks that the machine may be changed by what was begun when the context had been unlocked
 * @unlocks times: the lock is held since then, the machine was discovered under it, and the context
 * holds no change. Returns 0 or -EINVAL with a message.
 */
int lock_check(struct isst_context *context, unsigned long long unlocks);

/** The last part of it alone. */
int lock_check_not_held(struct isst_context *context);

#endif
