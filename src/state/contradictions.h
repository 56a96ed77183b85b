/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration cannot have on one machine: its words are frequencies only there. */
#ifndef ISST_STATE_CONTRADICTIONS_H
#define ISST_STATE_CONTRADICTIONS_H

#include "state/wanted.h"

/** Adds a problem for each minimum above its maximum, once all that is wanted was found. Saved
 * states may hold such a pair: firmware begins with one, or another program leaves it behind.
 * Returns 0 or -ENOMEM. */
int wanted_find_contradictions(struct wanted *wanted);

#endif
