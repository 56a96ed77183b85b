/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All places that settings distinguish, whatever the machine. Numbers that the same settings
 * name are one place, as are all that none of them names, so that there are not more places than
 * the settings have ways of overlapping.
 */
#ifndef ISST_CONFIGURATION_PLACES_H
#define ISST_CONFIGURATION_PLACES_H

#include "configuration/configuration.h"

/** Settings that are for the same place, in the order of the configuration. */
struct settings_here {
	const struct setting *const *settings;
	size_t count;
};

struct place_visitor {
	/* Whether it makes a difference at which of their places these settings are looked at. */
	bool (*is_of_interest)(void *data, const struct settings_here *here);
	/* Called once for each place where that is so. Returns 0, or what ends the visit. */
	int (*visit)(void *data, const struct settings_here *here);
	void *data;
};

/** Visits the places of some settings. Returns 0, what a visit returned, or -ENOMEM. */
int places_visit(const struct settings_here *all, const struct place_visitor *visitor);

#endif
