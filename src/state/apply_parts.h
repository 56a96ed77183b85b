/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the change that apply.c puts into order. */
#ifndef ISST_STATE_APPLY_PARTS_H
#define ISST_STATE_APPLY_PARTS_H

#include "state/wanted.h"

struct isst_change;

/*
 * The functions below return 0, -ENOMEM or -EINTR; what stands against a setting becomes its
 * problem.
 */

/* apply_checks.c */

/** Objects where turbo is disabled and turbo-freq gets enabled; warns where it has no effect. */
int wanted_check_turbo(struct wanted *wanted, struct isst_change *change);
/** Warns of turbo ratio limits that stay where turbo-freq gets disabled, as `turbo-freq disable`
 * has it. */
void wanted_warn_of_turbo_ratio_limits(const struct wanted *wanted, struct isst_change *change);

/** Warns of what holds high priority cores back: turbo ratio limits of which turbo-freq stays on or
 * is enabled beside, and limits of cpufreq. Once these are planned. */
int wanted_warn_of_held_cores(struct wanted *wanted, struct isst_change *change);

/** Warns, as `turbo-freq enable --auto` does, of cores without a bucket, and of turbo-freq that no
 * core profits from, where the configuration states both. */
void wanted_warn_of_priorities(const struct wanted *wanted, struct isst_change *change);

/** Limits of CLOS: a minimum must not be above a maximum that stays, nor the other way round; warns
 * of those that cannot be kept to. */
int wanted_check_clos(struct wanted *wanted, struct isst_change *change);

/** Turbo frequencies are available only while turbo is enabled; where the kernel does not report
 * that, firmware decides. Rejects requests; returns 0 or -ENOMEM. */
int turbo_freq_check_turbo(struct isst_change *change, struct domain_request *requests,
			   size_t count);

/** Warns of limits outside the processor's frequencies that cannot be kept to: the firmware would
 * clip them. A maximum above them limits nothing. @no_limit: how no limit is asked for. */
void warn_of_clos_range(struct isst_change *change, const struct isst_domain *domain,
			const struct isst_clos *values, const char *no_limit);

/* apply_limits.c */
int wanted_plan_scaling_limits(struct wanted *wanted, struct isst_change *change);
int wanted_plan_uncore_limits(struct wanted *wanted, struct isst_change *change);

#endif
