/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads lists of CPUs as users write them. Must not know options or machines. */
#include "cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n\v\f\r"

/** Whether a number is to come next, behind what was read of a list. */
static bool number_begins(const char *list, const char *end)
{
	return end == list || strchr(",-.", end[-1]) != NULL;
}

/**
 * Copies a list without what scripts that put lists together leave in it: commas before, behind and
 * between CPUs, and blanks before a number.
 */
static int tidy_list(const char *text, char *list)
{
	char *end = list;

	while (*text) {
		size_t blanks = number_begins(list, end) ? strspn(text, BLANKS) : 0;

		text += blanks;
		if (blanks && !isdigit((unsigned char)*text))
			return -EINVAL;
		if (*text != ',' || (end > list && end[-1] != ','))
			*end++ = *text;
		text++;
	}
	if (end > list && end[-1] == ',')
		end--;
	*end = '\0';
	return end > list ? 0 : -EINVAL;
}

/** A name within a list. */
struct name {
	char *begin; /* at the @; NULL: there is none */
	size_t length;
};

/** The first name from @text on: names stand between commas. */
static struct name find_name(char *text)
{
	while (*text) {
		size_t length;

		text += strspn(text, "," BLANKS);
		length = strcspn(text, ",");
		if (*text == '@')
			return (struct name){ text, length };
		text += length;
	}
	return (struct name){ 0 };
}

/** Puts commas in the place of a name, and of blanks before it. */
static void blot_out(const char *text, struct name name)
{
	memset(name.begin, ',', name.length);
	while (name.begin > text && isspace((unsigned char)name.begin[-1]))
		*--name.begin = ',';
}

/** Takes a name into a list. */
static int add_name(struct cpu_list *list, struct name name)
{
	char *copy = strndup(name.begin + 1, name.length - 1), **larger;

	if (!copy)
		return -ENOMEM;
	larger = isst_cpus_is_name(copy)
			 ? reallocarray(list->names, list->name_count + 1, sizeof(*larger))
			 : NULL;
	if (!larger) {
		int error = isst_cpus_is_name(copy) ? -ENOMEM : -EINVAL;

		free(copy);
		return error;
	}
	list->names = larger;
	larger[list->name_count++] = copy;
	return 0;
}

/** Takes the names out of a text: commas in their places do no harm. */
static int take_names(struct cpu_list *list, char *text)
{
	struct name name;
	int error = 0;

	while (!error && (name = find_name(text)).begin) {
		error = add_name(list, name);
		blot_out(text, name);
	}
	return error;
}

/** Adds what is left without names. */
static int add_numbers(struct cpu_list *list, const char *text)
{
	char *tidy = strdup(text);
	int error = tidy ? tidy_list(text, tidy) : -ENOMEM;

	if (!error)
		error = isst_cpuset_add_list(list->numbers, tidy, NULL);
	free(tidy);
	return error;
}

int cpu_list_read(struct cpu_list *list, const char *text)
{
	size_t names = list->name_count;
	char *rest = strdup(text);
	int error;

	if (!list->numbers)
		list->numbers = isst_cpuset_new();
	error = rest && list->numbers ? take_names(list, rest) : -ENOMEM;
	/* Names alone are a list as well. */
	if (!error && (list->name_count == names || rest[strspn(rest, "," BLANKS)]))
		error = add_numbers(list, rest);
	free(rest);
	return error;
}

int cpu_list_find_wrong_name(const char *text, char **name)
{
	char *rest = strdup(text);
	struct name found;
	int error = rest ? 0 : -ENOMEM;

	*name = NULL;
	while (!error && !*name && (found = find_name(rest)).begin) {
		char *copy = strndup(found.begin, found.length);

		if (!copy)
			error = -ENOMEM;
		else if (isst_cpus_is_name(copy + 1))
			free(copy);
		else
			*name = copy;
		blot_out(rest, found);
	}
	free(rest);
	return error;
}

void cpu_list_clear(struct cpu_list *list)
{
	for (size_t i = 0; i < list->name_count; i++)
		free(list->names[i]);
	free(list->names);
	isst_cpuset_free(list->numbers);
	*list = (struct cpu_list){ 0 };
}

bool cpus_are_same(const struct isst_cpuset *one, const struct isst_cpuset *other)
{
	unsigned int number;

	if (isst_cpuset_count(one) != isst_cpuset_count(other))
		return false;
	isst_cpuset_for_each (number, one)
		if (!isst_cpuset_has(other, number))
			return false;
	return true;
}
