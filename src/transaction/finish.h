/* SPDX-License-Identifier: BSD-3-Clause */
/* How a change that was made comes to stand. */
#ifndef ISST_TRANSACTION_FINISH_H
#define ISST_TRANSACTION_FINISH_H

#include "transaction/change.h"

/** Ends a change of which all steps are made: nothing rolls it back from here on. Its saved
 * settings are written, and its journal is removed; what fails of that is a warning. */
void change_complete(struct isst_change *change);

/** Removes the journal of a change that stands, or was rolled back; a failure is a warning. */
void change_end_journal(struct isst_change *change);

/** Discovers the machine as the change left it, if CPUs went on- or offline; a failure is a
 * warning. */
void change_rediscover(struct isst_change *change);

#endif
