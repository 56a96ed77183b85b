/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of CPUs that the kernel keeps. Knows no Speed Select. */
#include "sysfs/cpu_lists.h"
#include "base/cpuset.h"
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

/** Without those of a file that older kernels do not have. */
static int add_where_present(struct kernel_files *files, const char *path, struct isst_cpuset *cpus)
{
	int error = kernel_files_cpulist(files, path, cpus);

	return error == -ENOENT ? 0 : error;
}

#define ISOLATED_AT_BOOT CPU_DIRECTORY "/isolated"
#define ISOLATED_PARTITIONS "/sys/fs/cgroup/cpuset.cpus.isolated"

int cpu_lists_isolated(struct kernel_files *files, struct isst_cpuset *cpus)
{
	int error = add_where_present(files, ISOLATED_AT_BOOT, cpus);

	return error ? error : add_where_present(files, ISOLATED_PARTITIONS, cpus);
}

int cpu_lists_partitioned(struct kernel_files *files, struct isst_cpuset *cpus)
{
	struct isst_cpuset *partitions = isst_cpuset_new(), *boot = isst_cpuset_new();
	int error = partitions && boot ? 0 : -ENOMEM;

	if (!error)
		error = add_where_present(files, ISOLATED_PARTITIONS, partitions);
	if (!error && isst_cpuset_count(partitions) > 0)
		error = add_where_present(files, ISOLATED_AT_BOOT, boot);
	if (!error)
		error = cpuset_add_except(cpus, partitions, boot);
	isst_cpuset_free(partitions);
	isst_cpuset_free(boot);
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
