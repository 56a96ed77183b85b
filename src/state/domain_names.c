/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of several domains: packages that are named with the same numbers stand together. */
#include "state/domain_names.h"
#include "base/cpuset.h"

#include <errno.h>
#include <stdlib.h>

/** Packages, and the dies or power domains of each of them. */
struct group {
	struct isst_cpuset *packages, *numbers;
	bool split;
};

/** Takes the domains of the first package. Returns their number, or -ENOMEM. */
static int take_package(const struct isst_domain *const *domains, size_t count, struct group *group)
{
	size_t taken = 0;
	int error;

	*group = (struct group){ .packages = isst_cpuset_new(),
				 .numbers = isst_cpuset_new(),
				 .split = topology_domain(domains[0])->split };
	error = group->packages && group->numbers
			? isst_cpuset_add(group->packages, domains[0]->package, domains[0]->package)
			: -ENOMEM;
	while (!error && taken < count && domains[taken]->package == domains[0]->package) {
		const struct isst_domain *domain = domains[taken++];
		unsigned int number = group->split ? domain->number : domain->die;

		error = isst_cpuset_add(group->numbers, number, number);
	}
	return error ? error : (int)taken;
}

static void clear(struct group *group)
{
	isst_cpuset_free(group->packages);
	isst_cpuset_free(group->numbers);
	*group = (struct group){ 0 };
}

static int write_group(FILE *stream, const struct group *group)
{
	char *packages = isst_cpuset_to_list(group->packages);
	char *numbers = isst_cpuset_to_list(group->numbers);
	int error = packages && numbers ? 0 : -ENOMEM;

	if (!error)
		fprintf(stream, "package %s, %s %s", packages,
			group->split ? "power domain" : "die", numbers);
	free(packages);
	free(numbers);
	return error;
}

/** Joins two groups that are named with the same numbers. Returns whether they were; -ENOMEM. */
static int join(struct group *group, struct group *other)
{
	int error;

	if (group->split != other->split || !cpuset_is_equal(group->numbers, other->numbers))
		return 0;
	error = isst_cpuset_add_set(group->packages, other->packages);
	clear(other);
	return error ? error : 1;
}

int domain_names_write(FILE *stream, const struct isst_domain *const *domains, size_t count)
{
	struct group group = { 0 }, next = { 0 };
	int taken = count > 0 ? take_package(domains, count, &group) : 0;
	int error = taken < 0 ? taken : 0;

	for (size_t i = (size_t)taken; i < count && !error; i += (size_t)taken) {
		int joined;

		taken = take_package(domains + i, count - i, &next);
		joined = taken < 0 ? taken : join(&group, &next);
		if (joined < 0) {
			error = joined;
		} else if (!joined) {
			error = write_group(stream, &group);
			fputs("; ", stream);
			clear(&group);
			group = next;
			next = (struct group){ 0 };
		}
	}
	if (!error && count > 0)
		error = write_group(stream, &group);
	clear(&group);
	clear(&next);
	return error;
}
