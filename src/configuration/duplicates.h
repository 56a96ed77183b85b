/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of the same thing that want something else. */
#ifndef ISST_CONFIGURATION_DUPLICATES_H
#define ISST_CONFIGURATION_DUPLICATES_H

#include "configuration/configuration.h"

/**
 * Adds a problem for each setting of a source that an earlier one of this source contradicts: the
 * same thing, with another value, at a place where both are equally precise. The problem names the
 * first one of these. Takes about as long for a line of a long file as for one of a short file.
 * Returns 0, -EINVAL where there is one, or -ENOMEM.
 */
int configuration_find_duplicates(struct configuration *configuration, size_t source);

#endif
