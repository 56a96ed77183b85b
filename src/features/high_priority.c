/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the CPUs of high priority cores, as many as the buckets of SST-TF hold. Which cores there
 * are to choose from is in choice_cores.c, which of them it will be in core_choice.c.
 */
#include "features/high_priority.h"
#include "base/cpuset.h"
#include "features/choice_cores.h"
#include "firmware/platform.h"
#include "topology/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/** Reports how many cores are missing. @package: NULL: of all packages */
static int refuse_missing(const struct chooser *chooser, const unsigned int *package,
			  unsigned int wanted, size_t missing)
{
	char *places = describe_places(chooser->choice);
	char *siblings = choice_siblings_text(chooser, package);
	char where[32] = "";
	int error = -ENOMEM;

	if (package)
		snprintf(where, sizeof(where), "package %u: ", *package);
	if (places && siblings)
		error = message_error(&chooser->context->messages, -EOPNOTSUPP,
				      "%sonly %zu of %u %s can get high priority%s: %zu %s "
				      "missing%s",
				      where, wanted - missing, wanted,
				      platform_cores_word(&chooser->context->platform, wanted),
				      places, missing, missing == 1 ? "is" : "are", siblings);
	free(places);
	free(siblings);
	return error;
}

static int refuse_all(const struct chooser *chooser)
{
	char *places = describe_places(chooser->choice);
	char *siblings = choice_siblings_text(chooser, NULL);
	int error = -ENOMEM;

	if (places && siblings)
		error = message_error(
			&chooser->context->messages, -EOPNOTSUPP, "no %s can get high priority%s%s",
			platform_cores_word(&chooser->context->platform, 1), places, siblings);
	free(places);
	free(siblings);
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
	return refuse_missing(chooser, &package, wanted, missing);
}

static int choose_of_all(const struct chooser *chooser)
{
	unsigned int wanted = chooser->choice->number;
	size_t missing = core_choice_make(chooser->candidates, chooser->count, wanted, false);

	return missing == 0 ? 0 : refuse_missing(chooser, NULL, wanted, missing);
}

/** Whether the last bucket of a package holds what was chosen there. */
static int check_package(const struct chooser *chooser, struct part part)
{
	unsigned int chosen = 0;

	for (size_t i = 0; i < part.count; i++)
		chosen += part.first[i].chosen;
	return choice_levels_check(&chooser->levels, part.first->package, chosen,
				   chooser->choice->otherwise);
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
		const struct isst_domain *domain = choice_domain(chooser, i);
		uint64_t cores = chosen_cores(chooser, domain);
		unsigned int cpu;

		isst_cpuset_for_each (cpu, domain->present) {
			unsigned int core = choice_core_of(chooser, cpu);

			if (!error && core < CORES && cores >> core & 1 &&
			    choice_has_cpu(chooser, i, cpu))
				error = isst_cpuset_add(cpus, cpu, cpu);
		}
	}
	return error;
}

/** Refuses CPUs that do not exist. @list: the word for them that commands and configurations have
 */
static int check_cpus(struct isst_context *context, const struct isst_cpuset *cpus,
		      const char *list)
{
	struct isst_cpuset *absent = isst_cpuset_new();
	char *named = NULL, *online = NULL;
	int error = cpuset_add_except(absent, cpus, context->topology->present);

	if (!error && isst_cpuset_count(absent) > 0) {
		bool one = isst_cpuset_count(absent) == 1;

		named = isst_cpuset_to_list(absent);
		online = isst_cpuset_to_list(context->topology->online);
		error = !named || !online
				? -ENOMEM
				: message_error(&context->messages, -EOPNOTSUPP,
						"%s: CPU%s %s do%s not exist on this machine; CPUs "
						"that are online: %s",
						list, one ? "" : "s", named, one ? "es" : "",
						online);
	}
	free(named);
	free(online);
	isst_cpuset_free(absent);
	return error;
}

static int check(struct isst_context *context, const struct core_choice *choice)
{
	int error = context_check_discovered(context);

	if (!error && choice->kind != CHOICE_BUCKET && choice->number == 0)
		error = message_error(&context->messages, -EINVAL,
				      "the number of high priority cores is 0");
	if (!error)
		error = check_cpus(context, choice->within, "within");
	return error ? error : check_cpus(context, choice->avoid, "avoid");
}

static int choose(struct chooser *chooser, const struct choice_scope *scope,
		  struct isst_cpuset *chosen)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? check(chooser->context, chooser->choice) : -ENOMEM;

	if (!error)
		error = choice_levels_read(chooser->context, scope, &chooser->levels);
	if (!error)
		error = choice_find_candidates(chooser);
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
