/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what a machine is, as a configuration. */
#ifndef ISST_STATE_READ_H
#define ISST_STATE_READ_H

#include "state/facts.h"

/**
 * Adds the settings of the machine's present state, with the conditions that make it this machine.
 *
 * @targets: what it is the state of. Settings may be for other domains, too
 * @except: what is as this configuration states it is left out; NULL: nothing
 * Returns 0, -EIO with problems (something cannot be read) or -ENOMEM, -EINTR.
 */
int configuration_read_state(struct configuration *configuration, struct isst_context *context,
			     const struct domain_set *targets, struct configuration *except);

#endif
