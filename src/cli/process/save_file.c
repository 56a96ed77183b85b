/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses how a file is written: replaced, or as it is. */
#include "save_file.h"

#include "privileges.h"
#include "save_target.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/** The standard stream that goes to this file, as with /dev/stdout; -1: none does. It is not
 * replaced, since what is written to the stream later would be lost; and neither may write over
 * what the other has written. */
static int standard_stream(const struct stat *file)
{
	struct stat stream;

	for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
		if (fstat(descriptor, &stream) == 0 && stream.st_dev == file->st_dev &&
		    stream.st_ino == file->st_ino)
			return descriptor;
	}
	return -1;
}

/** A FIFO, a device, or what has no name: a pipe behind /dev/stderr. */
static int write_to(const char *path, const struct stat *found, const char *text, size_t size)
{
	int descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);

	return descriptor < 0 ? -errno : save_target_fill(descriptor, found, text, size);
}

static int replace(const char *path, const char *text, size_t size)
{
	struct save_target target;
	int error = save_target_open(path, &target);

	if (error)
		return error;
	error = target.exists && !S_ISREG(target.file.st_mode)
			? -ESTALE
			: save_target_replace(&target, text, size);
	/* A mount point cannot be replaced: a single file that a container was given. */
	if (error == -EBUSY)
		error = save_target_overwrite(&target, text, size);
	save_target_close(&target);
	return error;
}

static int save(const char *path, const char *text, size_t size)
{
	struct stat found;
	int stream;

	if (stat(path, &found) != 0)
		return errno == ENOENT ? replace(path, text, size) : -errno;
	if (S_ISDIR(found.st_mode))
		return -EISDIR;
	stream = standard_stream(&found);
	if (stream >= 0)
		return save_target_write_all(stream, text, size);
	return S_ISREG(found.st_mode) ? replace(path, text, size)
				      : write_to(path, &found, text, size);
}

/** A file is replaced by another one in its directory. */
static int check_replace(const char *path)
{
	struct save_target target;
	int error = save_target_open(path, &target);

	if (error)
		return error;
	if (faccessat(target.directory, ".", W_OK | X_OK, AT_EACCESS) != 0)
		error = -errno;
	save_target_close(&target);
	return error;
}

int save_file_check(const char *path)
{
	struct stat found;

	if (stat(path, &found) != 0)
		return errno == ENOENT ? check_replace(path) : -errno;
	if (S_ISDIR(found.st_mode))
		return -EISDIR;
	if (standard_stream(&found) >= 0)
		return 0;
	if (S_ISREG(found.st_mode))
		return check_replace(path);
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

int save_file(const char *path, const char *text, size_t size)
{
	struct privileges_aside aside;
	int error = privileges_as_caller(&aside), again;

	if (!error)
		error = save(path, text, size);
	again = privileges_again(&aside);
	return error ? error : again;
}
