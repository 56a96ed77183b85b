/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that stand for the kernel's: a directory of the state directory in which empty files, links
 * and directories are made as programs come to them, for what needs a real one: the current
 * directory, descriptors of directories, reading them. What exists, and its content, is
 * determined by the machine alone.
 */
#include "preload/preload.h"

#include "emulator/front/launch_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/** A directory that may be there already. */
static int make_directory(const char *path)
{
	return REAL(mkdir)(path, 0755) && errno != EEXIST ? -1 : 0;
}

/** A file that may be there already, or a link. */
static int make_file(int directory, const char *name)
{
	/* By number: the function of this name is one of ours. */
	return syscall(SYS_mknodat, directory, name, S_IFREG | 0644, 0) && errno != EEXIST ? -1 : 0;
}

static int make(const char *path, bool directory)
{
	return directory ? make_directory(path) : make_file(AT_FDCWD, path);
}

/** All directories above what @backing names, which end behind @top bytes. */
static int make_parents(char *backing, size_t top)
{
	int result = 0;

	for (char *slash = strchr(backing + top, '/'); slash && !result;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		result = make_directory(backing);
		*slash = '/';
	}
	return result;
}

/** With the directories above only where they are missing: mostly they are there. */
static int make_with_parents(char *backing, size_t top, bool directory)
{
	if (make(backing, directory) == 0)
		return 0;
	return errno != ENOENT || make_parents(backing, top) ? -1 : make(backing, directory);
}

static int remove_all(int directory, const char *name);

static int remove_below(int directory)
{
	DIR *stream = fdopendir(directory);
	struct dirent *entry;
	int result = stream ? 0 : -1;

	while (!result && (entry = REAL(readdir)(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = remove_all(dirfd(stream), entry->d_name);
	if (stream)
		closedir(stream);
	else
		REAL(close)(directory);
	return result;
}

static int remove_all(int directory, const char *name)
{
	int below;

	if (REAL(unlinkat)(directory, name, 0) == 0 || errno == ENOENT)
		return 0;
	below = REAL(openat)(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below < 0 || remove_below(below))
		return -1;
	return REAL(unlinkat)(directory, name, AT_REMOVEDIR) && errno != ENOENT ? -1 : 0;
}

/** One name, as kernel_list() has it: behind the letter of its kind. */
static int make_name(const char *emulated, int directory, const char *name)
{
	char path[PATH_MAX];
	struct kernel_status status;
	int result = 0;

	if (*name == 'd')
		return REAL(mkdirat)(directory, name + 1, 0755) && errno != EEXIST ? -1 : 0;
	if (*name != 'l')
		return make_file(directory, name + 1);
	if (snprintf(path, sizeof(path), "%s/%s", emulated, name + 1) >= (int)sizeof(path))
		return fail(ENAMETOOLONG);
	if (launch_look(preload_machine, path, false, &status))
		return 0; /* gone in the meantime */
	if (status.type == KERNEL_LINK && symlinkat(status.target, directory, name + 1) &&
	    errno != EEXIST)
		result = -1;
	free(status.target);
	return result;
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left + 1, *(char *const *)right + 1);
}

/** The letter of a kind of entry, as kernel_list() has it. Not every file system has it in its
 * directories. */
static char kind_of(int directory, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR ? 'd' : entry->d_type == DT_LNK ? 'l' : 'f';
	if (status_real(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW))
		return 'f';
	return S_ISDIR(status.st_mode) ? 'd' : S_ISLNK(status.st_mode) ? 'l' : 'f';
}

/** Removes the names that are none any more, and clears the letter of those that are there. */
static int look_through(DIR *stream, char **names, size_t count)
{
	struct dirent *entry;
	int result = 0;

	while (!result && (entry = REAL(readdir)(stream))) {
		char known[300], *key = known, **found;
		char kind;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(known, sizeof(known), " %s", entry->d_name);
		found = count ? bsearch(&key, names, count, sizeof(*names), compare_names) : NULL;
		kind = found ? kind_of(dirfd(stream), entry) : '\0';
		if (found && (**found == kind || (**found == 'c' && kind == 'f')))
			**found = ' ';
		else
			result = remove_all(dirfd(stream), entry->d_name);
	}
	return result;
}

/** Whether a directory is where its path leads, and no link on the way leads elsewhere. */
static bool is_at(DIR *stream, const char *path)
{
	char actual[PATH_MAX];

	return stream && path_read_link(dirfd(stream), actual) >= 0 && strcmp(actual, path) == 0;
}

/**
 * Opens what stands for a directory, and makes it where it is missing. Names are removed there: it
 * must not be another directory, by a link that a state from elsewhere has.
 */
static DIR *open_or_make(char *backing, size_t top)
{
	DIR *stream = REAL(opendir)(backing);

	if (!stream && errno == ENOENT && !make_with_parents(backing, top, true))
		stream = REAL(opendir)(backing);
	if (!stream || is_at(stream, backing))
		return stream;
	closedir(stream);
	errno = ELOOP;
	return NULL;
}

/** Lets a directory have the names that the machine's has now. */
static int bring_up_to_date(const char *emulated, char *backing, size_t top)
{
	char **names;
	size_t count;
	DIR *stream;
	int result = launch_list(preload_machine, emulated, &names, &count);

	if (result)
		return fail(result);
	if (count)
		qsort(names, count, sizeof(*names), compare_names);
	stream = open_or_make(backing, top);
	result = stream ? look_through(stream, names, count) : -1;
	for (size_t i = 0; i < count && !result; i++)
		if (*names[i] != ' ')
			result = make_name(emulated, dirfd(stream), names[i]);
	if (stream)
		closedir(stream);
	launch_free_list(names, count);
	return result;
}

int names_make(const char *emulated, bool list, char *backing)
{
	struct kernel_status status;
	size_t top;
	int result = launch_look(preload_machine, emulated, false, &status);
	bool directory = !result && status.type == KERNEL_DIRECTORY;

	if (result)
		return fail(result);
	free(status.target);
	top = path_backing(emulated, backing);
	if (!top)
		return fail(ENAMETOOLONG);
	return directory && list ? bring_up_to_date(emulated, backing, top)
				 : make_with_parents(backing, top, directory);
}
