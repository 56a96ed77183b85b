/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a path leads: to the emulated machine or to the system, by whatever links of both, and of
 * the program. `..` leads to where a directory really is, and files have none, as in the kernel.
 */
#include "preload/preload.h"

#include "emulator/front/launch_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

struct walk {
	char path[PATH_MAX]; /* so far, as the program sees it: without dots and links */
	char rest[PATH_MAX]; /* what is to come */
	bool follow;	     /* a link at the end */
	bool changed;	     /* the kernel would find another file by the path that was given */
	unsigned int links;
};

enum step { GO_ON, EMULATED, SYSTEM, REFUSED };

enum { MOST_LINKS = 40 }; /* as in the kernel */

/* What no system finds: handed on for a path of which it is not known here where it leads. */
static char too_long[PATH_MAX + 1];

/* ---- Parts of paths ---- */

/** Appends a part. Returns false where the path gets too long. */
static bool append(char *path, const char *part, size_t size)
{
	size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);

	if (length + 1 + size >= PATH_MAX)
		return false;
	path[length] = '/';
	memcpy(path + length + 1, part, size);
	path[length + 1 + size] = '\0';
	return true;
}

static void go_up(char *path)
{
	char *end = strrchr(path, '/');

	end[end == path ? 1 : 0] = '\0';
}

static bool is_up(const char *part, size_t size)
{
	return size == 2 && part[0] == '.' && part[1] == '.';
}

/** The first part that is not ".", and its size: 0 where there is none. */
static const char *first_part(const char *rest, size_t *size)
{
	for (;; rest += *size) {
		rest += strspn(rest, "/");
		*size = strcspn(rest, "/");
		if (*size != 1 || *rest != '.')
			return rest;
	}
}

/** Replaces what is to come up to @rest. */
static bool put_before(struct walk *walk, const char *target, const char *rest)
{
	char whole[PATH_MAX];

	if (snprintf(whole, sizeof(whole), "%s/%s", target, rest) >= (int)sizeof(whole))
		return false;
	/* What had no slash at its end has none now. */
	if (!*rest)
		whole[strlen(target)] = '\0';
	memcpy(walk->rest, whole, strlen(whole) + 1);
	return true;
}

/* ---- In the system ---- */

/** The rest is the kernel's to find, or to refuse. */
static enum step leave_to_system(struct walk *walk)
{
	size_t length = strlen(walk->rest);

	return length > 0 && !append(walk->path, walk->rest, length) ? REFUSED : SYSTEM;
}

static bool is_of_processes(const char *path)
{
	return strncmp(path, "/proc/", strlen("/proc/")) == 0;
}

/** Goes on at the target of a link. @candidate: where that is */
static enum step follow_link(struct walk *walk, const char *candidate, char *target,
			     const char *rest)
{
	char emulated[PATH_MAX];

	/* A descriptor that is an emulated file. */
	if (path_of_link(target, emulated)) {
		target = emulated;
		walk->changed = true;
	}
	/* Another one, of a pipe or the like. */
	if (is_of_processes(walk->path) && *target != '/')
		return leave_to_system(walk);
	/* A directory that has been removed still has one above it. */
	if (is_of_processes(walk->path) && *rest && path_is_of_removed(target))
		return REFUSED;
	if (++walk->links > MOST_LINKS)
		return walk->changed ? REFUSED : leave_to_system(walk);
	if (path_is_moved(candidate))
		walk->changed = true;
	if (!put_before(walk, target, rest))
		return REFUSED;
	if (*target == '/')
		memcpy(walk->path, "/", 2);
	return GO_ON;
}

/** One part of a path that is not the machine's. */
static enum step step_in_system(struct walk *walk, const char *candidate, const char *rest)
{
	char target[PATH_MAX], moved[PATH_MAX];
	const char *emulated = path_from_backing(candidate);
	ssize_t length;

	if (emulated) {
		walk->changed = true;
		memmove(walk->path, emulated, strlen(emulated) + 1);
		memmove(walk->rest, rest, strlen(rest) + 1);
		return GO_ON;
	}
	length = syscall(SYS_readlinkat, AT_FDCWD, path_moved(candidate, moved), target,
			 sizeof(target) - 1);
	if (length >= 0 && (*rest || walk->follow)) {
		target[length] = '\0';
		return follow_link(walk, candidate, target, rest);
	}
	/* The kernel follows links in /proc that it cannot read. */
	if (length < 0 && errno == ENAMETOOLONG && *rest)
		return REFUSED;
	/* A system need not have the directories above what the machine has. */
	if (length < 0 && errno != EINVAL && *rest && !path_leads_to_owned(candidate))
		return leave_to_system(walk);
	memcpy(walk->path, candidate, strlen(candidate) + 1);
	memmove(walk->rest, rest, strlen(rest) + 1);
	return GO_ON;
}

/** Of the path so far. Where there is one for the machine alone, the kernel cannot follow the path
 * as it was given. */
static bool is_directory_of_system(struct walk *walk)
{
	char moved[PATH_MAX];
	struct stat status;

	if (status_real(AT_FDCWD, path_moved(walk->path, moved), &status, 0) == 0)
		return S_ISDIR(status.st_mode);
	if (!path_leads_to_owned(walk->path))
		return false;
	walk->changed = true;
	return true;
}

/* ---- On the emulated machine ---- */

static bool is_directory_of_machine(const char *path)
{
	struct kernel_status status;

	if (launch_look(preload_machine, path, false, &status))
		return false;
	free(status.target);
	return status.type == KERNEL_DIRECTORY;
}

/** What is missing, or would have to be a directory: the machine answers for it. */
static enum step refuse(struct walk *walk, const char *path, bool slash)
{
	size_t length = strlen(path);

	memmove(walk->path, path, length + 1);
	if (slash && length + 1 < PATH_MAX)
		memcpy(walk->path + length, "/", 2);
	return EMULATED;
}

/** All that comes before the next "..", at once. */
static enum step step_on_machine(struct walk *walk, char *candidate, const char *rest)
{
	bool slash = *rest == '/', follow = walk->follow;
	char *resolved;
	const char *part;
	size_t size;
	int result;

	for (part = first_part(rest, &size); size > 0 && !is_up(part, size);
	     part = first_part(rest, &size)) {
		if (!append(candidate, part, size))
			return refuse(walk, candidate, true);
		rest = part + size;
		slash = *rest == '/';
	}
	if (strcmp(candidate, ABI_DEVICE_PATH) == 0)
		return refuse(walk, candidate, slash);
	result = launch_resolve(preload_machine, candidate, follow || slash, &resolved);
	if (result)
		return refuse(walk, candidate, size > 0 || result == -ENOTDIR);
	memcpy(walk->path, resolved, strlen(resolved) + 1);
	free(resolved);
	if (slash && !is_directory_of_machine(walk->path))
		return refuse(walk, walk->path, true);
	if (!path_is_owned(walk->path))
		walk->changed = true;
	memmove(walk->rest, part, strlen(part) + 1);
	return GO_ON;
}

/* ---- Both ---- */

static enum step step_up(struct walk *walk, const char *rest)
{
	if (path_is_owned(walk->path)) {
		if (!is_directory_of_machine(walk->path))
			return refuse(walk, walk->path, true);
		walk->changed = true;
	} else if (!is_directory_of_system(walk)) {
		return leave_to_system(walk);
	} else if (path_is_moved(walk->path)) {
		walk->changed = true;
	}
	go_up(walk->path);
	memmove(walk->rest, rest, strlen(rest) + 1);
	return GO_ON;
}

static enum step step(struct walk *walk)
{
	char candidate[PATH_MAX];
	size_t size;
	const char *part = first_part(walk->rest, &size);

	if (size == 0)
		return path_is_owned(walk->path) ? EMULATED : leave_to_system(walk);
	if (is_up(part, size))
		return step_up(walk, part + size);
	memcpy(candidate, walk->path, strlen(walk->path) + 1);
	if (!append(candidate, part, size))
		return REFUSED;
	return path_is_owned(candidate) ? step_on_machine(walk, candidate, part + size)
					: step_in_system(walk, candidate, part + size);
}

/** Whether a path can be read, which the kernel finds out without harm, and is not empty. */
static bool is_readable(const char *path)
{
	char unused;

	return path &&
	       (syscall(SYS_readlinkat, AT_FDCWD, path, &unused, 1) >= 0 ||
		(errno != EFAULT && errno != ENAMETOOLONG)) &&
	       *path;
}

/** Whether a path leads to nothing but what is below a directory, or nowhere. */
static bool stays_below(int directory, const char *path, bool follow)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};
	int opened = (int)syscall(SYS_openat2, directory, path, &how, sizeof(how));

	if (opened >= 0)
		return close(opened) == 0;
	return errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == EBADF;
}

/** A path that the kernel refuses as too long. */
static bool refuse_path(const char **path, char *found)
{
	memset(too_long, 'x', sizeof(too_long) - 1);
	*found = '\0';
	*path = too_long;
	return false;
}

static bool find(int directory, const char **path, bool follow, char *found)
{
	struct walk walk = { .path = "/", .follow = follow };
	enum step last;

	*found = '\0';
	if (!is_readable(*path))
		return false;
	/* Of a directory that is too deep, or has been removed, it is not known what is above. */
	if (**path != '/' && !path_of_directory(directory, walk.path, &walk.changed))
		return stays_below(directory, *path, follow) ? false : refuse_path(path, found);
	memcpy(walk.rest, *path, strlen(*path) + 1);
	do {
		last = step(&walk);
	} while (last == GO_ON);
	if (last == REFUSED && walk.links > MOST_LINKS && path_of_circle(found)) {
		*path = found;
		return false;
	}
	if (last == REFUSED)
		return !walk.changed && stays_below(directory, *path, follow)
			       ? false
			       : refuse_path(path, found);
	memcpy(found, walk.path, strlen(walk.path) + 1);
	if (last == EMULATED)
		return true;
	if (path_moved(walk.path, found) == found || walk.changed)
		*path = found;
	return false;
}

bool path_find(int directory, const char **path, bool follow, char *found)
{
	int error = errno;
	bool emulated = find(directory, path, follow, found);

	errno = error;
	return emulated;
}

/** A path from the root, without links being looked at. Returns false where it leads upwards. */
static bool join(int directory, const char *path, char *whole)
{
	const char *part;
	size_t size;

	memcpy(whole, "/", 2);
	if (*path != '/' &&
	    (directory != AT_FDCWD || syscall(SYS_getcwd, whole, (size_t)PATH_MAX) < 0))
		return false;
	for (part = first_part(path, &size); size > 0; part = first_part(part + size, &size))
		if (is_up(part, size) || !append(whole, part, size))
			return false;
	return true;
}

void path_move_around(int directory, const char **path, char *found)
{
	char whole[PATH_MAX];
	size_t length;

	/* What the program itself opens for its machine has other paths. */
	if (!is_readable(*path) || !join(directory, *path, whole) || !path_is_moved(whole) ||
	    !preload_machine_around() || path_moved(whole, found) != found)
		return;
	/* Where it would have to be a directory. */
	length = strlen(found);
	if ((*path)[strlen(*path) - 1] == '/' && length + 1 < PATH_MAX)
		memcpy(found + length, "/", 2);
	*path = found;
}

bool path_begin(int directory, const char **path, bool follow, char *found)
{
	*found = '\0';
	if (!preload_begin()) {
		path_move_around(directory, path, found);
		return false;
	}
	if (path_find(directory, path, follow, found))
		return true;
	preload_end(false);
	return false;
}
