/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels last requested by TPMI. The driver does not show the register of requests, which differs
 * from that of the present level; debugfs does. */
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
	struct isst_failure failure; /* other than no access to debugfs */
};

/** Reads the levels of all power domains, or of none; unknown ones are left out. To be cleared.
 * Returns 0 or -ENOMEM. */
int requested_levels_read(struct isst_context *context, struct requested_levels *all);
void requested_levels_clear(struct requested_levels *all);

/** The level of a domain; NULL: unknown. */
const struct requested_level *requested_level_of(const struct requested_levels *all,
						 const struct isst_domain *domain);

#endif
