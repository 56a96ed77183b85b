/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings by the numbers that they name: which earlier one names some of the same numbers, and
 * wants something else. Must not know what the numbers are of.
 */
#ifndef ISST_CONFIGURATION_RANGES_H
#define ISST_CONFIGURATION_RANGES_H

#include "configuration/configuration.h"

/** Whether two settings of the same thing want the same. */
bool setting_wants_same(const struct setting *one, const struct setting *other);

struct ranges;

/** Begins without settings; @sets are the numbers that settings will be added for. A set of NULL
 * names every number. Returns NULL without memory. */
struct ranges *ranges_new(const struct isst_cpuset *const *sets, size_t count);
void ranges_free(struct ranges *ranges);

/** Adds a setting for one of these sets. Of an array of settings, in its order. */
void ranges_add(struct ranges *ranges, const struct isst_cpuset *set,
		const struct setting *setting);

/** The first setting that was added for one of the numbers of any set, and wants something else
 * than @setting; NULL: none. */
const struct setting *ranges_find_other(const struct ranges *ranges, const struct isst_cpuset *set,
					const struct setting *setting);

#endif
