/* SPDX-License-Identifier: BSD-3-Clause */
/* The state after boot as a configuration: as it was found before the first change, with what CPUs
 * have that are seen later. */
#ifndef ISST_STATE_BOOT_H
#define ISST_STATE_BOOT_H

#include "configuration/configuration.h"

/**
 * As `boot_state` of struct isst_context. The state is without what cannot be read. Returns 0,
 * -ENOMEM or -EINTR.
 */
int configuration_boot_state(struct isst_context *context, const char *kept, char **text,
			     size_t *size);

/**
 * Adds what CPUs have that were not seen when the state after boot was kept, and were by now: no
 * change can have written it, as each one does this before it writes. What cannot be read is left
 * out, with a notice. *@any: something was added. Returns 0, -ENOMEM or -EINTR.
 */
int configuration_add_seen(struct configuration *boot, struct isst_context *context, bool *any);

#endif
