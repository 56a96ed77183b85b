/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_CPU_LIST_H
#define ISST_CLI_CPU_LIST_H

#include "isst.h"

/** CPUs by number, and by names such as @package:1 of a machine not known yet. */
struct cpu_list {
	struct isst_cpuset *numbers; /* NULL: the option was not given */
	char **names;		     /* without the @ */
	size_t name_count;
};

/** Adds the CPUs of a text. Returns 0, -EINVAL, -ERANGE or -ENOMEM. */
int cpu_list_read(struct cpu_list *list, const char *text);

/** Finds the first wrong name in a text, to be freed; NULL: none. Returns 0 or -ENOMEM. */
int cpu_list_find_wrong_name(const char *text, char **name);
void cpu_list_clear(struct cpu_list *list);

#endif
