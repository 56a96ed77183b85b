/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what the names in a list of CPUs stand for on the machine. */
#include "named_cpus.h"

#include <errno.h>

static int add_named(struct run *run, const char *name, struct isst_cpuset *cpus)
{
	struct isst_cpuset *found;
	int error = isst_cpus_by_name(run->context, name, 0, &found);

	if (error) {
		run_error(run, status_of_error(error), "@%s: %s", name, isst_error(run->context));
		return error;
	}
	error = isst_cpuset_add_set(cpus, found);
	isst_cpuset_free(found);
	if (error)
		run_no_memory(run);
	return error;
}

bool named_cpus_find(struct run *run, const struct cpu_list *list, struct isst_cpuset **cpus)
{
	int error = 0;

	*cpus = isst_cpuset_new();
	if (!*cpus || isst_cpuset_add_set(*cpus, list->numbers)) {
		run_no_memory(run);
		error = -ENOMEM;
	}
	for (size_t i = 0; i < list->name_count && !error; i++)
		error = add_named(run, list->names[i], *cpus);
	if (!error)
		return true;
	isst_cpuset_free(*cpus);
	*cpus = NULL;
	return false;
}
