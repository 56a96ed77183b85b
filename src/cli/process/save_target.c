/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows the links of a path itself, and works below the directory where they end. */
#include "save_target.h"

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

/**
 * Whether a link may be followed: in a directory such as /tmp, which all users may write to, only
 * one of the caller or of the directory's owner. The kernel has the same rule
 * (fs.protected_symlinks) for links that it follows itself.
 */
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

/** As many as the kernel follows. */
enum { LONGEST_CHAIN = 40 };

/** Follows links to the last of them. Returns 0 or a negative errno. */
static int follow(struct save_target *target, const char *path)
{
	char link[PATH_MAX];
	int error = enter_directory(target, path);

	for (int i = 0; !error; i++) {
		int found = read_link(target, link, sizeof(link));

		if (found <= 0)
			return found;
		if (i == LONGEST_CHAIN)
			return -ELOOP;
		error = enter_directory(target, link);
	}
	return error;
}

/** What is at the place now. Returns 0 or a negative errno; -ENOENT: nothing. */
static int look(const struct save_target *target, struct stat *file)
{
	return fstatat(target->directory, target->name, file, AT_SYMLINK_NOFOLLOW) == 0 ? 0
											: -errno;
}

static int find(struct save_target *target, const char *path)
{
	int error = follow(target, path);

	if (error)
		return error;
	error = look(target, &target->file);
	target->exists = !error;
	/* Became one meanwhile. */
	if (!error && S_ISLNK(target->file.st_mode))
		return -ESTALE;
	return error == -ENOENT && *target->name ? 0 : error;
}

int save_target_open(const char *path, struct save_target *target)
{
	int error;

	*target = (struct save_target){ .directory = AT_FDCWD };
	error = find(target, path);
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

int save_target_write_all(int descriptor, const char *text, size_t size)
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

/** Returns 0 or a negative errno: -ESTALE if what was found is no longer there. */
static int check_same(const struct save_target *target)
{
	struct stat now;
	int error = look(target, &now);

	if (error && error != -ENOENT)
		return error;
	return target->exists ? (!error && is_same(&target->file, &now) ? 0 : -ESTALE)
			      : (error ? 0 : -ESTALE);
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
		error = save_target_write_all(descriptor, text, size);
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

/** What any program creates files with. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/** @old: the file that is replaced; NULL: there is none. */
static int fill(int descriptor, const char *text, size_t size, const struct stat *old)
{
	int error = save_target_write_all(descriptor, text, size);

	if (error)
		return error;
	/* Who may not give it away keeps it. This resets some bits of the mode, so it comes first.
	 */
	if (old && fchown(descriptor, old->st_uid, old->st_gid) != 0 && errno != EPERM)
		return -errno;
	if (fchmod(descriptor, old ? old->st_mode & 0777 : usual_mode()) != 0 ||
	    fsync(descriptor) != 0)
		return -errno;
	return 0;
}

/* Of a file that is not complete yet. Hidden: some programs read every other file of a directory.
 * Not with the target's name, which may be as long as names can be. */
struct temporary_name {
	char text[sizeof(".isst-ffffffff.tmp")];
};

/** Creates a file beside the target. Returns its descriptor or a negative errno. */
static int create_temporary(const struct save_target *target, struct temporary_name *name)
{
	uint32_t number;
	int descriptor;

	do {
		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return -EIO;
		snprintf(name->text, sizeof(name->text), ".isst-%08x.tmp", (unsigned int)number);
		descriptor = openat(target->directory, name->text,
				    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	} while (descriptor < 0 && errno == EEXIST);
	return descriptor < 0 ? -errno : descriptor;
}

static int replace(const struct save_target *target, const char *text, size_t size)
{
	struct temporary_name temporary;
	int descriptor = create_temporary(target, &temporary), error;

	if (descriptor < 0)
		return descriptor;
	error = fill(descriptor, text, size, target->exists ? &target->file : NULL);
	if (close(descriptor) != 0 && !error)
		error = -errno;
	if (!error)
		error = check_same(target);
	if (!error &&
	    renameat(target->directory, temporary.text, target->directory, target->name) != 0)
		error = -errno;
	if (error)
		(void)unlinkat(target->directory, temporary.text, 0);
	return error;
}

int save_target_replace(const struct save_target *target, const char *text, size_t size)
{
	sigset_t fatal, before;
	int error;

	/* One that ends the program has its effect when there is no temporary file any more. */
	sigemptyset(&fatal);
	signals_fatal(&fatal);
	if (sigprocmask(SIG_BLOCK, &fatal, &before) != 0)
		return -errno;
	error = replace(target, text, size);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}
