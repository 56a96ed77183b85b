/* SPDX-License-Identifier: BSD-3-Clause */
#include "save_file.h"

#include "privileges.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- Finding ---- */

/** Moves into the directory of a path, seen from the present one. Returns 0 or a negative errno. */
static int enter_directory(struct save_target *target, const char *path)
{
	const char *slash = strrchr(path, '/');
	/* The slash is part of it: that of the root is all there is. */
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char *name = strdup(slash ? slash + 1 : path);
	int entered = -1, error = -ENOMEM;

	if (directory && name) {
		entered = openat(target->directory, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
		error = entered < 0 ? -errno : 0;
	}
	free(directory);
	if (error) {
		free(name);
		return error;
	}
	save_target_close(target);
	target->directory = entered;
	target->name = name;
	return 0;
}

/** Whether a link may be followed: in shared directories only one of the caller or the owner, as
 * with fs.protected_symlinks. */
static bool may_follow(int directory, const struct stat *link)
{
	const mode_t shared = S_ISVTX | S_IWOTH;
	/* As whom files are opened, see privileges.c. */
	const uid_t user = (uid_t)setfsuid((uid_t)-1);
	struct stat status;

	if (fstat(directory, &status) != 0)
		return false;
	return (status.st_mode & shared) != shared || link->st_uid == user ||
	       link->st_uid == status.st_uid;
}

/** Reads the link that a name is. Returns 1, 0 if it is none, or a negative errno. */
static int read_link(const struct save_target *target, char *text, size_t size)
{
	int descriptor = openat(target->directory, target->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat link;
	ssize_t length;
	int result = 0;

	if (descriptor < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(descriptor, &link) != 0) {
		result = -errno;
	} else if (S_ISLNK(link.st_mode)) {
		/* What was looked at is what is read, also if the name has another one by now. */
		length = readlinkat(descriptor, "", text, size - 1);
		if (length < 0)
			result = -errno;
		else
			result = may_follow(target->directory, &link) ? 1 : -EACCES;
		text[length < 0 ? 0 : length] = '\0';
	}
	close(descriptor);
	return result;
}

static int find_target(struct save_target *target, const char *path)
{
	enum { LONGEST_CHAIN = 40 }; /* as many links as the kernel follows */
	char link[PATH_MAX];
	struct stat file;
	int error = enter_directory(target, path), found = 1;

	for (int i = 0; !error && (found = read_link(target, link, sizeof(link))) > 0; i++)
		error = i == LONGEST_CHAIN ? -ELOOP : enter_directory(target, link);
	if (error || found < 0)
		return error ? error : found;
	target->exists = fstatat(target->directory, target->name, &file, AT_SYMLINK_NOFOLLOW) == 0;
	if (!target->exists)
		return errno == ENOENT && *target->name ? 0 : -errno;
	target->file = file;
	/* Became one meanwhile. */
	return S_ISLNK(target->file.st_mode) ? -ESTALE : 0;
}

int save_target_open(const char *path, struct save_target *target)
{
	int error;

	*target = (struct save_target){ .directory = AT_FDCWD };
	error = find_target(target, path);
	if (error)
		save_target_close(target);
	return error;
}

void save_target_close(struct save_target *target)
{
	if (target->directory >= 0)
		close(target->directory);
	free(target->name);
	target->directory = -1;
	target->name = NULL;
}

/* ---- Writing ---- */

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

static bool is_same(const struct stat *file, const struct stat *other)
{
	return file->st_dev == other->st_dev && file->st_ino == other->st_ino &&
	       ((file->st_mode ^ other->st_mode) & S_IFMT) == 0;
}

int save_target_fill(int descriptor, const struct stat *file, const char *text, size_t size)
{
	struct stat opened;
	int error = fstat(descriptor, &opened) == 0 ? 0 : -errno;

	if (!error && !is_same(file, &opened))
		error = -ESTALE;
	if (!error && S_ISREG(opened.st_mode) && ftruncate(descriptor, 0) != 0)
		error = -errno;
	if (!error)
		error = write_all(descriptor, text, size);
	if (close(descriptor) != 0 && !error)
		error = -errno;
	return error;
}

int save_target_overwrite(const struct save_target *target, const char *text, size_t size)
{
	int descriptor = openat(target->directory, target->name,
				O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);

	if (descriptor < 0)
		return errno == ELOOP ? -ESTALE : -errno;
	return save_target_fill(descriptor, &target->file, text, size);
}

static int fill_new(int descriptor, const char *text, size_t size, const struct stat *old)
{
	int error = write_all(descriptor, text, size);
	mode_t mode, mask;

	if (error)
		return error;
	/* It may stay as it is. This resets some bits of the mode, so it comes first. */
	if (old && fchown(descriptor, old->st_uid, old->st_gid) != 0 && errno != EPERM)
		return -errno;
	mask = umask(0);
	umask(mask);
	mode = old ? old->st_mode & 0777 : 0666 & ~mask;
	return fchmod(descriptor, mode) != 0 || fsync(descriptor) != 0 ? -errno : 0;
}

/** Creates a file beside the target. Returns its descriptor or a negative errno. */
static int create_temporary(const struct save_target *target, char *name, size_t size)
{
	uint32_t number;
	int descriptor;

	do {
		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return -EIO;
		/* Hidden, as some programs read all other files. Not the target's name, which may
		 * be too long. */
		snprintf(name, size, ".isst-%08x.tmp", (unsigned int)number);
		descriptor = openat(target->directory, name,
				    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	} while (descriptor < 0 && errno == EEXIST);
	return descriptor < 0 ? -errno : descriptor;
}

/** Returns 0 or a negative errno: -ESTALE if what was found is no longer there. */
static int check_same(const struct save_target *target)
{
	struct stat now;
	bool exists = fstatat(target->directory, target->name, &now, AT_SYMLINK_NOFOLLOW) == 0;

	if (!exists && errno != ENOENT)
		return -errno;
	return exists == target->exists && (!exists || is_same(&target->file, &now)) ? 0 : -ESTALE;
}

int save_target_replace(const struct save_target *target, const char *text, size_t size)
{
	char temporary[sizeof(".isst-ffffffff.tmp")];
	sigset_t fatal, before;
	int descriptor, error;

	/* One that ends the program has its effect when there is no temporary file any more. */
	sigemptyset(&fatal);
	signals_fatal(&fatal);
	if (sigprocmask(SIG_BLOCK, &fatal, &before) != 0)
		return -errno;
	descriptor = create_temporary(target, temporary, sizeof(temporary));
	error = descriptor < 0
			? descriptor
			: fill_new(descriptor, text, size, target->exists ? &target->file : NULL);
	if (descriptor >= 0 && close(descriptor) != 0 && !error)
		error = -errno;
	if (!error)
		error = check_same(target);
	if (!error && renameat(target->directory, temporary, target->directory, target->name) != 0)
		error = -errno;
	if (error && descriptor >= 0)
		(void)unlinkat(target->directory, temporary, 0);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* ---- Files of the caller's choice ---- */

enum way { WAY_REPLACE, WAY_STREAM, WAY_OPEN };

/** Finds what is there, and how to write it: the file of a standard stream is not replaced, as
 * later output would be lost. Returns the way or a negative errno. */
static int find_way(const char *path, struct stat *found, int *stream)
{
	struct stat opened;

	if (stat(path, found) != 0)
		return errno == ENOENT ? WAY_REPLACE : -errno;
	if (S_ISDIR(found->st_mode))
		return -EISDIR;
	for (*stream = STDOUT_FILENO; *stream <= STDERR_FILENO; ++*stream)
		if (fstat(*stream, &opened) == 0 && opened.st_dev == found->st_dev &&
		    opened.st_ino == found->st_ino)
			return WAY_STREAM;
	return S_ISREG(found->st_mode) ? WAY_REPLACE : WAY_OPEN;
}

static int replace_file(const char *path, const char *text, size_t size)
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

int save_file(const char *path, const char *text, size_t size)
{
	struct stat found;
	int error = privileges_as_caller(), way, stream = -1, descriptor;

	if (error)
		return error;
	way = find_way(path, &found, &stream);
	if (way == WAY_REPLACE) {
		error = replace_file(path, text, size);
	} else if (way == WAY_STREAM) {
		error = write_all(stream, text, size);
	} else if (way == WAY_OPEN) {
		/* A FIFO, a device, or what has no name: a pipe behind /dev/stderr. */
		descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
		error = descriptor < 0 ? -errno : save_target_fill(descriptor, &found, text, size);
	} else {
		error = way;
	}
	return privileges_again(error);
}

int save_file_check(const char *path)
{
	struct save_target target;
	struct stat found;
	int stream, way = find_way(path, &found, &stream), error;

	if (way < 0 || way == WAY_STREAM)
		return way < 0 ? way : 0;
	if (way == WAY_OPEN)
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : -errno;
	/* It is replaced by another file in its directory. */
	error = save_target_open(path, &target);
	if (error)
		return error;
	if (faccessat(target.directory, ".", W_OK | X_OK, AT_EACCESS) != 0)
		error = -errno;
	save_target_close(&target);
	return error;
}
