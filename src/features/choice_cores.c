/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores of which all CPUs may be chosen, and why there are fewer than CPUs. */
#include "features/choice_cores.h"
#include "base/cpuset.h"
#include "features/core_ranks.h"
#include "firmware/platform.h"
#include "topology/context.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct isst_domain *choice_domain(const struct chooser *chooser, size_t i)
{
	return chooser->levels.levels[i].domain;
}

/* ---- Cores to choose from ---- */

bool choice_has_cpu(const struct chooser *chooser, size_t i, unsigned int cpu)
{
	const struct isst_cpuset *online = chooser->cpus ? chooser->cpus
							 : choice_domain(chooser, i)->online;
	const struct isst_cpuset *enabled = chooser->levels.levels[i].cpus;

	return isst_cpuset_has(online, cpu) && (!enabled || isst_cpuset_has(enabled, cpu));
}

unsigned int choice_core_of(const struct chooser *chooser, unsigned int cpu)
{
	const struct isst_cpu *place = context_cpu(chooser->context, cpu);

	return place && place->core_known && place->core < CORES ? place->core : CORES;
}

static bool is_wanted(const struct core_choice *choice, unsigned int cpu)
{
	return (!choice->within || isst_cpuset_has(choice->within, cpu)) &&
	       !isst_cpuset_has(choice->avoid, cpu);
}

/** The first CPU of each core that may be chosen, rather one that is online as yet; UINT_MAX: none.
 * A CPU that is not wanted keeps its siblings out. */
static void find_cores(const struct chooser *chooser, size_t i, unsigned int first[CORES])
{
	const struct isst_cpuset *online = choice_domain(chooser, i)->online;
	uint64_t unwanted = 0;
	unsigned int cpu;

	for (unsigned int core = 0; core < CORES; core++)
		first[core] = UINT_MAX;
	isst_cpuset_for_each (cpu, choice_domain(chooser, i)->present) {
		unsigned int core = choice_core_of(chooser, cpu);

		if (core == CORES || !choice_has_cpu(chooser, i, cpu))
			continue;
		if (!is_wanted(chooser->choice, cpu))
			unwanted |= UINT64_C(1) << core;
		else if (first[core] == UINT_MAX ||
			 (!isst_cpuset_has(online, first[core]) && isst_cpuset_has(online, cpu)))
			first[core] = cpu;
	}
	for (unsigned int core = 0; core < CORES; core++)
		if (unwanted >> core & 1)
			first[core] = UINT_MAX;
}

static int add_cores(struct chooser *chooser, size_t i, enum turbo_state turbo)
{
	struct core_candidate *candidates = &chooser->candidates[chooser->count];
	const struct isst_domain *domain = choice_domain(chooser, i);
	unsigned int first[CORES];
	size_t count = 0;

	find_cores(chooser, i, first);
	for (unsigned int core = 0; core < CORES; core++) {
		if (first[core] == UINT_MAX)
			continue;
		candidates[count] = (struct core_candidate){ .package = domain->package,
							     .domain = domain->index,
							     .core = core };
		first[count++] = first[core];
	}
	chooser->count += count;
	return core_ranks_read(chooser->context, turbo, candidates, first, count);
}

int choice_find_candidates(struct chooser *chooser)
{
	size_t domains = chooser->levels.count;
	enum turbo_state turbo;
	int error;

	chooser->candidates = calloc(domains * CORES + 1, sizeof(*chooser->candidates));
	if (!chooser->candidates)
		return -ENOMEM;
	error = cpufreq_turbo_state(&chooser->context->files, &turbo);
	for (size_t i = 0; i < domains && !error; i++) {
		const struct isst_domain *domain = choice_domain(chooser, i);
		const char *unknown = topology_domain(domain)->unknown_core;

		if (!choice_levels_has_turbo_freq(&chooser->levels, i))
			continue;
		error = unknown ? message_error(&chooser->context->messages, -EIO, "%s: %s",
						domain->name, unknown)
				: add_cores(chooser, i, turbo);
	}
	return error;
}

/* ---- Sibling threads ---- */

/** How the threads of cores are, of which some have siblings that are not wanted. */
struct siblings {
	bool any;
	struct isst_cpuset *excluded; /* siblings of wanted ones */
};

static int add_excluded(const struct chooser *chooser, size_t i, struct siblings *siblings)
{
	uint64_t wanted = 0, seen = 0;
	unsigned int cpu;
	int error = 0;

	isst_cpuset_for_each (cpu, choice_domain(chooser, i)->present) {
		unsigned int core = choice_core_of(chooser, cpu);

		if (core == CORES || !choice_has_cpu(chooser, i, cpu))
			continue;
		siblings->any |= seen >> core & 1;
		seen |= UINT64_C(1) << core;
		if (is_wanted(chooser->choice, cpu))
			wanted |= UINT64_C(1) << core;
	}
	isst_cpuset_for_each (cpu, choice_domain(chooser, i)->present) {
		unsigned int core = choice_core_of(chooser, cpu);

		if (!error && core < CORES && wanted >> core & 1 &&
		    choice_has_cpu(chooser, i, cpu) && !is_wanted(chooser->choice, cpu))
			error = isst_cpuset_add(siblings->excluded, cpu, cpu);
	}
	return error;
}

char *choice_siblings_text(const struct chooser *chooser, const unsigned int *package)
{
	struct siblings siblings = { .excluded = isst_cpuset_new() };
	const char *unit = platform_has(&chooser->context->platform, PLATFORM_COUNTS_MODULES)
				   ? "; cores of a module count as one"
				   : "; sibling threads count as one core";
	char *list, *text = NULL;
	int error = siblings.excluded ? 0 : -ENOMEM;

	for (size_t i = 0; i < chooser->levels.count && !error; i++)
		if (choice_levels_has_turbo_freq(&chooser->levels, i) &&
		    (!package || choice_domain(chooser, i)->package == *package))
			error = add_excluded(chooser, i, &siblings);
	list = error ? NULL : isst_cpuset_to_list(siblings.excluded);
	if (list && isst_cpuset_count(siblings.excluded) > 0) {
		bool several = isst_cpuset_count(siblings.excluded) > 1;

		if (asprintf(&text, "%s, and CPU%s %s %s excluded", unit, several ? "s" : "", list,
			     several ? "are" : "is") < 0)
			text = NULL;
	} else if (list) {
		text = strdup(siblings.any ? unit : "");
	}
	free(list);
	isst_cpuset_free(siblings.excluded);
	return text;
}
