/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups below /sys/fs/cgroup: made and removed. */
#include "emulator/kernel/cgroup.h"
#include "emulator/kernel/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CGROUP_PATH "/sys/fs/cgroup/"

/** The part of a path below the root group; NULL where it is not there, or where it would be a path
 * from the real root. */
static const char *below(const char *path)
{
	size_t length = strlen(CGROUP_PATH);

	return strncmp(path, CGROUP_PATH, length) == 0 && path[length] != '/' ? path + length
									      : NULL;
}

static int check_name(const struct server *server, const char *name)
{
	if (!name || !*name)
		return -EPERM;
	return server->platform->cgroup_tree.value == CGROUP_NONE ? -ENOENT : 0;
}

static int add(struct server *server, const char *name)
{
	struct group_tree tree;
	int result = groups_read(server, &tree);

	if (!result && groups_find(&tree, name))
		result = -EEXIST;
	if (!result)
		result = groups_add(&tree, name);
	if (!result)
		result = groups_commit(server, &tree);
	groups_free(&tree);
	return result;
}

int kernel_mkdir(struct server *server, const char *path)
{
	const char *name = below(path);
	struct kernel_status status;
	int result = check_name(server, name);

	if (result)
		return result;
	if (strchr(name, '\n'))
		return -EINVAL;
	/* The limit of depth, so to speak: groups below groups are not emulated. */
	if (strchr(name, '/'))
		return -EAGAIN;
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	if (kernel_look(server, path, false, &status) == 0)
		return -EEXIST;
	return add(server, name);
}

static int remove_group(struct server *server, const char *name)
{
	struct group_tree tree;
	struct group *group;
	int result = groups_read(server, &tree);

	group = result ? NULL : groups_find(&tree, name);
	if (group) {
		free(group->name);
		isst_cpuset_free(group->cpus);
		memmove(group, group + 1,
			(size_t)(&tree.groups[tree.count] - (group + 1)) * sizeof(*group));
		tree.count--;
		result = groups_commit(server, &tree);
	}
	groups_free(&tree);
	return result;
}

int kernel_rmdir(struct server *server, const char *path)
{
	const char *name = below(path);
	struct kernel_status status;
	int result = check_name(server, name);

	if (!result)
		result = kernel_look(server, path, false, &status);
	if (result)
		return result;
	return status.type == KERNEL_DIRECTORY ? remove_group(server, name) : -ENOTDIR;
}
