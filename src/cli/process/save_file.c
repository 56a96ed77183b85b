/* SPDX-License-Identifier: BSD-3-Clause */
#include "save_file.h"

#include "privileges.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum way { WAY_REPLACE, WAY_STREAM, WAY_OPEN };

/** What a path names, and how it is written. */
struct target {
	enum way way;
	int stream; /* that is this file: later output would be lost if it were replaced */
	char *path; /* of a file to be replaced, behind its links */
	bool exists;
	struct stat file;
};

/** Returns 0 or a negative errno; @target is to be freed. */
static int find_target(const char *path, struct target *target)
{
	struct stat *file = &target->file, opened, link;

	*target = (struct target){ .way = WAY_REPLACE };
	/* The kernel follows no link that others made in a shared directory (protected_symlinks).
	 */
	target->exists = stat(path, file) == 0;
	if (!target->exists && (errno != ENOENT || !*path))
		return -errno;
	if (!target->exists) {
		/* Nothing is replaced behind a link that dangles. */
		if (lstat(path, &link) == 0)
			target->way = WAY_OPEN;
		target->path = strdup(path);
		return target->path ? 0 : -ENOMEM;
	}
	if (S_ISDIR(file->st_mode))
		return -EISDIR;
	for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++)
		if (fstat(stream, &opened) == 0 && opened.st_dev == file->st_dev &&
		    opened.st_ino == file->st_ino) {
			target->way = WAY_STREAM;
			target->stream = stream;
			return 0;
		}
	/* A FIFO, a device, or what has no name: a pipe behind /dev/stderr. */
	if (!S_ISREG(file->st_mode))
		target->way = WAY_OPEN;
	target->path = S_ISREG(file->st_mode) ? realpath(path, NULL) : strdup(path);
	return target->path ? 0 : -errno;
}

static int write_all(int descriptor, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t count = write(descriptor, text, size);

		if (count < 0 && errno != EINTR)
			return -errno;
		if (count > 0) {
			text += count;
			size -= (size_t)count;
		}
	}
	return 0;
}

static int open_and_write(const char *path, int flags, const char *text, size_t size)
{
	int descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0666);
	int error = descriptor < 0 ? -errno : write_all(descriptor, text, size);

	if (descriptor >= 0 && close(descriptor) != 0 && !error)
		error = -errno;
	return error;
}

static int fill_new(int descriptor, const char *text, size_t size, const struct target *target)
{
	int error = write_all(descriptor, text, size);
	mode_t mask = umask(0);

	umask(mask);
	if (error)
		return error;
	/* It may stay as it is. This resets some bits of the mode, so it comes first. */
	if (target->exists && fchown(descriptor, target->file.st_uid, target->file.st_gid) != 0 &&
	    errno != EPERM)
		return -errno;
	if (fchmod(descriptor, target->exists ? target->file.st_mode & 0777 : 0666 & ~mask) != 0)
		return -errno;
	return fsync(descriptor) != 0 ? -errno : 0;
}

static size_t directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

static int replace_file(const struct target *target, const char *text, size_t size)
{
	static const char SUFFIX[] = ".tmp";
	sigset_t fatal, before;
	int descriptor, error;
	char *name;

	/* Hidden, as some programs read all other files. Not the target's name, which may be too
	 * long. */
	if (asprintf(&name, "%.*s.isst-XXXXXX%s", (int)directory_length(target->path), target->path,
		     SUFFIX) < 0)
		return -ENOMEM;
	/* One that ends the program has its effect when there is no temporary file any more. */
	sigemptyset(&fatal);
	signals_fatal(&fatal);
	(void)sigprocmask(SIG_BLOCK, &fatal, &before);
	descriptor = mkostemps(name, (int)strlen(SUFFIX), O_CLOEXEC);
	error = descriptor < 0 ? -errno : fill_new(descriptor, text, size, target);
	if (descriptor >= 0 && close(descriptor) != 0 && !error)
		error = -errno;
	if (!error && rename(name, target->path) != 0)
		error = -errno;
	if (error && descriptor >= 0)
		(void)unlink(name);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	free(name);
	/* A mount point cannot be replaced: a single file that a container was given. */
	return error == -EBUSY ? open_and_write(target->path, O_TRUNC, text, size) : error;
}

int save_file(const char *path, const char *text, size_t size)
{
	int error = privileges_as_caller();
	struct target target;

	if (error)
		return error;
	error = find_target(path, &target);
	if (!error && target.way == WAY_REPLACE)
		error = replace_file(&target, text, size);
	else if (!error && target.way == WAY_STREAM)
		error = write_all(target.stream, text, size);
	else if (!error)
		error = open_and_write(path, O_APPEND | (target.exists ? 0 : O_CREAT), text, size);
	free(target.path);
	return privileges_again(error);
}

int save_file_check(const char *path)
{
	struct target target;
	int error = find_target(path, &target);

	if (!error && target.way == WAY_OPEN && target.exists)
		error = faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : -errno;
	/* It is replaced by another file in its directory. */
	if (!error && target.way == WAY_REPLACE) {
		size_t length = directory_length(target.path);

		target.path[length] = '\0';
		if (faccessat(AT_FDCWD, length > 0 ? target.path : ".", W_OK | X_OK, AT_EACCESS))
			error = -errno;
	}
	free(target.path);
	return error;
}
