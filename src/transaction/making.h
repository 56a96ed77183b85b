/* SPDX-License-Identifier: BSD-3-Clause */
/* A step at work: its writes, and what is read back. */
#ifndef ISST_TRANSACTION_MAKING_H
#define ISST_TRANSACTION_MAKING_H

#include "transaction/change.h"

/** Writes the needed entries of a step, and reads them back. Returns 0 or a negative errno with a
 * message. */
int step_make(struct isst_change *change, struct step *step);

/** Reports what is being done to the CPUs of the entries from @from on, those included that are as
 * they shall be: scripts wait for their lines. */
void step_report_progress(struct isst_change *change, const struct step *step, size_t from,
			  size_t end);

/** Whether the caller wants the change to end: -EINTR with a message, or 0. */
int change_check_interrupted(struct isst_change *change);

#endif
