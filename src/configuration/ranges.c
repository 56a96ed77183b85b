/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A segment tree. Its leaves are the stretches of numbers between which nothing begins or ends. For
 * each node it is enough to know the first setting, and the first one that wants something else
 * than that: one of the two wants something else than any third one.
 */
#include "configuration/ranges.h"
#include "base/array.h"
#include "base/cpuset.h"

#include <errno.h>
#include <stdlib.h>

bool setting_wants_same(const struct setting *one, const struct setting *other)
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

struct pair {
	const struct setting *first, *other; /* NULL: there is none */
};

struct node {
	struct pair everywhere; /* of settings for all numbers of the node */
	struct pair somewhere;	/* of settings for any of them */
};

struct ranges {
	unsigned int *cuts; /* ascending, from 0: where the leaves begin */
	size_t count;
	struct node *nodes; /* the children of n are 2n and 2n + 1; the root is 1 */
};

/* ---- Leaves ---- */

static int add_cut(struct ranges *ranges, unsigned int number)
{
	if (ARRAY_GROW(ranges->cuts, ranges->count))
		return -ENOMEM;
	ranges->cuts[ranges->count++] = number;
	return 0;
}

static int compare_numbers(const void *one, const void *other)
{
	unsigned int first = *(const unsigned int *)one, second = *(const unsigned int *)other;

	return first < second ? -1 : first > second;
}

static int add_cuts_of(struct ranges *ranges, const struct isst_cpuset *set)
{
	unsigned int first, last = 0;
	int error = 0;

	if (!set)
		return 0;
	for (unsigned int from = 0; !error && cpuset_next_run(set, from, &first, &last);
	     from = last + 1) {
		error = add_cut(ranges, first);
		if (!error)
			error = add_cut(ranges, last + 1);
	}
	return error;
}

static void drop_equal_cuts(struct ranges *ranges)
{
	size_t count = 0;

	qsort(ranges->cuts, ranges->count, sizeof(*ranges->cuts), compare_numbers);
	for (size_t i = 0; i < ranges->count; i++)
		if (count == 0 || ranges->cuts[i] != ranges->cuts[count - 1])
			ranges->cuts[count++] = ranges->cuts[i];
	ranges->count = count;
}

static int by_cut(const void *key, const void *element)
{
	return *(const unsigned int *)key >= *(const unsigned int *)element ? 1 : -1;
}

/** The leaf of a number; the first one begins at 0. */
static size_t find_leaf(const struct ranges *ranges, unsigned int number)
{
	return array_lower_bound(&number, ranges->cuts, ranges->count, sizeof(*ranges->cuts),
				 by_cut) -
	       1;
}

struct ranges *ranges_new(const struct isst_cpuset *const *sets, size_t count)
{
	struct ranges *ranges = calloc(1, sizeof(*ranges));
	int error = ranges ? add_cut(ranges, 0) : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		error = add_cuts_of(ranges, sets[i]);
	if (!error) {
		drop_equal_cuts(ranges);
		ranges->nodes = calloc(4 * ranges->count + 1, sizeof(*ranges->nodes));
	}
	if (ranges && ranges->nodes)
		return ranges;
	ranges_free(ranges);
	return NULL;
}

void ranges_free(struct ranges *ranges)
{
	if (!ranges)
		return;
	free(ranges->cuts);
	free(ranges->nodes);
	free(ranges);
}

/* ---- Nodes ---- */

static void pair_add(struct pair *pair, const struct setting *setting)
{
	if (!pair->first)
		pair->first = setting;
	else if (!pair->other && !setting_wants_same(pair->first, setting))
		pair->other = setting;
}

/** Notes in @found what a pair has that wants something else, if it stands before that. */
static void pair_find_other(const struct pair *pair, const struct setting *setting,
			    const struct setting **found)
{
	const struct setting *other = pair->first;

	if (other && setting_wants_same(other, setting))
		other = pair->other;
	if (other && (!*found || other < *found))
		*found = other;
}

/** A visit of the nodes that leaves are parts of. */
struct visit {
	const struct ranges *ranges;
	size_t first, last; /* the leaves */
	const struct setting *setting;
	const struct setting *found;
};

static void add_below(struct visit *visit, size_t node, size_t low, size_t high)
{
	struct node *here = &visit->ranges->nodes[node];
	size_t middle = low + (high - low) / 2;

	pair_add(&here->somewhere, visit->setting);
	if (visit->first <= low && high <= visit->last) {
		pair_add(&here->everywhere, visit->setting);
		return;
	}
	if (visit->first <= middle)
		add_below(visit, 2 * node, low, middle);
	if (visit->last > middle)
		add_below(visit, 2 * node + 1, middle + 1, high);
}

static void find_below(struct visit *visit, size_t node, size_t low, size_t high)
{
	const struct node *here = &visit->ranges->nodes[node];
	size_t middle = low + (high - low) / 2;

	if (visit->first <= low && high <= visit->last) {
		pair_find_other(&here->somewhere, visit->setting, &visit->found);
		return;
	}
	pair_find_other(&here->everywhere, visit->setting, &visit->found);
	if (visit->first <= middle)
		find_below(visit, 2 * node, low, middle);
	if (visit->last > middle)
		find_below(visit, 2 * node + 1, middle + 1, high);
}

/* ---- Settings ---- */

/** Visits the leaves of each run of numbers. */
static void visit_runs(struct visit *visit, const struct isst_cpuset *set,
		       void (*below)(struct visit *visit, size_t node, size_t low, size_t high))
{
	unsigned int first = 0, last = 0;
	size_t end = visit->ranges->count - 1;

	if (!set) {
		visit->last = end;
		below(visit, 1, 0, end);
		return;
	}
	for (unsigned int from = 0; cpuset_next_run(set, from, &first, &last); from = last + 1) {
		visit->first = find_leaf(visit->ranges, first);
		visit->last = find_leaf(visit->ranges, last);
		below(visit, 1, 0, end);
	}
}

void ranges_add(struct ranges *ranges, const struct isst_cpuset *set, const struct setting *setting)
{
	struct visit visit = { .ranges = ranges, .setting = setting };

	visit_runs(&visit, set, add_below);
}

const struct setting *ranges_find_other(const struct ranges *ranges, const struct isst_cpuset *set,
					const struct setting *setting)
{
	struct visit visit = { .ranges = ranges, .setting = setting };

	visit_runs(&visit, set, find_below);
	return visit.found;
}
