/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of the system, as the kernel describes them in /proc/TASK/status. */
#include "emulator/model/task.h"

#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int read_task_field(pid_t task, const char *name, char value[TASK_FIELD])
{
	char path[40], *text;
	size_t length = strlen(name), size;
	int result;

	snprintf(path, sizeof(path), "/proc/%d/status", task);
	result = text_read(AT_FDCWD, path, &text, &size);
	if (result)
		return result;
	result = -ENOENT;
	for (const char *line = text; *line && result;
	     line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, name, length) == 0) {
			snprintf(value, TASK_FIELD, "%.*s", (int)strcspn(line, "\n") - (int)length,
				 line + length);
			result = 0;
		}
	free(text);
	return result;
}

uint64_t task_mask(pid_t task, const char *name)
{
	char text[TASK_FIELD];

	return read_task_field(task, name, text) ? 0 : strtoull(text, NULL, 16);
}
