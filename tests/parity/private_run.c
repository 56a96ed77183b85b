/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded before the emulator's library: files below /var/run, where the reference tool keeps its
 * topology, are those below PARITY_RUN instead, so that emulated machines do not get each other's
 * and the real one keeps its own.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char run[] = "/var/run/";

static const char *private_path(const char *path, char *buffer, size_t size)
{
	const char *directory = getenv("PARITY_RUN");

	if (!directory || !path || strncmp(path, run, sizeof(run) - 1) != 0)
		return path;
	snprintf(buffer, size, "%s/%s", directory, path + sizeof(run) - 1);
	return buffer;
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*next)(const char *, const char *) = (FILE * (*)(const char *, const char *))
		dlsym(RTLD_NEXT, "fopen");
	char buffer[4096];

	return next(private_path(path, buffer, sizeof(buffer)), mode);
}

int unlink(const char *path)
{
	int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
	char buffer[4096];

	return next(private_path(path, buffer, sizeof(buffer)));
}
