/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupted changes, for a run that begins; and what a held change is rolled back by. */
#ifndef ISST_TRANSACTION_RECOVERY_H
#define ISST_TRANSACTION_RECOVERY_H

#include "transaction/tracked.h"

/** Rolls back what an interrupted run left, with a notice, unless something was changed since. The
 * lock is held and the machine discovered. Returns 0, -EIO (the message names what was changed),
 * -ENOTRECOVERABLE (it lists what differs), or another negative errno. */
int journal_recover(struct isst_context *context);

/** Reports in a notice that a run was interrupted, for one that does not roll it back. */
void journal_report(struct isst_context *context);

/** Gives items of a journal their old values, as far as they can be reached and are not another
 * process's. @change: an empty one. Returns 0, -ENOTRECOVERABLE without a message (see its
 * differences), or another negative errno with one, before anything was written. */
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
