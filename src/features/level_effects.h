/* SPDX-License-Identifier: BSD-3-Clause */
/* What firmware sets together with a level, for those who judge a level change that was cut off. */
#ifndef ISST_FEATURES_LEVEL_EFFECTS_H
#define ISST_FEATURES_LEVEL_EFFECTS_H

#include "topology/context.h"

/** As level_effects of struct isst_context. */
int level_effects_read(struct isst_context *context, const struct isst_domain *domain,
		       unsigned int level, struct level_effects *effects);

#endif
