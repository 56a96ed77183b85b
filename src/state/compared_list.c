/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of differences: CPUs and domains that differ alike stand together. */
#include "base/array.h"
#include "base/cpuset.h"
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "state/compared.h"
#include "state/values.h"
#include "topology/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Names of domains ---- */

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
	char *packages = name_numbers("package", group->packages);
	char *numbers = name_numbers(group->split ? "power domain" : "die", group->numbers);
	int error = packages && numbers ? 0 : -ENOMEM;

	if (!error)
		fprintf(stream, "%s, %s", packages, numbers);
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

/**
 * Writes `packages 0-1, power domains 0-2`; packages that are not named with the same numbers are
 * separated by semicolons.
 *
 * @domains: in the order of the context
 * Returns 0 or -ENOMEM.
 */
static int domain_names_write(FILE *stream, const struct isst_domain *const *domains, size_t count)
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

/* ---- The list ---- */

/** Whether settings are of one source, or are one. */
static bool is_of_source(const struct setting *one, const struct setting *other)
{
	return one == other || (one->origin.source == other->origin.source &&
				one->origin.line > 0 && other->origin.line > 0);
}

/** Whether two differences are listed as one: of CPUs or domains with the same present value, for
 * which the same is wanted, be it by several lines of a file. */
static bool is_alike(const struct wanted *wanted, const struct compared *one,
		     const struct compared *other)
{
	enum item_kind kind = one->wanted->item.kind;

	/* Of others the index is where they are. */
	if ((kind == ITEM_CLOS || kind == ITEM_UNCORE_MAX || kind == ITEM_UNCORE_MIN) &&
	    one->wanted->item.index != other->wanted->item.index)
		return false;
	if (wanted->separate && one->wanted->domain != other->wanted->domain)
		return false;
	return other->differs && !other->listed && other->at_most == one->at_most &&
	       other->wanted->subject == one->wanted->subject &&
	       is_of_source(one->wanted->setting, other->wanted->setting) &&
	       other->listed_bits == one->listed_bits && other->present == one->present;
}

/** `CPUs 0-3,64-67`, of all that differ alike. */
static int name_cpus(const struct wanted *wanted, struct compared *compared, size_t count,
		     FILE *stream, struct isst_cpuset **set)
{
	struct isst_cpuset *cpus = *set = isst_cpuset_new();
	char *list = NULL;
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		if (i > 0 && !is_alike(wanted, compared, &compared[i]))
			continue;
		error = wanted_item_cpus(wanted->context, compared[i].wanted, cpus);
		compared[i].listed = true;
	}
	if (!error)
		list = name_numbers("CPU", cpus);
	if (list)
		fputs(list, stream);
	free(list);
	return list ? 0 : -ENOMEM;
}

/** `packages 0-1, power domain 0`, of all that differ alike. */
static int name_domains(const struct wanted *wanted, struct compared *compared, size_t count,
			FILE *stream)
{
	const struct isst_domain **domains = calloc(count, sizeof(*domains));
	size_t named = 0;
	int error;

	if (!domains)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && !is_alike(wanted, compared, &compared[i]))
			continue;
		domains[named++] = compared[i].wanted->domain;
		compared[i].listed = true;
	}
	error = domain_names_write(stream, domains, named);
	free(domains);
	return error;
}

static int make_target(const struct wanted *wanted, struct compared *compared, size_t count,
		       struct difference *difference)
{
	const struct wanted_item *item = compared->wanted;
	struct memory_stream stream;
	int error = memory_stream_open(&stream);

	if (error)
		return error;
	if (subject_is_of_cpus(item->subject))
		error = name_cpus(wanted, compared, count, stream.stream, &difference->cpus);
	else
		error = name_domains(wanted, compared, count, stream.stream);
	fputs(": ", stream.stream);
	difference->subject = fflush(stream.stream) == 0 ? stream.size : 0;
	subject_write(stream.stream, item->subject, item->item.index);
	difference->target = memory_stream_text(&stream);
	return error || !difference->target ? -ENOMEM : 0;
}

static int make_wanted(const struct compared *compared, char **text)
{
	char *value;
	int error = wanted_value_text(compared->wanted, compared->listed_bits, &value);

	*text = NULL;
	if (error)
		return error;
	if (asprintf(text, "%s%s", compared->at_most ? "at most " : "", value) < 0)
		*text = NULL;
	free(value);
	return *text ? 0 : -ENOMEM;
}

void difference_clear(struct difference *difference)
{
	free(difference->target);
	free(difference->wanted);
	free(difference->present);
	isst_cpuset_free(difference->lines);
	isst_cpuset_free(difference->cpus);
	*difference = (struct difference){ 0 };
}

/** The lines that state what all that differ alike are not, and their domain. */
static int collect_lines(const struct wanted *wanted, const struct compared *compared, size_t count,
			 struct difference *difference)
{
	int error;

	difference->origin = compared->wanted->setting->origin;
	difference->domain = compared->wanted->domain;
	difference->lines = isst_cpuset_new();
	error = difference->lines ? 0 : -ENOMEM;
	for (size_t i = 0; i < count && !error; i++) {
		unsigned int line = compared[i].wanted->setting->origin.line;

		if (i > 0 && !is_alike(wanted, compared, &compared[i]))
			continue;
		if (compared[i].wanted->domain != difference->domain)
			difference->domain = NULL;
		if (line > 0)
			error = isst_cpuset_add(difference->lines, line, line);
	}
	return error;
}

/** @count: of those from this one on. */
static int list_difference(const struct wanted *wanted, struct compared *compared, size_t count,
			   struct differences *differences)
{
	const struct wanted_item *item = compared->wanted;
	struct difference difference = { 0 };
	int error = collect_lines(wanted, compared, count, &difference);

	if (!error)
		error = make_target(wanted, compared, count, &difference);
	if (!error)
		error = make_wanted(compared, &difference.wanted);
	if (!error)
		error = wanted_value_text(item, compared->present, &difference.present);
	if (error) {
		difference_clear(&difference);
		return error;
	}
	return differences_add(differences, &difference);
}

int differences_add(struct differences *differences, struct difference *difference)
{
	if (!difference->target || !difference->wanted || !difference->present ||
	    ARRAY_GROW(differences->items, differences->count)) {
		difference_clear(difference);
		return -ENOMEM;
	}
	differences->items[differences->count++] = *difference;
	*difference = (struct difference){ 0 };
	return 0;
}

int compared_list(const struct wanted *wanted, struct compared *compared, size_t count,
		  struct differences *differences)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		if (compared[i].differs && !compared[i].listed)
			error = list_difference(wanted, &compared[i], count - i, differences);
	return error;
}

void differences_clear(struct differences *differences)
{
	for (size_t i = 0; i < differences->count; i++)
		difference_clear(&differences->items[i]);
	free(differences->items);
	*differences = (struct differences){ 0 };
}
