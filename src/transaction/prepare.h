/* SPDX-License-Identifier: BSD-3-Clause */
/* What a change finds, before its first write and before each step, and what that leaves to do. */
#ifndef ISST_TRANSACTION_PREPARE_H
#define ISST_TRANSACTION_PREPARE_H

#include "transaction/change.h"

/**
 * Reads all that the change may write or disturb, before the first write: what an earlier step
 * makes of an item is not what a rollback is to restore. What steps that do not write would disturb
 * is not read. Returns 0 or a negative errno with a message.
 */
int change_read_baseline(struct isst_change *change);

/** Works out what the steps would write, for a change that is not made. As above. */
int change_plan_only(struct isst_change *change);

/** Works out what a step has to write. As above. */
int step_prepare(struct isst_change *change, struct step *step, bool *needed);

/** Notes what a step moves, for the steps behind it. */
void change_note_moved(struct isst_change *change, const struct step *step);

/** Whether a value does what an entry was to do: bits that it does not write are not looked at. */
bool entry_served(const struct entry *entry, struct item_value now);

/**
 * Goes on without an entry that failed, where that is possible, with a warning. Returns 0, or
 * @error with a message.
 */
int entry_skip(struct isst_change *change, struct entry *entry, int error, const char *why);

#endif
