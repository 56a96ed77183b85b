/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores get high priority, where the user names how many. Knows neither machine nor firmware.
 */
#ifndef ISST_FEATURES_CORE_CHOICE_H
#define ISST_FEATURES_CORE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

struct isst_cpuset;

/** How many cores get high priority. */
enum choice_kind {
	CHOICE_COUNT,	    /* so many cores of all targets */
	CHOICE_PER_PACKAGE, /* so many of each package */
	CHOICE_BUCKET,	    /* as many as the bucket allows, of each package */
};

/** What is asked for. A core counts as a whole, with those of its CPUs that are online. */
struct core_choice {
	enum choice_kind kind;
	unsigned int number;
	struct isst_cpuset *within; /* only cores all of whose CPUs are in it; NULL: any */
	struct isst_cpuset *avoid;  /* only cores none of whose CPUs are in it; NULL: any */
	bool allow_lower_turbo;	    /* also more cores than the last bucket holds */
	bool quiet;		    /* no notes: a configuration may be checked every minute */
};

/** A core that may be chosen. */
struct core_candidate {
	unsigned int package;
	unsigned int domain; /* any number that orders the domains of a package */
	unsigned int core;   /* its number within the domain */
	unsigned int rank;   /* the higher, the rather: its highest frequency */
	bool chosen;	     /* set by core_choice_make() */
};

/**
 * Chooses cores: of each package the same number (@per_package), or that number in all. They are
 * spread evenly over packages and over the domains of a package, as far as each has enough; within
 * a domain those of the highest rank come first, and of these the lowest numbers.
 * Sorts the candidates by package, domain and in the order of preference.
 *
 * Returns how many cores are missing: 0 where there are enough. Those that there are, are chosen.
 */
size_t core_choice_make(struct core_candidate *cores, size_t count, size_t wanted,
			bool per_package);

#endif
