/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a configuration is for a machine: its match and machine lines. */
#ifndef ISST_STATE_MATCH_H
#define ISST_STATE_MATCH_H

#include "configuration/configuration.h"

/** That CPUs are where they shall be, but for some that were not seen, is a notice. Before
 * discovery only what is known of the processor is compared. Returns 0, ISST_CONFIG_SKIPPED,
 * -EOPNOTSUPP (with a problem for each condition that is not met) or -ENOMEM.
 */
int configuration_match(struct configuration *configuration, struct isst_context *context);

/** Adds the conditions that hold for this machine only: its processor and CPUs, and where each CPU
 * is that was seen; a problem where that is none. Returns 0 or -ENOMEM. */
int configuration_add_machine(struct configuration *configuration,
			      const struct isst_context *context, struct origin origin);

/**
 * Finds the CPUs that were seen when the conditions for one machine were written (*@before, NULL:
 * all, or there are no such conditions), and those that were not, and were since (*@seen, to be
 * freed; NULL: none). Returns 0 or -ENOMEM.
 */
int configuration_find_seen(const struct configuration *configuration,
			    const struct isst_context *context, const struct isst_cpuset **before,
			    struct isst_cpuset **seen);

/** Makes these conditions those of all CPUs that were seen by now. Returns 0 or -ENOMEM. */
int configuration_note_seen(struct configuration *configuration,
			    const struct isst_context *context);

#endif
