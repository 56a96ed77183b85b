/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /sys/fs/cgroup on disk: the root, groups directly below it, their files.
 * What was written to cpuset.cpus and cpuset.cpus.partition is the state; the rest follows from it.
 */
#include "emulator/kernel/cgroup.h"
#include "emulator/state/server.h"
#include "emulator/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CGROUP_DIRECTORY "root/sys/fs/cgroup"

bool cgroup_exists(const struct server *server)
{
	return server->platform->cgroup_tree.value != CGROUP_NONE;
}

bool cgroup_has_cpuset(const struct server *server)
{
	return server->platform->cgroup_tree.value == CGROUP_V2;
}

int cgroup_open(int directory)
{
	int root = openat(directory, CGROUP_DIRECTORY,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return root < 0 ? -errno : root;
}

int cgroup_write(const struct server *server, int directory, const char *name, const char *text)
{
	int result = directory_remove(server->directory, "new");

	if (!result)
		result = tree_write(server->directory, "new", "%s\n", text);
	if (!result && renameat(server->directory, "new", directory, name))
		result = -errno;
	return result;
}

static int write_set(int directory, const char *name, const struct isst_cpuset *set)
{
	char *list = isst_cpuset_ranges(set);
	int result = list ? tree_write(directory, name, "%s\n", list) : -ENOMEM;

	free(list);
	return result;
}

int cgroup_read(int directory, const char *name, char **words)
{
	size_t size;
	int result = text_read(directory, name, words, &size);

	if (!result)
		(*words)[strcspn(*words, "\n")] = '\0';
	return result;
}

/* ---- Reading all groups ---- */

static void free_tree(struct group_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		free(tree->groups[i].name);
		isst_cpuset_free(tree->groups[i].cpus);
		isst_cpuset_free(tree->groups[i].effective);
	}
	free(tree->groups);
	isst_cpuset_free(tree->online);
	isst_cpuset_free(tree->effective);
	isst_cpuset_free(tree->isolated);
}

bool cgroup_has_group(int root, const char *name)
{
	struct stat status;

	return fstatat(root, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

static int compare_names(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int add_group(struct group_tree *tree, const char *name)
{
	struct group *groups = reallocarray(tree->groups, tree->count + 1, sizeof(*groups));

	if (!groups)
		return -ENOMEM;
	tree->groups = groups;
	groups[tree->count] = (struct group){ .name = strdup(name), .cpus = isst_cpuset_new() };
	tree->count++;
	return groups[tree->count - 1].name && groups[tree->count - 1].cpus ? 0 : -ENOMEM;
}

static int list_groups(int root, struct group_tree *tree)
{
	int copy = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int result = 0;

	if (!stream) {
		result = -errno;
		if (copy >= 0)
			close(copy);
		return result;
	}
	while (!result && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    cgroup_has_group(root, entry->d_name))
			result = add_group(tree, entry->d_name);
	closedir(stream);
	if (!result && tree->count)
		qsort(tree->groups, tree->count, sizeof(*tree->groups), compare_names);
	return result;
}

static int list_online(const struct server *server, struct group_tree *tree)
{
	const struct platform *platform = server->platform;
	int result = 0;

	tree->online = isst_cpuset_new();
	if (!tree->online)
		return -ENOMEM;
	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (cpu_online(server, &platform->cpus[i]))
			result = isst_cpuset_add(tree->online, platform->cpus[i].number,
						 platform->cpus[i].number);
	return result;
}

int cgroup_read_group(int directory, struct group *group)
{
	char *words;
	int result = cgroup_read(directory, "cpuset.cpus", &words);

	if (result)
		return result == -ENOENT ? 0 : result;
	result = isst_cpuset_add_list(group->cpus, words, NULL);
	free(words);
	if (!result)
		result = cgroup_read(directory, "cpuset.cpus.partition", &words);
	if (result)
		return result == -ENOENT ? 0 : result;
	for (int i = 0; i < PARTITIONS; i++)
		if (strncmp(words, partition_words[i], strlen(partition_words[i])) == 0)
			group->wanted = (enum partition)i;
	group->was_valid = !strstr(words, "invalid");
	free(words);
	return 0;
}

static int read_groups(const struct server *server, int root, struct group_tree *tree)
{
	int result = list_online(server, tree);

	if (!result)
		result = list_groups(root, tree);
	tree->isolcpus = server->platform->isolcpus.set;
	for (size_t i = 0; i < tree->count && !result; i++) {
		int directory = openat(root, tree->groups[i].name,
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		result = directory < 0 ? -errno : cgroup_read_group(directory, &tree->groups[i]);
		if (directory >= 0)
			close(directory);
	}
	return result;
}

/* ---- Writing what follows ---- */

static int write_partition(const struct server *server, int directory, const struct group *group)
{
	const char *word = partition_words[group->wanted];
	char *text, *now;
	int result = 0;

	if (asprintf(&text, group->reason ? "%s invalid (%s)" : "%s", word, group->reason) < 0)
		return -ENOMEM;
	if (cgroup_read(directory, "cpuset.cpus.partition", &now))
		now = NULL;
	if (!now || strcmp(now, text) != 0)
		result = cgroup_write(server, directory, "cpuset.cpus.partition", text);
	free(now);
	free(text);
	return result;
}

static int write_group(const struct server *server, int directory, const struct group *group)
{
	int result = 0;

	if (faccessat(directory, "cpuset.cpus", F_OK, AT_SYMLINK_NOFOLLOW))
		result = cgroup_write(server, directory, "cpuset.cpus", "");
	if (!result)
		result = write_partition(server, directory, group);
	return result ? result : write_set(directory, "cpuset.cpus.effective", group->effective);
}

/** Without the controller a group's files are gone, and what was written to them with them. */
static int remove_files(int directory)
{
	static const char *const names[] = { "cpuset.cpus", "cpuset.cpus.partition",
					     "cpuset.cpus.effective" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (unlinkat(directory, names[i], 0) && errno != ENOENT)
			return -errno;
	return 0;
}

static int write_groups(const struct server *server, int root, const struct group_tree *tree,
			bool enabled)
{
	int result = 0;

	for (size_t i = 0; i < tree->count && !result; i++) {
		int directory = openat(root, tree->groups[i].name,
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (directory < 0)
			return -errno;
		result = enabled ? write_group(server, directory, &tree->groups[i])
				 : remove_files(directory);
		close(directory);
	}
	return result;
}

/** The root's own files; cpuset.cpus.isolated has been there since 6.7. */
static int write_root(const struct server *server, int root, const struct group_tree *tree)
{
	int result = write_set(root, "cpuset.cpus.effective", tree->effective);

	if (!result && server->platform->kernel.value >= KERNEL(6, 7))
		result = write_set(root, "cpuset.cpus.isolated", tree->isolated);
	return result;
}

static int update(const struct server *server, int root)
{
	struct group_tree tree = { 0 };
	bool enabled[CONTROLLERS];
	int result;

	if (!cgroup_has_cpuset(server))
		return 0;
	result = controllers_read(root, enabled);
	if (!result)
		result = read_groups(server, root, &tree);
	for (size_t i = 0; i < tree.count && !result; i++)
		if (!enabled[CPUSET])
			tree.groups[i].wanted = PARTITION_MEMBER;
	if (!result)
		result = partitions_evaluate(&tree);
	if (!result)
		result = write_groups(server, root, &tree, enabled[CPUSET]);
	if (!result)
		result = write_root(server, root, &tree);
	free_tree(&tree);
	return result;
}

int groups_update(struct server *server)
{
	int root, result;

	if (!cgroup_exists(server))
		return 0;
	root = cgroup_open(server->directory);
	if (root < 0)
		return root;
	result = update(server, root);
	close(root);
	return result;
}

static int write_controllers(int root, const char *name, const bool *which)
{
	char *list = controllers_list(which);
	int result = list ? tree_write(root, name, "%s\n", list) : -ENOMEM;

	free(list);
	return result;
}

static int make_root(const struct server *server, int root)
{
	bool available[CONTROLLERS], enabled[CONTROLLERS];
	int result;

	controllers_first(server, available, enabled);
	result = write_controllers(root, "cgroup.controllers", available);
	if (!result)
		result = write_controllers(root, "cgroup.subtree_control", enabled);
	return result ? result : update(server, root);
}

int groups_make(const struct server *server, int directory)
{
	int root, result;

	if (!cgroup_exists(server))
		return 0;
	if (mkdirat(directory, CGROUP_DIRECTORY, 0755))
		return -errno;
	root = cgroup_open(directory);
	if (root < 0)
		return root;
	result = make_root(server, root);
	close(root);
	return result;
}
