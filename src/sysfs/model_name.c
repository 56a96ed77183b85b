/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the processor's name from /proc/cpuinfo. */
#include "sysfs/model_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int model_name_read(struct kernel_files *files, char **name)
{
	static const char KEY[] = "model name";
	char *text = NULL, *rest, *line;
	int error = kernel_files_text(files, "/proc/cpuinfo", &text);

	*name = NULL;
	if (error)
		return error == -ENOENT ? 0 : error;
	rest = text;
	do
		line = strsep(&rest, "\n");
	while (line && strncmp(line, KEY, sizeof(KEY) - 1) != 0);
	line = line ? strchr(line, ':') : NULL;
	if (line) {
		*name = strdup(line + 1 + strspn(line + 1, " \t"));
		error = *name ? 0 : -ENOMEM;
	}
	free(text);
	return error;
}
