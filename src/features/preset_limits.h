/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether SST-BF is on where the BIOS has set it up for good: CPUs are held at their base
 * frequencies by their limits of cpufreq. */
#ifndef ISST_FEATURES_PRESET_LIMITS_H
#define ISST_FEATURES_PRESET_LIMITS_H

#include "topology/context.h"

/** What a CPU's limits become. */
struct preset_limits {
	uint64_t max_khz, min_khz;
	bool hidden; /* the upper one takes effect only once turbo is on again */
};

/**
 * Both limits at the base frequency; one at the end of the processor's range is none. @limits:
 * whether the upper one is hidden is set. Returns 0, or a negative errno with *@missing the file
 * that could not be read.
 */
int preset_find_limits(struct kernel_files *files, unsigned int cpu, const char **missing,
		       struct preset_limits *limits);

/** Whether every online CPU of a domain is held at its own base frequency. Returns 0 or 1, or a
 * negative errno with a message. */
int preset_base_freq_is_on(struct isst_context *context, const struct isst_domain *domain);

#endif
