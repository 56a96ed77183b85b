/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads names of domains, and joins first those of a package, then packages. */
#include "domain_list.h"
#include "isst.h"
#include "memory_stream.h"
#include "numbered.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Packages, and the dies or power domains of each of them. */
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

/** Returns the length of the name that a text begins with, or 0. */
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

/** The entry of a package, which is created where there is none; NULL without memory. */
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

int domain_list_add(struct domain_list *list, unsigned int package, const char *word,
		    unsigned int number)
{
	struct domain_list_entry *entry = entry_of(list, package, word);

	return entry ? isst_cpuset_add(entry->numbers, number, number) : -ENOMEM;
}

int domain_list_add_name(struct domain_list *list, const char *text)
{
	struct name name;

	return read_name(text, &name) > 0
		       ? domain_list_add(list, name.package, name.word, name.number)
		       : -ENOMEM;
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

/** The packages that stand together with the one at @first; NULL: it stands with an earlier one.
 * Returns 0 or -ENOMEM. */
static int join(const struct domain_list *list, size_t first, struct isst_cpuset **packages)
{
	const struct domain_list_entry *entry = &list->entries[first];
	int error;

	*packages = NULL;
	for (size_t i = 0; i < first; i++)
		if (strcmp(list->entries[i].word, entry->word) == 0 &&
		    is_equal(list->entries[i].numbers, entry->numbers))
			return 0;
	*packages = isst_cpuset_new();
	error = *packages ? 0 : -ENOMEM;
	for (size_t i = first; i < list->count && !error; i++)
		if (strcmp(list->entries[i].word, entry->word) == 0 &&
		    is_equal(list->entries[i].numbers, entry->numbers))
			error = isst_cpuset_add_set(*packages, list->entries[i].packages);
	return error;
}

static int write_entry(const struct domain_list_entry *entry, const struct isst_cpuset *packages,
		       const char *separator, FILE *stream)
{
	char *package_names = name_numbers("package", packages);
	char *names = name_numbers(entry->word, entry->numbers);
	int error = package_names && names ? 0 : -ENOMEM;

	if (!error)
		fprintf(stream, "%s%s, %s", separator, package_names, names);
	free(package_names);
	free(names);
	return error;
}

char *domain_list_to_text(const struct domain_list *list)
{
	struct memory_stream memory;
	int error = memory_stream_open(&memory);

	if (error)
		return NULL;
	for (size_t i = 0; i < list->count && !error; i++) {
		struct isst_cpuset *packages;

		error = join(list, i, &packages);
		if (!error && packages)
			error = write_entry(&list->entries[i], packages, i > 0 ? "; " : "",
					    memory.stream);
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
