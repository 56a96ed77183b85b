/* SPDX-License-Identifier: BSD-3-Clause */
/* Control groups: which cpuset partitions the kernel accepts and what it grants; the groups of the
 * state. */
#include "base/cpuset.h"
#include "common/memory_stream.h"
#include "emulator/kernel/views.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which partitions are valid ---- */

const char *const partition_words[PARTITIONS] = { "member", "root", "isolated" };

/* The kernel's words. */
const char *const partition_flaws[FLAWS] = {
	[FLAW_EMPTY] = "cpuset.cpus and cpuset.cpus.exclusive are empty",
	[FLAW_NOT_EXCLUSIVE] = "Cpu list in cpuset.cpus not exclusive",
	[FLAW_OFFLINE] = "No cpu available due to hotplug",
	[FLAW_HOUSEKEEPING] = "partition config conflicts with housekeeping setup",
	[FLAW_NOTHING_LEFT] = "Parent unable to distribute cpu downstream",
};

/** The CPUs of @set that are (or are not) in @other. NULL without memory. */
static struct isst_cpuset *choose_cpus(const struct isst_cpuset *set,
				       const struct isst_cpuset *other, bool in_other)
{
	struct isst_cpuset *result = isst_cpuset_new();

	if ((in_other ? cpuset_add_common : cpuset_add_except)(result, set, other) == 0)
		return result;
	isst_cpuset_free(result);
	return NULL;
}

/** The partitions that have been accepted so far. */
struct acceptance {
	struct group_tree *tree;
	struct isst_cpuset *taken;	  /* CPUs of valid partitions, offline ones included */
	struct isst_cpuset *housekeeping; /* online, and neither isolated by isolcpus nor here */
};

static enum partition_flaw find_flaw(const struct acceptance *acceptance, const struct group *group)
{
	const struct group_tree *tree = acceptance->tree;
	unsigned int cpu;

	if (isst_cpuset_count(group->cpus) == 0)
		return FLAW_EMPTY;
	/* Before 7.0 the cpuset.cpus of any group counts, so two partitions that overlap are both
	 * invalid; since then those of valid partitions do. */
	if (!tree->members_overlap && cpuset_overlaps(group->cpus, acceptance->taken))
		return FLAW_NOT_EXCLUSIVE;
	for (size_t i = 0; i < tree->count && tree->members_overlap; i++)
		if (&tree->groups[i] != group && cpuset_overlaps(group->cpus, tree->groups[i].cpus))
			return FLAW_NOT_EXCLUSIVE;
	if (!cpuset_overlaps(group->cpus, tree->online))
		return FLAW_OFFLINE;
	/* Where the kernel isolates CPUs itself a partition with load balancing must not hold them,
	 * and isolated ones must leave a housekeeping CPU. */
	if (tree->isolcpus && (group->wanted == PARTITION_ROOT
				       ? cpuset_overlaps(group->cpus, tree->isolcpus)
				       : cpuset_contains(group->cpus, acceptance->housekeeping)))
		return FLAW_HOUSEKEEPING;
	isst_cpuset_for_each (cpu, tree->online)
		if (!isst_cpuset_has(acceptance->taken, cpu) && !isst_cpuset_has(group->cpus, cpu))
			return FLAW_NONE;
	return FLAW_NOTHING_LEFT;
}

static int judge_partition(struct acceptance *acceptance, struct group *group)
{
	struct isst_cpuset *rest;
	int result;

	group->flaw = find_flaw(acceptance, group);
	result = group->flaw ? 0 : isst_cpuset_add_set(acceptance->taken, group->cpus);
	if (result || group->flaw || group->wanted != PARTITION_ISOLATED)
		return result;
	rest = choose_cpus(acceptance->housekeeping, group->cpus, false);
	if (!rest)
		return -ENOMEM;
	isst_cpuset_free(acceptance->housekeeping);
	acceptance->housekeeping = rest;
	return 0;
}

/** Finds which partitions are valid. Returns 0 or -ENOMEM. */
static int partitions_evaluate(struct group_tree *tree)
{
	struct acceptance acceptance = { .tree = tree, .taken = isst_cpuset_new() };
	bool *was_valid = calloc(tree->count + 1, sizeof(*was_valid));
	struct isst_cpuset *none = isst_cpuset_new();
	int result;

	if (none)
		acceptance.housekeeping = choose_cpus(
			tree->online, tree->isolcpus ? tree->isolcpus : none, false);
	result = was_valid && acceptance.taken && acceptance.housekeeping ? 0 : -ENOMEM;
	for (size_t i = 0; i < tree->count && !result; i++)
		was_valid[i] = !tree->groups[i].flaw;
	/* First those that were valid before: they keep their CPUs. */
	for (int valid = 1; valid >= 0; valid--)
		for (size_t i = 0; i < tree->count && !result; i++)
			if (tree->groups[i].wanted != PARTITION_MEMBER && was_valid[i] == valid)
				result = judge_partition(&acceptance, &tree->groups[i]);
	free(was_valid);
	isst_cpuset_free(none);
	isst_cpuset_free(acceptance.taken);
	isst_cpuset_free(acceptance.housekeeping);
	return result;
}

/* ---- What they get ---- */

static bool is_valid_partition(const struct group *group)
{
	return group->wanted != PARTITION_MEMBER && !group->flaw;
}

int partitions_grant(struct group_tree *tree)
{
	struct isst_cpuset *taken = isst_cpuset_new();
	int result;

	tree->isolated = isst_cpuset_new();
	result = taken && tree->isolated ? 0 : -ENOMEM;
	if (!result && tree->isolcpus)
		result = isst_cpuset_add_set(tree->isolated, tree->isolcpus);
	/* Offline CPUs of valid partitions are taken as well. */
	for (size_t i = 0; i < tree->count && !result; i++) {
		const struct group *group = &tree->groups[i];

		if (!is_valid_partition(group))
			continue;
		result = isst_cpuset_add_set(taken, group->cpus);
		if (!result && group->wanted == PARTITION_ISOLATED)
			result = isst_cpuset_add_set(tree->isolated, group->cpus);
	}
	if (!result) {
		tree->effective = choose_cpus(tree->online, taken, false);
		result = tree->effective ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < tree->count && !result; i++) {
		struct group *group = &tree->groups[i];
		const struct isst_cpuset *from = is_valid_partition(group) ? tree->online
									   : tree->effective;

		group->effective = choose_cpus(from, group->cpus, true);
		/* A group without CPUs of its own gets its parent's. */
		if (group->effective && isst_cpuset_count(group->effective) == 0) {
			isst_cpuset_free(group->effective);
			group->effective = choose_cpus(from, from, true);
		}
		result = group->effective ? 0 : -ENOMEM;
	}
	isst_cpuset_free(taken);
	return result;
}

/* ---- Groups of the state: a line `WANTED FLAW CPUS NAME` each, CPUS a list of the kernel or "-"
 * ---- */

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

static int append_group(struct group_tree *tree, const char *name)
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

static bool parse_group_line(const char *text, const char *end, struct line *line)
{
	const char *name;

	if (end - text < 4 || text[1] != ' ' || text[3] != ' ')
		return false;
	line->wanted = (enum partition)(text[0] - '0');
	line->flaw = (enum partition_flaw)(text[2] - '0');
	text += 4;
	name = memchr(text, ' ', (size_t)(end - text));
	if (line->wanted >= PARTITIONS || line->flaw >= FLAWS || !name)
		return false;
	line->cpus = text;
	line->cpus_length = (size_t)(name - text);
	line->name = ++name;
	line->name_length = (size_t)(end - name);
	/* Of a list nothing but its characters is looked at here, where no memory is to be had. */
	if (line->cpus_length == 0 || strspn(text, "-,0123456789") != line->cpus_length)
		return false;
	return line->name_length > 0 && line->name_length <= NAME_MAX &&
	       !(line->name_length <= 2 && memcmp(name, "..", line->name_length) == 0) &&
	       !memchr(name, '/', line->name_length) && !memchr(name, '\0', line->name_length);
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
		if (stop && parse_group_line(begin, stop, line))
			return true;
	}
	return false;
}

int groups_read(const struct server *server, struct group_tree *tree)
{
	const struct platform *platform = server->platform;
	const char *at = state_groups(server);
	struct line line;
	int result;

	*tree = (struct group_tree){
		.online = isst_cpuset_new(),
		.isolcpus = platform->isolcpus.set,
		.members_overlap = platform->kernel.value < KERNEL(7, 0),
	};
	result = tree->online ? 0 : -ENOMEM;
	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (cpu_online(server, &platform->cpus[i]))
			result = isst_cpuset_add(tree->online, platform->cpus[i].number,
						 platform->cpus[i].number);
	while (!result && next_line(server, &at, &line)) {
		char *name = strndup(line.name, line.name_length);
		char *list = strndup(line.cpus, line.cpus_length);

		result = name && list ? append_group(tree, name) : -ENOMEM;
		if (!result) {
			struct group *group = &tree->groups[tree->count - 1];

			group->wanted = line.wanted;
			group->flaw = line.flaw;
			if (strcmp(list, "-") != 0 &&
			    parse_cpu_list(list, platform->cpu_ids, group->cpus) == -ENOMEM)
				result = -ENOMEM;
		}
		free(name);
		free(list);
	}
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

/* ---- Changing ---- */

static int groups_store(struct server *server, const struct group_tree *tree)
{
	struct memory_stream text;
	char *lines;
	int result;

	if (memory_stream_open(&text))
		return -ENOMEM;
	for (size_t i = 0; i < tree->count; i++) {
		const struct group *group = &tree->groups[i];
		char *cpus = isst_cpuset_to_list(group->cpus);

		fprintf(text.stream, "%u %u %s %s\n", (unsigned int)group->wanted,
			(unsigned int)group->flaw, cpus && *cpus ? cpus : "-", group->name);
		/* Half of what was written would be no state. */
		if (!cpus) {
			memory_stream_drop(&text);
			return -ENOMEM;
		}
		free(cpus);
	}
	lines = memory_stream_text(&text);
	result = lines ? state_set_groups(server, lines, strlen(lines)) : -ENOMEM;
	free(lines);
	return result;
}

int groups_commit(struct server *server, struct group_tree *tree)
{
	const bool hybrid = server->platform->cgroup_tree.value == CGROUP_HYBRID;
	const bool cpuset = server->state->controllers >> CPUSET & 1;
	int result = 0;

	for (size_t i = 0; i < tree->count && !result && (hybrid || !cpuset); i++) {
		struct group *group = &tree->groups[i];
		struct isst_cpuset *left = isst_cpuset_new();

		/* A group of v1 loses CPUs that go offline for good: cpuset_hotplug_update_tasks().
		 */
		if (hybrid)
			result = cpuset_add_common(left, group->cpus, tree->online);
		isst_cpuset_free(group->cpus);
		group->cpus = left;
		if (hybrid)
			continue;
		/* Without the controller a group's files are gone, and what was written to them. */
		group->wanted = PARTITION_MEMBER;
		group->flaw = FLAW_NONE;
	}
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

static struct group *groups_find(const struct group_tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->count; i++)
		if (strcmp(tree->groups[i].name, name) == 0)
			return &tree->groups[i];
	return NULL;
}

int groups_make(struct server *server, const char *name)
{
	struct group_tree tree;
	int result = groups_read(server, &tree);

	if (!result && groups_find(&tree, name))
		result = -EEXIST;
	if (!result)
		result = append_group(&tree, name);
	if (!result)
		qsort(tree.groups, tree.count, sizeof(*tree.groups), compare_texts);
	if (!result)
		result = groups_commit(server, &tree);
	groups_free(&tree);
	return result;
}

int groups_remove(struct server *server, const char *name)
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
