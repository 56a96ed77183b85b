/* SPDX-License-Identifier: BSD-3-Clause */
/* The state that a machine has where nothing was configured. */
#ifndef ISST_STATE_DEFAULTS_H
#define ISST_STATE_DEFAULTS_H

#include "configuration/configuration.h"

/** Adds the statements of defaults. @parts: ISST_CONFIG_CLOS to ISST_CONFIG_CPUS combined. Returns
 * 0 or -ENOMEM. */
int configuration_add_defaults(struct configuration *configuration,
			       const struct isst_context *context, unsigned int parts);

#endif
