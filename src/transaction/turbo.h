/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether turbo is on, which another process may switch at any time. While it is off the kernel
 * shows all limits of cpufreq from the base frequency up alike, so that what a limit is can be seen
 * only as long as nothing was switched.
 */
#ifndef ISST_TRANSACTION_TURBO_H
#define ISST_TRANSACTION_TURBO_H

#include "sysfs/cpufreq.h"
#include "transaction/change.h"

/**
 * Whether turbo is on while a change is planned and its baseline read. Returns 0, an error with a
 * message, or -EIO if it is not as when this change was first asked: values that were read before
 * do not go with those that are read now.
 */
int change_turbo_state(struct isst_change *change, enum turbo_state *state);

/** Fails as above, where the change writes limits. */
int change_check_turbo(struct isst_change *change);

/**
 * Notes which limits of a step, right before it is made, may not be what they read as: they are
 * written whatever they read as. Returns 0 or an error with a message.
 */
int step_find_concealed(struct isst_change *change, struct step *step);

/** Whether a limit that reads as @now is what was written, of which no more is shown while turbo is
 * off. */
bool limit_is_hidden(struct isst_context *context, const struct item *item, uint64_t written,
		     uint64_t now);

#endif
