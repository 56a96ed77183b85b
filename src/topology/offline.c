/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that are offline: the kernel does not report where they are, so they are remembered while
 * they are online. */
#include "base/array.h"
#include "base/messages.h"
#include "firmware/firmware.h"
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

/** Whether that CPU is known already, or another one has the same location. */
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
static int add_offline_cpus(const struct topology_sources *sources, struct topology *topology,
			    const struct topology_cache *cache)
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
		    (cached->core >= TOPOLOGY_CORES && !sources->operations->cores_of_kernel) ||
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

/** Keeps those of the remembered CPUs whose package or die has no CPU online any more. */
static int keep_unreachable(struct topology *topology, const struct topology_cache *cache)
{
	size_t count = 0;

	topology->unreachable = calloc(cache->count + 1, sizeof(*topology->unreachable));
	if (!topology->unreachable)
		return -ENOMEM;
	for (size_t i = 0; i < cache->count; i++) {
		const struct cached_cpu *cached = &cache->cpus[i];

		/* A second line for the same CPU is ignored. */
		topology->unreachable_count = count;
		if (isst_cpuset_has(topology->present, cached->number) &&
		    !isst_cpuset_has(topology->online, cached->number) &&
		    !topology_cpu(topology, cached->number) && !find_domain(topology, cached) &&
		    !topology_is_unreachable(topology, cached->number))
			topology->unreachable[count++] = *cached;
	}
	topology->unreachable_count = count;
	return 0;
}

bool topology_is_unreachable(const struct topology *topology, unsigned int number)
{
	for (size_t i = 0; i < topology->unreachable_count; i++)
		if (topology->unreachable[i].number == number)
			return true;
	return false;
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
	topology_cache_update(cache, sources->runtime, boot_id, cpus, count, sources->messages);
	free(cpus);
	return 0;
}

int topology_recall_offline(const struct topology_sources *sources, struct topology *topology)
{
	struct topology_cache cache = { 0 };
	const char *boot_id;
	int error = kernel_files_boot_id(sources->files, &boot_id);

	/* A machine that numbers no boots (an emulated one) begins each with an empty directory. */
	if (error == -ENOENT) {
		boot_id = "-";
		error = 0;
	}
	/* Where there is a number that cannot be read, nothing may be taken over. */
	if (error)
		return error == -ENOMEM ? error : 0;
	error = topology_cache_read(&cache, sources->runtime, boot_id, sources->messages);
	if (!error)
		error = add_offline_cpus(sources, topology, &cache);
	if (!error)
		error = keep_unreachable(topology, &cache);
	if (!error)
		error = remember(sources, topology, &cache, boot_id);
	topology_cache_clear(&cache);
	return error;
}

/* ---- What a call for all domains does not reach ---- */

static bool has_package(const struct topology *topology, unsigned int package)
{
	for (size_t i = 0; i < topology->domain_count; i++)
		if (topology->domains[i]->public.package == package)
			return true;
	return false;
}

/** Whether two CPUs are of the same part: of a package, or of a die where others of the package are
 * online. */
static bool same_part(const struct cached_cpu *a, const struct cached_cpu *b, bool whole_package)
{
	return a->package == b->package && (whole_package || a->die == b->die);
}

static int add_offline_part(struct topology *topology, const char *text)
{
	if (ARRAY_GROW(topology->offline_parts, topology->offline_part_count))
		return -ENOMEM;
	topology->offline_parts[topology->offline_part_count++] = text;
	return 0;
}

/** Describes the part that CPU @first is of, if that is the first of it. */
static int describe_part(const struct topology_sources *sources, struct topology *topology,
			 size_t first)
{
	const struct cached_cpu *cpus = topology->unreachable;
	bool whole = !has_package(topology, cpus[first].package);
	struct isst_cpuset *set;
	char *list = NULL;
	int error = 0;

	for (size_t i = 0; i < first; i++)
		if (same_part(&cpus[i], &cpus[first], whole))
			return 0;
	set = isst_cpuset_new();
	for (size_t i = first; i < topology->unreachable_count && set && !error; i++)
		if (same_part(&cpus[i], &cpus[first], whole))
			error = isst_cpuset_add(set, cpus[i].number, cpus[i].number);
	list = set && !error ? isst_cpuset_to_list(set) : NULL;
	isst_cpuset_free(set);
	if (!list)
		return -ENOMEM;
	error = add_offline_part(
		topology,
		whole ? message_make(sources->messages, "package %u: all its CPUs (%s) are offline",
				     cpus[first].package, list)
		      : message_make(sources->messages,
				     "package %u, die %u: all its CPUs (%s) are offline",
				     cpus[first].package, cpus[first].die, list));
	free(list);
	return error;
}

/** How many CPUs of a package are online. */
static size_t count_online(const struct topology *topology, unsigned int package)
{
	size_t count = 0;

	for (size_t i = 0; i < topology->domain_count; i++)
		if (topology->domains[i]->public.package == package)
			count += isst_cpuset_count(topology->domains[i]->public.online);
	return count;
}

/** Whether CPUs may be a whole package: as many as the smallest one has online. */
static bool may_be_package(const struct topology *topology, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < topology->domain_count && !any; i++) {
		size_t online = count_online(topology, topology->domains[i]->public.package);

		any = online > 0 && count >= online;
	}
	return any || topology->domain_count == 0;
}

int topology_describe_offline(const struct topology_sources *sources, struct topology *topology,
			      const struct isst_cpuset *unseen)
{
	size_t count = isst_cpuset_count(unseen);
	const char *part = "";
	char *list;
	int error = 0;

	for (size_t i = 0; i < topology->unreachable_count && !error; i++)
		error = describe_part(sources, topology, i);
	if (error || count == 0)
		return error;
	list = isst_cpuset_to_list(unseen);
	if (!list)
		return -ENOMEM;
	if (may_be_package(topology, count))
		part = count == 1 ? ", and any package that consists of it alone,"
				  : ", and any package that consists of them alone,";
	error = add_offline_part(topology, message_make(sources->messages,
							"%s %s%s %s been offline since boot",
							count == 1 ? "CPU" : "CPUs", list, part,
							count == 1 ? "has" : "have"));
	free(list);
	return error;
}
