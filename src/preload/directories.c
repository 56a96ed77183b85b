/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories: listed, entered, made and removed; and what no program may do with the
 * kernel's files. */
#include "preload/preload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Listing ---- */

/** The machine lists it, with the faults that its rules ask for; what stands for it gets the same
 * names. Returns 0, or -1 and errno. */
static int list(const char *emulated)
{
	char **names;
	size_t count;
	int error = preload_machine->files->list(preload_machine->data, emulated, &names, &count);

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
	char emulated[PATH_MAX], backing[PATH_MAX];
	DIR *directory = NULL;

	if (preload_begin()) {
		bool answered = path_is_emulated(AT_FDCWD, path, emulated);

		if (answered && path_follow(emulated) == 0 && list(emulated) == 0 &&
		    names_make(emulated, true, backing) == 0)
			directory = REAL(opendir)(backing);
		preload_end(answered);
		if (answered)
			return directory;
	}
	return REAL(opendir)(path_moved(path, backing));
}

/** The number of an entry is that of its status; only directories have the one that is read. */
INTERPOSED struct dirent *readdir(DIR *directory)
{
	struct dirent *entry = REAL(readdir)(directory);
	char emulated[PATH_MAX];
	struct stat status;

	if (!entry || entry->d_type == DT_DIR || !preload_begin())
		return entry;
	if (path_is_emulated(dirfd(directory), entry->d_name, emulated) &&
	    status_get(emulated, &status) == 0)
		entry->d_ino = status.st_ino;
	preload_end(false);
	return entry;
}

/* The C library's own calls opendir() by another name. */
INTERPOSED int scandir(const char *path, struct dirent ***found,
		       int (*choose)(const struct dirent *entry),
		       int (*compare)(const struct dirent **a, const struct dirent **b))
{
	DIR *directory = opendir(path);
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
INTERPOSED struct dirent64 *readdir64(DIR *directory)
{
	return (struct dirent64 *)readdir(directory);
}

INTERPOSED int scandir64(const char *path, struct dirent64 ***found,
			 int (*choose)(const struct dirent64 *entry),
			 int (*compare)(const struct dirent64 **a, const struct dirent64 **b))
{
	return scandir(path, (struct dirent ***)found, (int (*)(const struct dirent *entry))choose,
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
	char emulated[PATH_MAX] = "", backing[PATH_MAX];
	int result = -1;

	if (preload_begin()) {
		bool answered = path_is_emulated(AT_FDCWD, path, emulated);

		if (answered && path_follow(emulated) == 0 &&
		    names_make(emulated, true, backing) == 0)
			result = REAL(chdir)(backing);
		preload_end(answered);
		if (answered)
			return result;
		/* "cd .." at the top of what is emulated leads out of it. */
		if (*path && *path != '/' && emulated[0] == '/' &&
		    path_from_backing(REAL(getcwd)(backing, sizeof(backing)) ? backing : ""))
			return REAL(chdir)(emulated);
	}
	return REAL(chdir)(path);
}

INTERPOSED char *getcwd(char *buffer, size_t size)
{
	char path[PATH_MAX];
	const char *shown = NULL;
	size_t length;

	if (!preload_begin())
		return REAL(getcwd)(buffer, size);
	if (REAL(getcwd)(path, sizeof(path)))
		shown = path_from_backing(path);
	preload_end(shown != NULL);
	if (!shown)
		return REAL(getcwd)(buffer, size);
	if (!buffer)
		return strdup(shown);
	length = strlen(shown) + 1;
	if (length <= size)
		return memcpy(buffer, shown, length);
	errno = ERANGE;
	return NULL;
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

/* ---- Making and removing ---- */

/** Returns true where the path is an emulated one; then *@result is what the call returns. */
static bool change_emulated(int (*change)(void *data, const char *path), int directory,
			    const char *path, int *result)
{
	char emulated[PATH_MAX];
	bool answered;
	int error;

	if (!preload_begin())
		return false;
	answered = path_is_emulated(directory, path, emulated);
	if (answered) {
		error = change(preload_machine->data, emulated);
		*result = error ? -1 : 0;
		if (error)
			errno = -error;
	}
	preload_end(answered);
	return answered;
}

static int refuse(void *data, const char *path)
{
	struct stat status;

	(void)data;
	return status_get(path, &status) ? -errno : -EPERM;
}

#define ANSWER_EMULATED(change, directory, path) \
	do { \
		int answer; \
		if (change_emulated((change), (directory), (path), &answer)) \
			return answer; \
	} while (0)

static int make_directory(void *data, const char *path)
{
	return preload_machine->files->mkdir(data, path);
}

static int remove_directory(void *data, const char *path)
{
	return preload_machine->files->rmdir(data, path);
}

INTERPOSED int mkdir(const char *path, mode_t mode)
{
	char moved[PATH_MAX];

	ANSWER_EMULATED(make_directory, AT_FDCWD, path);
	return REAL(mkdir)(path_moved(path, moved), mode);
}

INTERPOSED int mkdirat(int directory, const char *path, mode_t mode)
{
	char moved[PATH_MAX];

	ANSWER_EMULATED(make_directory, directory, path);
	return REAL(mkdirat)(directory, path_moved(path, moved), mode);
}

INTERPOSED int rmdir(const char *path)
{
	char moved[PATH_MAX];

	ANSWER_EMULATED(remove_directory, AT_FDCWD, path);
	return REAL(rmdir)(path_moved(path, moved));
}

INTERPOSED int unlink(const char *path)
{
	char moved[PATH_MAX];

	ANSWER_EMULATED(refuse, AT_FDCWD, path);
	return REAL(unlink)(path_moved(path, moved));
}

INTERPOSED int unlinkat(int directory, const char *path, int flags)
{
	char moved[PATH_MAX];

	ANSWER_EMULATED(flags & AT_REMOVEDIR ? remove_directory : refuse, directory, path);
	return REAL(unlinkat)(directory, path_moved(path, moved), flags);
}

/** Nothing is renamed in these file systems, and nothing leaves one or comes into one. */
static int refuse_rename(const char *from, const char *to)
{
	if (*from && *to && status_file_system(from) == status_file_system(to))
		return refuse(NULL, from);
	return -EXDEV;
}

/** Returns true where one of the two is emulated; errno is set. */
static bool no_rename(int from_directory, const char *from, int to_directory, const char *to)
{
	char emulated_from[PATH_MAX], emulated_to[PATH_MAX];
	bool has_from, has_to;

	if (!preload_begin())
		return false;
	has_from = path_is_emulated(from_directory, from, emulated_from);
	has_to = path_is_emulated(to_directory, to, emulated_to);
	if (has_from || has_to)
		errno = -refuse_rename(has_from ? emulated_from : "", has_to ? emulated_to : "");
	preload_end(has_from || has_to);
	return has_from || has_to;
}

INTERPOSED int renameat2(int from_directory, const char *from, int to_directory, const char *to,
			 unsigned int flags)
{
	char moved_from[PATH_MAX], moved_to[PATH_MAX];

	if (no_rename(from_directory, from, to_directory, to))
		return -1;
	return (int)syscall(SYS_renameat2, from_directory, path_moved(from, moved_from),
			    to_directory, path_moved(to, moved_to), flags);
}

INTERPOSED int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
	return renameat2(from_directory, from, to_directory, to, 0);
}

INTERPOSED int rename(const char *from, const char *to)
{
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

INTERPOSED int truncate(const char *path, off_t size)
{
	ANSWER_EMULATED(refuse, AT_FDCWD, path);
	return REAL(truncate)(path, size);
}

INTERPOSED int chmod(const char *path, mode_t mode)
{
	ANSWER_EMULATED(refuse, AT_FDCWD, path);
	return REAL(chmod)(path, mode);
}

INTERPOSED int chown(const char *path, uid_t owner, gid_t group)
{
	ANSWER_EMULATED(refuse, AT_FDCWD, path);
	return REAL(chown)(path, owner, group);
}
