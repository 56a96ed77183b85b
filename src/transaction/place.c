/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the items of a journal are. A package may have gone offline since it was written: its items
 * are those of this machine all the same, and are reached again once its CPUs are online.
 */
#include "transaction/place.h"
#include "sysfs/cpufreq.h"
#include "topology/cache.h"

#include <errno.h>

static int add_cpu(struct isst_cpuset *cpus, unsigned int number)
{
	return cpus ? isst_cpuset_add(cpus, number, number) : 0;
}

static int offline_cpu(struct isst_cpuset *cpus, unsigned int number)
{
	int error = add_cpu(cpus, number);

	return error ? error : PLACE_OFFLINE;
}

/** A CPU that was taken out may come back: the kernel keeps its number free. */
static int place_of_absent_cpu(struct isst_context *context, unsigned int number,
			       struct isst_cpuset *cpus)
{
	struct isst_cpuset *possible = isst_cpuset_new();
	const char *message = context->messages.error;
	int error = possible ? kernel_files_cpulist(&context->files, CPU_DIRECTORY "/possible",
						    possible)
			     : -ENOMEM;
	int place = error == -ENOMEM ? error : PLACE_NONE;

	if (!error && isst_cpuset_has(possible, number))
		place = offline_cpu(cpus, number);
	context->messages.error = message;
	isst_cpuset_free(possible);
	return place;
}

/** A domain that the driver does not offer now is none that the machine does not have. */
static int place_in_topology(const struct isst_context *context, const struct item *item)
{
	const struct topology *topology = context->topology;

	if (item_domain(context, item))
		return PLACE_REACHED;
	return topology_is_unserved(topology, item->package, item->domain) ? PLACE_UNSERVED
									   : PLACE_NONE;
}

static int place_of_cpu(struct isst_context *context, const struct item *item,
			struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;

	if (!isst_cpuset_has(topology->present, item->index))
		return place_of_absent_cpu(context, item->index, cpus);
	/* That a CPU is offline can be read, and written. */
	if (item->kind == ITEM_ONLINE)
		return PLACE_REACHED;
	if (!isst_cpuset_has(topology->online, item->index))
		return offline_cpu(cpus, item->index);
	return place_in_topology(context, item);
}

/** Turbo ratio limits are reached through a CPU of their domain, and the driver offers a power
 * domain while all of its CPUs are offline. */
static int place_of_limits(const struct isst_context *context, const struct item *item,
			   struct isst_cpuset *cpus)
{
	int place = PLACE_REACHED;
	unsigned int cpu;

	if (item_domain(context, item)->has_cpu)
		return place;
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = context_domain(context, i);
		const struct item own = item_of(item->kind, domain, item->index);

		if (!item_is(&own, item))
			continue;
		isst_cpuset_for_each (cpu, domain->present)
			if (place >= 0)
				place = offline_cpu(cpus, cpu);
	}
	return place;
}

/** Whether a CPU that is remembered is of the item's domain. */
static bool is_of_domain(const struct isst_context *context, const struct cached_cpu *cpu,
			 const struct item *item)
{
	if (item_is_shared(item))
		return cpu->package == item->package;
	/* The numbers of power domains identify them: see item_of(). */
	return cpu->package == item->package && cpu->domain == item->domain &&
	       (cpu->die == item->die || context_has_power_domains(context));
}

/** Whether a CPU that is remembered is of the item's package, which can be reached by none: the
 * power domains of I/O have no CPUs of their own. */
static bool is_of_offline_package(const struct isst_context *context, const struct cached_cpu *cpu,
				  const struct item *item)
{
	const struct topology *topology = context->topology;

	if (!context_has_power_domains(context) || cpu->package != item->package ||
	    item->domain >= TOPOLOGY_DOMAINS)
		return false;
	for (size_t i = 0; i < topology->domain_count; i++)
		if (topology->domains[i]->public.package == item->package)
			return false;
	return true;
}

typedef bool (*cached_test)(const struct isst_context *context, const struct cached_cpu *cpu,
			    const struct item *item);

/** CPUs that were online in this boot, and are offline now together with their package or die. */
static int place_of_remembered(const struct isst_context *context, const struct item *item,
			       cached_test test, struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	int place = PLACE_NONE;

	for (size_t i = 0; i < topology->unreachable_count && place >= 0; i++)
		if (test(context, &topology->unreachable[i], item))
			place = offline_cpu(cpus, topology->unreachable[i].number);
	return place;
}

/** Whether CPUs were never seen online, so that there may be unknown packages. */
static bool has_unseen(const struct topology *topology)
{
	for (size_t i = 0; i < topology->domain_count; i++)
		if (topology->domains[i]->unknown_cpus)
			return true;
	return false;
}

static int place_of_unseen(const struct topology *topology, struct isst_cpuset *cpus)
{
	int place = PLACE_NONE;
	unsigned int cpu;

	if (!has_unseen(topology))
		return PLACE_NONE;
	isst_cpuset_for_each (cpu, topology->present)
		if (place >= 0 && !isst_cpuset_has(topology->online, cpu) &&
		    !topology_cpu(topology, cpu) && !topology_is_unreachable(topology, cpu))
			place = offline_cpu(cpus, cpu);
	return place;
}

int item_place(struct isst_context *context, const struct item *item, struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	int place;

	if (item_is_of_machine(item))
		return item->index == 0 ? PLACE_REACHED : PLACE_NONE;
	if (item_is_of_cpu(item))
		return place_of_cpu(context, item, cpus);
	place = place_in_topology(context, item);
	if (place == PLACE_REACHED && item->kind == ITEM_TURBO_RATIO_LIMITS)
		return place_of_limits(context, item, cpus);
	if (place == PLACE_NONE)
		place = place_of_remembered(context, item, is_of_domain, cpus);
	if (place == PLACE_NONE)
		place = place_of_remembered(context, item, is_of_offline_package, cpus);
	return place == PLACE_NONE ? place_of_unseen(topology, cpus) : place;
}

bool item_is_of_no_core(const struct isst_context *context, const struct item *item)
{
	const struct topology *topology = context->topology;
	const struct topology_domain *domain = topology_find_domain(topology, item->package,
								    item->die, item->domain);

	if (item->kind != ITEM_ASSOCIATION || !domain || domain->unknown_core ||
	    domain->unknown_cpus)
		return false;
	for (size_t i = 0; i < topology->cpu_count; i++)
		if (topology->cpus[i]->domain == domain &&
		    topology->cpus[i]->public.core == item->index)
			return false;
	return true;
}
