/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of CPUs that the kernel keeps. Knows no Speed Select. */
#include "sysfs/cpu_lists.h"
#include "isst.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int cpu_lists_node(struct kernel_files *files, unsigned int node, struct isst_cpuset *cpus)
{
	char *path;
	int error;

	if (asprintf(&path, "/sys/devices/system/node/node%u/cpulist", node) < 0)
		return -ENOMEM;
	error = kernel_files_cpulist(files, path, cpus);
	free(path);
	return error;
}

int cpu_lists_isolated(struct kernel_files *files, struct isst_cpuset *cpus)
{
	/* The second one, which older kernels lack, has the isolated partitions. */
	static const char *const FILES[] = { CPU_DIRECTORY "/isolated",
					     "/sys/fs/cgroup/cpuset.cpus.isolated" };
	int error = 0;

	for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]) && !error; i++) {
		error = kernel_files_cpulist(files, FILES[i], cpus);
		if (error == -ENOENT)
			error = 0;
	}
	return error;
}

/** Adds the CPUs of a list in a CPU's topology directory. */
static int read_topology_list(struct kernel_files *files, unsigned int cpu, const char *name,
			      struct isst_cpuset *cpus)
{
	char *path;
	int error;

	if (asprintf(&path, CPU_DIRECTORY "/cpu%u/topology/%s", cpu, name) < 0)
		return -ENOMEM;
	error = kernel_files_cpulist(files, path, cpus);
	free(path);
	return error;
}

int cpu_lists_module(struct kernel_files *files, unsigned int cpu, struct isst_cpuset *cpus)
{
	struct isst_cpuset *core = isst_cpuset_new();
	int error = core ? 0 : -ENOMEM;

	if (!error)
		error = read_topology_list(files, cpu, "cluster_cpus_list", cpus);
	if (!error)
		error = read_topology_list(files, cpu, "thread_siblings_list", core);
	/* Cores that share no cache have clusters of their own. */
	if (!error && isst_cpuset_count(cpus) <= isst_cpuset_count(core))
		error = -ENOENT;
	isst_cpuset_free(core);
	return error;
}
