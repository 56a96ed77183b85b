/* SPDX-License-Identifier: BSD-3-Clause */
/* The requests of commands, and how those that are settings are planned. */
#ifndef ISST_STATE_PLAN_H
#define ISST_STATE_PLAN_H

#include "features/features.h"

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

/** Turbo ratio limits (MSR 0x1ad). */
int change_plan_turbo_ratio_limits(struct isst_change *change, struct domain_request *requests,
				   size_t count, uint64_t limits);

/** Turbo by cpufreq: off limits each CPU to its base frequency, on takes the limit away. */
int change_plan_turbo_mode(struct isst_change *change, struct domain_request *requests,
			   size_t count, bool enable);

/**
 * Leaves a target out of a request for which it was not planned at all, as it no longer exists,
 * where the change may be made without it. @others: the request has other targets.
 */
void change_plan_without(struct isst_change *change, const struct isst_failure *failure,
			 bool others);

/**
 * All present CPUs online. After change_run() the machine is discovered anew, see
 * isst_rediscover().
 */
int change_plan_all_online(struct isst_change *change);

/* ---- For those that plan them ---- */

/**
 * Ends a request that was planned, with @error as a whole. Domains without CPUs follow the others:
 * whatever stands against them, they are left out, unless no other ones were asked for. Returns
 * @error.
 */
int plan_conclude(struct isst_change *change, const struct domain_request *requests, size_t count,
		  int error);

#endif
