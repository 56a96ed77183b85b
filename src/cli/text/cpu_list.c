/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n\v\f\r"

/** Adds numbers of a text, in which blanks may stand before numbers: `0- 3`. */
static int add_numbers(struct cpu_list *list, char *text)
{
	char *end = text;

	for (const char *from = text; *from; from++) {
		size_t blanks = end > text && strchr("-.", end[-1]) ? strspn(from, BLANKS) : 0;

		from += blanks;
		if (blanks && !isdigit((unsigned char)*from))
			return -EINVAL;
		*end++ = *from;
	}
	*end = '\0';
	if (end == text)
		return -EINVAL;
	return isst_cpuset_add_list(list->numbers, text, NULL);
}

static int add_name(struct cpu_list *list, const char *name)
{
	char **larger;

	if (!isst_cpus_is_name(name))
		return -EINVAL;
	larger = reallocarray(list->names, list->name_count + 1, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	list->names = larger;
	larger[list->name_count] = strdup(name);
	return larger[list->name_count++] ? 0 : -ENOMEM;
}

int cpu_list_read(struct cpu_list *list, const char *text)
{
	char *copy = strdup(text), *rest = copy, *part;
	bool empty = true;
	int error = copy ? 0 : -ENOMEM;

	if (!list->numbers)
		list->numbers = isst_cpuset_new();
	if (!list->numbers)
		error = -ENOMEM;
	/* Stray commas are left out. */
	while (!error && (part = strsep(&rest, ",")) != NULL) {
		if (!*part)
			continue;
		empty = false;
		part += strspn(part, BLANKS);
		error = *part == '@' ? add_name(list, part + 1) : add_numbers(list, part);
	}
	free(copy);
	return error || !empty ? error : -EINVAL;
}

int cpu_list_find_wrong_name(const char *text, char **name)
{
	char *copy = strdup(text), *rest = copy, *part;
	int error = copy ? 0 : -ENOMEM;

	*name = NULL;
	while (!error && !*name && (part = strsep(&rest, ",")) != NULL) {
		part += strspn(part, BLANKS);
		if (*part != '@' || isst_cpus_is_name(part + 1))
			continue;
		*name = strdup(part);
		error = *name ? 0 : -ENOMEM;
	}
	free(copy);
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
