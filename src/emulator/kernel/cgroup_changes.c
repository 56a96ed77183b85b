/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups below /sys/fs/cgroup are made and removed. */
#include "emulator/kernel/cgroup.h"
#include "emulator/kernel/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** The directory that groups are made in. */
static const char *root_group(const struct server *server)
{
	return cgroup_is_hybrid(server) ? "/sys/fs/cgroup/cpuset" : "/sys/fs/cgroup";
}

/** The name of the group that a directory is, within @directory, which has no links. */
static const char *group_of(const struct server *server, const char *directory)
{
	const char *root = root_group(server);
	size_t length = strlen(root);

	return strncmp(directory, root, length) == 0 && directory[length] == '/'
		       ? directory + length + 1
		       : NULL;
}

static int make_group(struct server *server, const char *name)
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

/** The length of a path without slashes at its end. */
static size_t path_length(const char *path)
{
	size_t length = strlen(path);

	while (length > 0 && path[length - 1] == '/')
		length--;
	return length;
}

int kernel_mkdir(struct server *server, const char *path)
{
	char *parent, *name, *resolved = NULL;
	struct kernel_status status;
	int result = kernel_look(server, path, false, &status);

	if (!result)
		free(status.target);
	if (result != -ENOENT)
		return result ? result : -EEXIST;
	parent = strndup(path, path_length(path));
	if (!parent)
		return -ENOMEM;
	name = strrchr(parent, '/'); /* the root exists */
	*name++ = '\0';
	result = kernel_resolve(server, parent, true, &resolved);
	/* The limit of depth, so to speak: groups below groups are not emulated. */
	if (!result && group_of(server, resolved))
		result = -EAGAIN;
	else if (!result && strcmp(resolved, root_group(server)) != 0)
		result = -EPERM;
	else if (!result)
		result = strchr(name, '\n') ? -EINVAL : make_group(server, name);
	free(resolved);
	free(parent);
	return result;
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
	static const char *const mounted[] = { "/",
					       "/dev",
					       "/proc",
					       "/sys",
					       "/sys/fs/cgroup",
					       "/sys/fs/cgroup/unified",
					       "/sys/kernel/debug" };
	const size_t length = path_length(path);
	struct kernel_status status;
	const char *name;
	char *resolved;
	int result = kernel_look(server, path, false, &status);

	if (result)
		return result;
	free(status.target);
	if (status.type != KERNEL_DIRECTORY)
		return -ENOTDIR;
	/* A path that ends with a dot names no entry of a directory. */
	if (length > 1 && path[length - 1] == '.' && path[length - 2] == '/')
		return -EINVAL;
	result = kernel_resolve(server, path, false, &resolved);
	if (result)
		return result;
	name = group_of(server, resolved);
	result = name ? remove_group(server, name) : -EPERM;
	if (!name && strcmp(root_group(server), resolved) == 0)
		result = -EBUSY;
	for (size_t i = 0; i < sizeof(mounted) / sizeof(*mounted) && !name; i++)
		if (strcmp(mounted[i], resolved) == 0)
			result = -EBUSY;
	free(resolved);
	return result;
}
