/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of /sys/fs/cgroup: the root's, and those of groups. */
#include "base/cpuset.h"
#include "emulator/kernel/cgroup.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

/** All groups with what they get. */
static int read_tree(const struct place *place, struct group_tree *tree)
{
	int result = groups_read(place->server, tree);

	return result ? result : partitions_grant(tree);
}

static bool gets_cpuset(const struct place *place)
{
	return cgroup_has_cpuset(place->server) && place->server->state->controllers >> CPUSET & 1;
}

/* ---- Groups ---- */

static bool group_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	size_t length;
	const char *found = groups_name(place->server, index, &length);

	if (found)
		snprintf(name, VIEW_NAME, "%.*s", (int)length, found);
	place->group = index;
	return found;
}

static bool find_group(struct place *place, const char *name)
{
	const char *found;
	size_t length;

	for (size_t i = 0; (found = groups_name(place->server, i, &length)); i++) {
		place->group = i;
		if (strlen(name) == length && memcmp(found, name, length) == 0)
			return true;
	}
	return false;
}

static const struct instances each_group = { group_at, find_group };

static int cpus(const struct place *place, FILE *stream)
{
	struct group_tree tree;
	int result = groups_read(place->server, &tree);

	if (!result)
		result = print_set(stream, tree.groups[place->group].cpus);
	groups_free(&tree);
	return result;
}

static int effective(const struct place *place, FILE *stream)
{
	struct group_tree tree;
	int result = read_tree(place, &tree);

	if (!result)
		result = print_set(stream, tree.groups[place->group].effective);
	groups_free(&tree);
	return result;
}

static int partition(const struct place *place, FILE *stream)
{
	struct group_tree tree;
	const struct group *group;
	int result = groups_read(place->server, &tree);

	if (!result) {
		group = &tree.groups[place->group];
		fputs(partition_words[group->wanted], stream);
		if (group->flaw)
			fprintf(stream, " invalid (%s)", partition_flaws[group->flaw]);
		fputc('\n', stream);
	}
	groups_free(&tree);
	return result;
}

/** A list of possible CPUs. */
static int parse_cpus(const struct server *server, const char *text, struct isst_cpuset *set)
{
	int result = parse_cpu_list(text, server->platform->cpu_ids, set);

	if (result)
		return result;
	return cpuset_contains(server->platform->possible.set, set) ? 0 : -EINVAL;
}

/** Lets a partition prove itself again, behind those that are valid. */
static void question(struct group *group)
{
	if (group->wanted != PARTITION_MEMBER)
		group->flaw = FLAW_EMPTY;
}

static int write_cpus(const struct place *place, const char *text)
{
	struct isst_cpuset *set = isst_cpuset_new();
	struct group_tree tree = { 0 };
	int result = set ? parse_cpus(place->server, text, set) : -ENOMEM;

	if (!result)
		result = groups_read(place->server, &tree);
	if (!result) {
		struct group *group = &tree.groups[place->group];
		struct isst_cpuset *before = group->cpus;

		group->cpus = set;
		set = before;
		question(group);
		result = groups_commit(place->server, &tree);
	}
	groups_free(&tree);
	isst_cpuset_free(set);
	return result;
}

static int change_partition(struct server *server, struct group_tree *tree, struct group *group,
			    enum partition wanted)
{
	bool valid = group->wanted != PARTITION_MEMBER && !group->flaw;

	if (group->wanted == wanted && (valid || wanted == PARTITION_MEMBER))
		return 0;
	group->wanted = wanted;
	group->flaw = FLAW_NONE;
	if (!valid)
		question(group);
	return groups_commit(server, tree);
}

static int write_partition(const struct place *place, const char *text)
{
	struct group_tree tree;
	int wanted = 0, result;

	while (wanted < PARTITIONS && strcmp(partition_words[wanted], text) != 0)
		wanted++;
	if (wanted == PARTITIONS ||
	    (wanted == PARTITION_ISOLATED && !place->server->platform->cgroup_isolated.value))
		return -EINVAL;
	result = groups_read(place->server, &tree);
	if (!result)
		result = change_partition(place->server, &tree, &tree.groups[place->group],
					  (enum partition)wanted);
	groups_free(&tree);
	return result;
}

/** Those of v1 have no CPU that is offline: a list of them is refused. */
static int write_v1_cpus(const struct place *place, const char *text)
{
	struct isst_cpuset *set = isst_cpuset_new();
	struct group_tree tree = { 0 };
	int result = set ? parse_cpus(place->server, text, set) : -ENOMEM;
	unsigned int cpu;

	if (!result)
		result = groups_read(place->server, &tree);
	isst_cpuset_for_each (cpu, set)
		if (!result && !isst_cpuset_has(tree.online, cpu))
			result = -EINVAL;
	groups_free(&tree);
	isst_cpuset_free(set);
	return result ? result : write_cpus(place, text);
}

/* 100 + 6 * NR_CPUS bytes, and the CPUs that kernel_max promises. */
enum { CPUS_BYTES = 100 + 6 * MOST_CPUS };

static const struct view group_views[] = {
	{ "cpuset.cpus", .exists = gets_cpuset, .read = cpus, .write = write_cpus,
	  .longest = CPUS_BYTES, .stripped = true },
	{ "cpuset.cpus.partition", .exists = gets_cpuset, .read = partition,
	  .write = write_partition, .stripped = true },
	{ "cpuset.cpus.effective", .exists = gets_cpuset, .read = effective },
	VIEW_END,
};

/* ---- The root ---- */

static int controllers(const struct place *place, FILE *stream)
{
	controllers_print(controllers_available(place->server), stream);
	return 0;
}

static int subtree_control(const struct place *place, FILE *stream)
{
	controllers_print(place->server->state->controllers, stream);
	return 0;
}

static int write_control(const struct place *place, const char *text)
{
	uint32_t enabled = place->server->state->controllers;
	int result = controllers_parse(place->server, text, &enabled);

	if (result)
		return result;
	place->server->state->controllers = enabled;
	return groups_update(place->server);
}

static int root_effective(const struct place *place, FILE *stream)
{
	struct group_tree tree;
	int result = read_tree(place, &tree);

	if (!result)
		result = print_set(stream, tree.effective);
	groups_free(&tree);
	return result;
}

static int root_isolated(const struct place *place, FILE *stream)
{
	struct group_tree tree;
	int result = read_tree(place, &tree);

	if (!result)
		result = print_set(stream, tree.isolated);
	groups_free(&tree);
	return result;
}

static bool has_cpuset(const struct place *place)
{
	return cgroup_has_cpuset(place->server);
}

/** It has been there since 6.7. */
static bool has_isolated(const struct place *place)
{
	return has_cpuset(place) && place->server->platform->kernel.value >= KERNEL(6, 7);
}

/* ---- cpuset in cgroup v1 ---- */

static bool is_hybrid(const struct place *place)
{
	return cgroup_is_hybrid(place->server);
}

static bool is_unified(const struct place *place)
{
	return !is_hybrid(place);
}

/* Unless the hierarchy was mounted with cpuset_v2_mode, effective CPUs are those of the list. */
static const struct view v1_group_views[] = {
	{ "cpuset.cpus", .read = cpus, .write = write_v1_cpus, .longest = CPUS_BYTES,
	  .stripped = true },
	{ "cpuset.effective_cpus", .read = cpus },
	VIEW_END,
};

static const struct view v1_views[] = {
	{ "cpuset.cpus", .read = root_effective },
	{ "cpuset.effective_cpus", .read = root_effective },
	{ .each = &each_group, .below = v1_group_views },
	VIEW_END,
};

static const struct view unified_views[] = {
	{ "cgroup.controllers", .read = controllers },
	{ "cgroup.subtree_control", .read = subtree_control, .write = write_control,
	  .stripped = true },
	VIEW_END,
};

const struct view cgroup_views[] = {
	{ "cpuset", .below = v1_views, .exists = is_hybrid },
	{ "unified", .below = unified_views, .exists = is_hybrid },
	{ "cgroup.controllers", .exists = is_unified, .read = controllers },
	{ "cgroup.subtree_control", .exists = is_unified, .read = subtree_control,
	  .write = write_control, .stripped = true },
	{ "cpuset.cpus.effective", .exists = has_cpuset, .read = root_effective },
	{ "cpuset.cpus.isolated", .exists = has_isolated, .read = root_isolated },
	{ .each = &each_group, .below = group_views, .exists = is_unified },
	VIEW_END,
};
