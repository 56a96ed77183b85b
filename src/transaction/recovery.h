/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupted changes, for a run that begins; and what a held change is rolled back by. */
#ifndef ISST_TRANSACTION_RECOVERY_H
#define ISST_TRANSACTION_RECOVERY_H

#include "transaction/tracked.h"

/**
 * Rolls back what an interrupted run left, with a notice, unless something was changed
 * since. The lock must be held and the machine be discovered. Returns 0, -EIO with a message that
 * names what was changed since, -ENOTRECOVERABLE with one that lists what differs, or another
 * negative errno.
 */
int journal_recover(struct isst_context *context);

/** Reports in a notice that a run was interrupted in the middle of a change, for a run that does
 * not roll it back. */
void journal_report(struct isst_context *context);

/**
 * Gives all items of a journal their old values, as far as they can be reached and no other process
 * changed them since. @change: an empty one, of which the steps of the journal are made. Returns 0;
 * -ENOTRECOVERABLE without a message, and the differences of @change list what differs; or another
 * negative errno with a message, before anything was written. The file is still there.
 */
int journal_restore(const struct isst_journal *journal, struct isst_change *change);

/* ---- What a recovery reports: texts to be freed, NULL without memory ---- */

/** Which items a message is about. */
typedef bool (*tracked_test)(const struct tracked *tracked);

/** Texts of a list as one, for a message: not more of them than can be read. */
char *recovery_join(const char *const *texts, size_t count);

/** What cannot be reached, and what helps; "" where all can be. */
char *recovery_describe_waiting(const struct isst_journal *journal);

/** The items that a test is about, with their values unless they are many; "" for none. */
char *recovery_list(const struct isst_journal *journal, tracked_test test);
/** The same by kinds, without values. */
char *recovery_list_kinds(const struct isst_journal *journal, tracked_test test);

#endif
