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

/** Reads items of any kinds, of the firmware in one batch. Returns 0 or -ENOMEM. */
int items_read(struct isst_context *context, struct item_access *accesses, size_t count);

/** The same; what could not be read is read once more after a pause: it may be busy. */
int items_read_twice(struct isst_context *context, struct item_access *accesses, size_t count);

/** Called before limits of cpufreq are restored. The kernel shows the tightest of the limits of
 * several owners: an old value that is still shown when the user has none is not the user's, and
 * items_write() leaves it out. Returns 0 or -ENOMEM. */
int items_lift_limits(struct isst_context *context, struct item_access *accesses, size_t count);

/** Writes items of one kind up to the first that fails: those behind it get -ECANCELED. One that
 * was accepted, and may still take effect, has -ETIMEDOUT. Returns 0 or -ENOMEM. */
int items_write(struct isst_context *context, struct item_access *accesses, size_t count);

/* ---- Items that the kernel holds ---- */

/** Why a file is not there: the CPU of a limit went offline, or @otherwise. Keeps the message. */
const char *item_why_gone(struct isst_context *context, const struct item *item,
			  const char *otherwise);

/** Whether the caller may write it, as far as can be seen. Returns 0 or -EPERM with a message. */
int item_check_writable(struct isst_context *context, const struct item *item);

/** *@why: NULL, or why the kernel would not take the present value again. Errors: kernel_files.h.
 */
int item_check_restorable(struct isst_context *context, const struct item *item, const char **why);

/** The file of the limit that holds an item at @now, or NULL. The context's. */
const char *item_clipped_by(struct isst_context *context, const struct item *item,
			    struct item_value now);

/* ---- Pauses ---- */

/** Pauses between looks: longer and longer, until poll_timer_wait() returns false. */
struct poll_timer {
	unsigned int left_us, next_us;
};

static inline struct poll_timer poll_timer_for(unsigned int ms)
{
	return (struct poll_timer){ ms * 1000, 500 };
}

bool poll_timer_wait(struct poll_timer *timer);

/** After a failed read: pauses, and returns whether it is worth another one. */
bool poll_read_again(int error);

/** Waits for less than a second, whatever signals arrive. */
void poll_sleep_us(unsigned int us);

#endif
