/* SPDX-License-Identifier: BSD-3-Clause */
/* How each feature plans its requests: as the public functions of these names behind isst_. */
#ifndef ISST_FEATURES_PLAN_H
#define ISST_FEATURES_PLAN_H

#include "features/features.h"
#include "transaction/change.h"

int plan_level(struct isst_change *change, struct domain_request *requests, size_t count,
	       unsigned int level, bool online);
int plan_turbo_ratio_limits(struct isst_change *change, struct domain_request *requests,
			    size_t count, uint64_t limits);
int plan_turbo_mode(struct isst_change *change, struct cpu_request *requests, size_t count,
		    bool enable);
int plan_cpus_online(struct isst_change *change, struct domain_request *requests, size_t count,
		     enum cpus_wanted wanted, const struct isst_cpuset *offline);
int plan_cpus_offline(struct isst_change *change, struct domain_request *requests, size_t count,
		      enum cpus_wanted wanted, const struct isst_cpuset *offline);
int plan_scaling_limits(struct isst_change *change, struct scaling_request *requests, size_t count);
int plan_uncore_limits(struct isst_change *change, struct uncore_request *requests, size_t count);
int plan_all_online(struct isst_change *change);

#endif
