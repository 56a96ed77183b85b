/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores get high priority, where the user names how many. Knows neither machine nor firmware.
 */
#ifndef ISST_FEATURES_CORE_CHOICE_H
#define ISST_FEATURES_CORE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

/** A core that may be chosen. */
struct core_candidate {
	unsigned int package;
	unsigned int domain;  /* any number that orders the domains of a package */
	unsigned int core;    /* its number within the domain */
	unsigned int max_khz; /* the highest frequency of its CPUs; 0: unknown */
	bool chosen;	      /* set by core_choice_make() */
};

/**
 * Chooses cores: of each package the same number (@per_package), or that number in all. They are
 * spread evenly over packages and over the domains of a package, as far as each has enough; within
 * a domain those with the highest frequency come first, and of these the lowest numbers.
 * Sorts the candidates by package, domain and in the order of preference.
 *
 * Returns how many cores are missing: 0 where there are enough. Those that there are, are chosen.
 */
size_t core_choice_make(struct core_candidate *cores, size_t count, size_t wanted,
			bool per_package);

#endif
