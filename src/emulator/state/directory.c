/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state directory: where it is, whether it may be used, its lock, removal of what the emulator
 * made in it. Knows nothing of the content of the state.
 */
#include "emulator/state/directory.h"
#include "common/descriptor.h"
#include "common/hash.h"
#include "emulator/model/text.h"
#include "isst.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char directory_name[] = "isst-emulator";
/* What the lock file holds: by it, and not by any name, a directory is known as an emulator's. */
static const char marker[] = "isst emulator state\n";

/**
 * Opens a directory that must be the caller's own, and writable by its owner alone: a user who can
 * write into it decides what this process reads and removes.
 */
static int open_own(const char *path, bool make, char **error)
{
	struct stat status;
	int directory;

	if (make && mkdir(path, 0700) && errno != EEXIST)
		return set_error(error, errno == EACCES || errno == EPERM ? -EPERM : -EIO,
				 "Cannot create the directory %s: %s", path, strerror(errno));
	directory = keep_off_streams(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (directory < 0) {
		if (errno == ENOENT && !make)
			return -ENOENT;
		if (errno == ELOOP || errno == ENOTDIR)
			return set_error(error, -EINVAL,
					 "%s is not a directory; the state directory must not be "
					 "a link",
					 path);
		return set_error(error, errno == EACCES ? -EPERM : -EIO, "Cannot open %s: %s", path,
				 strerror(errno));
	}
	if (fstat(directory, &status) || status.st_uid != geteuid()) {
		close(directory);
		return set_error(error, -EPERM,
				 "%s belongs to another user; the emulator uses only directories "
				 "of its caller",
				 path);
	}
	if (status.st_mode & (S_IWGRP | S_IWOTH)) {
		close(directory);
		return set_error(error, -EPERM,
				 "%s is writable by other users; remove this permission to use it "
				 "as state directory",
				 path);
	}
	return directory;
}

/** Makes sure that the directory above the default ones is there and the caller's own. */
static int make_base(bool make, char **path, char **error)
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	struct stat status;
	int directory, length;

	if (runtime && *runtime == '/' && stat(runtime, &status) == 0 && S_ISDIR(status.st_mode) &&
	    status.st_uid == geteuid())
		length = asprintf(path, "%s/%s", runtime, directory_name);
	else
		length = asprintf(path, "/tmp/%s-%u", directory_name, (unsigned int)geteuid());
	if (length < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	directory = open_own(*path, make, error);
	if (directory < 0)
		return directory;
	close(directory);
	return 0;
}

/** Files of one name in different places are different platforms, and so is one without its lock.
 */
static int default_name(const struct isst_emulator_target *target, const char *platform,
			char **name)
{
	char *real;
	int length;

	if (!strchr(target->platform, '/')) {
		length = asprintf(name, "%s%s", platform, target->unlock ? "-unlocked" : "");
		return length < 0 ? -ENOMEM : 0;
	}
	real = realpath(target->platform, NULL);
	length = asprintf(name, "%s-%08x%s", platform,
			  (uint32_t)hash_text(real ? real : target->platform),
			  target->unlock ? "-unlocked" : "");
	free(real);
	return length < 0 ? -ENOMEM : 0;
}

static int default_path(const struct isst_emulator_target *target, const char *platform, bool make,
			char **path, char **error)
{
	char *base = NULL, *name = NULL;
	int result = make_base(make, &base, error);

	if (!result)
		result = default_name(target, platform, &name);
	if (!result && asprintf(path, "%s/%s", base, name) < 0) {
		*path = NULL;
		result = -ENOMEM;
	}
	free(base);
	free(name);
	return result;
}

/** Has an emulator been here? The marker is there before anything else is made. */
static bool is_marked(int directory)
{
	char content[sizeof(marker)];
	struct stat status;
	bool marked;
	int lock = openat(directory, "lock", O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	if (lock < 0)
		return false;
	marked = fstat(lock, &status) == 0 && S_ISREG(status.st_mode) &&
		 read(lock, content, sizeof(content)) == sizeof(marker) - 1 &&
		 memcmp(content, marker, sizeof(marker) - 1) == 0;
	close(lock);
	return marked;
}

/** What may be there before the marker: rules, and the lock of one who is about to write it. */
static bool may_come_first(int directory, const char *name)
{
	struct stat status;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "faults") == 0)
		return true;
	return strcmp(name, "lock") == 0 &&
	       fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status.st_mode) && status.st_size == 0;
}

/** Other files in it, although no emulator has used it? */
static int check_foreign(int directory, const char *path, char **error)
{
	DIR *stream;
	struct dirent *entry;
	int copy, result = 0;

	if (is_marked(directory))
		return 0;
	copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	stream = copy < 0 ? NULL : fdopendir(copy);
	if (!stream) {
		if (copy >= 0)
			close(copy);
		return set_error(error, -EIO, "Cannot read %s: %s", path, strerror(errno));
	}
	while (!result && (entry = readdir(stream))) {
		if (may_come_first(directory, entry->d_name))
			continue;
		/* A second first user may have come in between. */
		if (is_marked(directory))
			break;
		result = set_error(error, -EINVAL,
				   "%s contains files that do not belong to the emulator (%s); "
				   "use an empty directory",
				   path, entry->d_name);
	}
	closedir(stream);
	return result;
}

int directory_open(const struct isst_emulator_target *target, const char *platform, bool make,
		   char **path, char **error)
{
	int directory, result = 0;
	bool is_real = true;

	*path = NULL;
	if (target->state_directory) {
		*path = realpath(target->state_directory, NULL);
		is_real = *path != NULL;
		if (!is_real)
			*path = strdup(target->state_directory);
		if (!*path)
			return -ENOMEM;
		directory = open_own(target->state_directory, make, error);
	} else {
		result = default_path(target, platform, make, path, error);
		if (result)
			return result;
		directory = open_own(*path, make, error);
	}
	if (directory >= 0)
		result = check_foreign(directory, *path, error);
	if (result) {
		close(directory);
		return result;
	}
	if (directory >= 0 && !is_real) {
		/* Made just now: the name is needed after a change of directory. */
		char *real = realpath(target->state_directory, NULL);

		if (real) {
			free(*path);
			*path = real;
		}
	}
	return directory;
}

/** Under the lock: makes the directory an emulator's, unless it is already. Returns 0 or a negative
 * errno. */
static int mark(int lock)
{
	struct stat status;
	ssize_t size;
	int result;

	if (fstat(lock, &status))
		return -errno;
	if (status.st_size > 0)
		return 0;
	size = pwrite(lock, marker, sizeof(marker) - 1, 0);
	if (size == sizeof(marker) - 1)
		return 0;
	result = size < 0 ? -errno : -ENOSPC;
	/* Half a marker would be invalid. */
	return ftruncate(lock, 0) ? -errno : result;
}

int directory_lock(int directory, const char *path, char **error)
{
	int lock = keep_off_streams(
		openat(directory, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
	char *holder = NULL;
	int result;

	if (lock < 0)
		return set_error(error, -EIO, "Cannot open %s/lock: %s", path, strerror(errno));
	result = directory_wait_lock(lock, &holder);
	if (result) {
		set_error(error, -EIO, "Cannot lock %s/lock: %s%s", path,
			  holder ? "it is locked by " : strerror(-result), holder ? holder : "");
		free(holder);
		close(lock);
		return -EIO;
	}
	result = mark(lock);
	if (result) {
		set_error(error, -EIO, "Cannot write %s/lock: %s", path, strerror(-result));
		close(lock);
		return -EIO;
	}
	return lock;
}

static int remove_entries(int directory)
{
	int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int result = 0;

	if (!stream) {
		result = -errno;
		if (copy >= 0)
			close(copy);
		return result;
	}
	while (!result && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = directory_remove(directory, entry->d_name);
	closedir(stream);
	return result;
}

int directory_remove(int directory, const char *name)
{
	int below, result;

	if (unlinkat(directory, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below < 0)
		return -errno;
	result = remove_entries(below);
	close(below);
	if (!result && unlinkat(directory, name, AT_REMOVEDIR))
		result = -errno;
	return result;
}
