/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of /sys/fs/cgroup, of the root and of groups. */
#include "base/cpuset.h"
#include "emulator/kernel/kernel.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Else cgroup v1 has cpuset, and v2 the rest, at /sys/fs/cgroup/unified. */
static bool is_unified(const struct place *place)
{
	return place->platform->cgroup_tree.value != CGROUP_HYBRID;
}

static bool has_cpuset(const struct place *place)
{
	return place->platform->cgroup_tree.value == CGROUP_V2;
}

/* ---- Controllers ---- */

/* The controllers of the root, and which of them are passed on at boot. */
static const struct {
	const char *name;
	bool enabled;
} controllers[] = {
	{ "cpuset", false }, { "cpu", true },	   { "io", false },
	{ "memory", true },  { "hugetlb", false }, { "pids", true },
};
enum { ALL_CONTROLLERS = (1 << CONTROLLERS) - 1 };
_Static_assert(sizeof(controllers) / sizeof(*controllers) == CONTROLLERS, "one name each");
/* Known to the kernel, missing in this one. */
static const char *const absent_controllers[] = { "rdma", "misc", "dmem" };

void kernel_first_state(struct server *server)
{
	uint32_t enabled = 0;

	for (size_t i = 0; i < CONTROLLERS; i++)
		enabled |= (uint32_t)controllers[i].enabled << i;
	if (server->platform->cgroup_tree.value == CGROUP_V2 &&
	    server->platform->cpuset_enabled.value)
		enabled |= UINT32_C(1) << CPUSET;
	server->state->controllers = enabled;
}

/** All that the root has, or those that it passes on. */
static int print_controllers(const struct place *place, FILE *stream)
{
	uint32_t which = place->server->state->controllers;
	const char *space = "";

	if (place->view->which)
		which = has_cpuset(place) ? ALL_CONTROLLERS
					  : ALL_CONTROLLERS & ~(UINT32_C(1) << CPUSET);
	for (size_t i = 0; i < CONTROLLERS; i++) {
		if (!(which >> i & 1))
			continue;
		fprintf(stream, "%s%s", space, controllers[i].name);
		space = " ";
	}
	fputc('\n', stream);
	return 0;
}

/** One word such as `+cpuset`. */
static int parse_control(const struct place *place, const char *word, uint32_t *enabled)
{
	for (size_t i = 0; i < CONTROLLERS; i++) {
		if (strcmp(controllers[i].name, word + 1) != 0)
			continue;
		if (i == CPUSET && !has_cpuset(place) && *word == '+')
			return -ENOENT;
		*enabled &= ~(UINT32_C(1) << i);
		*enabled |= (uint32_t)(*word == '+') << i;
		return 0;
	}
	for (size_t i = 0; i < sizeof(absent_controllers) / sizeof(*absent_controllers); i++)
		if (strcmp(absent_controllers[i], word + 1) == 0)
			return *word == '+' ? -ENOENT : 0;
	return -EINVAL;
}

/** Takes words such as `+cpuset`: all of them, or none. */
static int write_subtree_control(const struct place *place, const char *text)
{
	uint32_t enabled = place->server->state->controllers;
	char *copy = strdup(text), *rest = NULL;
	char *word = copy ? strtok_r(copy, " ", &rest) : NULL;
	int result = copy ? 0 : -ENOMEM;

	for (; word && !result; word = strtok_r(NULL, " ", &rest))
		result = *word == '+' || *word == '-' ? parse_control(place, word, &enabled)
						      : -EINVAL;
	free(copy);
	if (result)
		return result;
	place->server->state->controllers = enabled;
	groups_update(place->server);
	return 0;
}

static bool gets_cpuset(const struct place *place)
{
	return has_cpuset(place) && place->server->state->controllers >> CPUSET & 1;
}

/* ---- Groups ---- */

static bool group_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	place->group = index;
	if (index >= place->server->state->group_count)
		return false;
	snprintf(name, VIEW_NAME, "%s", state_groups(place->server)[index].name);
	return true;
}

static const struct instances each_group = { group_at, NULL };

static struct group *group_of_place(const struct place *place)
{
	return &state_groups(place->server)[place->group];
}

static int print_group_cpus(const struct place *place, FILE *stream)
{
	return print_bits(stream, &group_of_place(place)->cpus);
}

enum granted { GROUP_EFFECTIVE, ROOT_EFFECTIVE, ROOT_ISOLATED };

static int print_granted(const struct place *place, FILE *stream)
{
	const unsigned int which = place->view->which;
	struct cpu_bits effective, isolated;

	groups_grant(place->server, which == GROUP_EFFECTIVE ? group_of_place(place) : NULL,
		     &effective, &isolated);
	return print_bits(stream, which == ROOT_ISOLATED ? &isolated : &effective);
}

static const char *const partition_words[PARTITIONS] = { "member", "root", "isolated" };

static int print_partition(const struct place *place, FILE *stream)
{
	/* The kernel's words. */
	static const char *const flaws[FLAWS] = {
		[FLAW_EMPTY] = "cpuset.cpus and cpuset.cpus.exclusive are empty",
		[FLAW_NOT_EXCLUSIVE] = "Cpu list in cpuset.cpus not exclusive",
		[FLAW_OFFLINE] = "No cpu available due to hotplug",
		[FLAW_HOUSEKEEPING] = "partition config conflicts with housekeeping setup",
		[FLAW_NOTHING_LEFT] = "Parent unable to distribute cpu downstream",
	};
	const struct group *group = group_of_place(place);

	if (group->flaw)
		fprintf(stream, "%s invalid (%s)\n", partition_words[group->wanted],
			flaws[group->flaw]);
	else
		fprintf(stream, "%s\n", partition_words[group->wanted]);
	return 0;
}

/** Takes a list of possible CPUs; groups of v1 refuse CPUs that are offline. */
static int write_group_cpus(const struct place *place, const char *text)
{
	struct isst_cpuset *set = isst_cpuset_new();
	struct group *group = group_of_place(place);
	int result = set ? parse_cpu_list(text, place->platform->cpu_ids, set) : -ENOMEM;
	struct cpu_bits cpus, online;

	if (!result && !cpuset_contains(place->platform->possible.set, set))
		result = -EINVAL;
	bits_of_set(&cpus, set);
	isst_cpuset_free(set);
	bits_of_online(&online, place->server);
	if (!result && !is_unified(place) && !bits_contain(&online, &cpus))
		result = -EINVAL;
	if (result)
		return result;
	group->cpus = cpus;
	/* A partition proves itself again, behind those that are valid. */
	if (group->wanted != PARTITION_MEMBER)
		group->flaw = FLAW_EMPTY;
	groups_update(place->server);
	return 0;
}

static int write_partition(const struct place *place, const char *text)
{
	struct group *group = group_of_place(place);
	const bool valid = group->wanted != PARTITION_MEMBER && !group->flaw;
	enum partition wanted = 0;

	while (wanted < PARTITIONS && strcmp(partition_words[wanted], text) != 0)
		wanted++;
	if (wanted == PARTITIONS ||
	    (wanted == PARTITION_ISOLATED && !place->platform->cgroup_isolated.value))
		return -EINVAL;
	if (group->wanted == wanted && (valid || wanted == PARTITION_MEMBER))
		return 0;
	group->wanted = (uint8_t)wanted;
	group->flaw = valid || wanted == PARTITION_MEMBER ? FLAW_NONE : FLAW_EMPTY;
	groups_update(place->server);
	return 0;
}

/* 100 + 6 * NR_CPUS bytes, and the CPUs that kernel_max promises. */
enum { CPUS_BYTES = 100 + 6 * MOST_CPUS };

static const struct view group_views[] = {
	{ "cpuset.cpus", .exists = gets_cpuset, .read = print_group_cpus, .write = write_group_cpus,
	  .longest = CPUS_BYTES, .stripped = true },
	{ "cpuset.cpus.partition", .exists = gets_cpuset, .read = print_partition,
	  .write = write_partition, .stripped = true },
	{ "cpuset.cpus.effective", .exists = gets_cpuset, .read = print_granted,
	  .which = GROUP_EFFECTIVE },
	VIEW_END,
};

/* ---- The tables ---- */

/* Unless the hierarchy was mounted with cpuset_v2_mode, effective CPUs are those of the list. */
static const struct view v1_views[] = {
	{ "cpuset.cpus", .read = print_granted, .which = ROOT_EFFECTIVE },
	{ "cpuset.effective_cpus", .read = print_granted, .which = ROOT_EFFECTIVE },
	{ .each = &each_group,
	  BELOW({ "cpuset.cpus", .read = print_group_cpus, .write = write_group_cpus,
		  .longest = CPUS_BYTES, .stripped = true },
		{ "cpuset.effective_cpus", .read = print_group_cpus }) },
	VIEW_END,
};

const struct view cgroup_views[] = {
	{ "cpuset", .below = v1_views, NEEDS(cgroup_tree), .is = CGROUP_HYBRID },
	{ "unified",
	  BELOW({ "cgroup.controllers", .read = print_controllers, .which = true },
		{ "cgroup.subtree_control", .read = print_controllers,
		  .write = write_subtree_control, .stripped = true }),
	  NEEDS(cgroup_tree), .is = CGROUP_HYBRID },
	{ "cgroup.controllers", .exists = is_unified, .read = print_controllers, .which = true },
	{ "cgroup.subtree_control", .exists = is_unified, .read = print_controllers,
	  .write = write_subtree_control, .stripped = true },
	{ "cpuset.cpus.effective", NEEDS(cgroup_tree), .is = CGROUP_V2, .read = print_granted,
	  .which = ROOT_EFFECTIVE },
	{ "cpuset.cpus.isolated", .since = KERNEL(6, 7), NEEDS(cgroup_tree), .is = CGROUP_V2,
	  .read = print_granted, .which = ROOT_ISOLATED },
	{ .each = &each_group, .below = group_views, .exists = is_unified },
	VIEW_END,
};
