/* SPDX-License-Identifier: BSD-3-Clause */
/* What decides between the cores of a domain. */
#ifndef ISST_FEATURES_CORE_RANKS_H
#define ISST_FEATURES_CORE_RANKS_H

#include "features/core_choice.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"

#include <stddef.h>

/**
 * Fills in the rank of cores of one domain: their highest frequency. While turbo is off most
 * kernels give the base frequency as that, which SST-BF and levels move: then those of CLOS 0 are
 * before the others, so that a choice made with turbo on stays.
 *
 * @cpus: a CPU of each
 * Returns 0, -ENOMEM or -EINTR: where nothing can be read, all cores are alike.
 */
int core_ranks_read(struct isst_context *context, enum turbo_state turbo,
		    struct core_candidate *cores, const unsigned int *cpus, size_t count);

#endif
