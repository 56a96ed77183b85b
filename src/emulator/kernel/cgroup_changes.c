/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups below /sys/fs/cgroup: made and removed. */
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

/** Divides a path into that of a directory, to be freed, and a name in it. */
static int split(const char *path, char **directory, char **name)
{
	size_t length = strlen(path);

	while (length > 0 && path[length - 1] == '/')
		length--;
	*directory = strndup(path, length);
	if (!*directory)
		return -ENOMEM;
	*name = strrchr(*directory, '/');
	if (!*name) {
		free(*directory);
		return -EEXIST; /* the root */
	}
	*(*name)++ = '\0';
	return 0;
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

/** Whether a directory that is not there may be made; @parent has no links. */
static int check_new(const struct server *server, const char *parent, const char *name)
{
	/* The limit of depth, so to speak: groups below groups are not emulated. */
	if (group_of(server, parent))
		return -EAGAIN;
	if (strcmp(parent, root_group(server)) != 0)
		return -EPERM;
	return strchr(name, '\n') ? -EINVAL : 0;
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
	result = split(path, &parent, &name);
	if (result)
		return result;
	result = kernel_resolve(server, parent, true, &resolved);
	if (!result)
		result = check_new(server, resolved, name);
	if (!result)
		result = add(server, name);
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

static bool is_mounted(const struct server *server, const char *directory)
{
	static const char *const mounted[] = { "/",
					       "/dev",
					       "/proc",
					       "/sys",
					       "/sys/fs/cgroup",
					       "/sys/fs/cgroup/unified",
					       "/sys/kernel/debug" };

	for (size_t i = 0; i < sizeof(mounted) / sizeof(*mounted); i++)
		if (strcmp(mounted[i], directory) == 0)
			return true;
	return strcmp(root_group(server), directory) == 0;
}

/** A path that ends with a dot names no entry of a directory. */
static bool ends_with_dot(const char *path)
{
	size_t length = strlen(path);

	while (length > 0 && path[length - 1] == '/')
		length--;
	return length > 1 && path[length - 1] == '.' && path[length - 2] == '/';
}

int kernel_rmdir(struct server *server, const char *path)
{
	struct kernel_status status;
	const char *name;
	char *resolved;
	int result = kernel_look(server, path, false, &status);

	if (result)
		return result;
	free(status.target);
	if (status.type != KERNEL_DIRECTORY)
		return -ENOTDIR;
	if (ends_with_dot(path))
		return -EINVAL;
	result = kernel_resolve(server, path, false, &resolved);
	if (result)
		return result;
	name = group_of(server, resolved);
	if (name)
		result = remove_group(server, name);
	else
		result = is_mounted(server, resolved) ? -EBUSY : -EPERM;
	free(resolved);
	return result;
}
