/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a configuration is for a machine: its match and machine lines. */
#ifndef ISST_STATE_MATCH_H
#define ISST_STATE_MATCH_H

#include "configuration/configuration.h"

/** Returns 0, ISST_CONFIG_SKIPPED, -EOPNOTSUPP (with a problem for each condition that is not met)
 * or -ENOMEM. */
int configuration_match(struct configuration *configuration, const struct isst_context *context);

/** Adds the conditions that hold for this machine only: its processor, packages and CPUs, and where
 * each CPU is. Returns 0 or -ENOMEM. */
int configuration_add_machine(struct configuration *configuration,
			      const struct isst_context *context, struct origin origin);

#endif
