/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entries of directories: those of the machine by what stands for them, and those of the system
 * with what the machine has there, or has not.
 */
#include "preload/preload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Numbers ---- */

/** The number of what is above a directory, which the program sees at @seen. What is mounted has
 * none above it in its own file system. */
static ino_t number_above(int directory, const char *seen, ino_t otherwise)
{
	char path[PATH_MAX];
	struct stat status, above;

	snprintf(path, sizeof(path), "%.*s", (int)(strrchr(seen, '/') - seen), seen);
	if (path_is_owned(path))
		return path_number(path);
	if (fstat(directory, &status) || fstatat(directory, "..", &above, 0))
		return otherwise;
	return path_is_owned(seen) && above.st_dev != status.st_dev ? status.st_ino : above.st_ino;
}

/** The number of another entry of an emulated directory. */
static ino_t number_of(const char *directory, const char *name)
{
	char path[2 * PATH_MAX];

	if (strcmp(name, ".") == 0)
		return path_number(directory);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path_number(path);
}

/** Whether the program sees a directory elsewhere than it is. */
static bool is_elsewhere(int directory, char *seen)
{
	bool changed;

	return path_of_directory(directory, seen, &changed) && changed;
}

/* ---- Directories of the system ---- */

/** Whether a path is that of an entry of a directory. */
static bool is_entry(const char *path, const char *directory, const char **name)
{
	size_t length = strlen(directory);

	if (strncmp(path, directory, length) != 0 || path[length] != '/' ||
	    strchr(path + length + 1, '/'))
		return false;
	*name = path + length + 1;
	return true;
}

/** The status of what the machine has, or what is kept with it. Returns 0, or -1 and errno. */
static int get_status(const char *path, struct stat *status)
{
	char moved[PATH_MAX];

	return path_is_owned(path) ? status_get(path, status)
				   : status_real(AT_FDCWD, path_moved(path, moved), status,
						 AT_SYMLINK_NOFOLLOW);
}

static void describe(const struct stat *status, struct dirent *entry)
{
	entry->d_ino = status->st_ino;
	entry->d_type = (unsigned char)IFTODT(status->st_mode);
}

/* What the system does not have is added at the end. */
struct added {
	DIR *directory;
	size_t next; /* of path_listed() */
	struct dirent entry;
	struct added *link;
};
static struct added *all_added;

/** Whether the machine has something that the system has not. */
static bool is_added(const char *path, struct stat *status)
{
	struct stat of_system;

	return status_real(AT_FDCWD, path, &of_system, AT_SYMLINK_NOFOLLOW) &&
	       get_status(path, status) == 0;
}

static struct added *added_to(DIR *directory)
{
	struct added *added = all_added;

	while (added && added->directory != directory)
		added = added->link;
	if (added)
		return added;
	added = calloc(1, sizeof(*added));
	if (!added)
		return NULL;
	added->directory = directory;
	added->link = all_added;
	all_added = added;
	return added;
}

/** The next one, or NULL. @path: where the directory is */
static struct dirent *add_next(DIR *directory, const char *path)
{
	struct added *added = NULL;
	const char *listed, *name;
	struct stat status;

	for (size_t i = 0; (listed = path_listed(i)); i++) {
		if (!is_entry(listed, path, &name))
			continue;
		added = added ? added : added_to(directory);
		if (!added)
			return NULL;
		if (i < added->next || !is_added(listed, &status))
			continue;
		added->next = i + 1;
		added->entry.d_reclen = sizeof(added->entry);
		snprintf(added->entry.d_name, sizeof(added->entry.d_name), "%s", name);
		describe(&status, &added->entry);
		return &added->entry;
	}
	return NULL;
}

/** Whether the program sees a directory of the system, and where. */
static bool is_of_system(int directory, char *seen)
{
	bool changed;

	return path_of_directory(directory, seen, &changed) && !changed;
}

/** At the end there is no error. */
static struct dirent *end_of(DIR *directory)
{
	char path[PATH_MAX];
	struct dirent *entry = NULL;

	if (!preload_begin())
		return NULL;
	if (is_of_system(dirfd(directory), path))
		entry = add_next(directory, path);
	preload_end(false);
	errno = 0;
	return entry;
}

static void forget(DIR *directory)
{
	if (!all_added || !preload_begin())
		return;
	for (struct added **link = &all_added, *added; (added = *link);) {
		if (added->directory == directory) {
			*link = added->link;
			free(added);
		} else {
			link = &added->link;
		}
	}
	preload_end(false);
}

/** The path of an entry that the machine may have instead, or NULL. */
static const char *listed_as(const char *directory, const char *name)
{
	const char *listed, *own_name;

	for (size_t i = 0; (listed = path_listed(i)); i++)
		if (is_entry(listed, directory, &own_name) && strcmp(name, own_name) == 0)
			return listed;
	return NULL;
}

static bool is_name_of_machine(const char *name)
{
	const char *listed;

	for (size_t i = 0; (listed = path_listed(i)); i++)
		if (strcmp(strrchr(listed, '/') + 1, name) == 0)
			return true;
	return false;
}

/** Whether the machine does not have what the system has; otherwise it is described. */
static bool is_hidden(DIR *directory, struct dirent *entry)
{
	char path[PATH_MAX];
	struct stat status;
	const char *listed;
	bool hidden;

	if (!is_name_of_machine(entry->d_name) || !preload_begin())
		return false;
	listed = is_of_system(dirfd(directory), path) ? listed_as(path, entry->d_name) : NULL;
	hidden = listed && get_status(listed, &status);
	if (listed && !hidden)
		describe(&status, entry);
	preload_end(false);
	return hidden;
}

/* ---- Reading ---- */

/** An entry of what the program sees elsewhere than it is: of the machine, or kept with it. */
static void describe_elsewhere(int directory, struct dirent *entry)
{
	char found[PATH_MAX];

	if (!preload_probe(is_elsewhere, directory, found))
		return;
	if (strcmp(entry->d_name, "..") == 0)
		entry->d_ino = number_above(directory, found, entry->d_ino);
	else if (path_is_owned(found))
		entry->d_ino = number_of(found, entry->d_name);
}

static struct dirent *read_next(DIR *directory)
{
	struct dirent *entry;

	do {
		errno = 0;
		entry = REAL(readdir)(directory);
	} while (entry && is_hidden(directory, entry));
	if (entry)
		describe_elsewhere(dirfd(directory), entry);
	return entry || errno ? entry : end_of(directory);
}

INTERPOSED struct dirent *readdir(DIR *directory)
{
	struct dirent *entry;
	int error = errno;

	if (!preload_machine || preload_inside())
		return REAL(readdir)(directory);
	entry = read_next(directory);
	if (entry || !errno)
		errno = error;
	return entry;
}

INTERPOSED void rewinddir(DIR *directory)
{
	forget(directory);
	REAL(rewinddir)(directory);
}

INTERPOSED void seekdir(DIR *directory, long position)
{
	forget(directory);
	REAL(seekdir)(directory, position);
}

INTERPOSED int closedir(DIR *directory)
{
	forget(directory);
	return REAL(closedir)(directory);
}

/* On this architecture the two are the same. */
INTERPOSED struct dirent64 *readdir64(DIR *directory)
{
	return (struct dirent64 *)readdir(directory);
}
