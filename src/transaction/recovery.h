/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupted changes, for a run that begins. */
#ifndef ISST_TRANSACTION_RECOVERY_H
#define ISST_TRANSACTION_RECOVERY_H

#include "topology/context.h"
#include "transaction/tracked.h"

/* ---- What a recovery reports ---- */

/** Texts of a list as one, for a message: not more of them than can be read. */
char *recovery_join(const char *const *texts, size_t count);

/** `held`, or of a run that had not made it as a whole `incomplete`. */
const char *recovery_which_change(const struct journal_text *text);
/** `interrupted`, or of a run that came to its end `earlier`. */
const char *recovery_which_run(const struct journal_text *text);

/** What cannot be reached, and what helps; "" where all can be. */
char *recovery_describe_waiting(const struct isst_journal *journal);

/** Which items a message is about. */
typedef bool (*tracked_test)(const struct tracked *tracked);

/** A journal is kept, too, by a run that came to its end, and could not take its change back; and
 * one that was cut off while it did so was not the only thing that went wrong. */
const char *recovery_what_happened(const struct journal_text *text);
/** The command, and how long ago it began: as much as one wants to know. */
const char *recovery_command(const struct isst_journal *journal);
/** `3 min`: as much as one wants to know. */
const char *recovery_age_text(const struct isst_journal *journal);
/** Items that another process may have changed, that are rolled back, and that stay as they are
 * since SMT is off; "" for none. */
char *recovery_list_moved(const struct isst_journal *journal);
char *recovery_list_rolled_back(const struct isst_journal *journal);
char *recovery_list_aside(const struct isst_journal *journal);

/** The items that a test is about, with their values unless they are many; "" for none. */
char *recovery_list(const struct isst_journal *journal, tracked_test test);
/** The same by kinds, without values. */
char *recovery_list_kinds(const struct isst_journal *journal, tracked_test test);

/* ---- Recovering ---- */

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

#endif
