/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules of the kernel, by their directories in /sys/module. */
#include "sysfs/modules.h"
#include "base/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool module_is_loaded(struct kernel_files *files, const char *name)
{
	const char *error = files->messages->error;
	char *path, *state = NULL;
	bool loaded;

	if (asprintf(&path, "/sys/module/%s/initstate", name) < 0)
		return false;
	/* While its devices are bound it is "coming". */
	loaded = kernel_files_text(files, path, &state) == 0 && strcmp(state, "live") == 0;
	files->messages->error = error;
	free(state);
	free(path);
	return loaded;
}
