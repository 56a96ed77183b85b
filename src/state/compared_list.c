/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of differences: CPUs and domains that differ alike stand together. */
#include "base/array.h"
#include "common/domain_list.h"
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "state/compared.h"
#include "state/values.h"
#include "topology/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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

int list_machine(const struct isst_context *context, struct domain_list *machine)
{
	const struct isst_domain *domain;
	int error = 0;

	for (size_t i = 0; (domain = context_domain(context, i)) != NULL && !error; i++)
		error = domain_list_add_name(machine, domain->name);
	return error;
}

/** `packages 0-1, power domain 0`, of all that differ alike. */
static int name_domains(const struct wanted *wanted, struct compared *compared, size_t count,
			FILE *stream)
{
	struct domain_list list = { .entries = NULL }, machine = { .entries = NULL };
	char *names = NULL;
	int error = list_machine(wanted->context, &machine);

	for (size_t i = 0; i < count && !error; i++) {
		if (i > 0 && !is_alike(wanted, compared, &compared[i]))
			continue;
		error = domain_list_add_name(&list, compared[i].wanted->domain->name);
		compared[i].listed = true;
	}
	if (!error)
		names = domain_list_to_text(&list, &machine);
	error = names ? 0 : -ENOMEM;
	if (names)
		fputs(names, stream);
	free(names);
	domain_list_clear(&list);
	domain_list_clear(&machine);
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
