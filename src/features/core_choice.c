/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores get high priority, where the user names how many. */
#include "features/core_choice.h"

#include <stdlib.h>

static int order(unsigned int one, unsigned int other)
{
	return (one > other) - (one < other);
}

static int by_preference(const void *one, const void *other)
{
	const struct core_candidate *a = one, *b = other;

	if (a->package != b->package)
		return order(a->package, b->package);
	if (a->domain != b->domain)
		return order(a->domain, b->domain);
	if (a->rank != b->rank)
		return order(b->rank, a->rank);
	return order(a->core, b->core);
}

static bool is_same_package(const struct core_candidate *one, const struct core_candidate *other)
{
	return one->package == other->package;
}

static bool is_same_domain(const struct core_candidate *one, const struct core_candidate *other)
{
	return is_same_package(one, other) && one->domain == other->domain;
}

/** Cores that follow each other and belong together. */
struct group {
	struct core_candidate *cores;
	size_t count, chosen;
};

/** The group that begins at @first, of which @count cores are left. */
static struct group find_group(struct core_candidate *first, size_t count,
			       bool (*belongs)(const struct core_candidate *,
					       const struct core_candidate *))
{
	struct group group = { .cores = first };

	while (group.count < count && belongs(first, &first[group.count])) {
		group.chosen += first[group.count].chosen;
		group.count++;
	}
	return group;
}

/** The group with the fewest chosen cores that has one left; none: an empty group. */
static struct group find_least(struct group among, bool (*belongs)(const struct core_candidate *,
								   const struct core_candidate *))
{
	struct group least = { 0 }, group;

	for (size_t i = 0; i < among.count; i += group.count) {
		group = find_group(&among.cores[i], among.count - i, belongs);
		if (group.chosen < group.count && (least.count == 0 || group.chosen < least.chosen))
			least = group;
	}
	return least;
}

/** Chooses one core after another, in the order in which they stand, of the package and then the
 * domain with the fewest chosen ones. Returns how many are missing. */
static size_t choose_among(struct group among, size_t wanted)
{
	for (; wanted > 0; wanted--) {
		struct group domain = find_least(find_least(among, is_same_package),
						 is_same_domain);

		if (domain.count == 0)
			break;
		domain.cores[domain.chosen].chosen = true;
	}
	return wanted;
}

size_t core_choice_make(struct core_candidate *cores, size_t count, size_t wanted, bool per_package)
{
	struct group package;
	size_t missing = 0;

	for (size_t i = 0; i < count; i++)
		cores[i].chosen = false;
	if (count > 0)
		qsort(cores, count, sizeof(*cores), by_preference);
	if (!per_package)
		return choose_among((struct group){ cores, count, 0 }, wanted);
	for (size_t i = 0; i < count; i += package.count) {
		package = find_group(&cores[i], count - i, is_same_package);
		missing += choose_among(package, wanted);
	}
	return missing;
}
