/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of several domains at once. */
#ifndef ISST_STATE_DOMAIN_NAMES_H
#define ISST_STATE_DOMAIN_NAMES_H

#include "topology/topology.h"

#include <stdio.h>

/**
 * Writes `package 0-1, power domain 0-2`; packages that are not named with the same numbers are
 * separated by semicolons.
 *
 * @domains: in the order of the context
 * Returns 0 or -ENOMEM.
 */
int domain_names_write(FILE *stream, const struct isst_domain *const *domains, size_t count);

#endif
