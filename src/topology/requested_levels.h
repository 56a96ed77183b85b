/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Levels that were requested last by TPMI. The register of requests is not shown by the driver, and
 * is another one than that of the present level; debugfs has both, where it may be read.
 */
#ifndef ISST_TOPOLOGY_REQUESTED_LEVELS_H
#define ISST_TOPOLOGY_REQUESTED_LEVELS_H

#include "topology/context.h"

struct requested_level {
	const struct isst_domain *domain;
	unsigned int requested, present;
};

struct requested_levels {
	struct requested_level *levels;
	size_t count;
	struct isst_failure failure; /* unless there is no debugfs, or it may not be read */
};

/**
 * Reads them of all power domains; of none where that fails. What cannot be attributed to a package
 * is left out: it is unknown. To be cleared. Returns 0 or -ENOMEM.
 */
int requested_levels_read(struct isst_context *context, struct requested_levels *all);
void requested_levels_clear(struct requested_levels *all);

/** That of a domain; NULL: it is unknown. */
const struct requested_level *requested_level_of(const struct requested_levels *all,
						 const struct isst_domain *domain);

#endif
