/* SPDX-License-Identifier: BSD-3-Clause */
/* Names numbers and domains; a plural ends with an s, but CLOS stays as it is. */
#include "numbered.h"
#include "isst.h"
#include "memory_stream.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Packages, and the dies or power domains of each. */
struct domain_list_entry {
	struct isst_cpuset *packages, *numbers;
	const char *word;
};

struct name {
	unsigned int package, number;
	const char *word;
};

static bool take_text(const char **at, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(*at, text, length) != 0)
		return false;
	*at += length;
	return true;
}

static bool take_number(const char **at, unsigned int *number)
{
	const char *begin = *at;
	uint64_t value = 0;

	for (; **at >= '0' && **at <= '9' && value <= UINT_MAX; ++*at)
		value = 10 * value + (uint64_t)(**at - '0');
	*number = (unsigned int)value;
	return *at > begin && value <= UINT_MAX;
}

/** Returns the length of the name at the start of a text, or 0. */
static size_t read_name(const char *text, struct name *name)
{
	static const char *const words[] = { "die", "power domain" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = text;

		name->word = words[i];
		if (take_text(&at, "package ") && take_number(&at, &name->package) &&
		    take_text(&at, ", ") && take_text(&at, words[i]) && take_text(&at, " ") &&
		    take_number(&at, &name->number))
			return (size_t)(at - text);
	}
	return 0;
}

size_t domain_list_name_length(const char *text)
{
	struct name name;

	return read_name(text, &name);
}

static bool is_equal(const struct isst_cpuset *set, const struct isst_cpuset *other)
{
	unsigned int number;

	isst_cpuset_for_each (number, set)
		if (!isst_cpuset_has(other, number))
			return false;
	return isst_cpuset_count(set) == isst_cpuset_count(other);
}

/** The entry of a package, created if missing; NULL without memory. */
static struct domain_list_entry *entry_of(struct domain_list *list, unsigned int package,
					  const char *word)
{
	struct domain_list_entry *grown, *entry;

	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->entries[i].word, word) == 0 &&
		    isst_cpuset_has(list->entries[i].packages, package))
			return &list->entries[i];
	grown = realloc(list->entries, (list->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	list->entries = grown;
	entry = &grown[list->count++];
	*entry = (struct domain_list_entry){ isst_cpuset_new(), isst_cpuset_new(), word };
	return entry->packages && entry->numbers &&
			       isst_cpuset_add(entry->packages, package, package) == 0
		       ? entry
		       : NULL;
}

int domain_list_add_name(struct domain_list *list, const char *text)
{
	struct domain_list_entry *entry = NULL;
	struct name name;

	if (read_name(text, &name) > 0)
		entry = entry_of(list, name.package, name.word);
	return entry ? isst_cpuset_add(entry->numbers, name.number, name.number) : -ENOMEM;
}

int domain_list_join(struct domain_list *list, const struct domain_list *other)
{
	int error = 0;

	for (size_t i = 0; i < other->count; i++) {
		const struct domain_list_entry *from = &other->entries[i];
		unsigned int package;

		isst_cpuset_for_each (package, from->packages) {
			struct domain_list_entry *entry =
				error ? NULL : entry_of(list, package, from->word);

			error = entry ? isst_cpuset_add_set(entry->numbers, from->numbers)
				      : -ENOMEM;
		}
	}
	return error;
}

/** Whether an entry has all domains that the machine has in its package. */
static bool is_whole(const struct domain_list *machine, const struct domain_list_entry *entry)
{
	unsigned int package = 0;

	isst_cpuset_next(entry->packages, 0, &package);
	for (size_t i = 0; i < machine->count; i++)
		if (isst_cpuset_has(machine->entries[i].packages, package))
			return is_equal(machine->entries[i].numbers, entry->numbers);
	return false;
}

/** Whether whole packages differ in numbers: dies may be counted over the machine. */
static bool has_mixed_packages(const struct domain_list *list, const struct domain_list *machine)
{
	const struct domain_list_entry *whole = NULL;

	for (size_t i = 0; i < list->count; i++) {
		const struct domain_list_entry *entry = &list->entries[i];

		if (!is_whole(machine, entry))
			continue;
		if (whole && !is_equal(whole->numbers, entry->numbers))
			return true;
		whole = entry;
	}
	return false;
}

/** A list to be written: `packages 0-1, die 0` for each entry, or `packages 0-7`. */
struct names {
	const struct domain_list *list, *machine;
	bool mixed; /* whole packages are named without numbers */
};

static bool stands_alone(const struct names *names, const struct domain_list_entry *entry)
{
	return names->mixed && is_whole(names->machine, entry);
}

static bool stand_together(const struct names *names, const struct domain_list_entry *one,
			   const struct domain_list_entry *other)
{
	if (stands_alone(names, one) || stands_alone(names, other))
		return stands_alone(names, one) && stands_alone(names, other);
	return strcmp(one->word, other->word) == 0 && is_equal(one->numbers, other->numbers);
}

/** The packages to be joined with that at @first; NULL: an earlier one includes it. Returns 0 or
 * -ENOMEM. */
static int join(const struct names *names, size_t first, struct isst_cpuset **packages)
{
	const struct domain_list_entry *entries = names->list->entries;
	int error;

	*packages = NULL;
	for (size_t i = 0; i < first; i++)
		if (stand_together(names, &entries[i], &entries[first]))
			return 0;
	*packages = isst_cpuset_new();
	error = *packages ? 0 : -ENOMEM;
	for (size_t i = first; i < names->list->count && !error; i++)
		if (stand_together(names, &entries[i], &entries[first]))
			error = isst_cpuset_add_set(*packages, entries[i].packages);
	return error;
}

static int write_entry(const struct names *names, const struct domain_list_entry *entry,
		       const struct isst_cpuset *packages, FILE *stream)
{
	bool alone = stands_alone(names, entry);
	char *package_names = name_numbers("package", packages);
	char *numbers = alone ? strdup("") : name_numbers(entry->word, entry->numbers);
	int error = package_names && numbers ? 0 : -ENOMEM;

	if (!error)
		fprintf(stream, "%s%s%s%s", entry > names->list->entries ? "; " : "", package_names,
			alone ? "" : ", ", numbers);
	free(package_names);
	free(numbers);
	return error;
}

char *domain_list_to_text(const struct domain_list *list, const struct domain_list *machine)
{
	const struct names names = { list, machine, has_mixed_packages(list, machine) };
	struct memory_stream memory;
	int error = memory_stream_open(&memory);

	if (error)
		return NULL;
	for (size_t i = 0; i < list->count && !error; i++) {
		struct isst_cpuset *packages;

		error = join(&names, i, &packages);
		if (!error && packages)
			error = write_entry(&names, &list->entries[i], packages, memory.stream);
		isst_cpuset_free(packages);
	}
	if (!error)
		return memory_stream_text(&memory);
	memory_stream_drop(&memory);
	return NULL;
}

void domain_list_clear(struct domain_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		isst_cpuset_free(list->entries[i].packages);
		isst_cpuset_free(list->entries[i].numbers);
	}
	free(list->entries);
	*list = (struct domain_list){ .entries = NULL };
}

char *name_numbers(const char *word, const struct isst_cpuset *numbers)
{
	const char *last = word + strlen(word);
	const char *plural = isst_cpuset_count(numbers) == 1 || (last > word && last[-1] == 'S')
				     ? ""
				     : "s";
	char *list = isst_cpuset_to_list(numbers), *name = NULL;

	if (list && asprintf(&name, "%s%s %s", word, plural, list) < 0)
		name = NULL;
	free(list);
	return name;
}
