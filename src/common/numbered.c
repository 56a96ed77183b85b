/* SPDX-License-Identifier: BSD-3-Clause */
/* Names numbers; the plural of each word ends with an s, and CLOS stays as it is. */
#include "numbered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
