/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories: opened, entered, watched, and refused as the root directory of a program. */
#include "preload/preload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* ---- Listing ---- */

/** The device is no directory, nor is there anything below it. */
static bool is_device(const char *emulated, int *result)
{
	struct stat status;

	if (!path_begins_with_device(emulated))
		return false;
	*result = status_get(emulated, &status) ? -1 : fail(ENOTDIR);
	return true;
}

/** The machine lists it, with the faults that its rules ask for; what stands for it gets the same
 * names. Returns 0, or -1 and errno. */
static int list(const char *emulated)
{
	char **names;
	size_t count;
	int error;

	if (is_device(emulated, &error))
		return error;
	error = preload_machine->files->list(preload_machine->data, emulated, &names, &count);
	if (error) {
		errno = -error;
		return -1;
	}
	while (count > 0)
		free(names[--count]);
	free(names);
	return 0;
}

INTERPOSED DIR *opendir(const char *path)
{
	char found[PATH_MAX], backing[PATH_MAX];
	DIR *directory = NULL;
	int error = errno;

	if (!path_begin(AT_FDCWD, &path, true, found))
		return REAL(opendir)(path);
	if (list(found) == 0 && names_make(found, true, backing) == 0)
		directory = REAL(opendir)(backing);
	if (directory)
		errno = error;
	preload_end(true);
	return directory;
}

/** As scandir(3), of a directory that is open; closes it. */
static int scan(DIR *directory, struct dirent ***found, int (*choose)(const struct dirent *entry),
		int (*compare)(const struct dirent **a, const struct dirent **b))
{
	struct dirent **entries = NULL, *entry;
	size_t count = 0;

	if (!directory)
		return -1;
	while ((entry = readdir(directory))) {
		struct dirent **more;

		if (choose && !choose(entry))
			continue;
		more = reallocarray(entries, count + 1, sizeof(struct dirent *));
		if (more)
			entries = more;
		if (more && (entries[count] = malloc(entry->d_reclen))) {
			memcpy(entries[count++], entry, entry->d_reclen);
			continue;
		}
		while (count > 0)
			free(entries[--count]);
		free(entries);
		closedir(directory);
		errno = ENOMEM;
		return -1;
	}
	closedir(directory);
	if (compare && count > 0)
		qsort(entries, count, sizeof(struct dirent *),
		      (int (*)(const void *, const void *))compare);
	*found = entries;
	return (int)count;
}

/* The C library's own call opendir() by another name. */

INTERPOSED int scandir(const char *path, struct dirent ***found,
		       int (*choose)(const struct dirent *entry),
		       int (*compare)(const struct dirent **a, const struct dirent **b))
{
	return scan(opendir(path), found, choose, compare);
}

INTERPOSED int scandirat(int directory, const char *path, struct dirent ***found,
			 int (*choose)(const struct dirent *entry),
			 int (*compare)(const struct dirent **a, const struct dirent **b))
{
	int file = openat(directory, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	DIR *opened = file < 0 ? NULL : fdopendir(file);

	if (file >= 0 && !opened)
		close(file);
	return scan(opened, found, choose, compare);
}

static void *glob_open(const char *path)
{
	return opendir(path);
}

static struct dirent *glob_read(void *directory)
{
	return readdir(directory);
}

static void glob_close(void *directory)
{
	closedir(directory);
}

INTERPOSED int glob(const char *pattern, int flags, int (*failed)(const char *path, int error),
		    glob_t *found)
{
	if (flags & GLOB_ALTDIRFUNC || !preload_machine)
		return REAL(glob)(pattern, flags, failed, found);
	found->gl_opendir = glob_open;
	found->gl_readdir = glob_read;
	found->gl_closedir = glob_close;
	found->gl_stat = stat;
	found->gl_lstat = lstat;
	return REAL(glob)(pattern, flags | GLOB_ALTDIRFUNC, failed, found);
}

/* On this architecture the two are the same. */
INTERPOSED int scandir64(const char *path, struct dirent64 ***found,
			 int (*choose)(const struct dirent64 *entry),
			 int (*compare)(const struct dirent64 **a, const struct dirent64 **b))
{
	return scandir(path, (struct dirent ***)found, (int (*)(const struct dirent *entry))choose,
		       (int (*)(const struct dirent **a, const struct dirent **b))compare);
}

INTERPOSED int scandirat64(int directory, const char *path, struct dirent64 ***found,
			   int (*choose)(const struct dirent64 *entry),
			   int (*compare)(const struct dirent64 **a, const struct dirent64 **b))
{
	return scandirat(directory, path, (struct dirent ***)found,
			 (int (*)(const struct dirent *entry))choose,
			 (int (*)(const struct dirent **a, const struct dirent **b))compare);
}

INTERPOSED int glob64(const char *pattern, int flags, int (*failed)(const char *path, int error),
		      glob64_t *found)
{
	return glob(pattern, flags, failed, (glob_t *)found);
}

/* ---- The current directory ---- */

INTERPOSED int chdir(const char *path)
{
	char found[PATH_MAX], backing[PATH_MAX];
	int result = -1;

	if (!path_begin(AT_FDCWD, &path, true, found))
		return REAL(chdir)(path);
	if (!is_device(found, &result) && names_make(found, true, backing) == 0)
		result = REAL(chdir)(backing);
	preload_end(true);
	return result;
}

INTERPOSED char *getcwd(char *buffer, size_t size)
{
	char path[PATH_MAX];
	bool changed = false;
	size_t length;

	if (!preload_begin())
		return REAL(getcwd)(buffer, size);
	if (!path_of_directory(AT_FDCWD, path, &changed))
		changed = false;
	preload_end(changed);
	if (!changed)
		return REAL(getcwd)(buffer, size);
	if (!buffer && size == 0)
		return strdup(path);
	length = strlen(path) + 1;
	if (length > size) {
		errno = size ? ERANGE : EINVAL;
		return NULL;
	}
	if (!buffer)
		buffer = malloc(size);
	return buffer ? memcpy(buffer, path, length) : NULL;
}

/* What programs that were compiled with _FORTIFY_SOURCE call. */
char *__getcwd_chk(char *buffer, size_t size, size_t space);

INTERPOSED char *__getcwd_chk(char *buffer, size_t size, size_t space)
{
	return size > space ? REAL(__getcwd_chk)(buffer, size, space) : getcwd(buffer, size);
}

INTERPOSED char *get_current_dir_name(void)
{
	return getcwd(NULL, 0);
}

/* ---- Watching ---- */

/** What the machine changes is not reported; a watch of what stands for a file of the machine would
 * report how that is made. */
static uint32_t without_events(uint32_t mask)
{
	return (mask & ~(uint32_t)IN_ALL_EVENTS) | IN_MOVE_SELF;
}

INTERPOSED int inotify_add_watch(int watch, const char *path, uint32_t mask)
{
	char found[PATH_MAX], backing[PATH_MAX];
	int result = -1;

	if (!path_begin(AT_FDCWD, &path, (mask & IN_DONT_FOLLOW) == 0, found))
		return REAL(inotify_add_watch)(watch, path, mask);
	if (path_is_device(found) ? path_backing(found, backing) > 0
				  : names_make(found, false, backing) == 0)
		result = REAL(inotify_add_watch)(watch, backing, without_events(mask));
	preload_end(true);
	return result;
}

/* ---- The root directory ---- */

/**
 * Whether a directory of the system holds what the machine has instead: below it, as a root
 * directory, the files would have other paths, by which the real ones are found. One that holds
 * another /sys, as an image does, is none.
 */
static bool hides_machine(const char *path)
{
	size_t length = strlen(path);
	char directory[PATH_MAX];

	/* What means the directory itself. */
	while (length > 1 &&
	       (path[length - 1] == '/' || (path[length - 1] == '.' && path[length - 2] == '/')))
		length--;
	memcpy(directory, path, length);
	directory[length] = '\0';
	return length > 1 && path_leads_to_owned(directory);
}

/** Why a directory is not made the root, as an error number; 0: it may be. */
static int root_error(const char **path, char *found)
{
	struct stat status;
	int error;

	if (!path_begin(AT_FDCWD, path, true, found))
		return hides_machine(found) ? EPERM : 0;
	error = status_get(found, &status) ? errno : S_ISDIR(status.st_mode) ? EPERM : ENOTDIR;
	preload_end(true);
	return error;
}

INTERPOSED int chroot(const char *path)
{
	const char *given = path;
	char found[PATH_MAX];
	int error = root_error(&path, found);

	if (error == EPERM)
		preload_warn(
			"%s is not made the root directory: the real machine would be seen in it",
			given);
	return error ? fail(error) : REAL(chroot)(path);
}
