/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups as the state has them: a line for each, `WANTED FLAW CPUS NAME`, of which CPUS is a list
 * of the kernel or "-". Nothing of files.
 */
#include "emulator/kernel/cgroup.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool cgroup_has_cpuset(const struct server *server)
{
	return server->platform->cgroup_tree.value == CGROUP_V2;
}

void groups_free(struct group_tree *tree)
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

/* ---- Reading ---- */

static int list_online(const struct server *server, struct group_tree *tree)
{
	const struct platform *platform = server->platform;
	int result = 0;

	tree->isolcpus = platform->isolcpus.set;
	tree->online = isst_cpuset_new();
	if (!tree->online)
		return -ENOMEM;
	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (cpu_online(server, &platform->cpus[i]))
			result = isst_cpuset_add(tree->online, platform->cpus[i].number,
						 platform->cpus[i].number);
	return result;
}

static int append(struct group_tree *tree, const char *name)
{
	struct group *groups = reallocarray(tree->groups, tree->count + 1, sizeof(*groups));

	if (!groups)
		return -ENOMEM;
	tree->groups = groups;
	groups[tree->count] = (struct group){ .name = strdup(name), .cpus = isst_cpuset_new() };
	tree->count++;
	return groups[tree->count - 1].name && groups[tree->count - 1].cpus ? 0 : -ENOMEM;
}

/** A line, taken apart in place. What no emulator has written is left out. */
static int read_line(struct group_tree *tree, char *line)
{
	char *cpus = strlen(line) > 4 ? line + 4 : NULL;
	char *name = cpus ? strchr(cpus, ' ') : NULL;
	struct group *group;
	int result;

	if (!name)
		return 0;
	*name++ = '\0';
	result = append(tree, name);
	if (result)
		return result;
	group = &tree->groups[tree->count - 1];
	group->wanted = (enum partition)(line[0] - '0') % PARTITIONS;
	group->flaw = (enum partition_flaw)(line[2] - '0') % FLAWS;
	result = strcmp(cpus, "-") == 0 ? 0 : isst_cpuset_add_list(group->cpus, cpus, NULL);
	return result == -ENOMEM ? result : 0;
}

int groups_read(const struct server *server, struct group_tree *tree)
{
	char *lines = strndup(state_groups(server), server->state->group_bytes);
	char *rest = lines, *line;
	int result;

	*tree = (struct group_tree){ 0 };
	result = lines ? list_online(server, tree) : -ENOMEM;
	while (!result && (line = strsep(&rest, "\n")))
		result = read_line(tree, line);
	free(lines);
	return result;
}

const char *groups_name(const struct server *server, size_t index, size_t *length)
{
	const char *line = state_groups(server), *end = line + server->state->group_bytes;

	while (line < end) {
		const char *stop = memchr(line, '\n', (size_t)(end - line)), *name;

		if (!stop)
			stop = end;
		name = stop - line > 4 ? memchr(line + 4, ' ', (size_t)(stop - line) - 4) : NULL;
		if (name && index-- == 0) {
			*length = (size_t)(stop - name) - 1;
			return name + 1;
		}
		line = stop + 1;
	}
	return NULL;
}

struct group *groups_find(const struct group_tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->count; i++)
		if (strcmp(tree->groups[i].name, name) == 0)
			return &tree->groups[i];
	return NULL;
}

/* ---- Changing ---- */

static int compare_names(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	return strcmp(a->name, b->name);
}

int groups_add(struct group_tree *tree, const char *name)
{
	int result = append(tree, name);

	if (!result)
		qsort(tree->groups, tree->count, sizeof(*tree->groups), compare_names);
	return result;
}

int groups_store(struct server *server, const struct group_tree *tree)
{
	struct text text;
	char *lines;
	int result;

	if (!text_open(&text))
		return -ENOMEM;
	for (size_t i = 0; i < tree->count; i++) {
		const struct group *group = &tree->groups[i];
		char *cpus = isst_cpuset_to_list(group->cpus);

		fprintf(text.stream, "%u %u %s %s\n", (unsigned int)group->wanted,
			(unsigned int)group->flaw, cpus && *cpus ? cpus : "-", group->name);
		/* Half of what was written would be no state. */
		if (!cpus) {
			free(text_close(&text));
			return -ENOMEM;
		}
		free(cpus);
	}
	lines = text_close(&text);
	result = lines ? state_set_groups(server, lines, strlen(lines)) : -ENOMEM;
	free(lines);
	return result;
}

/** Without the controller a group's files are gone, and what was written to them with them. */
static void forget_cpus(struct group_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct group *group = &tree->groups[i];

		isst_cpuset_free(group->cpus);
		group->cpus = isst_cpuset_new();
		group->wanted = PARTITION_MEMBER;
		group->flaw = FLAW_NONE;
	}
}

int groups_commit(struct server *server, struct group_tree *tree)
{
	int result;

	if (!(server->state->controllers >> CPUSET & 1))
		forget_cpus(tree);
	result = partitions_evaluate(tree);
	return result ? result : groups_store(server, tree);
}

int groups_update(struct server *server)
{
	struct group_tree tree;
	int result;

	if (server->state->group_bytes == 0)
		return 0;
	result = groups_read(server, &tree);
	if (!result)
		result = groups_commit(server, &tree);
	groups_free(&tree);
	return result;
}
