/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as statements: what configuration_add_text() reads. */
#ifndef ISST_CONFIGURATION_WRITE_H
#define ISST_CONFIGURATION_WRITE_H

#include "configuration/configuration.h"

#include <stdint.h>
#include <stdio.h>

/** The value of a setting; *@text is to be freed. Returns 0 or -ENOMEM, then with *@text NULL. */
int setting_value_text(const struct setting *setting, char **text);

/** Writes a set of CPUs as a list, with a word before it. Returns 0 or -ENOMEM. */
int cpuset_write(FILE *stream, const char *before, const struct isst_cpuset *set);

/** Begins a comment in a saved state: something that could not be read, and is missing in it. */
#define CONFIGURATION_NOT_READ "# not read: "

/**
 * Writes header, conditions and settings in their order; settings of one CLOS that follow each
 * other share a statement, as do core-power and its priority. Returns 0 or -ENOMEM.
 */
int configuration_write(FILE *stream, const struct configuration *configuration);

#define ALL_SOURCES SIZE_MAX

/** A checksum of the settings of a source as they are written. Returns 0 or -ENOMEM. */
int configuration_checksum(const struct configuration *configuration, size_t source,
			   uint64_t *checksum);

#endif
