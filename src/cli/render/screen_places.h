/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a screen calls the places of units: `package 0, power domains 0-2`. Made from the steps of
 * their paths and the rows of the key table; must not know what the places are.
 */
#ifndef ISST_CLI_SCREEN_PLACES_H
#define ISST_CLI_SCREEN_PLACES_H

#include "../report/report.h"

/** One or several places: of each step that is shown its numbers. */
struct screen_place {
	const struct key *keys[REPORT_PATH_STEPS];
	struct isst_cpuset *numbers[REPORT_PATH_STEPS];
	size_t steps;
};

/** The place of a unit, without optional steps in which no units differ alone. To be cleared.
 * Returns 0 or -ENOMEM. */
int screen_place_make(struct screen_place *place, const struct report *report,
		      const struct report_entry *unit);
void screen_place_clear(struct screen_place *place);

/** Whether two are the same but for the numbers of a step, or, with @step the number of steps, as a
 * whole: then both are one with the numbers of both. */
bool screen_place_joins(const struct screen_place *one, const struct screen_place *other,
			size_t step);
/** Adds the numbers of another one. Returns 0 or -ENOMEM. */
int screen_place_join(struct screen_place *place, const struct screen_place *other);

/** Leaves out the last step, but not the first, where a place has all of its numbers, and then the
 * one before. Needs a report that leaves no place of the machine out. */
void screen_place_shorten(struct screen_place *place, const struct report *report);
/** Whether a place that was shortened is all of them. */
bool screen_place_is_whole(const struct screen_place *place, const struct report *report);

/** What a place is called; to be freed, NULL without memory. */
char *screen_place_name(const struct screen_place *place);

#endif
