/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's files of NUMA nodes, as lscpu and numactl read them. A node is a package, unless a
 * captured machine has others (sub-NUMA clusters).
 */
#include "emulator/kernel/views.h"

#include <errno.h>

static bool in_node(const struct place *place, const struct platform_cpu *cpu)
{
	return cpu->node == place->node;
}

/* ---- Which nodes there are ---- */

/** The nodes of which a CPU, or one that is online, is part. */
static struct isst_cpuset *collect_nodes(const struct place *place, bool online)
{
	const struct platform *platform = place->server->platform;
	struct isst_cpuset *nodes = isst_cpuset_new();
	int result = nodes ? 0 : -ENOMEM;

	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (!online || cpu_online(place->server, &platform->cpus[i]))
			result = isst_cpuset_add(nodes, platform->cpus[i].node,
						 platform->cpus[i].node);
	if (!result)
		return nodes;
	isst_cpuset_free(nodes);
	return NULL;
}

static bool node_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	struct isst_cpuset *nodes = collect_nodes(place, false);
	bool found = nodes && isst_cpuset_next(nodes, 0, &place->node);

	while (found && index-- > 0)
		found = isst_cpuset_next(nodes, place->node + 1, &place->node);
	isst_cpuset_free(nodes);
	snprintf(name, VIEW_NAME, "node%u", place->node);
	return found;
}

static bool find_node_name(struct place *place, const char *name)
{
	const struct platform *platform = place->server->platform;
	size_t i = 0;

	if (!number_of_name(name, "node", &place->node))
		return false;
	while (i < platform->cpu_count && platform->cpus[i].node != place->node)
		i++;
	return i < platform->cpu_count;
}

static const struct instances each_node = { node_at, find_node_name };

static int print_nodes(const struct place *place, FILE *stream)
{
	return print_and_free(stream, collect_nodes(place, place->view->which));
}

/* ---- Links between nodes and CPUs ---- */

static bool node_cpu_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->server->platform;

	for (size_t i = 0; i < platform->cpu_count; i++) {
		place->cpu = &platform->cpus[i];
		if (in_node(place, place->cpu) && index-- == 0) {
			snprintf(name, VIEW_NAME, "cpu%u", place->cpu->number);
			return true;
		}
	}
	return false;
}

static bool find_node_cpu(struct place *place, const char *name)
{
	return each_cpu.find(place, name) && in_node(place, place->cpu);
}

static const struct instances node_cpus = { node_cpu_at, find_node_cpu };

static bool cpu_node_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	snprintf(name, VIEW_NAME, "node%u", place->cpu->node);
	return index == 0;
}

const struct instances cpu_nodes = { cpu_node_at, NULL };

/* ---- A node ---- */

/** Memory and distances are nothing that Speed Select knows of: the same for all nodes. */
static int print_distances(const struct place *place, FILE *stream)
{
	enum { LOCAL = 10, REMOTE = 21 };
	struct isst_cpuset *all = collect_nodes(place, false);
	const char *space = "";
	unsigned int other;

	if (!all)
		return -ENOMEM;
	isst_cpuset_for_each (other, all) {
		fprintf(stream, "%s%d", space, other == place->node ? LOCAL : REMOTE);
		space = " ";
	}
	fputc('\n', stream);
	isst_cpuset_free(all);
	return 0;
}

static int print_memory(const struct place *place, FILE *stream)
{
	enum { MEMORY_KB = 64 << 20 };
	const unsigned int node = place->node;

	fprintf(stream,
		"Node %u MemTotal:       %d kB\nNode %u MemFree:        %d kB\n"
		"Node %u MemUsed:        %15d kB\n",
		node, MEMORY_KB, node, MEMORY_KB, node, 0);
	return 0;
}

static const struct view one_node_views[] = {
	{ "cpulist", .cpus = in_node },
	{ "cpumap", .cpus = in_node, .mask = true },
	{ "distance", .read = print_distances },
	{ "meminfo", .read = print_memory },
	{ .each = &node_cpus, .directory = "../../cpu" },
	VIEW_END,
};

const struct view node_views[] = {
	{ "possible", .read = print_nodes },
	{ "online", .read = print_nodes },
	{ "has_cpu", .read = print_nodes, .which = true },
	{ "has_memory", .read = print_nodes },
	{ "has_normal_memory", .read = print_nodes },
	{ .each = &each_node, .below = one_node_views },
	VIEW_END,
};
