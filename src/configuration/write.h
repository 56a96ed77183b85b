/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as statements: what configuration_add_text() reads. */
#ifndef ISST_CONFIGURATION_WRITE_H
#define ISST_CONFIGURATION_WRITE_H

#include "configuration/configuration.h"

#include <stdio.h>

/** Writes the statement of a setting, without newline. Returns 0 or -ENOMEM. */
int setting_write(FILE *stream, const struct setting *setting);

/**
 * Writes header, conditions and settings in their order; settings of one CLOS that follow each
 * other share a statement, as do core-power and its priority. Returns 0 or -ENOMEM.
 */
int configuration_write(FILE *stream, const struct configuration *configuration);

#endif
