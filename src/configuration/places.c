/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places by what they consist of: index, package, power domain, CPU. Each divides the settings by
 * which of its numbers they name, and only those that have a number in common are divided further.
 */
#include "configuration/places.h"
#include "base/array.h"
#include "base/cpuset.h"

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

/** Which settings name the numbers between two cuts: one bit for each. */
struct row {
	unsigned char *bits;
	size_t size;
};

struct division {
	const struct settings_here *all;
	enum dimension dimension;
	/* Ascending: between two of them, and behind the last one, all numbers are alike. */
	unsigned int *cuts;
	size_t cut_count;
	struct row *rows; /* for each cut: the numbers from there on */
	unsigned char *bits;
	const struct setting **part; /* the settings of one row */
};

static int add_cut(struct division *division, unsigned int number)
{
	if (ARRAY_GROW(division->cuts, division->cut_count))
		return -ENOMEM;
	division->cuts[division->cut_count++] = number;
	return 0;
}

static int compare_numbers(const void *one, const void *other)
{
	unsigned int first = *(const unsigned int *)one, second = *(const unsigned int *)other;

	return first < second ? -1 : first > second;
}

static int find_cuts(struct division *division)
{
	int error = add_cut(division, 0);
	size_t count = 0;

	for (size_t i = 0; i < division->all->count; i++) {
		const struct setting *setting = division->all->settings[i];
		struct stretch run = { 0, 0 };

		for (unsigned int from = 0;
		     !error && next_run(setting, division->dimension, from, &run);
		     from = run.last + 1) {
			error = add_cut(division, run.first);
			if (!error)
				error = add_cut(division, run.last + 1);
		}
	}
	if (error)
		return error;
	qsort(division->cuts, division->cut_count, sizeof(*division->cuts), compare_numbers);
	for (size_t i = 0; i < division->cut_count; i++)
		if (count == 0 || division->cuts[i] != division->cuts[count - 1])
			division->cuts[count++] = division->cuts[i];
	division->cut_count = count;
	return 0;
}

/** The position of a number that is a cut. */
static size_t find_cut(const struct division *division, unsigned int number)
{
	const unsigned int *cut = bsearch(&number, division->cuts, division->cut_count,
					  sizeof(number), compare_numbers);

	return (size_t)(cut - division->cuts);
}

/** Notes in the rows of its numbers that they are those of a setting that names some. */
static void mark_rows(struct division *division, size_t setting)
{
	struct stretch run = { 0, 0 };

	for (unsigned int from = 0;
	     next_run(division->all->settings[setting], division->dimension, from, &run);
	     from = run.last + 1)
		for (size_t i = find_cut(division, run.first);
		     i < division->cut_count && division->cuts[i] <= run.last; i++)
			division->rows[i].bits[setting / 8] |= (unsigned char)(1U << setting % 8);
}

static int compare_rows(const void *one, const void *other)
{
	const struct row *first = one, *second = other;

	return memcmp(first->bits, second->bits, first->size);
}

/** Makes the rows, those that are alike next to each other. */
static int make_rows(struct division *division)
{
	size_t size = division->all->count / 8 + 1;

	division->rows = calloc(division->cut_count + 1, sizeof(*division->rows));
	division->bits = calloc(division->cut_count + 1, size);
	division->part = calloc(division->all->count + 1, sizeof(*division->part));
	if (!division->rows || !division->bits || !division->part)
		return -ENOMEM;
	for (size_t i = 0; i < division->cut_count; i++)
		division->rows[i] = (struct row){ division->bits + i * size, size };
	for (size_t i = 0; i < division->all->count; i++)
		mark_rows(division, i);
	qsort(division->rows, division->cut_count, sizeof(*division->rows), compare_rows);
	return 0;
}

/** The settings that are for the numbers of a row. */
static struct settings_here settings_of_row(struct division *division, const struct row *row)
{
	struct settings_here here = { .settings = division->part };

	for (size_t i = 0; i < division->all->count; i++)
		if (names_all(division->all->settings[i], division->dimension) ||
		    row->bits[i / 8] & 1U << i % 8)
			division->part[here.count++] = division->all->settings[i];
	return here;
}

static void division_clear(struct division *division)
{
	free(division->cuts);
	free(division->rows);
	free(division->bits);
	free(division->part);
}

/* ---- Visiting ---- */

static int visit_from(const struct settings_here *all, enum dimension dimension,
		      const struct place_visitor *visitor)
{
	struct division division = { .all = all, .dimension = dimension };
	int error;

	if (!visitor->is_of_interest(visitor->data, all))
		return 0;
	if (dimension == DIMENSIONS)
		return visitor->visit(visitor->data, all);
	error = find_cuts(&division);
	if (!error)
		error = make_rows(&division);
	for (size_t i = 0; i < division.cut_count && !error; i++) {
		struct settings_here here;

		if (i > 0 && compare_rows(&division.rows[i - 1], &division.rows[i]) == 0)
			continue;
		here = settings_of_row(&division, &division.rows[i]);
		error = visit_from(&here, dimension + 1, visitor);
	}
	division_clear(&division);
	return error;
}

int places_visit(const struct settings_here *all, const struct place_visitor *visitor)
{
	return visit_from(all, DIMENSION_INDEX, visitor);
}
