/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statements that cannot all hold, whatever the machine. Where a CPU is, only a machine knows: a
 * statement of packages and one of CPUs that names none are not held against each other.
 */
#include "base/array.h"
#include "base/cpuset.h"
#include "base/khz_text.h"
#include "common/hash.h"
#include "configuration/configuration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The same thing, with another value ---- */

/** Whether two settings of the same thing want the same. */
static bool setting_wants_same(const struct setting *one, const struct setting *other)
{
	if (one->wanted != other->wanted || one->number != other->number)
		return false;
	if (one->wanted == WANTED_OFFLINE)
		return cpuset_is_equal(one->cpus, other->cpus);
	return one->wanted != WANTED_CORES ||
	       (one->choice.kind == other->choice.kind &&
		one->choice.number == other->choice.number &&
		cpuset_is_equal(one->choice.within, other->choice.within) &&
		cpuset_is_equal(one->choice.avoid, other->choice.avoid));
}

/** Settings by what they are of, as chains: those for one package in one of it. */
struct chains {
	uint64_t *things; /* of each setting: equal for the same thing, equally precise; never 0 */
	size_t *heads, *nexts; /* numbers of settings plus one; 0 ends a chain */
	size_t count;
};

/** The chain of settings of a thing for one package; @package NULL: for more than one. */
static size_t *chain_of(const struct chains *chains, uint64_t thing, const unsigned int *package)
{
	uint64_t hash = hash_number(HASH_START, thing, sizeof(thing));

	return &chains->heads[hash_number(hash, package ? *package + UINT64_C(1) : 0, 8) %
			      chains->count];
}

static bool contradicts(const struct setting *one, const struct setting *other)
{
	return !setting_wants_same(one, other) && scopes_overlap(&one->scope, &other->scope) &&
	       (!subject_is_of_cpus(other->subject) || !other->cpus ||
		cpuset_overlaps(one->cpus, other->cpus));
}

/** The first setting of a chain that contradicts one, if it is before @earliest. */
static size_t first_of_chain(const struct chains *chains, const struct setting *settings,
			     size_t *chain, size_t number, size_t earliest)
{
	for (size_t i = *chain; i > 0; i = chains->nexts[i - 1])
		if (i - 1 < earliest && chains->things[i - 1] == chains->things[number] &&
		    contradicts(&settings[i - 1], &settings[number]))
			earliest = i - 1;
	return earliest;
}

/** The number of the first setting that contradicts one before which it stands; else its own.
 * Enters it for those behind it. */
static size_t find_contradicted(struct chains *chains, const struct setting *settings,
				size_t number)
{
	const struct setting *setting = &settings[number];
	const struct isst_cpuset *packages = setting->scope.packages;
	uint64_t thing = (uint64_t)setting->index << 32 | (uint64_t)(setting->subject + 1) << 8 |
			 setting_precision(setting);
	unsigned int package;
	bool single = packages && isst_cpuset_count(packages) == 1 &&
		      isst_cpuset_next(packages, 0, &package);
	size_t *own = chain_of(chains, thing, single ? &package : NULL), earliest = number;

	chains->things[number] = thing;
	for (size_t i = 0; i < number && !single && earliest == number; i++)
		if (chains->things[i] == thing && contradicts(&settings[i], setting))
			earliest = i;
	if (single) {
		earliest = first_of_chain(chains, settings, own, number, earliest);
		earliest = first_of_chain(chains, settings, chain_of(chains, thing, NULL), number,
					  earliest);
	}
	chains->nexts[number] = *own;
	*own = number + 1;
	return earliest;
}

/** Adds a problem for each setting of a source that an earlier one of it contradicts: the first. */
static int find_duplicates(struct configuration *configuration, size_t source)
{
	const struct setting *settings = configuration->settings;
	size_t count = configuration->setting_count + 1;
	struct chains chains = { .things = calloc(count, sizeof(*chains.things)),
				 .heads = calloc(count, sizeof(*chains.heads)),
				 .nexts = calloc(count, sizeof(*chains.nexts)),
				 .count = count };
	int error = chains.things && chains.heads && chains.nexts ? 0 : -ENOMEM, result = 0;

	for (size_t i = 0; i + 1 < count && (!error || error == -EINVAL); i++) {
		struct origin origin = settings[i].origin;
		size_t earlier;

		if (origin.source != source)
			continue;
		earlier = find_contradicted(&chains, settings, i);
		if (earlier == i)
			continue;
		if (origin.line == 0 || origin.line == settings[earlier].origin.line)
			error = configuration_problem(configuration, origin, "contradicts itself");
		else
			error = configuration_problem(configuration, origin, "contradicts line %u",
						      settings[earlier].origin.line);
		result = error;
	}
	free(chains.things);
	free(chains.heads);
	free(chains.nexts);
	return error && error != -EINVAL ? error : result;
}

/* ---- Settings that exclude each other ---- */

/** Settings that are for the same places, in the order of the configuration. */
struct settings_here {
	const struct setting **settings;
	size_t count;
};

/** Two subjects of which one setting each may exclude the other. */
struct rule {
	enum subject one, other;
	enum wanted_kind wanted; /* of @one; WANTED_KHZ: limits, a minimum and a maximum */
	uint64_t number;	 /* the number of @other that is excluded; UINT64_MAX: any */
	const char *name;
};

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

/** Two settings that exclude each other at some place. */
struct pair {
	const struct rule *rule;
	const struct setting *one, *other;
};

/** The search for pairs of a rule, and then the next one. */
struct search {
	const struct rule *rule;
	struct pair *pairs;
	size_t count;
};

/** Whether any setting excludes any other one: the highest minimum does if one does. */
static bool may_exclude(const struct rule *rule, const struct settings_here *here)
{
	const struct setting *one = NULL;
	bool any = false;

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

/** The setting of a subject that counts. */
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

/** Whether two settings for places in common are so on each machine: where one names CPUs, these
 * have to be in the scope of the other. */
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

/** Whether a setting is for a number: it names that, or none. */
static bool covers(const struct setting *setting, enum dimension dimension, unsigned int number)
{
	unsigned int first, last;

	if (!next_run(setting, dimension, 0, &first, &last))
		return true;
	return next_run(setting, dimension, number, &first, &last) && first <= number;
}

static int add_cut(unsigned int **cuts, size_t *count, unsigned int number)
{
	if (ARRAY_GROW(*cuts, *count))
		return -ENOMEM;
	(*cuts)[(*count)++] = number;
	return 0;
}

static int compare_cuts(const void *one, const void *other)
{
	unsigned int first = *(const unsigned int *)one, second = *(const unsigned int *)other;

	return first < second ? -1 : first > second;
}

/**
 * Notes the pairs of all places. Between the numbers at which runs begin or have ended all places
 * are alike; behind the last one are those that nothing names. Calls itself for each dimension.
 */
static int visit_places(struct search *search, const struct settings_here *all,
			enum dimension dimension)
{
	struct settings_here here = { 0 };
	unsigned int *cuts = NULL, first = 0, last = 0;
	size_t count = 0;
	int error;

	if (!may_exclude(search->rule, all))
		return 0;
	if (dimension == DIMENSIONS)
		return note_pair(search, all);
	error = add_cut(&cuts, &count, 0);
	for (size_t i = 0; i < all->count; i++)
		for (unsigned int from = 0;
		     !error && next_run(all->settings[i], dimension, from, &first, &last);
		     from = last + 1) {
			error = add_cut(&cuts, &count, first);
			if (!error)
				error = add_cut(&cuts, &count, last + 1);
		}
	here.settings = calloc(all->count + 1, sizeof(const struct setting *));
	if (!here.settings)
		error = -ENOMEM;
	if (!error)
		qsort(cuts, count, sizeof(*cuts), compare_cuts);
	for (size_t i = 0; i < count && !error; i++) {
		if (i > 0 && cuts[i] == cuts[i - 1])
			continue;
		here.count = 0;
		for (size_t j = 0; j < all->count; j++)
			if (covers(all->settings[j], dimension, cuts[i]))
				here.settings[here.count++] = all->settings[j];
		error = visit_places(search, &here, dimension + 1);
	}
	free(here.settings);
	free(cuts);
	return error;
}

/* ---- Reporting them ---- */

static const struct setting *later_of(const struct pair *pair)
{
	return pair->one > pair->other ? pair->one : pair->other;
}

static const struct setting *earlier_of(const struct pair *pair)
{
	return pair->one > pair->other ? pair->other : pair->one;
}

/** What two pairs are ordered by: the later line, the earlier one, and what is wrong. */
enum { KEYS = 7 };

static void keys_of(const struct pair *pair, uint64_t keys[KEYS])
{
	const struct origin *later = &later_of(pair)->origin, *earlier = &earlier_of(pair)->origin;
	const uint64_t all[KEYS] = { later->source,
				     later->line,
				     earlier->source,
				     earlier->line,
				     (uint64_t)(pair->rule - RULES),
				     pair->one->number,
				     pair->other->number };

	memcpy(keys, all, sizeof(all));
}

/** Of pairs that are equal the same is to be reported. */
static int compare_pairs(const void *one, const void *other)
{
	uint64_t keys[KEYS], other_keys[KEYS];

	keys_of(one, keys);
	keys_of(other, other_keys);
	for (size_t i = 0; i < KEYS; i++)
		if (keys[i] != other_keys[i])
			return keys[i] < other_keys[i] ? -1 : 1;
	return 0;
}

static int report_pair(struct configuration *configuration, const struct pair *pair)
{
	const struct setting *later = later_of(pair);
	const struct origin *earlier = &earlier_of(pair)->origin;
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

/** Reports each pair of lines once, however many places and CLOS it was found at, if it is new with
 * a source. A state may have limits that no statement would be written for. */
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

static int find_excluded(struct configuration *configuration, size_t source)
{
	const struct setting **those = calloc(configuration->setting_count + 1, sizeof(*those));
	struct search search = { 0 };
	int error = those ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]) && !error; i++) {
		struct settings_here all = { .settings = those };

		search.rule = &RULES[i];
		for (size_t j = 0; j < configuration->setting_count; j++) {
			const struct setting *setting = &configuration->settings[j];

			if (setting->subject == RULES[i].one || setting->subject == RULES[i].other)
				those[all.count++] = setting;
		}
		error = visit_places(&search, &all, DIMENSION_INDEX);
	}
	if (!error)
		error = report_pairs(configuration, &search, source);
	free(search.pairs);
	free(those);
	return error;
}

int configuration_find_contradictions(struct configuration *configuration, size_t source)
{
	int duplicates = find_duplicates(configuration, source), error;

	if (duplicates && duplicates != -EINVAL)
		return duplicates;
	error = find_excluded(configuration, source);
	return error ? error : duplicates;
}
