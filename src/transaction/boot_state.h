/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state that the first changing run since boot found, kept in the runtime directory for this
 * boot: a text that a layer above makes and reads. Knows nothing of what it means.
 */
#ifndef ISST_TRANSACTION_BOOT_STATE_H
#define ISST_TRANSACTION_BOOT_STATE_H

#include "transaction/change.h"

/** Keeps a text, which is lines, in place of what was kept. Returns 0, -ENOMEM, or an error with a
 * message. */
int boot_state_write(struct isst_context *context, const char *text);

/** Reads what is kept; *@text is to be freed. Returns 0, -ENOENT (nothing was changed in this
 * boot), -ENOMEM, or another negative errno with a message. */
int boot_state_read(struct isst_context *context, char **text);

/** Called before the first write: keeps the state, unless that was done. A failure is a warning,
 * and noted. Returns 0, or a negative errno with a message where that cannot be noted either. */
int boot_state_keep(struct isst_change *change);

#endif
