/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that may write only what they are allowed to. */
#include "emulator/launch/launch.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int mount_read_only(const char *path)
{
	struct mount_attr read_only = { .attr_set = MOUNT_ATTR_RDONLY };

	return syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE | AT_SYMLINK_NOFOLLOW,
		       &read_only, sizeof(read_only))
		       ? -errno
		       : 0;
}

static int refuse_path(const char *path, int code, char **error)
{
	return set_error(error, -EINVAL, "Cannot keep %s writable: %s", path,
			 code == EXDEV ? "all other files are below it" : strerror(code));
}

/** Makes all read-only but what is below @own, of which not all need exist, and @further. Each tree
 * is cloned while it can be written to, and attached where it was when the rest is done. */
static int protect_others(const char *const *own, const char *const *further, char **error)
{
	const char *path = *own ? *own : further ? *further : NULL;
	char *real;
	int tree, result;

	if (!path) {
		result = mount_read_only("/");
		return result ? requirement_missing(NO_MOUNT, result, error) : 0;
	}
	real = realpath(path, NULL);
	if (real && strcmp(real, "/") == 0) {
		free(real);
		return refuse_path(path, EXDEV, error);
	}
	tree = real ? (int)syscall(SYS_open_tree, AT_FDCWD, real,
				   OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE)
		    : -1;
	if (tree < 0 && !*own)
		result = refuse_path(path, errno, error);
	else
		result = protect_others(*own ? own + 1 : own, *own ? further : further + 1, error);
	if (!result && tree >= 0 &&
	    syscall(SYS_move_mount, tree, "", AT_FDCWD, real, MOVE_MOUNT_F_EMPTY_PATH))
		result = requirement_missing(NO_MOUNT, -errno, error);
	if (tree >= 0)
		close(tree);
	free(real);
	return result;
}

int readonly_apply(const struct launch *launch, char **error)
{
	char *directory = launch->read_only ? getcwd(NULL, 0) : NULL;
	const char *temporary = getenv("TMPDIR");
	/* The kernel's files are guarded by its permissions. */
	const char *const own[] = { "/proc",	   "/sys",
				    "/dev/cpu",	   temporary && *temporary ? temporary : "/tmp",
				    launch->state, directory,
				    NULL };
	int result;

	if (!launch->read_only)
		return 0;
	if (!directory)
		return set_error(error, -EIO, "Cannot find the working directory: %s",
				 strerror(errno));
	result = protect_others(own, launch->writable, error);
	/* Through the mount that can be written to. */
	if (!result && chdir(directory))
		result = requirement_missing(NO_MOUNT, -errno, error);
	free(directory);
	return result;
}
