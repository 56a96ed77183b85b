/* SPDX-License-Identifier: BSD-3-Clause */
/* The preload object by which dynamically linked programs see the CPUID of the machine. */
#include "emulator/launch/launch.h"

#include "emulator/front/launch_files.h"
#include "emulator/launch/cpuid.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ISST_LIBRARY_DIRECTORY
#define ISST_LIBRARY_DIRECTORY "/usr/local/lib"
#endif

/** It stands beside the program in a build tree, else where it was installed. */
static bool find_library(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof(CPUID_LIBRARY));

	while (length > 0 && path[length - 1] != '/')
		length--;
	if (length > 0) {
		memcpy(path + length, CPUID_LIBRARY, sizeof(CPUID_LIBRARY));
		if (access(path, R_OK) == 0)
			return true;
	}
	return snprintf(path, PATH_MAX, "%s/%s", ISST_LIBRARY_DIRECTORY, CPUID_LIBRARY) <
		       PATH_MAX &&
	       access(path, R_OK) == 0;
}

int cpuid_preload(const struct launch *launch, char **environment)
{
	const struct cpu_identity *identity = &launch->machine->identity;
	const char *others = getenv("LD_PRELOAD");
	char library[PATH_MAX], processor[64], *all;
	int result;

	/* Spaces and colons separate the names of libraries. */
	if (!find_library(library) || strpbrk(library, " :"))
		return 0;
	snprintf(processor, sizeof(processor), "%d:%u:%u:%u:%d", identity->intel, identity->family,
		 identity->model, identity->stepping, launch_has_hwp(launch->machine));
	if (asprintf(&all, "%s%s%s", others ? others : "", others && *others ? ":" : "", library) <
	    0)
		return -ENOMEM;
	result = environment_put(environment, "LD_PRELOAD", all);
	if (!result)
		result = environment_put(environment, CPUID_VARIABLE, processor);
	free(all);
	return result;
}
