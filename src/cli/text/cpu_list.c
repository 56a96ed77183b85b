/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n\v\f\r"

/** Copies a list without stray commas, and blanks before numbers. */
static int tidy_list(const char *text, char *list)
{
	char *end = list;

	while (*text) {
		/* A number is to come next. */
		bool begins = end == list || strchr(",-.", end[-1]);
		size_t blanks = begins ? strspn(text, BLANKS) : 0;

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

/** Replaces names in a text by commas. @wrong: the first one that is none, to be freed. Returns 0,
 * -EINVAL or -ENOMEM. */
static int take_names(struct cpu_list *list, char *text, char **wrong)
{
	for (char *at = text; *at;) {
		char *name, **larger;
		size_t length;

		at += strspn(at, "," BLANKS);
		length = strcspn(at, ",");
		if (*at != '@') {
			at += length;
			continue;
		}
		name = strndup(at + 1, length - 1);
		if (name && !isst_cpus_is_name(name)) {
			free(name);
			*wrong = strndup(at, length);
			return *wrong ? -EINVAL : -ENOMEM;
		}
		larger = name ? reallocarray(list->names, list->name_count + 1, sizeof(*larger))
			      : NULL;
		if (!larger) {
			free(name);
			return -ENOMEM;
		}
		list->names = larger;
		larger[list->name_count++] = name;
		for (char *blank = at; blank > text && isspace((unsigned char)blank[-1]);)
			*--blank = ',';
		memset(at, ',', length);
	}
	return 0;
}

int cpu_list_read(struct cpu_list *list, const char *text)
{
	char *rest = strdup(text), *tidy = strdup(text), *wrong = NULL;
	size_t names = list->name_count;
	int error;

	if (!list->numbers)
		list->numbers = isst_cpuset_new();
	error = rest && tidy && list->numbers ? take_names(list, rest, &wrong) : -ENOMEM;
	/* Names alone are a list as well. */
	if (!error && (list->name_count == names || rest[strspn(rest, "," BLANKS)])) {
		error = tidy_list(rest, tidy);
		if (!error)
			error = isst_cpuset_add_list(list->numbers, tidy, NULL);
	}
	free(rest);
	free(tidy);
	free(wrong);
	return error;
}

int cpu_list_find_wrong_name(const char *text, char **name)
{
	struct cpu_list list = { 0 };
	char *rest = strdup(text);
	int error;

	*name = NULL;
	error = rest ? take_names(&list, rest, name) : -ENOMEM;
	free(rest);
	cpu_list_clear(&list);
	return error == -ENOMEM ? error : 0;
}

void cpu_list_clear(struct cpu_list *list)
{
	for (size_t i = 0; i < list->name_count; i++)
		free(list->names[i]);
	free(list->names);
	isst_cpuset_free(list->numbers);
	*list = (struct cpu_list){ 0 };
}
