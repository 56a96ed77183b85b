/* SPDX-License-Identifier: BSD-3-Clause */
/* A topology: its CPUs and domains, found by number. */
#include "base/array.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdlib.h>

void topology_free(struct topology *topology)
{
	if (!topology)
		return;
	for (size_t i = 0; i < topology->domain_count; i++)
		topology_free_domain(topology->domains[i]);
	for (size_t i = 0; i < topology->lost_domain_count; i++)
		topology_free_domain(topology->lost_domains[i]);
	for (size_t i = 0; i < topology->cpu_count; i++)
		free(topology->cpus[i]);
	for (size_t i = 0; i < topology->lost_cpu_count; i++)
		free(topology->lost_cpus[i]);
	free(topology->domains);
	free(topology->lost_domains);
	free(topology->left_out);
	free(topology->offline_parts);
	free(topology->unreachable);
	free(topology->unserved);
	free(topology->cpus);
	free(topology->lost_cpus);
	isst_cpuset_free(topology->present);
	isst_cpuset_free(topology->online);
	free(topology);
}

static int compare_cpus(const void *left, const void *right)
{
	unsigned int a = (*(struct topology_cpu *const *)left)->public.number;
	unsigned int b = (*(struct topology_cpu *const *)right)->public.number;

	return (a > b) - (a < b);
}

void topology_sort_cpus(struct topology *topology)
{
	if (topology->cpu_count > 0)
		qsort(topology->cpus, topology->cpu_count, sizeof(struct topology_cpu *),
		      compare_cpus);
}

struct topology_cpu *topology_find_cpu(const struct topology *topology, unsigned int number)
{
	struct topology_cpu *key = &(struct topology_cpu){ .public = { .number = number } };
	struct topology_cpu **found = NULL;

	/* Mostly there are no holes in the numbers. */
	if (number < topology->cpu_count && topology->cpus[number]->public.number == number)
		return topology->cpus[number];
	if (topology->cpu_count > 0)
		found = bsearch(&key, topology->cpus, topology->cpu_count,
				sizeof(struct topology_cpu *), compare_cpus);
	return found ? *found : NULL;
}

const struct topology_cpu *topology_cpu(const struct topology *topology, unsigned int number)
{
	return topology_find_cpu(topology, number);
}

struct isst_cpuset *topology_cpus_of_cores(const struct topology *topology,
					   const struct isst_domain *domain, uint64_t cores)
{
	struct isst_cpuset *set = isst_cpuset_new();
	unsigned int number;

	if (!set)
		return NULL;
	isst_cpuset_for_each (number, domain->present) {
		const struct isst_cpu *cpu = &topology_find_cpu(topology, number)->public;

		if (!cpu->core_known || cpu->core >= TOPOLOGY_CORES || !(cores >> cpu->core & 1))
			continue;
		if (isst_cpuset_add(set, number, number)) {
			isst_cpuset_free(set);
			return NULL;
		}
	}
	return set;
}

int topology_add_to_domain(struct topology_domain *domain, struct topology_cpu *cpu)
{
	unsigned int number = cpu->public.number;
	int error = isst_cpuset_add(domain->present, number, number);

	if (!error && cpu->public.online)
		error = isst_cpuset_add(domain->online, number, number);
	cpu->domain = domain;
	cpu->public.domain = &domain->public;
	return error;
}

int topology_leave_out(struct topology *topology, const char *what)
{
	for (size_t i = 0; i < topology->left_out_count; i++)
		if (topology->left_out[i] == what)
			return 0;
	if (ARRAY_GROW(topology->left_out, topology->left_out_count))
		return -ENOMEM;
	topology->left_out[topology->left_out_count++] = what;
	return 0;
}
