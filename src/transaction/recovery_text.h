/* SPDX-License-Identifier: BSD-3-Clause */
/* How messages describe an interrupted change. Texts are to be freed where they are not const; NULL
 * without memory. */
#ifndef ISST_TRANSACTION_RECOVERY_TEXT_H
#define ISST_TRANSACTION_RECOVERY_TEXT_H

#include "transaction/tracked.h"

/** Texts of a list as one, for a message: not more of them than can be read. */
char *recovery_join(const char *const *texts, size_t count);

const char *recovery_what_happened(const struct journal_text *text);
/** `held`, or of a run that had not made it as a whole `incomplete`. */
const char *recovery_which_change(const struct journal_text *text);
/** `interrupted`, or of a run that came to its end `earlier`. */
const char *recovery_which_run(const struct journal_text *text);
/** The command, and how long ago it began: as much as one wants to know. */
const char *recovery_command(const struct isst_journal *journal);
const char *recovery_age_text(const struct isst_journal *journal);

/** How many items cannot be reached for now. */
size_t recovery_count_waiting(const struct isst_journal *journal);
/** What cannot be reached, and what helps; "" where all can be. */
char *recovery_describe_waiting(const struct isst_journal *journal);

/** Which items a message is about. */
typedef bool (*tracked_test)(const struct tracked *tracked);

/** The items that a test is about, with their values unless they are many; "" for none. */
char *recovery_list(const struct isst_journal *journal, tracked_test test);
/** The same by kinds, without values. */
char *recovery_list_kinds(const struct isst_journal *journal, tracked_test test);

/** Items that another process may have changed, that are rolled back, and that stay as they are
 * since SMT is off; "" for none. */
char *recovery_list_moved(const struct isst_journal *journal);
char *recovery_list_rolled_back(const struct isst_journal *journal);
char *recovery_list_aside(const struct isst_journal *journal);

#endif
