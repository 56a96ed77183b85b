/* SPDX-License-Identifier: BSD-3-Clause */
/* Links: where they lead, of the machine and in /proc, and what a path is without them. */
#include "preload/preload.h"

#include "emulator/front/launch_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/** As readlink(2), of a link with this target. */
static ssize_t copy_out(const char *link, char *target, size_t size)
{
	size_t length = strnlen(link, size);

	if (size == 0)
		return fail(EINVAL);
	return user_write(target, link, length) ? -1 : (ssize_t)length;
}

static ssize_t read_emulated_link(const char *emulated, char *target, size_t size)
{
	struct kernel_status status = { .type = KERNEL_FILE };
	ssize_t result = -1;
	int error = EINVAL;

	if (!path_is_device(emulated))
		error = -launch_look(preload_machine, emulated, false, &status);
	if (!error && status.type == KERNEL_LINK)
		result = copy_out(status.target, target, size);
	else
		errno = error ? error : EINVAL;
	free(status.target);
	return result;
}

/** Whether a link of the system shows an emulated file, as those in /proc do of what is open;
 * @seen: as the program knows it. Keeps errno. */
static bool shows_emulated(int directory, const char *path, char *seen)
{
	int error = errno;
	char link[PATH_MAX];
	ssize_t length = syscall(SYS_readlinkat, directory, path, link, sizeof(link) - 1);
	bool result = false;

	if (length >= 0) {
		link[length] = '\0';
		result = path_as_seen(link, seen);
	}
	errno = error;
	return result;
}

/** @found: where the link is. */
static ssize_t read_link_of_system(int directory, const char *path, const char *found, char *target,
				   size_t size)
{
	char seen[PATH_MAX];
	ssize_t result;

	if (strncmp(found, "/proc/", strlen("/proc/")) != 0 || !preload_begin())
		return REAL(readlinkat)(directory, path, target, size);
	result = shows_emulated(directory, path, seen)
			 ? copy_out(seen, target, size)
			 : REAL(readlinkat)(directory, path, target, size);
	preload_end(true);
	return result;
}

INTERPOSED ssize_t readlinkat(int directory, const char *path, char *target, size_t size)
{
	char found[PATH_MAX];
	ssize_t result;

	if (!path_begin(directory, &path, false, found))
		return read_link_of_system(directory, path, found, target, size);
	result = read_emulated_link(found, target, size);
	preload_end(true);
	return result;
}

INTERPOSED ssize_t readlink(const char *path, char *target, size_t size)
{
	return readlinkat(AT_FDCWD, path, target, size);
}

/* What programs that were compiled with _FORTIFY_SOURCE call. */
ssize_t __readlink_chk(const char *path, char *target, size_t size, size_t space);
ssize_t __readlinkat_chk(int directory, const char *path, char *target, size_t size, size_t space);

INTERPOSED ssize_t __readlink_chk(const char *path, char *target, size_t size, size_t space)
{
	return size > space ? REAL(__readlink_chk)(path, target, size, space)
			    : readlink(path, target, size);
}

INTERPOSED ssize_t __readlinkat_chk(int directory, const char *path, char *target, size_t size,
				    size_t space)
{
	return size > space ? REAL(__readlinkat_chk)(directory, path, target, size, space)
			    : readlinkat(directory, path, target, size);
}

/** A path of the system, and of what is kept with the machine, as the program sees it. */
static char *resolve_in_system(const char *path, char *resolved)
{
	char *real = REAL(realpath)(path, resolved), seen[PATH_MAX];
	bool changed;

	if (!real || !preload_begin())
		return real;
	changed = path_as_seen(real, seen);
	preload_end(changed);
	if (!changed)
		return real;
	if (resolved)
		return memcpy(resolved, seen, strlen(seen) + 1);
	free(real);
	return strdup(seen);
}

INTERPOSED char *realpath(const char *path, char *resolved)
{
	char found[PATH_MAX];
	struct stat status;
	bool exists;

	if (!path_begin(AT_FDCWD, &path, true, found))
		return resolve_in_system(path, resolved);
	exists = status_get(found, &status) == 0;
	preload_end(true);
	if (!exists)
		return NULL;
	return resolved ? memcpy(resolved, found, strlen(found) + 1) : strdup(found);
}

char *__realpath_chk(const char *path, char *resolved, size_t size);

INTERPOSED char *__realpath_chk(const char *path, char *resolved, size_t size)
{
	if (resolved && size < PATH_MAX)
		abort();
	return realpath(path, resolved);
}

INTERPOSED char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}
