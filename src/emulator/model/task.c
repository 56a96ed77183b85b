/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of the system, as the kernel describes them in /proc/TASK/status. */
#include "emulator/model/task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int read_task_field(pid_t task, const char *name, char value[TASK_FIELD])
{
	char path[40], *line = NULL;
	size_t length = strlen(name), space = 0;
	int result = -ENOENT;
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/status", task);
	stream = fopen(path, "re");
	if (!stream)
		return -errno;
	while (result && getline(&line, &space, stream) > 0) {
		if (strncmp(line, name, length) != 0)
			continue;
		snprintf(value, TASK_FIELD, "%s", line + length);
		result = 0;
	}
	free(line);
	fclose(stream);
	return result;
}

uint64_t task_mask(pid_t task, const char *name)
{
	char text[TASK_FIELD];

	return read_task_field(task, name, text) ? 0 : strtoull(text, NULL, 16);
}
