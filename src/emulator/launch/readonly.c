/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that may write only what they are allowed to. */
#include "emulator/launch/launch.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Trees that are cloned while they can be written to, and attached over those that cannot. */
struct writable {
	char *paths[64];
	int trees[64];
	size_t count;
};

/** Clones a tree. Returns 0, or a negative errno: -EXDEV for the root, with which all would be
 * writable. */
static int add_writable(struct writable *writable, const char *path)
{
	enum { MOST = sizeof(writable->trees) / sizeof(*writable->trees) };
	char *real = realpath(path, NULL);
	long tree;

	if (!real)
		return -errno;
	if (writable->count == MOST || strcmp(real, "/") == 0) {
		free(real);
		return writable->count == MOST ? -E2BIG : -EXDEV;
	}
	tree = syscall(SYS_open_tree, AT_FDCWD, real,
		       OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (tree < 0) {
		free(real);
		return -errno;
	}
	writable->paths[writable->count] = real;
	writable->trees[writable->count++] = (int)tree;
	return 0;
}

static int refuse_path(const char *path, int result, char **error)
{
	return set_error(error, -EINVAL, "Cannot keep %s writable: %s", path,
			 result == -EXDEV ? "all other files are below it" : strerror(-result));
}

static int add_all(struct writable *writable, const struct launch *launch, const char *directory,
		   char **error)
{
	const char *const *further = launch->program->writable;
	const char *temporary = getenv("TMPDIR");
	int result = add_writable(writable, directory);

	if (!result)
		result = add_writable(writable, launch->state);
	/* It need not exist. */
	if (!result)
		add_writable(writable, temporary && *temporary ? temporary : "/tmp");
	if (result)
		return refuse_path(directory, result, error);
	for (; further && *further; further++) {
		result = add_writable(writable, *further);
		if (result)
			return refuse_path(*further, result, error);
	}
	return 0;
}

/** Replaces the escapes of /proc/self/mountinfo: a backslash and three octal digits. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; path++) {
		if (*path == '\\' && strspn(path + 1, "01234567") >= 3) {
			const char digits[] = { path[1], path[2], path[3], '\0' };

			*to++ = (char)strtoul(digits, NULL, 8);
			path += 3;
		} else {
			*to++ = *path;
		}
	}
	*to = '\0';
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 && strchr("/", path[length]);
}

int readonly_mounts(bool (*is_meant)(const char *path, const char *mount))
{
	struct mount_attr read_only = { .attr_set = MOUNT_ATTR_RDONLY };
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, path[PATH_MAX];
	size_t space = 0;
	int result = 0;

	if (!mounts)
		return -errno;
	while (!result && getline(&line, &space, mounts) > 0) {
		if (sscanf(line, "%*s %*s %*s %*s %4095s", path) != 1)
			continue;
		unescape(path);
		/* EINVAL, ENOENT: another mount hides it. */
		if (is_meant(path, line) &&
		    syscall(SYS_mount_setattr, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &read_only,
			    sizeof(read_only)) &&
		    errno != EINVAL && errno != ENOENT && errno != EACCES)
			result = -errno;
	}
	free(line);
	fclose(mounts);
	return result;
}

/** All but the emulated files and the kernel's own, which its permissions guard. */
static bool is_protected(const char *path, const char *mount)
{
	return !strstr(mount, " - fuse isst ") && !is_below(path, "/proc") &&
	       !is_below(path, "/sys");
}

static int attach(const struct writable *writable, size_t index)
{
	return syscall(SYS_move_mount, writable->trees[index], "", AT_FDCWD, writable->paths[index],
		       MOVE_MOUNT_F_EMPTY_PATH)
		       ? -errno
		       : 0;
}

int readonly_apply(const struct launch *launch, char **error)
{
	struct writable writable = { .count = 0 };
	char *directory;
	int result;

	if (!launch->program->read_only)
		return 0;
	directory = getcwd(NULL, 0);
	if (!directory)
		return set_error(error, -EIO, "Cannot find the working directory: %s",
				 strerror(errno));
	result = add_all(&writable, launch, directory, error);
	if (!result) {
		result = readonly_mounts(is_protected);
		for (size_t i = 0; i < writable.count && !result; i++)
			result = attach(&writable, i);
		/* Through the mount that can be written to. */
		if (!result && chdir(directory))
			result = -errno;
		if (result)
			result = requirement_missing(LAUNCH_MOUNT, result, error);
	}
	for (size_t i = 0; i < writable.count; i++) {
		free(writable.paths[i]);
		close(writable.trees[i]);
	}
	free(directory);
	return result;
}
