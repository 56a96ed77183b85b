/* SPDX-License-Identifier: BSD-3-Clause */
/* The requests of commands, and how those that are settings are planned. */
#ifndef ISST_STATE_PLAN_H
#define ISST_STATE_PLAN_H

#include "features/planning.h"

struct isst_change;

/*
 * Each plans one request for a set of domains: checks what must hold on all of them and adds the
 * steps. It is planned from what the requests before it will leave of levels, features and
 * core-power. Returns 0 (also when single domains failed), or -ENOMEM, -EINTR, -EINVAL (values that
 * are wrong anywhere).
 */

/** SST-PP: makes @level the current one. @online: CPUs that the level does not enable go offline,
 * the others online. */
int change_plan_level(struct isst_change *change, struct domain_request *requests, size_t count,
		      unsigned int level, bool online);

/** SST-BF on or off. @automatic: with CLOS, associations, core-power and cpufreq limits to go with
 * it. */
int change_plan_base_freq(struct isst_change *change, struct domain_request *requests, size_t count,
			  bool enable, bool automatic);

/** SST-TF on or off. */
int change_plan_turbo_freq(struct isst_change *change, struct domain_request *requests,
			   size_t count, const struct turbo_freq_request *request);

/** SST-CP on or off. */
int change_plan_core_power(struct isst_change *change, struct domain_request *requests,
			   size_t count, bool enable, enum isst_priority_request priority);

/** Configures CLOS @values->clos with the values of @values (domain and failure are not looked at).
 */
int change_plan_clos(struct isst_change *change, struct domain_request *requests, size_t count,
		     const struct isst_clos *values);

/** Puts the cores of CPUs into a CLOS. */
int change_plan_association(struct isst_change *change, struct domain_request *requests,
			    size_t count, unsigned int clos);

#endif
