/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing items, whether firmware or a file of the kernel holds them. */
#ifndef ISST_TRANSACTION_ITEM_ACCESS_H
#define ISST_TRANSACTION_ITEM_ACCESS_H

#include "transaction/items.h"

/** An item that is read or written, and how that ended. */
struct item_access {
	struct item item;
	struct item_value value;
	bool absent;   /* read: the machine has no such item */
	bool restores; /* to be written: @value is what was there before */
	bool others;   /* it is another owner's: left alone, or already as it is wanted */
	bool written; /* read: a limit as which @value was written, which is there if it is shown */
	struct isst_failure failure;
};

/** Reads items of any kinds, those of the firmware in one batch. Returns 0 or -ENOMEM. */
int items_read(struct isst_context *context, struct item_access *accesses, size_t count);

/** As items_read(); what could not be read is read once more after a pause: a register, file or
 * firmware that is busy for a moment is no reason to take it for unreadable. */
int items_read_twice(struct isst_context *context, struct item_access *accesses, size_t count);

/**
 * To be called before limits of cpufreq are restored. The kernel shows the tightest of the limits
 * of several owners, of which the user is one: an old value that is still shown when the user has
 * none is not the user's, and items_write() leaves it out. Returns 0 or -ENOMEM.
 */
int items_lift_limits(struct isst_context *context, struct item_access *accesses, size_t count);

/**
 * Writes items, all of one kind, and stops at the first that fails: those behind it get -ECANCELED.
 * One that was accepted, and may still take effect, has -ETIMEDOUT.
 * Returns 0 or -ENOMEM.
 */
int items_write(struct isst_context *context, struct item_access *accesses, size_t count);

#endif
