/* SPDX-License-Identifier: BSD-3-Clause */
/* Others change the machine without our lock: a management controller, the reference tool. */
#ifndef ISST_TRANSACTION_LOOK_AGAIN_H
#define ISST_TRANSACTION_LOOK_AGAIN_H

#include "transaction/change.h"

/**
 * Once all steps are made: reads all items of the firmware, and online states of CPUs, that they
 * are about, and those that planning relied on, once more, in one batch. Of a change that wrote
 * nothing, nothing is read.
 * Returns 0; -EIO with a message, and isst_change.overtaken set, where one is not what the change
 * left; or another negative errno with a message.
 */
int change_look_again(struct isst_change *change);

/** Ends a change in which another agent has changed an item: sets isst_change.overtaken, and
 * returns -EIO with a message. */
int change_fail_overtaken(struct isst_change *change, const struct item *item,
			  struct item_value before, struct item_value now);

/** The same of what planning relied on, as far as no step writes it. */
int change_look_at_relied(struct isst_change *change);

#endif
