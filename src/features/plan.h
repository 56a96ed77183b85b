/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that are no settings, and limits and CPUs of those that are, as steps of a change. */
#ifndef ISST_FEATURES_PLAN_H
#define ISST_FEATURES_PLAN_H

#include "features/features.h"
#include "sysfs/uncore.h"
#include "transaction/change.h"

int plan_level(struct isst_change *change, struct domain_request *requests, size_t count,
	       unsigned int level, bool online);
int plan_turbo_ratio_limits(struct isst_change *change, struct domain_request *requests,
			    size_t count, uint64_t limits);
int plan_turbo_mode(struct isst_change *change, struct domain_request *requests, size_t count,
		    bool enable);

/** Which CPUs of domains are to be in use. */
struct cpus_plan {
	enum cpus_wanted wanted;
	const struct isst_cpuset
		*offline; /* of CPUS_OFFLINE: these, as far as they belong to them */
	/* Of CPUS_BY_LEVEL and CPUS_ISOLATED: the levels that the domains of the requests will
	 * have, with their properties. */
	const struct isst_level *const *levels;
};

/**
 * Plans which CPUs are in use, as plan_level() has it with @online or partitions; in two parts,
 * since CPUs come online before anything can be set for them, and go offline when all is set: one
 * is called right behind plan_level(), the other last. The failure of a request is the same of
 * both. -EOPNOTSUPP: CPUS_ISOLATED where there are no partitions, and the level does not enable all
 * CPUs. -EIO: no CPU of a package would stay online.
 */
int plan_cpus(struct isst_change *change, struct domain_request *requests, size_t count,
	      const struct cpus_plan *plan, bool online);

/**
 * Limits of cpufreq, in an order in which the kernel clips none of them. What is beyond the
 * frequencies of the processor is refused, but for an upper limit above them: that is none. CPUs
 * that the steps planned so far bring online are taken as online, and where these steps move the
 * range (another level, SST-BF) a limit is fitted to the range that it finds when it is written.
 */
int plan_scaling_limits(struct isst_change *change, struct limit_request *requests, size_t count);

/**
 * Limits of the uncore, in an order in which the two of a fabric never cross: the kernel does not
 * compare them, and some state may have them so. A lower limit that is kept goes down with an upper
 * one that would be below it.
 */
int plan_uncore_limits(struct isst_change *change, struct limit_request *requests, size_t count);

int plan_all_online(struct isst_change *change);

/** As change_plan_base_freq(), where the BIOS has set SST-BF up for good. */
int plan_preset_base_freq(struct isst_change *change, struct domain_request *requests, size_t count,
			  bool enable, bool automatic);

/* ---- Places of uncore limits ---- */

/** Where the limits of a domain are; @fabric: 0 on mailbox platforms. */
struct uncore_place uncore_place_of(const struct isst_context *context,
				    const struct isst_domain *domain, unsigned int fabric);

/** The limits as the steps that are planned by now will leave them. -ENOENT: the kernel has none.
 */
int uncore_limits_project(struct isst_change *change, const struct isst_domain *domain,
			  unsigned int fabric, struct frequency_limits *limits);

/** Why the kernel shows no limits of a place. */
const char *uncore_why_none(struct isst_context *context, const struct uncore_place *place);

#endif
