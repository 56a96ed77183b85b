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

static bool has_node(const struct platform *platform, unsigned int node)
{
	for (size_t i = 0; i < platform->cpu_count; i++)
		if (platform->cpus[i].node == node)
			return true;
	return false;
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

static bool find_node(struct place *place, const char *name)
{
	return number_of_name(name, "node", &place->node) &&
	       has_node(place->server->platform, place->node);
}

static const struct instances each_node = { node_at, find_node };

static int all_nodes(const struct place *place, FILE *stream)
{
	return print_and_free(stream, collect_nodes(place, false));
}

static int nodes_with_cpus(const struct place *place, FILE *stream)
{
	return print_and_free(stream, collect_nodes(place, true));
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

static int print_cpu_link(const struct place *place, FILE *stream)
{
	fprintf(stream, "../../cpu/cpu%u", place->cpu->number);
	return 0;
}

int print_node_link(const struct place *place, FILE *stream)
{
	fprintf(stream, "../../node/node%u", place->cpu->node);
	return 0;
}

/* ---- A node ---- */

static int cpu_list(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, in_node), false);
}

static int cpu_map(const struct place *place, FILE *stream)
{
	return print_cpus(place, stream, collect_cpus(place, true, in_node), true);
}

/** Memory and distances are nothing that Speed Select knows of: the same for all nodes. */
static int distance(const struct place *place, FILE *stream)
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

static int meminfo(const struct place *place, FILE *stream)
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
	{ "cpulist", .read = cpu_list },
	{ "cpumap", .read = cpu_map },
	{ "distance", .read = distance },
	{ "meminfo", .read = meminfo },
	{ .each = &node_cpus, .target = print_cpu_link },
	VIEW_END,
};

const struct view node_views[] = {
	{ "possible", .read = all_nodes },
	{ "online", .read = all_nodes },
	{ "has_cpu", .read = nodes_with_cpus },
	{ "has_memory", .read = all_nodes },
	{ "has_normal_memory", .read = all_nodes },
	{ .each = &each_node, .below = one_node_views },
	VIEW_END,
};
