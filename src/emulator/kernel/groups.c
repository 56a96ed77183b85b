/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups as the state has them: a line for each, `WANTED FLAW CPUS NAME`, of which CPUS is a list
 * of the kernel or "-". Nothing of files.
 */
#include "base/cpuset.h"
#include "emulator/kernel/cgroup.h"
#include "emulator/kernel/views.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool cgroup_has_cpuset(const struct server *server)
{
	return server->platform->cgroup_tree.value == CGROUP_V2;
}

bool cgroup_is_hybrid(const struct server *server)
{
	return server->platform->cgroup_tree.value == CGROUP_HYBRID;
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
	tree->members_overlap = platform->kernel.value < KERNEL(7, 0);
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

/** A line within the state, which it ends where the next one begins. */
struct line {
	enum partition wanted;
	enum partition_flaw flaw;
	const char *cpus, *name;
	size_t cpus_length, name_length;
};

/** A digit below @count, and the space behind it. */
static bool take_digit(const char **text, const char *end, unsigned int count, unsigned int *digit)
{
	if (end - *text < 2 || **text < '0' || (*text)[1] != ' ')
		return false;
	*digit = (unsigned int)(**text - '0');
	*text += 2;
	return *digit < count;
}

static bool is_name(const char *name, size_t length)
{
	bool dots = (length == 1 || length == 2) && memcmp(name, "..", length) == 0;

	return length > 0 && length <= NAME_MAX && !dots && !memchr(name, '/', length) &&
	       !memchr(name, '\0', length);
}

static bool parse_line(const char *text, const char *end, struct line *line)
{
	unsigned int wanted, flaw;

	if (!take_digit(&text, end, PARTITIONS, &wanted) || !take_digit(&text, end, FLAWS, &flaw))
		return false;
	line->wanted = (enum partition)wanted;
	line->flaw = (enum partition_flaw)flaw;
	line->cpus = text;
	line->name = memchr(text, ' ', (size_t)(end - text));
	if (!line->name)
		return false;
	line->cpus_length = (size_t)(line->name - text);
	line->name++;
	line->name_length = (size_t)(end - line->name);
	/* Of a list nothing but its characters is looked at here, where no memory is to be had. */
	return line->cpus_length > 0 && strspn(text, "-,0123456789") == line->cpus_length &&
	       is_name(line->name, line->name_length);
}

/** The line of the state at *@at or behind it, which goes on; false: there is none. What no
 * emulator has written is left out. */
static bool next_line(const struct server *server, const char **at, struct line *line)
{
	const char *end = state_groups(server) + server->state->group_bytes;

	while (*at < end) {
		const char *begin = *at, *stop = memchr(begin, '\n', (size_t)(end - begin));

		/* The last one, too, has an end. */
		*at = stop ? stop + 1 : end;
		if (stop && parse_line(begin, stop, line))
			return true;
	}
	return false;
}

static int read_cpus(const struct server *server, const struct line *line, struct isst_cpuset *set)
{
	char *list;
	int result = 0;

	if (line->cpus_length == 1 && *line->cpus == '-')
		return 0;
	list = strndup(line->cpus, line->cpus_length);
	if (!list)
		return -ENOMEM;
	result = parse_cpu_list(list, server->platform->cpu_ids, set);
	free(list);
	return result == -ENOMEM ? result : 0;
}

static int add_line(const struct server *server, struct group_tree *tree, const struct line *line)
{
	char *name = strndup(line->name, line->name_length);
	int result = name ? append(tree, name) : -ENOMEM;
	struct group *group;

	free(name);
	if (result)
		return result;
	group = &tree->groups[tree->count - 1];
	group->wanted = line->wanted;
	group->flaw = line->flaw;
	return read_cpus(server, line, group->cpus);
}

int groups_read(const struct server *server, struct group_tree *tree)
{
	const char *at = state_groups(server);
	struct line line;
	int result;

	*tree = (struct group_tree){ 0 };
	result = list_online(server, tree);
	while (!result && next_line(server, &at, &line))
		result = add_line(server, tree, &line);
	return result;
}

const char *groups_name(const struct server *server, size_t index, size_t *length)
{
	const char *at = state_groups(server);
	struct line line;

	while (next_line(server, &at, &line))
		if (index-- == 0) {
			*length = line.name_length;
			return line.name;
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

/** A group of v1 loses CPUs that go offline for good: cpuset_hotplug_update_tasks(). */
static int lose_cpus(struct group_tree *tree)
{
	int result = 0;

	for (size_t i = 0; i < tree->count && !result; i++) {
		struct isst_cpuset *left = isst_cpuset_new();

		result = cpuset_add_common(left, tree->groups[i].cpus, tree->online);
		isst_cpuset_free(tree->groups[i].cpus);
		tree->groups[i].cpus = left;
	}
	return result;
}

int groups_commit(struct server *server, struct group_tree *tree)
{
	int result = 0;

	if (cgroup_is_hybrid(server))
		result = lose_cpus(tree);
	else if (!(server->state->controllers >> CPUSET & 1))
		forget_cpus(tree);
	if (!result)
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
