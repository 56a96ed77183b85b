/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statements that cannot all hold, whatever the machine. Where a CPU is, only a machine knows: a
 * statement of packages and one of CPUs that names none are not held against each other.
 */
#include "configuration/contradictions.h"
#include "base/array.h"
#include "base/cpuset.h"
#include "base/khz_text.h"
#include "common/hash.h"
#include "configuration/configuration.h"
#include "configuration/duplicates.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Places ---- */

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

/** What the number of a place is of, in the order in which settings are divided. */
enum dimension {
	DIMENSION_INDEX,
	DIMENSION_PACKAGE,
	DIMENSION_POWER_DOMAIN,
	DIMENSION_CPU,
	DIMENSIONS
};

/** The numbers that a setting names; NULL: all, or an index. */
static const struct isst_cpuset *named(const struct setting *setting, enum dimension dimension)
{
	switch (dimension) {
	case DIMENSION_PACKAGE:
		return setting->scope.packages;
	case DIMENSION_POWER_DOMAIN:
		return setting->scope.power_domains;
	case DIMENSION_CPU:
		return subject_is_of_cpus(setting->subject) ? setting->cpus : NULL;
	default:
		return NULL;
	}
}

static bool names_all(const struct setting *setting, enum dimension dimension)
{
	return dimension == DIMENSION_INDEX ? setting->index == INDEX_ALL
					    : !named(setting, dimension);
}

/** A run of numbers. */
struct stretch {
	unsigned int first, last;
};

/** The first run of numbers, from @from on, that a setting names; none where it names all. */
static bool next_run(const struct setting *setting, enum dimension dimension, unsigned int from,
		     struct stretch *run)
{
	if (dimension != DIMENSION_INDEX)
		return cpuset_next_run(named(setting, dimension), from, &run->first, &run->last);
	*run = (struct stretch){ setting->index, setting->index };
	return setting->index != INDEX_ALL && from <= setting->index;
}

/* ---- Dividing settings by one dimension ---- */

/** Where the numbers that a setting names begin, or have ended. */
struct edge {
	unsigned int number;
	size_t setting;
};

/**
 * The numbers from the lowest one up. Between two edges all of them are alike: the same settings
 * name them, a row.
 */
struct division {
	const struct settings_here *all;
	enum dimension dimension;
	struct edge *edges; /* ascending */
	size_t edge_count;
	/* Of the present row: a bit for each setting. */
	uint64_t *bits;
	size_t size;		     /* in bytes */
	const struct setting **part; /* the same settings in their order */
};

/** A row as it is compared with others; two different ones with the same hash do not occur. */
struct row {
	uint64_t hash;
	size_t position; /* in the order of the numbers */
};

enum { WORD_BITS = 64 };

static int add_edge(struct division *division, unsigned int number, size_t setting)
{
	if (ARRAY_GROW(division->edges, division->edge_count))
		return -ENOMEM;
	division->edges[division->edge_count++] = (struct edge){ number, setting };
	return 0;
}

static int compare_edges(const void *one, const void *other)
{
	const struct edge *first = one, *second = other;

	return first->number < second->number ? -1 : first->number > second->number;
}

static int find_edges(struct division *division)
{
	int error = 0;

	for (size_t i = 0; i < division->all->count; i++) {
		const struct setting *setting = division->all->settings[i];
		struct stretch run = { 0, 0 };

		for (unsigned int from = 0;
		     !error && next_run(setting, division->dimension, from, &run);
		     from = run.last + 1) {
			error = add_edge(division, run.first, i);
			if (!error)
				error = add_edge(division, run.last + 1, i);
		}
	}
	if (!error && division->edge_count > 0)
		qsort(division->edges, division->edge_count, sizeof(*division->edges),
		      compare_edges);
	return error;
}

static int make_row(struct division *division)
{
	size_t words = division->all->count / WORD_BITS + 1;

	division->size = words * sizeof(*division->bits);
	division->bits = calloc(words, sizeof(*division->bits));
	division->part = calloc(division->all->count + 1, sizeof(*division->part));
	return division->bits && division->part ? 0 : -ENOMEM;
}

static void toggle(struct division *division, size_t setting)
{
	division->bits[setting / WORD_BITS] ^= UINT64_C(1) << setting % WORD_BITS;
}

/** Begins with the numbers that only settings for all numbers are for. Returns the first edge. */
static size_t first_row(struct division *division)
{
	memset(division->bits, 0, division->size);
	for (size_t i = 0; i < division->all->count; i++)
		if (names_all(division->all->settings[i], division->dimension))
			toggle(division, i);
	return 0;
}

/** Goes on to the numbers behind an edge. Returns the next one. */
static size_t next_row(struct division *division, size_t edge)
{
	unsigned int number = division->edges[edge].number;

	while (edge < division->edge_count && division->edges[edge].number == number)
		toggle(division, division->edges[edge++].setting);
	return edge;
}

/** The settings of the present row. */
static struct settings_here settings_of_row(struct division *division)
{
	struct settings_here here = { .settings = division->part };

	for (size_t word = 0; word < division->size / sizeof(*division->bits); word++)
		for (uint64_t bits = division->bits[word]; bits; bits &= bits - 1) {
			size_t setting = word * WORD_BITS + (size_t)__builtin_ctzll(bits);

			division->part[here.count++] = division->all->settings[setting];
		}
	return here;
}

static void division_clear(struct division *division)
{
	free(division->edges);
	free(division->bits);
	free(division->part);
}

/* ---- Rows ---- */

static int compare_hashes(const void *one, const void *other)
{
	const struct row *first = one, *second = other;

	if (first->hash != second->hash)
		return first->hash < second->hash ? -1 : 1;
	return first->position < second->position ? -1 : 1;
}

static int compare_positions(const void *one, const void *other)
{
	const struct row *first = one, *second = other;

	return first->position < second->position ? -1 : 1;
}

/** Finds the first one of all rows that are alike, by their number. Returns how many. */
static size_t find_rows(struct division *division, struct row *rows)
{
	size_t edge = first_row(division), all = 1, count = 0;

	rows[0] = (struct row){ hash_words(division->bits, division->size), 0 };
	while (edge < division->edge_count) {
		edge = next_row(division, edge);
		rows[all] = (struct row){ hash_words(division->bits, division->size), all };
		all++;
	}
	qsort(rows, all, sizeof(*rows), compare_hashes);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || rows[i].hash != rows[count - 1].hash)
			rows[count++] = rows[i];
	qsort(rows, count, sizeof(*rows), compare_positions);
	return count;
}

/* ---- Visiting ---- */

static int visit_from(const struct settings_here *all, enum dimension dimension,
		      const struct place_visitor *visitor);

static int visit_rows(struct division *division, const struct place_visitor *visitor)
{
	struct row *rows = calloc(division->edge_count + 1, sizeof(*rows));
	size_t count = rows ? find_rows(division, rows) : 0, edge = first_row(division);
	size_t position = 0;
	int error = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		struct settings_here here;

		for (; position < rows[i].position && edge < division->edge_count; position++)
			edge = next_row(division, edge);
		here = settings_of_row(division);
		error = visit_from(&here, division->dimension + 1, visitor);
	}
	free(rows);
	return error;
}

/** Calls itself for each dimension. */
static int visit_from(const struct settings_here *all, enum dimension dimension,
		      const struct place_visitor *visitor)
{
	struct division division = { .all = all, .dimension = dimension };
	int error;

	if (!visitor->is_of_interest(visitor->data, all))
		return 0;
	if (dimension == DIMENSIONS)
		return visitor->visit(visitor->data, all);
	error = find_edges(&division);
	if (!error)
		error = make_row(&division);
	if (!error)
		error = visit_rows(&division, visitor);
	division_clear(&division);
	return error;
}

/** Visits the places of some settings. Returns 0, what a visit returned, or -ENOMEM. */
static int places_visit(const struct settings_here *all, const struct place_visitor *visitor)
{
	return visit_from(all, DIMENSION_INDEX, visitor);
}

/* ---- Settings that exclude each other ---- */

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
enum { RULE_COUNT = sizeof(RULES) / sizeof(RULES[0]) };

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

/** The search for pairs that a rule, and then the next one, is about. */
struct search {
	const struct rule *rule;
	struct pair *pairs;
	size_t count;
};

/** Whether any setting excludes any other one: the highest minimum does if one does. */
static bool may_exclude(void *data, const struct settings_here *here)
{
	const struct search *search = data;
	const struct rule *rule = search->rule;
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

/** Whether CPUs that a setting names are in the scope of one that names none, on each machine. */
static bool holds_cpus(const struct setting *general, const struct setting *of_cpus)
{
	return contains(general->scope.packages, of_cpus->scope.packages) &&
	       contains(general->scope.power_domains, of_cpus->scope.power_domains);
}

/** Whether two settings for places in common are so on each machine. */
static bool meet(const struct setting *one, const struct setting *other)
{
	bool names_cpus = subject_is_of_cpus(one->subject) && one->cpus;
	bool other_does = subject_is_of_cpus(other->subject) && other->cpus;

	if (names_cpus == other_does)
		return true;
	return names_cpus ? holds_cpus(other, one) : holds_cpus(one, other);
}

static int note_pair(void *data, const struct settings_here *here)
{
	struct search *search = data;
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

/** Finds the pairs of the current rule. */
static int find_pairs(struct search *search, const struct configuration *configuration)
{
	const struct setting **those = calloc(configuration->setting_count + 1, sizeof(*those));
	struct settings_here all = { .settings = those };
	const struct place_visitor visitor = { may_exclude, note_pair, search };
	int error = those ? 0 : -ENOMEM;

	for (size_t i = 0; i < configuration->setting_count && !error; i++) {
		const struct setting *setting = &configuration->settings[i];

		if (setting->subject == search->rule->one ||
		    setting->subject == search->rule->other)
			those[all.count++] = setting;
	}
	if (!error)
		error = places_visit(&all, &visitor);
	free(those);
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

/** Where the earlier setting is, in brackets; empty where it is where the later one is. */
static char *earlier_text(const struct configuration *configuration, const struct origin *earlier,
			  const struct origin *later)
{
	char *text = NULL;
	int length;

	if (earlier->source == later->source && earlier->line == later->line)
		return strdup("");
	if (earlier->source == later->source)
		length = asprintf(&text, " (line %u)", earlier->line);
	else if (earlier->line > 0)
		length = asprintf(&text, " (%s:%u)", configuration->sources[earlier->source],
				  earlier->line);
	else
		length = asprintf(&text, " (%s)", configuration->sources[earlier->source]);
	return length < 0 ? NULL : text;
}

static int report_pair(struct configuration *configuration, const struct pair *pair)
{
	const struct setting *later = later_of(pair);
	char *where = earlier_text(configuration, &earlier_of(pair)->origin, &later->origin);
	char min[KHZ_TEXT], max[KHZ_TEXT];
	int error;

	if (!where)
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

/** Whether a pair is new with a source: others were reported before. A state may have limits that
 * no statement would be written for. */
static bool is_of_source(const struct pair *pair, size_t source, bool is_state)
{
	if (is_state && pair->rule->wanted == WANTED_KHZ)
		return false;
	return pair->one->origin.source == source || pair->other->origin.source == source;
}

/** Reports each pair of lines once, however many places and CLOS it was found at. */
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

		if (!is_of_source(pair, source, state) ||
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
	struct search search = { 0 };
	int error = 0;

	for (size_t i = 0; i < RULE_COUNT && !error; i++) {
		search.rule = &RULES[i];
		error = find_pairs(&search, configuration);
	}
	if (!error)
		error = report_pairs(configuration, &search, source);
	free(search.pairs);
	return error;
}

int configuration_find_contradictions(struct configuration *configuration, size_t source)
{
	int duplicates = configuration_find_duplicates(configuration, source);
	int error;

	if (duplicates && duplicates != -EINVAL)
		return duplicates;
	error = find_excluded(configuration, source);
	return error ? error : duplicates;
}
