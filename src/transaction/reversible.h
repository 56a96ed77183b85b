/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a rollback could restore all that a change will write and may affect. */
#ifndef ISST_TRANSACTION_REVERSIBLE_H
#define ISST_TRANSACTION_REVERSIBLE_H

#include "transaction/change.h"

/** Warns that a rollback would leave @what, or the item that @why names, as it is then; @why: it
 * cannot be read. Of a change that has to be reversible that is the end. */
void change_note_irreversible(struct isst_change *change, const char *why, const char *what);

/** Looks whether what steps will write can be written back, before the first write. Returns 0 or a
 * negative errno with a message. */
int change_check_restorable(struct isst_change *change);

/** For a change that has to be reversible, once its baseline was read: looks for what a rollback
 * could not restore. Returns 0 or a negative errno with a message. */
int change_check_reversible(struct isst_change *change);

#endif
