/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the CPUs of high priority cores: which cores there are to choose from, and how many the
 * buckets of SST-TF hold. Which of them it will be is for core_choice.c.
 */
#include "features/high_priority.h"
#include "base/cpuset.h"
#include "features/choice_levels.h"
#include "features/core_ranks.h"
#include "topology/context.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const struct isst_domain *domain_of(const struct chooser *chooser, size_t i)
{
	return chooser->levels.levels[i].domain;
}

/* ---- Cores to choose from ---- */

/** Whether a CPU will be online, and the level enables it. */
static bool is_available(const struct chooser *chooser, size_t i, unsigned int cpu)
{
	const struct isst_cpuset *online = chooser->cpus ? chooser->cpus
							 : domain_of(chooser, i)->online;
	const struct isst_cpuset *enabled = chooser->levels.levels[i].cpus;

	return isst_cpuset_has(online, cpu) && (!enabled || isst_cpuset_has(enabled, cpu));
}

/** The firmware's number of a CPU's core; CORES where it has none. */
static unsigned int core_of(const struct chooser *chooser, unsigned int cpu)
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
	const struct isst_cpuset *online = domain_of(chooser, i)->online;
	uint64_t unwanted = 0;
	unsigned int cpu;

	for (unsigned int core = 0; core < CORES; core++)
		first[core] = UINT_MAX;
	isst_cpuset_for_each (cpu, domain_of(chooser, i)->present) {
		unsigned int core = core_of(chooser, cpu);

		if (core == CORES || !is_available(chooser, i, cpu))
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
	const struct isst_domain *domain = domain_of(chooser, i);
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

static int find_candidates(struct chooser *chooser)
{
	size_t domains = chooser->levels.count;
	enum turbo_state turbo;
	int error;

	chooser->candidates = calloc(domains * CORES + 1, sizeof(*chooser->candidates));
	if (!chooser->candidates)
		return -ENOMEM;
	error = cpufreq_turbo_state(&chooser->context->files, &turbo);
	if (error != -ENOMEM)
		error = 0;
	for (size_t i = 0; i < domains && !error; i++)
		if (choice_levels_has_turbo_freq(&chooser->levels, i))
			error = add_cores(chooser, i, turbo);
	return error;
}

/* ---- Choosing ---- */

/** @list: of CPUs */
static const char *cpu_word(const char *list)
{
	return strpbrk(list, ",-") ? "CPUs " : "CPU ";
}

/** What keeps cores out, as the end of a sentence: ` within CPUs 0-3`; NULL without memory. */
static char *describe_places(const struct core_choice *choice)
{
	char *within = choice->within ? isst_cpuset_to_list(choice->within) : strdup("");
	char *avoid = choice->avoid ? isst_cpuset_to_list(choice->avoid) : strdup("");
	char *text = NULL;

	if (within && avoid &&
	    asprintf(&text, "%s%s%s%s%s%s", choice->within ? " within " : "",
		     choice->within ? cpu_word(within) : "", within,
		     choice->avoid ? " without " : "", choice->avoid ? cpu_word(avoid) : "",
		     avoid) < 0)
		text = NULL;
	free(within);
	free(avoid);
	return text;
}

/** Reports how many cores are missing. @where: `package 0: `, or nothing. */
static int refuse_missing(const struct chooser *chooser, const char *where, unsigned int wanted,
			  size_t missing)
{
	char *places = describe_places(chooser->choice);
	int error = -ENOMEM;

	if (places)
		error = message_error(&chooser->context->messages, -EOPNOTSUPP,
				      "%sonly %zu of %u cores can get high priority%s: %zu %s "
				      "missing",
				      where, wanted - missing, wanted, places, missing,
				      missing == 1 ? "is" : "are");
	free(places);
	return error;
}

static int refuse_all(const struct chooser *chooser)
{
	char *places = describe_places(chooser->choice);
	int error = -ENOMEM;

	if (places)
		error = message_error(&chooser->context->messages, -EOPNOTSUPP,
				      "no core can get high priority%s", places);
	free(places);
	return error;
}

/** Cores of one package. */
struct part {
	struct core_candidate *first;
	size_t count;
};

/** The part of the package that begins at candidate @first. */
static struct part find_package(const struct chooser *chooser, size_t first)
{
	struct part part = { .first = &chooser->candidates[first] };

	while (first + part.count < chooser->count &&
	       part.first[part.count].package == part.first->package)
		part.count++;
	return part;
}

/** How many cores of a package are asked for. */
static int wanted_of_package(const struct chooser *chooser, unsigned int package,
			     unsigned int *wanted)
{
	*wanted = chooser->choice->number;
	if (chooser->choice->kind != CHOICE_BUCKET)
		return 0;
	return choice_levels_bucket(&chooser->levels, package, chooser->choice->number, wanted);
}

static int choose_of_package(const struct chooser *chooser, struct part part)
{
	unsigned int package = part.first->package, wanted;
	int error = wanted_of_package(chooser, package, &wanted);
	size_t missing = error ? 0 : core_choice_make(part.first, part.count, wanted, true);

	if (error || missing == 0)
		return error;
	return refuse_missing(chooser,
			      message_make(&chooser->context->messages, "package %u: ", package),
			      wanted, missing);
}

static int choose_of_all(const struct chooser *chooser)
{
	unsigned int wanted = chooser->choice->number;
	size_t missing = core_choice_make(chooser->candidates, chooser->count, wanted, false);

	return missing == 0 ? 0 : refuse_missing(chooser, "", wanted, missing);
}

/** Whether the last bucket of a package holds what was chosen there. */
static int check_package(const struct chooser *chooser, struct part part)
{
	unsigned int chosen = 0;

	for (size_t i = 0; i < part.count; i++)
		chosen += part.first[i].chosen;
	return choice_levels_check(&chooser->levels, part.first->package, chosen);
}

static int for_each_package(const struct chooser *chooser,
			    int (*act)(const struct chooser *chooser, struct part part))
{
	struct part part;
	int error = 0;

	for (size_t i = 0; i < chooser->count && !error; i += part.count) {
		part = find_package(chooser, i);
		error = act(chooser, part);
	}
	return error;
}

static int by_package(const void *one, const void *other)
{
	const struct core_candidate *a = one, *b = other;

	return (a->package > b->package) - (a->package < b->package);
}

static int make_choice(struct chooser *chooser)
{
	int error;

	if (chooser->count == 0)
		return refuse_all(chooser);
	qsort(chooser->candidates, chooser->count, sizeof(*chooser->candidates), by_package);
	error = chooser->choice->kind == CHOICE_COUNT
			? choose_of_all(chooser)
			: for_each_package(chooser, choose_of_package);
	if (error || chooser->choice->allow_lower_turbo)
		return error;
	return for_each_package(chooser, check_package);
}

/* ---- What was chosen ---- */

static uint64_t chosen_cores(const struct chooser *chooser, const struct isst_domain *domain)
{
	uint64_t cores = 0;

	for (size_t i = 0; i < chooser->count; i++)
		if (chooser->candidates[i].chosen && chooser->candidates[i].domain == domain->index)
			cores |= UINT64_C(1) << chooser->candidates[i].core;
	return cores;
}

static int collect(const struct chooser *chooser, struct isst_cpuset *cpus)
{
	int error = 0;

	for (size_t i = 0; i < chooser->levels.count; i++) {
		const struct isst_domain *domain = domain_of(chooser, i);
		uint64_t cores = chosen_cores(chooser, domain);
		unsigned int cpu;

		isst_cpuset_for_each (cpu, domain->present) {
			unsigned int core = core_of(chooser, cpu);

			if (!error && core < CORES && cores >> core & 1 &&
			    is_available(chooser, i, cpu))
				error = isst_cpuset_add(cpus, cpu, cpu);
		}
	}
	return error;
}

static int check_cpus(struct isst_context *context, const struct isst_cpuset *cpus)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, cpus)
		if (!isst_cpuset_has(context->topology->present, cpu))
			return message_error(&context->messages, -EOPNOTSUPP,
					     "CPU %u does not exist on this machine", cpu);
	return 0;
}

static int check(struct isst_context *context, const struct core_choice *choice)
{
	int error = context_check_discovered(context);

	if (!error && choice->kind != CHOICE_BUCKET && choice->number == 0)
		error = message_error(&context->messages, -EINVAL,
				      "the number of high priority cores is 0");
	if (!error)
		error = check_cpus(context, choice->within);
	return error ? error : check_cpus(context, choice->avoid);
}

static int choose(struct chooser *chooser, const struct choice_scope *scope,
		  struct isst_cpuset *chosen)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? check(chooser->context, chooser->choice) : -ENOMEM;

	if (!error)
		error = choice_levels_read(chooser->context, scope, &chooser->levels);
	if (!error)
		error = find_candidates(chooser);
	if (!error)
		error = make_choice(chooser);
	if (!error)
		error = collect(chooser, cpus);
	if (!error)
		cpuset_swap(chosen, cpus);
	isst_cpuset_free(cpus);
	choice_levels_clear(&chooser->levels);
	free(chooser->candidates);
	return error;
}

int high_priority_choose(struct isst_context *context, const struct choice_scope *scope,
			 const struct core_choice *choice, struct isst_cpuset *chosen)
{
	const char *before = message_begin(&context->messages);
	struct chooser chooser = { .context = context, .choice = choice, .cpus = scope->cpus };

	return message_end(&context->messages, before, choose(&chooser, scope, chosen));
}
