/* SPDX-License-Identifier: BSD-3-Clause */
/* The cores that high priority cores are chosen from. */
#ifndef ISST_FEATURES_CHOICE_CORES_H
#define ISST_FEATURES_CHOICE_CORES_H

#include "features/choice_levels.h"

enum { CORES = 64 }; /* of a domain, that the firmware can name */

/** A choice at work. */
struct chooser {
	struct isst_context *context;
	const struct core_choice *choice;
	const struct isst_cpuset *cpus; /* as in the scope */
	struct choice_levels levels;	/* of the domains to choose from */
	struct core_candidate *candidates;
	size_t count;
};

const struct isst_domain *choice_domain(const struct chooser *chooser, size_t i);

/** Whether a CPU will be online, and the level of domain @i enables it. */
bool choice_has_cpu(const struct chooser *chooser, size_t i, unsigned int cpu);

/** The firmware's number of a CPU's core; CORES where it has none. */
unsigned int choice_core_of(const struct chooser *chooser, unsigned int cpu);

/** Finds the candidates. Returns 0 or a negative errno with a message. */
int choice_find_candidates(struct chooser *chooser);

/**
 * What a user has to know of sibling threads who counts cores and names CPUs, as the end of a
 * sentence, to be freed; empty without siblings, NULL without memory.
 *
 * @package: NULL: of all packages
 */
char *choice_siblings_text(const struct chooser *chooser, const unsigned int *package);

#endif
