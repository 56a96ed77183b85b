/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes of groups below /sys/fs/cgroup: made, removed, their CPUs and partition types written.
 * What follows from a change is worked out in cgroup.c.
 */
#include "emulator/kernel/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CGROUP_PATH "/sys/fs/cgroup/"

/** Ends a change that has begun with unfinished_groups set. */
static int complete(struct server *server, int result)
{
	if (!result)
		result = groups_update(server);
	if (!result)
		server->state->unfinished_groups = 0;
	return result;
}

/** The part of a path below the root group; NULL where it is not there, or where it would be a path
 * from the real root. */
static const char *below(const char *path)
{
	size_t length = strlen(CGROUP_PATH);

	return strncmp(path, CGROUP_PATH, length) == 0 && path[length] != '/' ? path + length
									      : NULL;
}

int groups_mkdir(struct server *server, const char *path)
{
	const char *name = below(path);
	int root, result = 0;

	if (!name || !*name)
		return -EPERM;
	if (!cgroup_exists(server))
		return -ENOENT;
	if (strchr(name, '\n'))
		return -EINVAL;
	root = cgroup_open(server->directory);
	if (root < 0)
		return root;
	server->state->unfinished_groups = 1;
	/* The limit of depth, so to speak: groups below groups are not emulated. */
	if (strchr(name, '/'))
		result = -EAGAIN;
	else if (mkdirat(root, name, 0755))
		result = -errno;
	close(root);
	if (result)
		server->state->unfinished_groups = 0;
	return complete(server, result);
}

int groups_rmdir(struct server *server, const char *path)
{
	const char *name = below(path);
	int root, result;

	if (!name || !*name)
		return -EPERM;
	if (!cgroup_exists(server))
		return -ENOENT;
	root = cgroup_open(server->directory);
	if (root < 0)
		return root;
	if (!cgroup_has_group(root, name)) {
		result = faccessat(root, name, F_OK, AT_SYMLINK_NOFOLLOW) ? -ENOENT : -ENOTDIR;
		close(root);
		return result;
	}
	/* It goes at once, with its files. */
	result = directory_remove(server->directory, "new");
	server->state->unfinished_groups = 1;
	if (!result && renameat(root, name, server->directory, "new"))
		result = -errno;
	close(root);
	if (!result)
		result = directory_remove(server->directory, "new");
	return complete(server, result);
}

/** Writes to a file of the root, or of a group, and lets the rest follow. */
static int change(struct server *server, const char *path, const char *text)
{
	int root = cgroup_open(server->directory), result;

	if (root < 0)
		return root;
	server->state->unfinished_groups = 1;
	result = cgroup_write(server, root, below(path), text);
	close(root);
	return complete(server, result);
}

int groups_write_control(struct server *server, const char *path, const char *text)
{
	bool enabled[CONTROLLERS];
	int root = cgroup_open(server->directory);
	int result = root < 0 ? root : controllers_read(root, enabled);
	char *list;

	if (root >= 0)
		close(root);
	if (!result)
		result = controllers_parse(server, text, enabled);
	if (result)
		return result;
	list = controllers_list(enabled);
	result = list ? change(server, path, list) : -ENOMEM;
	free(list);
	return result;
}

/** Opens the directory of the group that a path names a file of. */
static int open_group(const struct server *server, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = strndup(path, (size_t)(slash - path));
	int root = name ? cgroup_open(server->directory) : -ENOMEM;
	int directory = root;

	if (root >= 0) {
		directory = openat(root, below(name),
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (directory < 0)
			directory = -errno;
		close(root);
	}
	free(name);
	return directory;
}

/** Lets a partition prove itself again, behind those that are valid. */
static int question(const struct server *server, int directory, enum partition wanted)
{
	char *text;
	int result;

	if (wanted == PARTITION_MEMBER)
		return cgroup_write(server, directory, "cpuset.cpus.partition",
				    partition_words[wanted]);
	if (asprintf(&text, "%s invalid", partition_words[wanted]) < 0)
		return -ENOMEM;
	result = cgroup_write(server, directory, "cpuset.cpus.partition", text);
	free(text);
	return result;
}

/** A list of possible CPUs, as the kernel reads one. */
static int parse_cpus(const struct server *server, const char *text, struct isst_cpuset *set)
{
	unsigned int cpu;
	int result = isst_cpuset_add_list(set, text, NULL);

	if (result)
		return result;
	if (isst_cpuset_next(set, server->platform->cpu_ids, &cpu))
		return -ERANGE;
	isst_cpuset_for_each (cpu, set)
		if (!isst_cpuset_has(server->platform->possible.set, cpu))
			return -EINVAL;
	return 0;
}

static int change_cpus(struct server *server, int directory, const char *list)
{
	struct group group = { .cpus = isst_cpuset_new() };
	int result = group.cpus ? cgroup_read_group(directory, &group) : -ENOMEM;

	isst_cpuset_free(group.cpus);
	if (result)
		return result;
	server->state->unfinished_groups = 1;
	result = question(server, directory, group.wanted);
	if (!result)
		result = cgroup_write(server, directory, "cpuset.cpus", list);
	return complete(server, result);
}

int groups_write_cpus(struct server *server, const char *path, const char *text)
{
	struct isst_cpuset *set = isst_cpuset_new();
	int directory = open_group(server, path);
	int result = directory < 0 ? directory : set ? parse_cpus(server, text, set) : -ENOMEM;
	char *list = NULL;

	if (!result) {
		list = isst_cpuset_ranges(set);
		result = list ? change_cpus(server, directory, list) : -ENOMEM;
	}
	free(list);
	isst_cpuset_free(set);
	if (directory >= 0)
		close(directory);
	return result;
}

static int change_partition(struct server *server, int directory, enum partition wanted)
{
	struct group group = { .cpus = isst_cpuset_new() };
	int result = group.cpus ? cgroup_read_group(directory, &group) : -ENOMEM;
	bool valid = group.wanted != PARTITION_MEMBER && group.was_valid;

	isst_cpuset_free(group.cpus);
	if (result || (group.wanted == wanted && (valid || wanted == PARTITION_MEMBER)))
		return result;
	server->state->unfinished_groups = 1;
	result = valid ? cgroup_write(server, directory, "cpuset.cpus.partition",
				      partition_words[wanted])
		       : question(server, directory, wanted);
	return complete(server, result);
}

int groups_write_partition(struct server *server, const char *path, const char *text)
{
	int wanted = 0, directory, result;

	while (wanted < PARTITIONS && strcmp(partition_words[wanted], text) != 0)
		wanted++;
	if (wanted == PARTITIONS ||
	    (wanted == PARTITION_ISOLATED && !server->platform->cgroup_isolated.value))
		return -EINVAL;
	directory = open_group(server, path);
	if (directory < 0)
		return directory;
	result = change_partition(server, directory, (enum partition)wanted);
	close(directory);
	return result;
}
