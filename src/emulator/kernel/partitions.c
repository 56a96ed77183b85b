/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which cpuset partitions the kernel accepts as valid, and why not. Knows
 * nothing of files.
 */
#include "base/cpuset.h"
#include "emulator/kernel/cgroup.h"

#include <errno.h>
#include <stdlib.h>

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
static struct isst_cpuset *chosen(const struct isst_cpuset *set, const struct isst_cpuset *other,
				  bool in_other)
{
	struct isst_cpuset *result = isst_cpuset_new();

	if ((in_other ? cpuset_add_common : cpuset_add_except)(result, set, other) == 0)
		return result;
	isst_cpuset_free(result);
	return NULL;
}

static bool is_empty(const struct isst_cpuset *set)
{
	return isst_cpuset_count(set) == 0;
}

/** The partitions that have been accepted so far. */
struct acceptance {
	struct group_tree *tree;
	struct isst_cpuset *taken;	  /* CPUs of valid partitions, offline ones included */
	struct isst_cpuset *housekeeping; /* online, and neither isolated by isolcpus nor here */
};

/**
 * Whether the kernel's own isolation (isolcpus) is in the way: a partition with load balancing must
 * not hold its CPUs, and isolated ones must leave a housekeeping CPU.
 */
static bool conflicts(const struct acceptance *acceptance, const struct group *group)
{
	if (!acceptance->tree->isolcpus)
		return false;
	if (group->wanted == PARTITION_ROOT)
		return cpuset_overlaps(group->cpus, acceptance->tree->isolcpus);
	return cpuset_contains(group->cpus, acceptance->housekeeping);
}

static bool leaves_nothing(const struct acceptance *acceptance, const struct group *group)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, acceptance->tree->online)
		if (!isst_cpuset_has(acceptance->taken, cpu) && !isst_cpuset_has(group->cpus, cpu))
			return false;
	return true;
}

/**
 * Whether a CPU of a partition is another group's as well. Before 7.0 the cpuset.cpus of any group
 * counts, so two partitions that overlap are both invalid; since then those of valid partitions do.
 */
static bool overlaps(const struct acceptance *acceptance, const struct group *group)
{
	const struct group_tree *tree = acceptance->tree;

	if (!tree->members_overlap)
		return cpuset_overlaps(group->cpus, acceptance->taken);
	for (size_t i = 0; i < tree->count; i++)
		if (&tree->groups[i] != group && cpuset_overlaps(group->cpus, tree->groups[i].cpus))
			return true;
	return false;
}

static enum partition_flaw find_flaw(const struct acceptance *acceptance, const struct group *group)
{
	if (is_empty(group->cpus))
		return FLAW_EMPTY;
	if (overlaps(acceptance, group))
		return FLAW_NOT_EXCLUSIVE;
	if (!cpuset_overlaps(group->cpus, acceptance->tree->online))
		return FLAW_OFFLINE;
	if (conflicts(acceptance, group))
		return FLAW_HOUSEKEEPING;
	return leaves_nothing(acceptance, group) ? FLAW_NOTHING_LEFT : FLAW_NONE;
}

static int accept_partition(struct acceptance *acceptance, const struct group *group)
{
	struct isst_cpuset *rest;
	int result = isst_cpuset_add_set(acceptance->taken, group->cpus);

	if (result || group->wanted != PARTITION_ISOLATED)
		return result;
	rest = chosen(acceptance->housekeeping, group->cpus, false);
	if (!rest)
		return -ENOMEM;
	isst_cpuset_free(acceptance->housekeeping);
	acceptance->housekeeping = rest;
	return 0;
}

/** First those that were valid before: they keep their CPUs. */
static int accept_all(struct acceptance *acceptance, const bool *was_valid, bool valid_before)
{
	int result = 0;

	for (size_t i = 0; i < acceptance->tree->count && !result; i++) {
		struct group *group = &acceptance->tree->groups[i];

		if (group->wanted == PARTITION_MEMBER || was_valid[i] != valid_before)
			continue;
		group->flaw = find_flaw(acceptance, group);
		if (!group->flaw)
			result = accept_partition(acceptance, group);
	}
	return result;
}

static int begin(struct acceptance *acceptance)
{
	struct group_tree *tree = acceptance->tree;
	struct isst_cpuset *none = isst_cpuset_new();

	acceptance->taken = isst_cpuset_new();
	if (none)
		acceptance->housekeeping = chosen(tree->online,
						  tree->isolcpus ? tree->isolcpus : none, false);
	isst_cpuset_free(none);
	return acceptance->taken && acceptance->housekeeping ? 0 : -ENOMEM;
}

int partitions_evaluate(struct group_tree *tree)
{
	struct acceptance acceptance = { .tree = tree };
	bool *was_valid = calloc(tree->count + 1, sizeof(*was_valid));
	int result = was_valid ? begin(&acceptance) : -ENOMEM;

	for (size_t i = 0; i < tree->count && !result; i++)
		was_valid[i] = !tree->groups[i].flaw;
	if (!result)
		result = accept_all(&acceptance, was_valid, true);
	if (!result)
		result = accept_all(&acceptance, was_valid, false);
	free(was_valid);
	isst_cpuset_free(acceptance.taken);
	isst_cpuset_free(acceptance.housekeeping);
	return result;
}

/* ---- What they get ---- */

static bool is_valid(const struct group *group)
{
	return group->wanted != PARTITION_MEMBER && !group->flaw;
}

/** A group without CPUs of its own gets its parent's. */
static int grant(const struct group_tree *tree, struct group *group)
{
	const struct isst_cpuset *from = is_valid(group) ? tree->online : tree->effective;

	group->effective = chosen(from, group->cpus, true);
	if (group->effective && is_empty(group->effective)) {
		isst_cpuset_free(group->effective);
		group->effective = chosen(from, from, true);
	}
	return group->effective ? 0 : -ENOMEM;
}

/** The CPUs of valid partitions, offline ones included; and of isolated ones. */
static int gather_partitions(struct group_tree *tree, struct isst_cpuset *taken)
{
	int result = tree->isolcpus ? isst_cpuset_add_set(tree->isolated, tree->isolcpus) : 0;

	for (size_t i = 0; i < tree->count && !result; i++) {
		const struct group *group = &tree->groups[i];

		if (!is_valid(group))
			continue;
		result = isst_cpuset_add_set(taken, group->cpus);
		if (!result && group->wanted == PARTITION_ISOLATED)
			result = isst_cpuset_add_set(tree->isolated, group->cpus);
	}
	return result;
}

int partitions_grant(struct group_tree *tree)
{
	struct isst_cpuset *taken = isst_cpuset_new();
	int result;

	tree->isolated = isst_cpuset_new();
	result = taken && tree->isolated ? gather_partitions(tree, taken) : -ENOMEM;
	if (!result) {
		tree->effective = chosen(tree->online, taken, false);
		result = tree->effective ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < tree->count && !result; i++)
		result = grant(tree, &tree->groups[i]);
	isst_cpuset_free(taken);
	return result;
}
