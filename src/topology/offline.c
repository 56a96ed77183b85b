/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that are offline: the kernel does not say where they are, so they are remembered while they
 * are online. */
#include "base/messages.h"
#include "sysfs/kernel_files.h"
#include "topology/cache.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct topology_domain *find_domain(const struct topology *topology,
					   const struct cached_cpu *cached)
{
	return topology_find_domain(topology, cached->package, cached->die, cached->domain);
}

/** Whether that CPU is known already, or another one is in the place where it is said to be. */
static bool is_contradicted(const struct topology *topology, const struct topology_domain *domain,
			    const struct cached_cpu *cached)
{
	for (size_t i = 0; i < topology->cpu_count; i++) {
		const struct isst_cpu *cpu = &topology->cpus[i]->public;

		if (cpu->number == cached->number ||
		    (cpu->domain == &domain->public && cpu->core_known &&
		     cpu->core == cached->core && cpu->thread == cached->thread))
			return true;
	}
	return false;
}

/** Adds the CPUs that are offline now and were seen online before, in domains that still have an
 * online CPU. */
static int add_offline_cpus(struct topology *topology, const struct topology_cache *cache)
{
	size_t known = topology->cpu_count;
	struct topology_cpu **cpus;

	/* An array of no elements would be freed by this, and still be the topology's. */
	if (cache->count == 0)
		return 0;
	cpus = reallocarray(topology->cpus, known + cache->count, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	topology->cpus = cpus;
	for (size_t i = 0; i < cache->count; i++) {
		const struct cached_cpu *cached = &cache->cpus[i];
		struct topology_domain *domain = find_domain(topology, cached);
		struct topology_cpu *cpu;

		if (!domain || !isst_cpuset_has(topology->present, cached->number) ||
		    is_contradicted(topology, domain, cached))
			continue;
		cpu = calloc(1, sizeof(*cpu));
		if (!cpu)
			return -ENOMEM;
		cpus[topology->cpu_count++] = cpu;
		cpu->public = (struct isst_cpu){ .number = cached->number,
						 .core_known = true,
						 .core = cached->core,
						 .thread = cached->thread };
		if (topology_add_to_domain(domain, cpu))
			return -ENOMEM;
	}
	topology_sort_cpus(topology);
	return 0;
}

/** Remembers what is known now, and what was known of dies that are offline as a whole. */
static int remember(const struct topology_sources *sources, const struct topology *topology,
		    const struct topology_cache *cache, const char *boot_id)
{
	struct cached_cpu *cpus = calloc(topology->cpu_count + cache->count + 1, sizeof(*cpus));
	size_t count = 0;

	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < topology->cpu_count; i++) {
		const struct isst_cpu *cpu = &topology->cpus[i]->public;

		if (cpu->core_known)
			cpus[count++] = (struct cached_cpu){ cpu->number,      cpu->domain->package,
							     cpu->domain->die, cpu->domain->number,
							     cpu->core,	       cpu->thread };
	}
	for (size_t i = 0; i < cache->count; i++)
		if (isst_cpuset_has(topology->present, cache->cpus[i].number) &&
		    !topology_cpu(topology, cache->cpus[i].number) &&
		    !find_domain(topology, &cache->cpus[i]))
			cpus[count++] = cache->cpus[i];
	topology_cache_update(cache, sources->runtime_directory, boot_id, cpus, count,
			      sources->messages);
	free(cpus);
	return 0;
}

int topology_recall_offline(const struct topology_sources *sources, struct topology *topology)
{
	struct topology_cache cache = { 0 };
	char *boot_id = NULL;
	int error = kernel_files_text(sources->files, "/proc/sys/kernel/random/boot_id", &boot_id);

	/* A machine that numbers no boots (an emulated one) begins each with an empty directory. */
	if (error == -ENOENT) {
		boot_id = strdup("-");
		error = boot_id ? 0 : -ENOMEM;
	}
	/* Where there is a number that cannot be read, nothing may be taken over. */
	if (error)
		return error == -ENOMEM ? error : 0;
	error = topology_cache_read(&cache, sources->runtime_directory, boot_id, sources->messages);
	if (!error)
		error = add_offline_cpus(topology, &cache);
	if (!error)
		error = remember(sources, topology, &cache, boot_id);
	topology_cache_clear(&cache);
	free(boot_id);
	return error;
}
