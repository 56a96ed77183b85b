/* SPDX-License-Identifier: BSD-3-Clause */
#include "save_file.h"

#include "privileges.h"
#include "signals.h"
#include "xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum way { WAY_REPLACE, WAY_STREAM, WAY_OPEN };

/** What a path names, and how it is written. Who may write to a directory on the way may exchange
 * what is there at any time: no other file may be written then, or get this one's owner. */
struct target {
	enum way way;
	int stream;    /* that is this file: later output would be lost if it were replaced */
	int directory; /* of a file to be replaced, behind its links */
	char *name;    /* in it */
	bool exists;
	struct stat file;
};

static void close_target(struct target *target)
{
	if (target->directory >= 0)
		close(target->directory);
	free(target->name);
}

static bool is_same(const struct stat *file, const struct stat *other)
{
	return file->st_dev == other->st_dev && file->st_ino == other->st_ino;
}

/** Opens the directory. Returns 0 or a negative errno: -ESTALE: the file is another one by now. */
static int enter_directory(struct target *target, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	struct stat now;

	target->name = xstrdup(slash ? slash + 1 : path);
	target->directory = openat(AT_FDCWD, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	if (target->directory < 0)
		return -errno;
	if (target->exists &&
	    (fstatat(target->directory, target->name, &now, AT_SYMLINK_NOFOLLOW) != 0 ||
	     !is_same(&target->file, &now)))
		return -ESTALE;
	return 0;
}

/** Returns 0 or a negative errno; @target is to be closed. */
static int find_target(const char *path, struct target *target)
{
	struct stat *file = &target->file, opened, link;
	char *behind = NULL;
	bool is_link;
	int error;

	*target = (struct target){ .way = WAY_REPLACE, .directory = -1 };
	/* The kernel follows no link that others made in a shared directory (protected_symlinks).
	 */
	target->exists = stat(path, file) == 0;
	if (!target->exists && (errno != ENOENT || !*path))
		return -errno;
	if (target->exists && S_ISDIR(file->st_mode))
		return -EISDIR;
	for (int stream = STDOUT_FILENO; target->exists && stream <= STDERR_FILENO; stream++)
		if (fstat(stream, &opened) == 0 && is_same(file, &opened)) {
			target->way = WAY_STREAM;
			target->stream = stream;
			return 0;
		}
	is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
	/* A FIFO, a device, or what has no name: a pipe behind /dev/stderr. Nothing is replaced
	 * behind a link that dangles. */
	if (target->exists ? !S_ISREG(file->st_mode) : is_link) {
		target->way = WAY_OPEN;
		return 0;
	}
	if (is_link && !(behind = realpath(path, NULL)))
		return -errno;
	error = enter_directory(target, behind ? behind : path);
	free(behind);
	return error;
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

/** Returns 0 or a negative errno: -ESTALE: it is another file than that found. */
static int open_and_write(const struct target *target, int directory, const char *path, int flags,
			  const char *text, size_t size)
{
	int descriptor = openat(directory, path, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0666);
	struct stat opened = { 0 };
	int error = descriptor < 0 || fstat(descriptor, &opened) != 0 ? -errno : 0;

	if (!error && (target->exists ? !is_same(&target->file, &opened) : opened.st_size > 0))
		error = -ESTALE;
	if (!error && S_ISREG(opened.st_mode) && ftruncate(descriptor, 0) != 0)
		error = -errno;
	if (!error)
		error = write_all(descriptor, text, size);
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

static int replace_file(const struct target *target, const char *text, size_t size)
{
	char name[sizeof(".isst--2147483648-4294967295.tmp")];
	sigset_t fatal, before;
	int descriptor, error;
	unsigned int number = 0;

	/* One that ends the program has its effect when there is no temporary file any more. */
	sigemptyset(&fatal);
	signals_fatal(&fatal);
	(void)sigprocmask(SIG_BLOCK, &fatal, &before);
	do {
		/* Hidden, as some programs read all other files. Not the target's name, which may
		 * be too long. */
		snprintf(name, sizeof(name), ".isst-%d-%u.tmp", (int)getpid(), number++);
		descriptor = openat(target->directory, name,
				    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	} while (descriptor < 0 && errno == EEXIST);
	error = descriptor < 0 ? -errno : fill_new(descriptor, text, size, target);
	if (descriptor >= 0 && close(descriptor) != 0 && !error)
		error = -errno;
	if (!error && renameat(target->directory, name, target->directory, target->name) != 0)
		error = -errno;
	if (error && descriptor >= 0)
		(void)unlinkat(target->directory, name, 0);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	/* A mount point cannot be replaced: a single file that a container was given. */
	return error == -EBUSY ? open_and_write(target, target->directory, target->name, O_NOFOLLOW,
						text, size)
			       : error;
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
		error = open_and_write(&target, AT_FDCWD, path,
				       O_APPEND | (target.exists ? 0 : O_CREAT), text, size);
	close_target(&target);
	return privileges_again(error);
}

int save_file_check(const char *path)
{
	struct target target;
	int error = find_target(path, &target);

	if (!error && target.way == WAY_OPEN && target.exists)
		error = faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : -errno;
	/* It is replaced by another file in its directory. */
	if (!error && target.way == WAY_REPLACE &&
	    faccessat(target.directory, ".", W_OK | X_OK, AT_EACCESS) != 0)
		error = -errno;
	close_target(&target);
	return error;
}
