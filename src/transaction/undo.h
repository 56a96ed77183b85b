/* SPDX-License-Identifier: BSD-3-Clause */
/* What making and undoing a change share. */
#ifndef ISST_TRANSACTION_UNDO_H
#define ISST_TRANSACTION_UNDO_H

#include "transaction/change.h"

void change_differs(struct isst_change *change, const struct item *item, struct item_value now,
		    struct item_value old);
void change_differs_unread(struct isst_change *change, const struct item *item, const char *why);
/** Forgets the differences: the rollback is tried again. */
void change_forget_differences(struct isst_change *change);

/** Pauses between looks at an item that is settling: longer and longer, up to the time that is
 * left. */
struct patience {
	unsigned int left_us, next_us;
};
struct patience patience_for(enum item_kind kind);
/** Waits a bit; false when the time is up. */
bool patience_wait(struct patience *patience);

/** Waits for less than a second, whatever signals arrive. */
void rest_us(unsigned int us);

/** Whether CPUs went on- or offline, so that the topology is another. */
bool change_touches_cpus(const struct isst_change *change);

/** One line in the machine's system log. */
void change_log(struct isst_change *change, const struct item *item, struct item_value from,
		struct item_value to, const char *result);

#endif
