/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings of the same thing are searched by the CPUs that they name, or else by the packages.
 * Those that name the same of the rest, packages and power domains, are a group, in which an
 * earlier setting is found without a look at each; and of other groups only those are looked at
 * that may have something in common with it.
 */
#include "configuration/duplicates.h"
#include "base/array.h"
#include "base/cpuset.h"
#include "configuration/configuration.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* ---- Ranges of places ---- */

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

static int compare_cuts(const void *one, const void *other)
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

	qsort(ranges->cuts, ranges->count, sizeof(*ranges->cuts), compare_cuts);
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

static void ranges_free(struct ranges *ranges)
{
	if (!ranges)
		return;
	free(ranges->cuts);
	free(ranges->nodes);
	free(ranges);
}

/** Begins without settings; @sets are the numbers that settings will be added for. A set of NULL
 * names every number. Returns NULL without memory. */
static struct ranges *ranges_new(const struct isst_cpuset *const *sets, size_t count)
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

/** Adds a setting for one of these sets. Of an array of settings, in its order. */
static void ranges_add(struct ranges *ranges, const struct isst_cpuset *set,
		       const struct setting *setting)
{
	struct visit visit = { .ranges = ranges, .setting = setting };

	visit_runs(&visit, set, add_below);
}

/** The first setting that was added for one of the numbers of any set, and wants something else
 * than @setting; NULL: none. */
static const struct setting *ranges_find_other(const struct ranges *ranges,
					       const struct isst_cpuset *set,
					       const struct setting *setting)
{
	struct visit visit = { .ranges = ranges, .setting = setting };

	visit_runs(&visit, set, find_below);
	return visit.found;
}

/* ---- Duplicates ---- */

/** A setting with what it is searched by, and what its group has in common; NULL: all. */
struct member {
	const struct setting *setting;
	const struct isst_cpuset *numbers;
	struct scope rest;
};

struct group {
	const struct member *member; /* any */
	struct ranges *ranges;
	size_t first, behind; /* the groups of settings of the same thing */
	/* The lowest number of what orders the groups, and the highest one of these groups so far.
	 */
	unsigned int lowest, reach;
};

struct group_span {
	unsigned int lowest, highest;
};

struct search {
	struct member *members; /* of the source, group by group */
	struct group *groups;
	const struct isst_cpuset **sets;
	size_t *group_of; /* by the index of the setting */
	size_t count, group_count;
};

static struct member member_of(const struct setting *setting)
{
	if (subject_is_of_cpus(setting->subject) && setting->cpus)
		return (struct member){ setting, setting->cpus, setting->scope };
	return (struct member){ setting,
				setting->scope.packages,
				{ NULL, setting->scope.power_domains } };
}

/* ---- Order ---- */

static int compare_numbers(size_t one, size_t other)
{
	return one < other ? -1 : one > other;
}

static int compare_sets(const struct isst_cpuset *one, const struct isst_cpuset *other)
{
	unsigned int first, last, other_first, other_last;
	int order = one && other ? 0 : !one - !other;

	for (unsigned int from = 0; order == 0 && one && other; from = last + 1) {
		bool more = cpuset_next_run(one, from, &first, &last);
		bool other_more = cpuset_next_run(other, from, &other_first, &other_last);

		if (!more || !other_more)
			return more - other_more;
		order = compare_numbers(first, other_first);
		if (order == 0)
			order = compare_numbers(last, other_last);
	}
	return order;
}

/** 0 if two settings are of the same thing, and equally precise. */
static int compare_things(const struct setting *one, const struct setting *other)
{
	int order = compare_numbers(one->subject, other->subject);

	if (order == 0)
		order = compare_numbers(one->index, other->index);
	return order ? order : compare_numbers(setting_precision(one), setting_precision(other));
}

/** 0 if two settings are of one group. */
static int compare_groups(const void *one, const void *other)
{
	const struct member *first = one, *second = other;
	int order = compare_things(first->setting, second->setting);

	if (order == 0)
		order = compare_sets(first->rest.packages, second->rest.packages);
	return order ? order : compare_sets(first->rest.power_domains, second->rest.power_domains);
}

/* ---- Groups ---- */

static int add_group(struct search *search, size_t first, size_t behind,
		     const struct configuration *configuration)
{
	struct group *group = &search->groups[search->group_count];

	for (size_t i = first; i < behind; i++) {
		search->sets[i] = search->members[i].numbers;
		search->group_of[search->members[i].setting - configuration->settings] =
			search->group_count;
	}
	*group = (struct group){ .member = &search->members[first],
				 .ranges = ranges_new(search->sets + first, behind - first) };
	search->group_count++;
	return group->ranges ? 0 : -ENOMEM;
}

/** The packages, or else the power domains, that a group has in common, from the lowest to the
 * highest number. */
static struct group_span span_of(const struct member *member)
{
	const struct isst_cpuset *set = member->rest.packages ? member->rest.packages
							      : member->rest.power_domains;
	struct group_span span = { 0, UINT_MAX };
	unsigned int first;

	if (!set || !isst_cpuset_next(set, 0, &span.lowest))
		return span;
	for (unsigned int from = 0; cpuset_next_run(set, from, &first, &span.highest);)
		from = span.highest + 1;
	return span;
}

static void find_reach(struct search *search, size_t first, size_t behind)
{
	unsigned int reach = 0;

	for (size_t i = first; i < behind; i++) {
		struct group *group = &search->groups[i];
		struct group_span span = span_of(group->member);

		reach = span.highest > reach ? span.highest : reach;
		group->first = first;
		group->behind = behind;
		group->lowest = span.lowest;
		group->reach = reach;
	}
}

/** Notes which groups are of the same thing: they stand next to each other. */
static void find_neighbours(struct search *search)
{
	size_t first = 0;

	for (size_t i = 1; i <= search->group_count; i++) {
		if (i < search->group_count &&
		    compare_things(search->groups[i].member->setting,
				   search->groups[first].member->setting) == 0)
			continue;
		find_reach(search, first, i);
		first = i;
	}
}

static int make_groups(struct search *search, const struct configuration *configuration,
		       size_t source)
{
	size_t size = configuration->setting_count + 1, first = 0;
	int error = 0;

	search->members = calloc(size, sizeof(*search->members));
	search->groups = calloc(size, sizeof(*search->groups));
	search->sets = calloc(size, sizeof(*search->sets));
	search->group_of = calloc(size, sizeof(*search->group_of));
	if (!search->members || !search->groups || !search->sets || !search->group_of)
		return -ENOMEM;
	for (size_t i = 0; i < configuration->setting_count; i++)
		if (configuration->settings[i].origin.source == source)
			search->members[search->count++] = member_of(&configuration->settings[i]);
	qsort(search->members, search->count, sizeof(*search->members), compare_groups);
	for (size_t i = 1; i <= search->count && !error; i++) {
		if (i < search->count &&
		    compare_groups(&search->members[first], &search->members[i]) == 0)
			continue;
		error = add_group(search, first, i, configuration);
		first = i;
	}
	find_neighbours(search);
	return error;
}

static void search_clear(struct search *search)
{
	for (size_t i = 0; i < search->group_count; i++)
		ranges_free(search->groups[i].ranges);
	free(search->members);
	free(search->groups);
	free(search->sets);
	free(search->group_of);
}

/* ---- Searching them ---- */

static int by_lowest(const void *key, const void *element)
{
	return *(const unsigned int *)key >= ((const struct group *)element)->lowest ? 1 : -1;
}

/** The number of groups of the same thing, from the first one on, that begin at a number or below.
 */
static size_t groups_up_to(const struct search *search, const struct group *group,
			   unsigned int number)
{
	return array_lower_bound(&number, &search->groups[group->first],
				 group->behind - group->first, sizeof(*group), by_lowest);
}

/** The first setting added that contradicts one; NULL: none. */
static const struct setting *find_earlier(const struct search *search, const struct group *group,
					  const struct member *member)
{
	struct group_span span = span_of(member);
	const struct group *first = &search->groups[group->first];
	const struct setting *earliest = NULL;

	for (size_t i = groups_up_to(search, group, span.highest); i > 0; i--) {
		const struct group *other = &first[i - 1];
		const struct setting *found = NULL;

		if (other->reach < span.lowest)
			break;
		if (scopes_overlap(&member->rest, &other->member->rest))
			found = ranges_find_other(other->ranges, member->numbers, member->setting);
		if (found && (!earliest || found < earliest))
			earliest = found;
	}
	return earliest;
}

static int report(struct configuration *configuration, const struct setting *setting,
		  const struct setting *earlier)
{
	if (setting->origin.line == 0 || setting->origin.line == earlier->origin.line)
		return configuration_problem(configuration, setting->origin, "contradicts itself");
	return configuration_problem(configuration, setting->origin, "contradicts line %u",
				     earlier->origin.line);
}

int configuration_find_duplicates(struct configuration *configuration, size_t source)
{
	struct search search = { 0 };
	int error = make_groups(&search, configuration, source), result = 0;

	for (size_t i = 0; i < configuration->setting_count && (!error || error == -EINVAL); i++) {
		const struct setting *setting = &configuration->settings[i], *earlier;
		struct member member = member_of(setting);

		if (setting->origin.source != source)
			continue;
		earlier = find_earlier(&search, &search.groups[search.group_of[i]], &member);
		error = earlier ? report(configuration, setting, earlier) : 0;
		result = error ? error : result;
		ranges_add(search.groups[search.group_of[i]].ranges, member.numbers, setting);
	}
	search_clear(&search);
	return error && error != -EINVAL ? error : result;
}
