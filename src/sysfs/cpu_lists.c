/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of CPUs that the kernel keeps. Knows no Speed Select. */
#include "sysfs/cpu_lists.h"
#include "base/cpuset.h"
#include "base/messages.h"
#include "isst.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cpu_lists_node(struct kernel_files *files, unsigned int node, struct isst_cpuset *cpus)
{
	return kernel_files_cpulist(
		files, kernel_files_path(files, "/sys/devices/system/node/node%u/cpulist", node),
		cpus);
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

int cpu_lists_module(struct kernel_files *files, unsigned int cpu, struct isst_cpuset *cpus)
{
	static const char PATH[] = CPU_DIRECTORY "/cpu%u/topology/%s";
	struct isst_cpuset *core = isst_cpuset_new();
	int error = core ? 0 : -ENOMEM;

	if (!error)
		error = kernel_files_cpulist(
			files, kernel_files_path(files, PATH, cpu, "cluster_cpus_list"), cpus);
	if (!error)
		error = kernel_files_cpulist(
			files, kernel_files_path(files, PATH, cpu, "thread_siblings_list"), core);
	/* Cores that share no cache have clusters of their own. */
	if (!error && isst_cpuset_count(cpus) <= isst_cpuset_count(core))
		error = -ENOENT;
	isst_cpuset_free(core);
	return error;
}

/* ---- CPUs that the administrator keeps free ---- */

static const char NOHZ_FULL[] = CPU_DIRECTORY "/nohz_full";

int undisturbed_cpus(struct kernel_files *files, struct isst_cpuset *cpus)
{
	char *text;
	int error = cpu_lists_isolated(files, cpus);

	if (!error)
		error = kernel_files_text(files, NOHZ_FULL, &text);
	if (error)
		return error == -ENOENT ? 0 : error;
	/* Without nohz_full the kernel shows a set that it does not have: `(null)`, padded. */
	if (!strstr(text, "(null)") && isst_cpuset_add_list(cpus, text, NULL))
		error = message_error(files->messages, -EIO,
				      "%s: " CONTENT " is not a list of CPUs", NOHZ_FULL,
				      CONTENT_OF(text));
	free(text);
	return error;
}

const struct isst_cpuset *undisturbed_known(struct kernel_files *files)
{
	const char *before;

	if (files->undisturbed)
		return files->undisturbed;
	files->undisturbed = isst_cpuset_new();
	if (!files->undisturbed)
		return NULL;
	/* A message would be taken for the cause of the next failure. */
	before = message_begin(files->messages);
	(void)undisturbed_cpus(files, files->undisturbed);
	files->messages->error = before;
	return files->undisturbed;
}

void undisturbed_forget(struct kernel_files *files)
{
	isst_cpuset_free(files->undisturbed);
	files->undisturbed = NULL;
}
