/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing items, whether firmware or a file of the kernel holds them. */
#ifndef ISST_TRANSACTION_ITEM_ACCESS_H
#define ISST_TRANSACTION_ITEM_ACCESS_H

#include "transaction/items.h"

/** An item that is read or written, and how that ended. */
struct item_access {
	struct item item;
	struct item_value value;
	struct item_value found; /* the caller's: what it was before it was written */
	size_t owner;		 /* the caller's: its element that the access is for */
	bool absent;		 /* read: the machine has no such item */
	bool restores;		 /* to be written: @value is what was there before */
	bool others;		 /* it is another owner's: left alone, or already as it is wanted */
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

/* ---- Items that the kernel holds ---- */

/** Errors as in kernel_files.h. ITEM_ONLINE cannot be read so: one file has all of them. */
int item_file_read(struct isst_context *context, const struct item *item, struct item_value *value);
int item_file_write(struct isst_context *context, const struct item *item, struct item_value value);

/** Why an item cannot be reached whose file is not there for now: @otherwise, unless it is a limit
 * of a CPU that went offline. Leaves the message of before. */
const char *item_why_gone(struct isst_context *context, const struct item *item,
			  const char *otherwise);

/** Whether the caller may write an item, as far as that can be seen beforehand. Returns 0 or -EPERM
 * with a message. */
int item_check_writable(struct isst_context *context, const struct item *item);

/** Whether the kernel would take the present value of an item again; *@why: if not, the reason,
 * else NULL. The context's. Errors as in kernel_files.h. */
int item_check_restorable(struct isst_context *context, const struct item *item, const char **why);

/** What holds an item at @now, where a higher or lower value was written: the file of another
 * limit. NULL where that is not known. The context's. */
const char *item_clipped_by(struct isst_context *context, const struct item *item,
			    struct item_value now);

/* ---- Pauses ---- */

/** Pauses between looks at an item that is settling: longer and longer, up to the time that is
 * left. poll_timer_wait() returns false when the time is up. */
struct poll_timer {
	unsigned int left_us, next_us;
};
struct poll_timer poll_timer_for(unsigned int ms);
bool poll_timer_wait(struct poll_timer *timer);

/** After a failed read, whether it is worth another one: then that is due, after a pause. */
bool poll_read_again(int error);

/** Waits for less than a second, whatever signals arrive. */
void poll_sleep_us(unsigned int us);

#endif
