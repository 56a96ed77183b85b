/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of a domain's levels, for the features that depend on one. */
#ifndef ISST_FEATURES_PERF_PROFILE_H
#define ISST_FEATURES_PERF_PROFILE_H

#include "topology/context.h"

/** Plans to read the summary of a domain's levels. */
int perf_profile_plan(struct isst_context *context, struct firmware_batch *batch,
		      struct isst_perf_profile *profile);

/** Judges refusals to report profiles, which are parts of structs of @stride bytes. Those without a
 * domain are passed over. */
void perf_profiles_check_refusals(struct isst_perf_profile *profiles, size_t count, size_t stride);

/** As level_read_parts(), for levels that are parts of structs of @stride bytes. Those without a
 * domain are passed over. */
int levels_read(struct isst_context *context, struct isst_level *levels, size_t count,
		size_t stride, unsigned int parts);

/** Whether a domain has a level according to its summary. */
bool perf_profile_has_level(const struct isst_perf_profile *profile, unsigned int level);

/** The turbo frequency of all cores of a level without SST-TF; 0: unknown. */
unsigned int level_all_cores_mhz(const struct isst_level *level);

/** How many buckets of SST-TF are faster than that, as far as known: the first ones. */
unsigned int level_gaining_buckets(const struct isst_level *level);

/** Which levels there are: `level 1`, `levels 0 to 4`, `levels 0, 1, 3`. */
const char *perf_profile_levels_text(struct messages *messages,
				     const struct isst_perf_profile *profile);

#endif
