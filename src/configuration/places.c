/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places by what they consist of: index, package, power domain, CPU. Each divides the settings by
 * which of its numbers they name, and only those that have a number in common are divided further.
 * A sweep over the numbers, so that memory for one row is enough.
 */
#include "configuration/places.h"
#include "base/array.h"
#include "base/cpuset.h"
#include "common/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int places_visit(const struct settings_here *all, const struct place_visitor *visitor)
{
	return visit_from(all, DIMENSION_INDEX, visitor);
}
