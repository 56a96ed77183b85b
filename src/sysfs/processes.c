/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of the machine, by /proc. What they do is not known here. */
#include "sysfs/processes.h"
#include "isst.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/** Reads the name of a process; *@name is NULL where it is gone, or may not be seen. */
static int read_name(struct kernel_files *files, const char *number, char **name)
{
	char *path;
	int error;

	*name = NULL;
	if (asprintf(&path, "/proc/%s/comm", number) < 0)
		return -ENOMEM;
	error = kernel_files_text(files, path, name);
	free(path);
	return error == -ENOMEM ? error : 0;
}

struct visit {
	struct kernel_files *files;
	int (*found)(void *data, unsigned int number, const char *name);
	void *data;
};

static int visit_process(void *data, const char *entry)
{
	const struct visit *visit = data;
	uint64_t number;
	char *name;
	int error;

	if (isst_parse_number(entry, 10, INT_MAX, &number))
		return 0;
	error = read_name(visit->files, entry, &name);
	if (name)
		error = visit->found(visit->data, (unsigned int)number, name);
	free(name);
	return error;
}

int processes_each(struct kernel_files *files,
		   int (*found)(void *data, unsigned int number, const char *name), void *data)
{
	struct visit visit = { files, found, data };

	return kernel_files_each(files, "/proc", "", visit_process, &visit);
}
