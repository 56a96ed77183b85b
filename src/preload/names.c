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

static int fail(int error)
{
	errno = error < 0 ? -error : error;
	return -1;
}

/** A directory that may be there already. */
static int make_directory(const char *path)
{
	return REAL(mkdir)(path, 0755) && errno != EEXIST ? -1 : 0;
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
	int result = 0, file;

	if (*name == 'd')
		return REAL(mkdirat)(directory, name + 1, 0755) && errno != EEXIST ? -1 : 0;
	if (*name != 'l') {
		file = REAL(openat)(directory, name + 1,
				    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
		return file < 0 ? -1 : REAL(close)(file);
	}
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

/** The letter of a kind of entry, as kernel_list() has it. */
static char kind_of(const struct dirent *entry)
{
	return entry->d_type == DT_DIR ? 'd' : entry->d_type == DT_LNK ? 'l' : 'f';
}

/** Removes the names that are none any more, and clears the letter of those that are there. */
static int look_through(DIR *stream, char **names, size_t count)
{
	struct dirent *entry;
	int result = 0;

	while (!result && (entry = REAL(readdir)(stream))) {
		char known[300], *key = known, **found;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(known, sizeof(known), " %s", entry->d_name);
		found = count ? bsearch(&key, names, count, sizeof(*names), compare_names) : NULL;
		if (found &&
		    (**found == kind_of(entry) || (**found == 'c' && kind_of(entry) == 'f')))
			**found = ' ';
		else
			result = remove_all(dirfd(stream), entry->d_name);
	}
	return result;
}

/** Lets a directory have the names that the machine's has now. */
static int bring_up_to_date(const char *emulated, const char *backing)
{
	char **names;
	size_t count;
	DIR *stream;
	int result = launch_list(preload_machine, emulated, &names, &count);

	if (result)
		return fail(result);
	if (count)
		qsort(names, count, sizeof(*names), compare_names);
	stream = REAL(opendir)(backing);
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
	int result = launch_look(preload_machine, emulated, false, &status), file;

	if (result)
		return fail(result);
	free(status.target);
	top = path_backing(emulated, backing);
	if (!top)
		return fail(ENAMETOOLONG);
	if (make_parents(backing, top))
		return -1;
	if (status.type == KERNEL_DIRECTORY) {
		result = make_directory(backing);
		return result || !list ? result : bring_up_to_date(emulated, backing);
	}
	file = REAL(open)(backing, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	return file < 0 && errno != ELOOP ? -1 : file < 0 ? 0 : REAL(close)(file);
}
