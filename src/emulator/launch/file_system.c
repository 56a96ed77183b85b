/* SPDX-License-Identifier: BSD-3-Clause */
/* statfs(2): by the type of a file system programs see which hierarchy of control groups there is,
 * and a FUSE file system cannot have another type than its own. */
#include "emulator/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static long type_of(const char *path)
{
	static const struct {
		const char *directory;
		long type;
	} types[] = { { "/sys/fs/cgroup", CGROUP2_SUPER_MAGIC },
		      { "/sys/kernel/debug", DEBUGFS_MAGIC },
		      { "/dev", TMPFS_MAGIC },
		      { "/proc", PROC_SUPER_MAGIC },
		      { "", SYSFS_MAGIC } };
	size_t i = 0;

	while (strncmp(path, types[i].directory, strlen(types[i].directory)) != 0)
		i++;
	return types[i].type;
}

/** Opens a path as the caller would, which need not be allowed to read it. */
static int open_as(pid_t caller, const char *path)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	char link[40], whole[2 * PATH_MAX];
	ssize_t length = 0;
	int root, found;

	if (*path != '/') {
		snprintf(link, sizeof(link), "/proc/%d/cwd", caller);
		length = readlink(link, whole, PATH_MAX - 1);
		if (length < 0)
			return -1;
		whole[length++] = '/';
	}
	snprintf(whole + length, sizeof(whole) - (size_t)length, "%s", path);
	snprintf(link, sizeof(link), "/proc/%d/root", caller);
	root = open(link, O_PATH | O_CLOEXEC);
	found = root < 0 ? -1 : (int)syscall(SYS_openat2, root, whole, &how, sizeof(how));
	if (root >= 0)
		close(root);
	return found;
}

bool file_system_get(pid_t caller, const char *path, int descriptor, uint64_t address, long *result)
{
	char link[40], seen[PATH_MAX];
	struct statfs status;
	ssize_t length = -1;
	int file;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", caller, descriptor);
	file = path ? open_as(caller, path) : open(link, O_PATH | O_CLOEXEC);
	if (file < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	if (fstatfs(file, &status) == 0 && status.f_type == FUSE_SUPER_MAGIC)
		length = readlink(link, seen, sizeof(seen) - 1);
	close(file);
	if (length < 0)
		return false;
	seen[length] = '\0';
	status.f_type = type_of(seen);
	*result = caller_write(caller, address, &status, sizeof(status)) ? 0 : -EFAULT;
	return true;
}
