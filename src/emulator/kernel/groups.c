/* SPDX-License-Identifier: BSD-3-Clause */
/* Control groups: which cpuset partitions the kernel accepts and what it grants them. */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

enum { WORDS = MOST_CPUS / 64 };

/* ---- Sets of CPUs that take no memory ---- */

void bits_of_set(struct cpu_bits *bits, const struct isst_cpuset *set)
{
	unsigned int cpu;

	*bits = (struct cpu_bits){ { 0 } };
	isst_cpuset_for_each (cpu, set)
		bits->word[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

void bits_of_online(struct cpu_bits *bits, const struct server *server)
{
	const struct platform *platform = server->platform;

	*bits = (struct cpu_bits){ { 0 } };
	for (size_t i = 0; i < platform->cpu_count; i++) {
		const unsigned int number = platform->cpus[i].number;

		if (cpu_online(server, &platform->cpus[i]))
			bits->word[number / 64] |= UINT64_C(1) << number % 64;
	}
}

static void bits_add(struct cpu_bits *bits, const struct cpu_bits *others)
{
	for (size_t i = 0; i < WORDS; i++)
		bits->word[i] |= others->word[i];
}

/** Keeps those that are (or are not) in @others. */
static void bits_keep(struct cpu_bits *bits, const struct cpu_bits *others, bool in_others)
{
	for (size_t i = 0; i < WORDS; i++)
		bits->word[i] &= in_others ? others->word[i] : ~others->word[i];
}

static bool bits_overlap(const struct cpu_bits *one, const struct cpu_bits *other)
{
	for (size_t i = 0; i < WORDS; i++)
		if (one->word[i] & other->word[i])
			return true;
	return false;
}

bool bits_contain(const struct cpu_bits *bits, const struct cpu_bits *part)
{
	for (size_t i = 0; i < WORDS; i++)
		if (part->word[i] & ~bits->word[i])
			return false;
	return true;
}

int print_bits(FILE *stream, const struct cpu_bits *bits)
{
	struct isst_cpuset *set = isst_cpuset_new();
	int result = set ? 0 : -ENOMEM;

	for (unsigned int cpu = 0; cpu < MOST_CPUS && !result; cpu++)
		if (bits->word[cpu / 64] >> cpu % 64 & 1)
			result = isst_cpuset_add(set, cpu, cpu);
	return print_made(stream, set, result);
}

/* ---- What partitions get ---- */

static bool is_valid_partition(const struct group *group)
{
	return group->wanted != PARTITION_MEMBER && !group->flaw;
}

void groups_grant(const struct server *server, const struct group *group,
		  struct cpu_bits *effective, struct cpu_bits *isolated)
{
	const struct group *groups = state_groups(server);
	struct cpu_bits from;

	bits_of_set(isolated, server->platform->isolcpus.set);
	bits_of_online(&from, server);
	/* Offline CPUs of valid partitions are taken as well. */
	for (size_t i = 0; i < server->state->group_count; i++) {
		if (!is_valid_partition(&groups[i]))
			continue;
		if (!group || !is_valid_partition(group))
			bits_keep(&from, &groups[i].cpus, false);
		if (groups[i].wanted == PARTITION_ISOLATED)
			bits_add(isolated, &groups[i].cpus);
	}
	*effective = from;
	/* A group without CPUs of its own gets its parent's. */
	if (group && bits_overlap(&from, &group->cpus))
		bits_keep(effective, &group->cpus, true);
}

/* ---- Which partitions are valid ---- */

/** The partitions that have been accepted so far. */
struct acceptance {
	const struct server *server;
	struct cpu_bits online, isolcpus;
	struct cpu_bits taken;	      /* CPUs of valid partitions, offline ones included */
	struct cpu_bits housekeeping; /* online, and neither isolated by isolcpus nor here */
};

static enum partition_flaw find_flaw(const struct acceptance *accepted, const struct group *group)
{
	const struct group *groups = state_groups(accepted->server);
	static const struct cpu_bits none;
	/* Before 7.0 the cpuset.cpus of any group counts, so two partitions that overlap are both
	 * invalid; since then those of valid partitions do. */
	const bool any = accepted->server->platform->kernel.value < KERNEL(7, 0);
	struct cpu_bits all = accepted->taken;

	if (bits_contain(&none, &group->cpus))
		return FLAW_EMPTY;
	if (!any && bits_overlap(&group->cpus, &accepted->taken))
		return FLAW_NOT_EXCLUSIVE;
	for (size_t i = 0; i < accepted->server->state->group_count && any; i++)
		if (&groups[i] != group && bits_overlap(&group->cpus, &groups[i].cpus))
			return FLAW_NOT_EXCLUSIVE;
	if (!bits_overlap(&group->cpus, &accepted->online))
		return FLAW_OFFLINE;
	/* Where the kernel isolates CPUs itself a partition with load balancing must not hold them,
	 * and isolated ones must leave a housekeeping CPU. */
	if (accepted->server->platform->isolcpus.set &&
	    (group->wanted == PARTITION_ROOT ? bits_overlap(&group->cpus, &accepted->isolcpus)
					     : bits_contain(&group->cpus, &accepted->housekeeping)))
		return FLAW_HOUSEKEEPING;
	bits_add(&all, &group->cpus);
	return bits_contain(&all, &accepted->online) ? FLAW_NOTHING_LEFT : FLAW_NONE;
}

void groups_update(struct server *server)
{
	const bool hybrid = server->platform->cgroup_tree.value == CGROUP_HYBRID;
	const bool cpuset = server->state->controllers >> CPUSET & 1;
	struct group *groups = state_groups(server), *end = groups + server->state->group_count;
	struct acceptance accepted = { .server = server };

	/* CPUs go on and off one by one. */
	if (server->state->group_count == 0)
		return;
	bits_of_online(&accepted.online, server);
	bits_of_set(&accepted.isolcpus, server->platform->isolcpus.set);
	accepted.housekeeping = accepted.online;
	bits_keep(&accepted.housekeeping, &accepted.isolcpus, false);
	for (struct group *group = groups; group < end; group++) {
		/* A group of v1 loses offline CPUs for good: cpuset_hotplug_update_tasks(). */
		if (hybrid)
			bits_keep(&group->cpus, &accepted.online, true);
		else if (!cpuset) /* its files are gone, and what was written to them */
			memset(&group->wanted, 0, sizeof(*group) - sizeof(group->name));
		group->judged = group->wanted == PARTITION_MEMBER;
	}
	/* First those that were valid before: they keep their CPUs. */
	for (int valid = 1; valid >= 0; valid--)
		for (struct group *group = groups; group < end; group++) {
			if (group->judged || (valid && group->flaw))
				continue;
			group->judged = true;
			group->flaw = (uint8_t)find_flaw(&accepted, group);
			if (group->flaw)
				continue;
			bits_add(&accepted.taken, &group->cpus);
			if (group->wanted == PARTITION_ISOLATED)
				bits_keep(&accepted.housekeeping, &group->cpus, false);
		}
}

/* ---- Making and removing ---- */

/** The group of a name, or the one that it would stand before. */
static struct group *find_group(const struct server *server, const char *name, bool *found)
{
	struct group *group = state_groups(server), *end = group + server->state->group_count;

	while (group < end && strcmp(group->name, name) < 0)
		group++;
	*found = group < end && strcmp(group->name, name) == 0;
	return group;
}

int groups_make(struct server *server, const char *name)
{
	bool found;
	struct group *group = find_group(server, name, &found);

	if (found)
		return -EEXIST;
	group = state_insert(server, (size_t)((char *)group - (char *)server->state),
			     sizeof(*group));
	if (!group)
		return -ENOMEM;
	*group = (struct group){ .wanted = PARTITION_MEMBER };
	snprintf(group->name, sizeof(group->name), "%s", name);
	server->state->group_count++;
	groups_update(server);
	return 0;
}

void groups_remove(struct server *server, const char *name)
{
	bool found;
	struct group *group = find_group(server, name, &found);

	if (!found)
		return;
	state_cut(server, group, sizeof(*group));
	server->state->group_count--;
	groups_update(server);
}
