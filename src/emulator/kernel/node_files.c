/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's files of NUMA nodes, as lscpu and numactl read them. A node is a package, unless a
 * recorded machine has said otherwise (sub-NUMA clusters). What the kernel makes a link to another
 * directory is an empty directory here; the preload library leads on.
 */
#include "emulator/state/server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NODE_DIRECTORY "root/sys/devices/system/node"
#define CPU_DIRECTORY "root/sys/devices/system/cpu"

/** The nodes of which a CPU, or one that is online, is part. */
static struct isst_cpuset *collect_nodes(const struct server *server, bool online)
{
	const struct platform *platform = server->platform;
	struct isst_cpuset *nodes = isst_cpuset_new();
	int result = nodes ? 0 : -ENOMEM;

	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (!online || cpu_online(server, &platform->cpus[i]))
			result = isst_cpuset_add(nodes, platform->cpus[i].node,
						 platform->cpus[i].node);
	if (!result)
		return nodes;
	isst_cpuset_free(nodes);
	return NULL;
}

/* ---- Files that follow CPUs ---- */

static int write_cpus(const struct server *server, int directory, unsigned int node,
		      const struct isst_cpuset *cpus)
{
	char *mask = isst_cpuset_mask(cpus, server->platform->cpu_ids), path[128];
	int result = mask ? 0 : -ENOMEM;

	snprintf(path, sizeof(path), NODE_DIRECTORY "/node%u/cpulist", node);
	if (!result)
		result = tree_write_set(directory, path, cpus);
	snprintf(path, sizeof(path), NODE_DIRECTORY "/node%u/cpumap", node);
	if (!result)
		result = tree_write(directory, path, "%s\n", mask);
	free(mask);
	return result;
}

static int write_node(const struct server *server, int directory, unsigned int node)
{
	const struct platform *platform = server->platform;
	struct isst_cpuset *cpus = isst_cpuset_new();
	int result = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < platform->cpu_count && !result; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];

		if (cpu->node == node && cpu_online(server, cpu))
			result = isst_cpuset_add(cpus, cpu->number, cpu->number);
	}
	if (!result)
		result = write_cpus(server, directory, node, cpus);
	isst_cpuset_free(cpus);
	return result;
}

int nodes_write(const struct server *server, int directory)
{
	struct isst_cpuset *all = collect_nodes(server, false);
	struct isst_cpuset *used = collect_nodes(server, true);
	int result = all && used ? 0 : -ENOMEM;
	unsigned int node;

	if (!result)
		result = tree_write_set(directory, NODE_DIRECTORY "/has_cpu", used);
	if (!result)
		isst_cpuset_for_each (node, all)
			if (!result)
				result = write_node(server, directory, node);
	isst_cpuset_free(all);
	isst_cpuset_free(used);
	return result;
}

/* ---- Making them ---- */

/** Memory and distances are nothing that Speed Select knows of: the same for all nodes. */
static int make_facts(int directory, unsigned int node, const struct isst_cpuset *all)
{
	enum { MEMORY_KB = 64 << 20, LOCAL = 10, REMOTE = 21 };
	char path[128], *distances = NULL;
	size_t size;
	FILE *stream = open_memstream(&distances, &size);
	unsigned int other;
	int result;

	if (!stream)
		return -ENOMEM;
	isst_cpuset_for_each (other, all)
		fprintf(stream, "%s%d", ftell(stream) > 0 ? " " : "",
			other == node ? LOCAL : REMOTE);
	result = fclose(stream) || !distances ? -ENOMEM : 0;
	snprintf(path, sizeof(path), NODE_DIRECTORY "/node%u/distance", node);
	if (!result)
		result = tree_write(directory, path, "%s\n", distances);
	free(distances);
	snprintf(path, sizeof(path), NODE_DIRECTORY "/node%u/meminfo", node);
	if (!result)
		result = tree_write(directory, path,
				    "Node %u MemTotal:       %d kB\nNode %u MemFree:        %d kB\n"
				    "Node %u MemUsed:        %15d kB\n",
				    node, MEMORY_KB, node, MEMORY_KB, node, 0);
	return result;
}

static int make_node(int directory, unsigned int node, const struct isst_cpuset *all)
{
	char path[128];

	snprintf(path, sizeof(path), NODE_DIRECTORY "/node%u", node);
	return mkdirat(directory, path, 0755) ? -errno : make_facts(directory, node, all);
}

int nodes_make(const struct server *server, int directory)
{
	static const char *const lists[] = { "possible", "online", "has_memory",
					     "has_normal_memory" };
	struct isst_cpuset *all = collect_nodes(server, false);
	int result = all ? 0 : -ENOMEM;
	unsigned int node;

	if (!result && mkdirat(directory, NODE_DIRECTORY, 0755))
		result = -errno;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists) && !result; i++) {
		char path[128];

		snprintf(path, sizeof(path), NODE_DIRECTORY "/%s", lists[i]);
		result = tree_write_set(directory, path, all);
	}
	if (!result)
		isst_cpuset_for_each (node, all)
			if (!result)
				result = make_node(directory, node, all);
	isst_cpuset_free(all);
	return result;
}

int nodes_make_links(const struct server *server, int directory)
{
	int result = 0;

	for (size_t i = 0; i < server->platform->cpu_count && !result; i++) {
		const struct platform_cpu *cpu = &server->platform->cpus[i];
		char path[128];

		snprintf(path, sizeof(path), NODE_DIRECTORY "/node%u/cpu%u", cpu->node,
			 cpu->number);
		if (mkdirat(directory, path, 0755))
			result = -errno;
		snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%u/node%u", cpu->number, cpu->node);
		if (!result && mkdirat(directory, path, 0755))
			result = -errno;
	}
	return result;
}
