/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of the uncore as changes are planned from them. */
#ifndef ISST_FEATURES_UNCORE_LIMITS_H
#define ISST_FEATURES_UNCORE_LIMITS_H

#include "features/features.h"
#include "sysfs/uncore.h"
#include "transaction/change.h"

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
