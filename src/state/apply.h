/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration states as the steps of a change, in the order that the hardware takes. */
#ifndef ISST_STATE_APPLY_H
#define ISST_STATE_APPLY_H

#include "state/wanted.h"

struct isst_change;

/** Adds the steps. Objections stay with the change (isst_change_check()). Returns 0, -ENOMEM
 * or -EINTR. */
int wanted_plan(struct wanted *wanted, struct isst_change *change);

#endif
