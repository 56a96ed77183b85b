/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files of the runtime directory. */
#include "base/runtime_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *join(const char *directory, const char *name, const char *suffix)
{
	char *path;

	return asprintf(&path, "%s/%s%s", directory, name, suffix) < 0 ? NULL : path;
}

int runtime_file_read(const char *directory, const char *name, char **text)
{
	char *path = join(directory, name, "");
	FILE *file = path ? fopen(path, "re") : NULL;
	int error = !path ? -ENOMEM : file ? 0 : -errno;
	size_t space = 0;

	free(path);
	*text = NULL;
	if (error)
		return error;
	/* The files are text: up to the first NUL is all of it. An empty file has not even that. */
	if (getdelim(text, &space, '\0', file) < 0) {
		error = ferror(file) ? -EIO : 0;
		if (!error && *text)
			**text = '\0';
	}
	fclose(file);
	if (error || !*text) {
		free(*text);
		*text = NULL;
		return error ? error : -ENOMEM;
	}
	return 0;
}

static int make_directory(const char *directory)
{
	return mkdir(directory, 0755) && errno != EEXIST ? -errno : 0;
}

/** Fills a new file beside the old one. */
static int write_new(char *path, const char *text)
{
	size_t size = strlen(text);
	int descriptor = mkostemp(path, O_CLOEXEC);
	int error = 0;

	if (descriptor < 0)
		return -errno;
	if (write(descriptor, text, size) != (ssize_t)size || fchmod(descriptor, 0644))
		error = -EIO;
	if (close(descriptor) && !error)
		error = -errno;
	if (error)
		unlink(path);
	return error;
}

int runtime_file_replace(const char *directory, const char *name, const char *text)
{
	char *path = join(directory, name, ""), *new_path = join(directory, name, ".XXXXXX");
	int error = path && new_path ? make_directory(directory) : -ENOMEM;

	if (!error)
		error = write_new(new_path, text);
	if (!error && rename(new_path, path)) {
		error = -errno;
		unlink(new_path);
	}
	free(path);
	free(new_path);
	return error;
}

int runtime_file_append(const char *directory, const char *name)
{
	char *path = join(directory, name, "");
	int descriptor = path ? make_directory(directory) : -ENOMEM;

	if (!descriptor) {
		descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
				  0600);
		if (descriptor < 0)
			descriptor = -errno;
	}
	free(path);
	return descriptor;
}

int runtime_file_remove(const char *directory, const char *name)
{
	char *path = join(directory, name, "");
	int error = path ? 0 : -ENOMEM;

	if (!error && unlink(path) && errno != ENOENT)
		error = -errno;
	free(path);
	return error;
}
