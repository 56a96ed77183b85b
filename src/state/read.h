/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what a machine is, as a configuration. */
#ifndef ISST_STATE_READ_H
#define ISST_STATE_READ_H

#include "configuration/configuration.h"
#include "state/facts.h"

/**
 * Adds the settings of the machine's present state, with the conditions that make it this machine.
 *
 * @targets: what it is the state of. Settings may be for other domains, too
 * @except: what is as this configuration states it is left out; NULL: nothing
 * Returns 0, -EIO with problems (something cannot be read) or -ENOMEM.
 */
int configuration_read_state(struct configuration *configuration, struct isst_context *context,
			     const struct domain_set *targets, struct configuration *except);

/* ---- Which machine it is ---- */

/** That CPUs are where they shall be, but for some that were not seen, is a notice. Before
 * discovery only what is known of the processor is compared. Returns 0, ISST_CONFIG_SKIPPED,
 * -EOPNOTSUPP (with a problem for each condition that is not met) or -ENOMEM. */
int configuration_match(struct configuration *configuration, struct isst_context *context);

/** Adds the conditions that hold for this machine only: its processor and CPUs, and where each CPU
 * is that was seen; a problem where that is none. Returns 0 or -ENOMEM. */
int configuration_add_machine(struct configuration *configuration,
			      const struct isst_context *context, struct origin origin);

/** Finds the CPUs that were seen when the conditions for one machine were written (*@before, NULL:
 * all, or there are no such conditions), and those that were not, and were since (*@seen, to be
 * freed; NULL: none). Returns 0 or -ENOMEM. */
int configuration_find_seen(const struct configuration *configuration,
			    const struct isst_context *context, const struct isst_cpuset **before,
			    struct isst_cpuset **seen);

/** Makes these conditions those of all CPUs that were seen by now. Returns 0 or -ENOMEM. */
int configuration_note_seen(struct configuration *configuration,
			    const struct isst_context *context);

/* ---- The state after boot, and defaults ---- */

/* ---- Defaults ---- */

/** Adds statements of defaults. @parts: of ISST_CONFIG_CLOS to _CPUS. Returns 0 or -ENOMEM. */
int configuration_add_defaults(struct configuration *configuration,
			       const struct isst_context *context, unsigned int parts);

/* ---- The state after boot ---- */

/** As `boot_state` of struct isst_context. Returns 0 or -ENOMEM. */
int configuration_boot_state(struct isst_context *context, const char *kept, char **text);

/** Adds what CPUs have that were not seen when the state after boot was kept, and were by now: no
 * change can have written it, as each one does this before it writes. What cannot be read is left
 * out, with a notice. *@any: something was added. Returns 0 or -ENOMEM. */
int configuration_add_seen(struct configuration *boot, struct isst_context *context, bool *any);

#endif
