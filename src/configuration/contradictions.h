/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements that cannot all hold, whatever the machine. */
#ifndef ISST_CONFIGURATION_CONTRADICTIONS_H
#define ISST_CONFIGURATION_CONTRADICTIONS_H

#include "configuration/configuration.h"

/**
 * Adds a problem for each statement that contradicts another one since a source was added: the same
 * setting of the same place twice with different values; a minimum above its maximum; high priority
 * cores with statements that rule them out. Of a pair of these the later one has the problem, once,
 * wherever on some machine both count. Returns 0, -EINVAL where there is one, or -ENOMEM.
 */
int configuration_find_contradictions(struct configuration *configuration, size_t source);

#endif
