/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files of the runtime directory. */
#include "base/runtime_file.h"
#include "common/descriptor.h"
#include "isst.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LARGEST = 64
		  << 20, /* a journal has 60 bytes for each item: megabytes for thousands of CPUs */
	NEW_NAMES = 100, /* that are tried for a new file */
};

int runtime_file_result(int error)
{
	switch (error) {
	case -EACCES:
	case -EROFS:
		return -EPERM;
	case -EDQUOT:
		return -ENOSPC;
	case -EPERM:
	case -ENOSPC:
	case -EFBIG:
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
		return error;
	default:
		return -EIO;
	}
}

const char *runtime_file_strerror(int error)
{
	switch (-error) {
	case EPERM:
		return "it or its directory belongs to another user or is writable by other "
		       "users, or the directory is missing and only root may create it";
	case EBADF:
		return "it is not a regular file";
	case ELOOP:
		return "it or its directory is a symbolic link";
	case EFBIG:
		return "the file size limit (ulimit -f) does not permit it";
	case EBADMSG:
		return "it contains a NUL byte, so it is not a text file";
	case EOVERFLOW:
		return "it is larger than any file that this program writes";
	default:
		return strerror(-error);
	}
}

/* ---- The directory ---- */

/** Whether only root or the caller can have written it. */
static bool is_ours(const struct stat *status)
{
	return (status->st_uid == 0 || status->st_uid == geteuid()) &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/**
 * Opens the directory. It must be root's, or the caller's like the directory above: below /run only
 * root's, below the state directory of an emulated machine its user's. Returns a descriptor or a
 * negative errno.
 */
static int open_directory(const char *directory)
{
	int descriptor = keep_off_streams(
		open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	struct stat status, above = { .st_uid = 0 };
	int error = 0;

	if (descriptor < 0) {
		error = -errno;
		/* For a link the kernel reports that it is not a directory. */
		return error == -ENOTDIR && !lstat(directory, &status) && S_ISLNK(status.st_mode)
			       ? -ELOOP
			       : error;
	}
	if (fstat(descriptor, &status) ||
	    (is_ours(&status) && status.st_uid != 0 && fstatat(descriptor, "..", &above, 0)))
		error = -errno;
	else if (!is_ours(&status) || (status.st_uid != 0 && above.st_uid != status.st_uid))
		error = -EPERM;
	if (!error)
		return descriptor;
	close(descriptor);
	return error;
}

/** The same; makes a missing directory for the owner of the one above. Capabilities alone do not
 * suffice. */
static int make_directory(const char *directory)
{
	const char *slash = strrchr(directory, '/');
	int descriptor = open_directory(directory), error = 0;
	struct stat status;
	char *above;

	if (descriptor != -ENOENT)
		return descriptor;
	above = slash ? strndup(directory, (size_t)(slash - directory) + 1) : strdup(".");
	if (!above)
		return -ENOMEM;
	if (stat(above, &status))
		error = -errno;
	else if (geteuid() != 0 && status.st_uid != geteuid())
		error = -EPERM;
	free(above);
	if (error)
		return error;
	if (mkdir(directory, 0755) && errno != EEXIST)
		return -errno;
	return open_directory(directory);
}

static bool is_limited(struct rlimit *limit)
{
	return !getrlimit(RLIMIT_FSIZE, limit) && limit->rlim_cur != RLIM_INFINITY;
}

int runtime_directory_hold(struct runtime_directory *directory)
{
	int descriptor = directory->held ? directory->descriptor : make_directory(directory->path);
	struct rlimit limit;

	if (descriptor < 0)
		return descriptor;
	directory->unlimited = !is_limited(&limit);
	directory->descriptor = descriptor;
	directory->held = true;
	return 0;
}

void runtime_directory_release(struct runtime_directory *directory)
{
	if (directory->held)
		close(directory->descriptor);
	directory->held = false;
}

/** Opens the directory for a file, or makes it (@make). To be left. Returns a descriptor or a
 * negative errno. */
static int enter(const struct runtime_directory *directory, bool make)
{
	if (directory->held)
		return directory->descriptor;
	return make ? make_directory(directory->path) : open_directory(directory->path);
}

static void leave(const struct runtime_directory *directory, int descriptor)
{
	if (!directory->held)
		close(descriptor);
}

/* ---- Its files ---- */

/** Opens a file and checks it, without waiting for whatever it may be. */
static int open_file(int directory, const char *name, int flags)
{
	int descriptor = keep_off_streams(openat(
		directory, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600));
	struct stat status;
	int error = 0;

	if (descriptor < 0)
		/* A FIFO without a reader, a socket, a device without a driver; a directory. */
		return errno == ENXIO || errno == ENODEV || errno == EISDIR ? -EBADF : -errno;
	if (fstat(descriptor, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = -EBADF;
	else if (!is_ours(&status))
		error = -EPERM;
	else if (status.st_size > LARGEST)
		error = -EOVERFLOW;
	if (!error)
		return descriptor;
	close(descriptor);
	return error;
}

/* Of a regular file a short read is the end. A file system that lost a block leaves NULs. */
int file_read_text(int descriptor, char **text)
{
	size_t size = 0, space = 0, asked;
	ssize_t got;

	do {
		if (space - size < 2) {
			char *larger = realloc(*text, space ? space * 2 : 4096);

			if (!larger)
				return -ENOMEM;
			*text = larger;
			space = space ? space * 2 : 4096;
		}
		asked = space - size - 1;
		got = read(descriptor, *text + size, asked);
		if (got < 0 && errno != EINTR)
			return -errno;
		size += got > 0 ? (size_t)got : 0;
		if (size > LARGEST)
			return -EOVERFLOW;
	} while (got < 0 || (size_t)got == asked);
	(*text)[size] = '\0';
	return strlen(*text) == size ? 0 : -EBADMSG;
}

bool runtime_file_is_missing(const struct runtime_directory *directory, const char *name)
{
	struct stat status;
	char *path;
	bool missing;

	if (directory->held)
		return fstatat(directory->descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 &&
		       errno == ENOENT;
	if (asprintf(&path, "%s/%s", directory->path, name) < 0)
		return false;
	missing = lstat(path, &status) != 0 && errno == ENOENT;
	free(path);
	return missing;
}

int runtime_file_read(const struct runtime_directory *directory, const char *name, char **text)
{
	int parent = enter(directory, false), descriptor, error;

	*text = NULL;
	if (parent < 0)
		return parent;
	descriptor = open_file(parent, name, O_RDONLY);
	leave(directory, parent);
	if (descriptor < 0)
		return descriptor;
	error = file_read_text(descriptor, text);
	close(descriptor);
	if (error && error != -EBADMSG) {
		free(*text);
		*text = NULL;
	}
	return error;
}

/** Refuses a write beyond the limit of file sizes: SIGXFSZ would end the program. */
static int check_limit(int descriptor, const char *text, bool append)
{
	struct stat status = { .st_size = 0 };
	struct rlimit limit;

	if (!is_limited(&limit))
		return 0;
	if (append && fstat(descriptor, &status))
		return -errno;
	return (rlim_t)status.st_size + strlen(text) > limit.rlim_cur ? -EFBIG : 0;
}

/** Writes up to the first error; *@written counts bytes. */
static int write_all(int descriptor, const char *text, size_t *written)
{
	size_t size = strlen(text);

	*written = 0;
	while (*written < size) {
		ssize_t some = write(descriptor, text + *written, size - *written);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return some < 0 ? -errno : -ENOSPC;
		*written += (size_t)some;
	}
	return 0;
}

int runtime_file_write(const struct runtime_directory *directory, int descriptor, const char *text)
{
	struct stat status;
	size_t written = 0;
	int error = 0;

	if (*text && !(directory->held && directory->unlimited))
		error = check_limit(descriptor, text, true);
	if (!error)
		error = write_all(descriptor, text, &written);
	/* Half a line would spoil the next. */
	if (error && written > 0 &&
	    (fstat(descriptor, &status) || ftruncate(descriptor, status.st_size - (off_t)written)))
		error = -EIO;
	return error;
}

static int write_new(int directory, const char *name, const char *text)
{
	int descriptor = keep_off_streams(openat(
		directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	size_t written;
	int error;

	if (descriptor < 0)
		return -errno;
	error = check_limit(descriptor, text, false);
	if (!error)
		error = write_all(descriptor, text, &written);
	/* Other users' readers read it, too. */
	if (!error && fchmod(descriptor, 0644))
		error = -errno;
	if (close(descriptor) && !error)
		error = -errno;
	if (error)
		unlinkat(directory, name, 0);
	return error;
}

/* ---- Replacement ---- */

int runtime_file_replace(const struct runtime_directory *directory, const char *name,
			 const char *text)
{
	int parent = enter(directory, true), error = -EEXIST;

	if (parent < 0)
		return parent;
	/* A killed run may have left one of that name; in /run they go with the boot. */
	for (unsigned int i = 0; i < NEW_NAMES && error == -EEXIST; i++) {
		char *new_name;

		error = -ENOMEM;
		if (asprintf(&new_name, "%s.%ld.%u", name, (long)getpid(), i) < 0)
			break;
		error = write_new(parent, new_name, text);
		if (!error && renameat(parent, new_name, parent, name)) {
			error = -errno;
			unlinkat(parent, new_name, 0);
		}
		free(new_name);
	}
	leave(directory, parent);
	return error;
}

int runtime_file_append(const struct runtime_directory *directory, const char *name, bool is_new)
{
	int parent = enter(directory, true), descriptor;

	if (parent < 0)
		return parent;
	descriptor = open_file(parent, name, O_WRONLY | O_APPEND | O_CREAT | (is_new ? O_EXCL : 0));
	leave(directory, parent);
	return descriptor;
}

int runtime_file_rename(const struct runtime_directory *directory, const char *from, const char *to)
{
	int parent = enter(directory, false), error;

	if (parent < 0)
		return parent;
	error = renameat(parent, from, parent, to) ? -errno : 0;
	leave(directory, parent);
	return error;
}

int runtime_file_remove(const struct runtime_directory *directory, const char *name)
{
	int parent = enter(directory, false), error;

	if (parent < 0)
		return parent == -ENOENT ? 0 : parent;
	error = unlinkat(parent, name, 0) && errno != ENOENT ? -errno : 0;
	leave(directory, parent);
	return error;
}

int runtime_file_discard(const struct runtime_directory *directory, const char *name)
{
	int parent = enter(directory, false), descriptor, error;

	if (parent < 0)
		return parent == -ENOENT ? 0 : parent;
	descriptor = open_file(parent, name, O_WRONLY);
	error = descriptor < 0 ? descriptor : 0;
	if (!error) {
		error = ftruncate(descriptor, 0) ? -errno : 0;
		close(descriptor);
	}
	if (error == -ENOENT || unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		error = 0;
	leave(directory, parent);
	return error;
}
