/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading for a set of things at once, as all features do it. */
#ifndef ISST_FEATURES_CONTEXT_H
#define ISST_FEATURES_CONTEXT_H

#include "topology/context.h"

/** Plans what one result needs; returns 0 or a negative errno that ends the whole call. */
typedef int (*plan_result)(struct isst_context *context, struct firmware_batch *batch,
			   void *result);

/** Reads @count results of @size bytes each, in one batch that @plan fills. Returns 0 or a negative
 * errno. */
int context_read(struct isst_context *context, void *results, size_t count, size_t size,
		 plan_result plan);

/** Why a call before isst_discover() cannot work; 0 when all is well. */
int context_check_discovered(struct isst_context *context);

/**
 * Whether a caller's domain or CPU is one of the machine as it was found last. Returns 0, or with a
 * message -EINVAL (none, or one of another context) or -ESTALE (it is not there any more).
 */
int context_check_domain(struct isst_context *context, const struct isst_domain *domain);
int context_check_cpu(struct isst_context *context, const struct isst_cpu *cpu);

/** The same where it is the failure of one result. Returns false with the failure set. */
bool context_accepts_domain(struct isst_context *context, const struct isst_domain *domain,
			    struct isst_failure *failure);
bool context_accepts_cpu(struct isst_context *context, const struct isst_cpu *cpu,
			 struct isst_failure *failure);

/** Plans to read the summary of a domain's levels. */
int perf_profile_plan(struct isst_context *context, struct firmware_batch *batch,
		      struct isst_perf_profile *profile);
/**
 * Firmware that refuses to tell something lacks it. Where other domains of the machine do tell it,
 * that is no lack but a failure: else half a machine would be taken for the whole.
 */
void perf_profile_judge_refusal(struct isst_failure *failure, bool answered_elsewhere);

/** Whether a domain has a level, as far as its summary tells. */
bool level_exists(const struct isst_perf_profile *profile, unsigned int level);

/** Why the CLOS of a CPU's core can be neither read nor written: nobody knows which core it is, or
 * the firmware cannot name it. NULL where it can. */
const char *context_core_objection(struct isst_context *context, const struct isst_cpu *cpu);

#endif
