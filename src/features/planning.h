/* SPDX-License-Identifier: BSD-3-Clause */
/* What planning shares: the state that it begins with, requests, and common steps. */
#ifndef ISST_FEATURES_PLANNING_H
#define ISST_FEATURES_PLANNING_H

#include "features/features.h"
#include "features/snapshot.h"
#include "sysfs/cpufreq.h"
#include "sysfs/uncore.h"
#include "transaction/change.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

/* ---- Steps of two limits ---- */

/** In the order in which they are made: lower limits down, upper ones, lower ones up. */
struct limit_steps {
	struct step *lowered_min, *max, *raised_min;
};

/** Adds the steps to a change; kinds of upper and lower limits. */
struct limit_steps limit_steps_begin(struct isst_change *change, enum item_kind max,
				     enum item_kind min);

/** The step for a lower limit that is @present, and becomes @wanted. */
struct step *limit_steps_min(const struct limit_steps *steps, uint64_t present, uint64_t wanted);

/* ---- Planning ---- */

/** Notes the level of a domain, if it was read, as the change is planned from it. */
static inline void change_relies_on_level(struct isst_change *change,
					  const struct isst_perf_profile *profile)
{
	if (!profile->failure.error && profile->enabled)
		change_relies_on(change, item_of(ITEM_LEVEL, profile->domain, 0),
				 profile->current_level);
}

/** Notes what stands against a target in a domain. */
__attribute__((format(printf, 5, 6))) void target_reject(struct isst_change *change,
							 const struct isst_domain *domain,
							 struct isst_failure *failure, int error,
							 const char *format, ...);

/**
 * Ends a request that was planned, with @error as a whole. Domains without CPUs follow the others:
 * whatever stands against them, they are left out, unless no other ones were asked for. Returns
 * @error.
 */
int plan_conclude(struct isst_change *change, const struct domain_request *requests, size_t count,
		  int error);

/** Leaves a target out of a request for which it was not planned at all, as it no longer exists,
 * where the change may be made without it. @others: the request has other targets. */
void change_plan_without(struct isst_change *change, const struct isst_failure *failure,
			 bool others);

/** Whether a request is still part of the change. */
static inline bool request_is_active(const struct domain_request *request)
{
	return request->failure.error == 0;
}

/** Whether a domain that a command reaches is part of the change. */
static inline bool domain_is_active(const struct domain_snapshot *domain)
{
	return domain->role != NOT_REACHED && !domain->failure.error;
}

/** Whether it is one that was asked for. */
static inline bool domain_is_asked(const struct domain_snapshot *domain)
{
	return domain->role == ASKED_FOR && !domain->failure.error;
}

/** Whether what is planned next is for a domain, and nothing stands against it. */
static inline bool domain_counts(const struct domain_snapshot *domain)
{
	return domain->counts && !domain->failure.error;
}

/** Bits of a CLOS's value that may be set on this machine. */
uint64_t clos_mask(const struct isst_context *context);

/** The command of a feature (FEATURE_...), by which its saved settings are named, too. */
static inline const char *feature_name(unsigned int feature)
{
	return feature == FEATURE_BASE_FREQ ? "base-freq" : "turbo-freq";
}

/** Which levels of domains have a feature, as the end of a sentence: `; level 1 has it`, `; no
 * level has it`; empty where it is not known. @domains: with their profiles */
const char *feature_levels_text(struct isst_context *context, const struct domain_snapshot *domains,
				size_t count, unsigned int feature);

/** The one of SST-BF and SST-TF that a feature (FEATURE_...) is not: they share what `--auto` sets.
 */
unsigned int other_feature(unsigned int feature);

/** Whether a feature (FEATURE_...) is on, according to a level. */
bool feature_is_on(const struct isst_level *level, unsigned int feature);

/** Whether a feature is on, or that could not be read; without levels (-EOPNOTSUPP) it is off. */
bool feature_may_be_on(const struct domain_snapshot *current, unsigned int feature);

/** What was the matter where that is not known. */
const char *feature_unknown_why(const struct domain_snapshot *current);

/** Whether a feature may be on in domain @i or, where core-power is the package's, in any power
 * domain of its package with CPUs: those of I/O dies follow these. @domains: all of the machine */
bool feature_in_use(const struct isst_context *context, const struct domain_snapshot *domains,
		    size_t i, unsigned int feature);

/** A power domain where turbo-freq may stay on, and that has the turbo ratio limits of domain @i as
 * well: they are the package's; NULL: none. For a change that switches turbo-freq off. */
const struct domain_snapshot *limits_user(const struct isst_context *context,
					  const struct domain_snapshot *domains, size_t i);

/** Whether a CPU of a domain is online once the steps planned so far are made. */
bool cpu_will_be_online(const struct isst_change *change, const struct isst_domain *domain,
			unsigned int cpu);

/** Warns of HWP that is off and (@with_governor) of a governor that holds frequencies, by the first
 * of the domains that are meant. */
void warn_of_cpufreq(struct isst_change *change, const struct domain_snapshot *domains,
		     bool (*is_meant)(const struct domain_snapshot *domain), bool with_governor);

/** Reports which upper limits of cpufreq (scaling_max_freq) a step that was made has replaced:
 * those that pass a test; NULL: all. @how: the end of the message. Returns 0 or -ENOMEM. */
int name_replaced_limits(struct isst_change *change, const struct step *step,
			 bool (*is_named)(struct isst_change *change, const struct entry *entry),
			 const char *how);

/* ---- Limits, CPUs, and requests that are no settings ---- */

/** Plans a level for the domains that count. What is not known of core-power is read. @online:
 * CPUs go off- and online as it enables them. @domains: all of the machine, these with that level.
 * Returns 0, also where domains fail, or a negative errno. */
int plan_level_change(struct isst_change *change, struct domain_snapshot *domains,
		      unsigned int level, bool online);
/** Turbo ratio limits (MSR 0x1ad). */
int change_plan_turbo_ratio_limits(struct isst_change *change, struct domain_request *requests,
				   size_t count, uint64_t limits);

/** Turbo by cpufreq: off limits each CPU to its base frequency, on takes the limit away. */
int change_plan_turbo_mode(struct isst_change *change, struct domain_request *requests,
			   size_t count, bool enable);

/** Limits of cpufreq, in an order in which the kernel clips none of them. What is beyond the
 * frequencies of the processor is refused, but for an upper limit above them: that is none. CPUs
 * that the steps planned so far bring online are taken as online, and where these steps move the
 * range (another level, SST-BF) a limit is fitted to the range that it finds when it is written. */
int plan_scaling_limits(struct isst_change *change, struct limit_request *requests, size_t count);

/** Before a step: CPUs came online, or a level changed, and the range may be another one than
 * planned for. */
int scaling_limits_fit(struct step *step);

/** Limits of the uncore, in an order in which the two of a fabric never cross: the kernel does not
 * compare them, and some state may have them so. A lower limit that is kept goes down with an upper
 * one that would be below it. */
int plan_uncore_limits(struct isst_change *change, struct limit_request *requests, size_t count);

/** All present CPUs online. After change_run() see isst_discover(). */
int change_plan_all_online(struct isst_change *change);

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
