/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cores as the kernel numbers them, for machines without a driver that reports the firmware's
 * numbers. One file is read for each CPU: the kernel has no list of these.
 */
#include "base/messages.h"
#include "sysfs/kernel_files.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int read_core_id(const struct topology_sources *sources, unsigned int cpu,
			unsigned int *core)
{
	uint64_t number = 0;
	char *path;
	int error;

	if (asprintf(&path, CPU_DIRECTORY "/cpu%u/topology/core_id", cpu) < 0)
		return -ENOMEM;
	error = kernel_files_number(sources->files, path, INT32_MAX, &number);
	free(path);
	*core = (unsigned int)number;
	return error;
}

/** The threads of a core count in the order of their numbers. */
static unsigned int count_threads_before(const struct topology *topology, size_t i)
{
	const struct isst_cpu *cpu = &topology->cpus[i]->public;
	unsigned int threads = 0;

	for (size_t j = 0; j < i; j++) {
		const struct isst_cpu *other = &topology->cpus[j]->public;

		threads += other->core_known && other->domain == cpu->domain &&
			   other->core == cpu->core;
	}
	return threads;
}

int topology_take_kernel_cores(const struct topology_sources *sources, struct topology *topology)
{
	for (size_t i = 0; i < topology->cpu_count; i++) {
		struct topology_cpu *cpu = topology->cpus[i];
		int error = read_core_id(sources, cpu->public.number, &cpu->public.core);

		if (error == -ENOENT) {
			cpu->unknown_core = message_make(
				sources->messages, "the kernel does not report the core of CPU %u",
				cpu->public.number);
			continue;
		}
		if (error)
			return error;
		cpu->public.thread = count_threads_before(topology, i);
		cpu->public.core_known = true;
	}
	return 0;
}
