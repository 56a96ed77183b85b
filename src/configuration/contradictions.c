/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statements that cannot all hold, whatever the machine. Where a CPU is, only a machine knows: a
 * statement of packages and one of CPUs that names none are not held against each other.
 */
#include "base/array.h"
#include "base/cpuset.h"
#include "base/number.h"
#include "common/hash.h"
#include "configuration/configuration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Settings that are for the same places, in the order of the configuration. */
struct settings_here {
	const struct setting **settings;
	size_t count;
};

/** Two subjects whose settings may exclude each other; or one, whose settings may differ. */
struct rule {
	enum subject one, other;
	enum wanted_kind wanted; /* of @one; WANTED_KHZ: limits, a minimum and a maximum */
	uint64_t number;	 /* the number of @other that is excluded; UINT64_MAX: any */
	const char *name;
};

/** Two settings that exclude each other at some place. */
struct pair {
	const struct rule *rule;
	const struct setting *one, *other;
	const struct setting *earlier, *later; /* the same, in the order of the configuration */
};

/** The search for what contradicts by a rule, and then the next one. */
struct search {
	const struct configuration *configuration;
	const struct rule *rule;
	/* For each setting, the first one of the same thing that wants something else. */
	const struct setting **earlier;
	struct pair *pairs;
	size_t count;
};

/* ---- The same thing, with another value ---- */

static bool setting_wants_same(const struct setting *one, const struct setting *other)
{
	if (one->wanted != other->wanted || one->number != other->number)
		return false;
	if (one->wanted == WANTED_OFFLINE)
		return isst_cpuset_is_equal(one->cpus, other->cpus);
	return one->wanted != WANTED_CORES ||
	       (one->choice.kind == other->choice.kind &&
		one->choice.number == other->choice.number &&
		isst_cpuset_is_equal(one->choice.within, other->choice.within) &&
		isst_cpuset_is_equal(one->choice.avoid, other->choice.avoid));
}

/** Notes for each setting the first one of those that are as precise and want something else. */
static void note_earlier(struct search *search, const struct settings_here *here)
{
	/* Of each precision the first setting, and the first one that differs from it. */
	const struct setting *first[SETTING_PRECISIONS] = { 0 };
	const struct setting *other[SETTING_PRECISIONS] = { 0 };

	for (size_t i = 0; i < here->count; i++) {
		const struct setting *setting = here->settings[i], *earlier;
		unsigned int precision = setting_precision(setting);
		const struct setting **noted =
			&search->earlier[setting - search->configuration->settings];

		if (!first[precision])
			first[precision] = setting;
		earlier = other[precision];
		if (!setting_wants_same(first[precision], setting)) {
			earlier = first[precision];
			if (!other[precision])
				other[precision] = setting;
		}
		if (earlier && (!*noted || earlier < *noted))
			*noted = earlier;
	}
}

/* ---- Settings that exclude each other ---- */

/* High priority cores are made of turbo-freq, and of CLOS that are chosen for them. */
static const struct rule RULES[] = {
	{ SUBJECT_CLOS_MIN, SUBJECT_CLOS_MAX, WANTED_KHZ, 0, "CLOS" },
	{ SUBJECT_SCALING_MIN, SUBJECT_SCALING_MAX, WANTED_KHZ, 0, "scaling" },
	{ SUBJECT_UNCORE_MIN, SUBJECT_UNCORE_MAX, WANTED_KHZ, 0, "uncore" },
	{ SUBJECT_HIGH_PRIORITY, SUBJECT_TURBO_FREQ, WANTED_CORES, 0, "turbo-freq off" },
	{ SUBJECT_HIGH_PRIORITY, SUBJECT_CORE_POWER, WANTED_CORES, 0, "core-power off" },
	{ SUBJECT_HIGH_PRIORITY, SUBJECT_PRIORITY, WANTED_CORES, ISST_PRIORITY_PROPORTIONAL,
	  "core-power proportional" },
	{ SUBJECT_HIGH_PRIORITY, SUBJECT_CLOS_ENABLE, WANTED_CORES, 0, "clos-enable off" },
	{ SUBJECT_HIGH_PRIORITY, SUBJECT_ASSOCIATION, WANTED_CORES, UINT64_MAX,
	  "an association of CPUs" },
};

static bool excludes(const struct rule *rule, const struct setting *one,
		     const struct setting *other)
{
	if (one->wanted != rule->wanted)
		return false;
	if (rule->wanted == WANTED_KHZ)
		return other->wanted == WANTED_KHZ && one->number > other->number;
	return other->wanted != WANTED_UNMANAGED &&
	       (rule->number == UINT64_MAX || other->number == rule->number);
}

/** Whether any setting contradicts any other one: the highest minimum does if one does. */
static bool may_contradict(const struct rule *rule, const struct settings_here *here)
{
	const struct setting *one = NULL;
	bool any = false;

	if (rule->one == rule->other) {
		for (size_t i = 1; i < here->count && !any; i++)
			any = !setting_wants_same(here->settings[0], here->settings[i]);
		return any;
	}
	for (size_t i = 0; i < here->count; i++)
		if (here->settings[i]->subject == rule->one &&
		    here->settings[i]->wanted == rule->wanted &&
		    (!one || here->settings[i]->number > one->number))
			one = here->settings[i];
	for (size_t i = 0; i < here->count && one && !any; i++)
		any = here->settings[i]->subject == rule->other &&
		      excludes(rule, one, here->settings[i]);
	return any;
}

static const struct setting *find_counting(const struct settings_here *here, enum subject subject)
{
	const struct setting *found = NULL;

	for (size_t i = 0; i < here->count; i++)
		if (here->settings[i]->subject == subject &&
		    (!found || setting_counts_more(here->settings[i], found)))
			found = here->settings[i];
	return found;
}

/** Whether all that @part names is of @set; NULL names everything. */
static bool contains(const struct isst_cpuset *set, const struct isst_cpuset *part)
{
	return !set || (part && cpuset_contains(set, part));
}

/** Whether two settings meet on each machine: CPUs of one have to be in the scope of the other. */
static bool meet(const struct setting *one, const struct setting *other)
{
	bool names_cpus = subject_is_of_cpus(one->subject) && one->cpus;
	bool other_does = subject_is_of_cpus(other->subject) && other->cpus;
	const struct scope *general = names_cpus ? &other->scope : &one->scope;
	const struct scope *of_cpus = names_cpus ? &one->scope : &other->scope;

	return names_cpus == other_does ||
	       (contains(general->packages, of_cpus->packages) &&
		contains(general->power_domains, of_cpus->power_domains));
}

static int note_pair(struct search *search, const struct settings_here *here)
{
	struct pair pair = { .rule = search->rule,
			     .one = find_counting(here, search->rule->one),
			     .other = find_counting(here, search->rule->other) };

	if (!pair.one || !pair.other || !excludes(pair.rule, pair.one, pair.other) ||
	    !meet(pair.one, pair.other))
		return 0;
	if (ARRAY_GROW(search->pairs, search->count))
		return -ENOMEM;
	pair.earlier = pair.one < pair.other ? pair.one : pair.other;
	pair.later = pair.one < pair.other ? pair.other : pair.one;
	search->pairs[search->count++] = pair;
	return 0;
}

/* ---- Places ---- */

/** What the number of a place is of, in the order in which settings are divided. */
enum dimension {
	DIMENSION_INDEX,
	DIMENSION_PACKAGE,
	DIMENSION_POWER_DOMAIN,
	DIMENSION_CPU,
	DIMENSIONS
};

/** The first run of numbers, from @from on, that a setting names; none where it names all. */
static bool next_run(const struct setting *setting, enum dimension dimension, unsigned int from,
		     unsigned int *first, unsigned int *last)
{
	const struct isst_cpuset *const sets[DIMENSIONS] = {
		[DIMENSION_PACKAGE] = setting->scope.packages,
		[DIMENSION_POWER_DOMAIN] = setting->scope.power_domains,
		[DIMENSION_CPU] = subject_is_of_cpus(setting->subject) ? setting->cpus : NULL,
	};

	if (sets[dimension])
		return cpuset_next_run(sets[dimension], from, first, last);
	*first = *last = setting->index;
	return dimension == DIMENSION_INDEX && setting->index != INDEX_ALL && from <= *first;
}

/** From a number on places are a setting's, or are no more. */
struct edge {
	unsigned int number;
	const struct setting *setting;
};

struct edges {
	struct edge *edges;
	size_t count;
};

static int add_edge(struct edges *edges, unsigned int number, const struct setting *setting)
{
	if (ARRAY_GROW(edges->edges, edges->count))
		return -ENOMEM;
	edges->edges[edges->count++] = (struct edge){ number, setting };
	return 0;
}

/** Adds those of a setting; one that names no numbers begins at 0. */
static int add_edges(struct edges *edges, const struct setting *setting, enum dimension dimension)
{
	unsigned int first, last;
	bool more = next_run(setting, dimension, 0, &first, &last);
	int error = more ? 0 : add_edge(edges, 0, setting);

	for (; more && !error; more = next_run(setting, dimension, last + 1, &first, &last)) {
		error = add_edge(edges, first, setting);
		if (!error)
			error = add_edge(edges, last + 1, setting);
	}
	return error;
}

static int compare_settings(const void *one, const void *other)
{
	const struct setting *first = *(const struct setting *const *)one;
	const struct setting *second = *(const struct setting *const *)other;

	return first < second ? -1 : first > second;
}

static int compare_edges(const void *one, const void *other)
{
	const struct edge *first = one, *second = other;

	if (first->number != second->number)
		return first->number < second->number ? -1 : 1;
	return compare_settings(&first->setting, &second->setting);
}

/** Goes on behind an edge of a setting: it is here from now on, or no more. */
static void pass_edge(struct settings_here *here, const struct setting *setting)
{
	size_t before = array_lower_bound(&setting, here->settings, here->count,
					  sizeof(const struct setting *), compare_settings);
	const struct setting **at = &here->settings[before];
	size_t behind = here->count - before;

	if (behind > 0 && *at == setting) {
		memmove(at, at + 1, (behind - 1) * sizeof(const struct setting *));
		here->count--;
	} else {
		memmove(at + 1, at, behind * sizeof(const struct setting *));
		*at = setting;
		here->count++;
	}
}

/** Whether settings are in a table of those that were visited, to which they are added. */
static bool was_visited(uint64_t *visited, size_t size, const struct settings_here *here)
{
	uint64_t hash = hash_words(here->settings, here->count * sizeof(const struct setting *));
	size_t at = hash % size;

	while (visited[at] && visited[at] != hash)
		at = (at + 1) % size;
	if (visited[at])
		return true;
	visited[at] = hash;
	return false;
}

/**
 * Notes what contradicts at all places. Between two edges all places are alike, and places of the
 * same settings are visited once. Calls itself for each dimension.
 */
static int visit_places(struct search *search, const struct settings_here *all,
			enum dimension dimension)
{
	struct settings_here here = { 0 };
	struct edges edges = { 0 };
	uint64_t *visited;
	size_t size;
	int error = 0;

	if (all->count < 2 || !may_contradict(search->rule, all))
		return 0;
	if (dimension == DIMENSIONS && search->rule->one != search->rule->other)
		return note_pair(search, all);
	if (dimension == DIMENSIONS) {
		note_earlier(search, all);
		return 0;
	}
	for (size_t i = 0; i < all->count && !error; i++)
		error = add_edges(&edges, all->settings[i], dimension);
	size = 2 * edges.count + 1;
	here.settings = calloc(all->count, sizeof(const struct setting *));
	visited = calloc(size, sizeof(*visited));
	if (!here.settings || !visited)
		error = -ENOMEM;
	if (!error)
		qsort(edges.edges, edges.count, sizeof(*edges.edges), compare_edges);
	for (size_t i = 0; i < edges.count && !error; i++) {
		const struct edge *edge = &edges.edges[i];

		pass_edge(&here, edge->setting);
		if ((i + 1 == edges.count || edge[1].number != edge->number) &&
		    !was_visited(visited, size, &here))
			error = visit_places(search, &here, dimension + 1);
	}
	free(visited);
	free(here.settings);
	free(edges.edges);
	return error;
}

/** Finds what contradicts by a rule; of the same thing, only settings of a source are. */
static int find_by_rule(struct search *search, const struct rule *rule, size_t source)
{
	const struct configuration *configuration = search->configuration;
	struct settings_here all = { .settings = calloc(configuration->setting_count + 1,
							sizeof(const struct setting *)) };
	int error = all.settings ? 0 : -ENOMEM;

	for (size_t i = 0; i < configuration->setting_count && !error; i++) {
		const struct setting *setting = &configuration->settings[i];

		/* Where its CPUs only have names, a machine has to be known. */
		if (setting->named[LIST_CPUS] && isst_cpuset_count(setting->cpus) == 0)
			continue;
		if ((setting->subject == rule->one || setting->subject == rule->other) &&
		    (rule->one != rule->other || setting->origin.source == source))
			all.settings[all.count++] = setting;
	}
	search->rule = rule;
	if (!error)
		error = visit_places(search, &all, DIMENSION_INDEX);
	free(all.settings);
	return error;
}

/* ---- Reporting them ---- */

/** Reports each setting that another one before it contradicts, with the first one. */
static int report_earlier(struct configuration *configuration, const struct setting *const *earlier)
{
	int result = 0;

	for (size_t i = 0; i < configuration->setting_count; i++) {
		struct origin origin = configuration->settings[i].origin;
		int error;

		if (!earlier[i])
			continue;
		if (origin.line == 0 || origin.line == earlier[i]->origin.line)
			error = configuration_problem(configuration, origin, "contradicts itself");
		else
			error = configuration_problem(configuration, origin, "contradicts line %u",
						      earlier[i]->origin.line);
		if (error != -EINVAL)
			return error;
		result = error;
	}
	return result;
}

/** By the later line, the earlier one, and what is wrong. Of pairs that are equal the same is to be
 * reported. */
static int compare_pairs(const void *one, const void *other)
{
	enum { KEYS = 7 };
	const struct pair *const pairs[] = { one, other };
	uint64_t keys[2][KEYS];

	for (size_t i = 0; i < 2; i++) {
		const struct origin *later = &pairs[i]->later->origin;
		const struct origin *earlier = &pairs[i]->earlier->origin;
		const uint64_t all[KEYS] = { later->source,
					     later->line,
					     earlier->source,
					     earlier->line,
					     (uint64_t)(pairs[i]->rule - RULES),
					     pairs[i]->one->number,
					     pairs[i]->other->number };

		memcpy(keys[i], all, sizeof(all));
	}
	for (size_t i = 0; i < KEYS; i++)
		if (keys[0][i] != keys[1][i])
			return keys[0][i] < keys[1][i] ? -1 : 1;
	return 0;
}

static int report_pair(struct configuration *configuration, const struct pair *pair)
{
	const struct setting *later = pair->later;
	const struct origin *earlier = &pair->earlier->origin;
	bool same_text = earlier->source == later->origin.source;
	char min[KHZ_TEXT], max[KHZ_TEXT], *where;
	int error;

	/* Where the earlier setting is, unless it is where the later one is. */
	if (same_text && earlier->line == later->origin.line)
		error = asprintf(&where, "%s", "");
	else if (same_text)
		error = asprintf(&where, " (line %u)", earlier->line);
	else if (earlier->line > 0)
		error = asprintf(&where, " (%s:%u)", configuration->sources[earlier->source],
				 earlier->line);
	else
		error = asprintf(&where, " (%s)", configuration->sources[earlier->source]);
	if (error < 0)
		return -ENOMEM;
	if (pair->rule->wanted == WANTED_KHZ)
		error = configuration_problem(configuration, later->origin,
					      "the %s minimum of %s is above the maximum of %s%s",
					      pair->rule->name, khz_text(pair->one->number, min),
					      khz_text(pair->other->number, max), where);
	else if (later == pair->one)
		error = configuration_problem(configuration, later->origin,
					      "high-priority contradicts %s%s", pair->rule->name,
					      where);
	else
		error = configuration_problem(configuration, later->origin,
					      "%s contradicts high-priority%s", pair->rule->name,
					      where);
	free(where);
	return error;
}

/** Reports each pair of lines that is new with a source once. A state may have odd limits. */
static int report_pairs(struct configuration *configuration, const struct search *search,
			size_t source)
{
	bool state = configuration_is_state(configuration, source);
	int result = 0;

	if (search->count > 0)
		qsort(search->pairs, search->count, sizeof(*search->pairs), compare_pairs);
	for (size_t i = 0; i < search->count; i++) {
		const struct pair *pair = &search->pairs[i];
		int error;

		if ((state && pair->rule->wanted == WANTED_KHZ) ||
		    (pair->one->origin.source != source && pair->other->origin.source != source) ||
		    (i > 0 && compare_pairs(pair, pair - 1) == 0))
			continue;
		error = report_pair(configuration, pair);
		if (error != -EINVAL)
			return error;
		result = error;
	}
	return result;
}

int configuration_find_contradictions(struct configuration *configuration, size_t source)
{
	struct search search = { .configuration = configuration,
				 .earlier = calloc(configuration->setting_count + 1,
						   sizeof(const struct setting *)) };
	int error = search.earlier ? 0 : -ENOMEM, result = 0;

	for (enum subject subject = 0; subject < SUBJECTS && !error; subject++)
		error = find_by_rule(&search, &(struct rule){ .one = subject, .other = subject },
				     source);
	for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]) && !error; i++)
		error = find_by_rule(&search, &RULES[i], source);
	if (!error)
		result = error = report_earlier(configuration, search.earlier);
	if (!error || error == -EINVAL)
		error = report_pairs(configuration, &search, source);
	free(search.pairs);
	free(search.earlier);
	return error ? error : result;
}
