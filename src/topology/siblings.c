/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUs that are offline and were never seen, where SMT is off: the kernel keeps the second thread
 * of every core offline then, and does not report where it is. They make no domain uncertain.
 */
#include "sysfs/cpufreq.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdlib.h>

/** Whether SMT is disabled. On a processor that has none no CPU is hidden. Returns 0 or
 * -ENOMEM. */
static int read_smt(const struct topology_sources *sources, bool *off)
{
	char *text = NULL;
	int error = kernel_files_text(sources->files, CPU_DIRECTORY "/smt/control", &text);

	*off = !error && hotplug_smt_is_off(text);
	free(text);
	return error == -ENOMEM ? error : 0;
}

static int compare_cores(const void *left, const void *right)
{
	const struct isst_cpu *a = &(*(struct topology_cpu *const *)left)->public;
	const struct isst_cpu *b = &(*(struct topology_cpu *const *)right)->public;

	if (a->domain->index != b->domain->index)
		return a->domain->index < b->domain->index ? -1 : 1;
	return (a->core > b->core) - (a->core < b->core);
}

/** Counts the cores of which one thread is known. */
static size_t count_single(struct topology_cpu *const *cpus, size_t count)
{
	size_t single = 0;

	for (size_t i = 0; i < count; i++)
		single += (i == 0 || compare_cores(&cpus[i - 1], &cpus[i])) &&
			  (i + 1 == count || compare_cores(&cpus[i], &cpus[i + 1]));
	return single;
}

/*
 * Each core that is online hides one thread, and each core that is offline as a whole two more: so
 * where there are no more hidden CPUs than cores that hide one, no core is offline.
 */
int topology_are_siblings(const struct topology_sources *sources, const struct topology *topology,
			  const struct isst_cpuset *unseen, bool *siblings)
{
	struct topology_cpu **cpus = calloc(topology->cpu_count + 1, sizeof(*cpus));
	size_t count = 0;
	int error = 0;

	*siblings = false;
	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < topology->cpu_count; i++)
		if (topology->cpus[i]->public.core_known)
			cpus[count++] = topology->cpus[i];
	qsort(cpus, count, sizeof(struct topology_cpu *), compare_cores);
	if (isst_cpuset_count(unseen) <= count_single(cpus, count))
		error = read_smt(sources, siblings);
	free(cpus);
	return error;
}
