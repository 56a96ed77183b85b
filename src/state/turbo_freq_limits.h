/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The turbo ratio limits that go with SST-TF. Power domains share the register of their package,
 * and one without CPUs has none.
 */
#ifndef ISST_STATE_TURBO_FREQ_LIMITS_H
#define ISST_STATE_TURBO_FREQ_LIMITS_H

#include "state/package_scope.h"

/** Marks the requests whose limits are to stay: the highest turbo frequencies of other power
 * domains of the package depend on them. */
void turbo_freq_keep_limits_in_use(const struct package_scope *scope, bool *limits);

/**
 * Limits of the level, of which nothing is in force while turbo-freq is on. Nothing but these is
 * asked for, and they are no reason to leave turbo-freq on. @restored: of which requests they are
 * restored, or stay. Returns 0 or -ENOMEM.
 */
int turbo_freq_plan_level_limits(struct package_scope *scope, const bool *restored);

#endif
