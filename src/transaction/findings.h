/* SPDX-License-Identifier: BSD-3-Clause */
/* Who gave the items of an interrupted change the values that they have now. */
#ifndef ISST_TRANSACTION_FINDINGS_H
#define ISST_TRANSACTION_FINDINGS_H

#include "transaction/tracked.h"

/** Compares all items with what the run left, and notes a finding for each. Returns 0 or -ENOMEM.
 */
int journal_classify(struct isst_journal *journal);

/** Whether a finding is that of an item which has to wait until it can be reached. */
bool finding_waits(enum finding finding);

/** Whether a finding keeps the change from being rolled back unasked. */
bool finding_is_open(enum finding finding);

#endif
