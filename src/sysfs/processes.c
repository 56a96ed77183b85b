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

int processes_each(struct kernel_files *files,
		   int (*found)(void *data, unsigned int number, const char *name), void *data)
{
	char **names, *name;
	size_t count;
	int error = kernel_files_list(files, "/proc", &names, &count);

	if (error)
		return error;
	for (size_t i = 0; i < count; i++) {
		uint64_t number;

		if (!error && isst_parse_number(names[i], 10, INT_MAX, &number) == 0) {
			error = read_name(files, names[i], &name);
			if (name)
				error = found(data, (unsigned int)number, name);
			free(name);
		}
		free(names[i]);
	}
	free(names);
	return error;
}
