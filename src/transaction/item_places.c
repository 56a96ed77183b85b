/* SPDX-License-Identifier: BSD-3-Clause */
/* Which items and values a machine can have, and where items are. */
#include "base/machine.h"
#include "sysfs/cpufreq.h"
#include "transaction/items.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool item_value_is_plausible(const struct item *item, struct item_value value)
{
	static const char *const PARTITIONS[] = { "absent", "member", "root", "isolated" };
	enum { HIGHEST_KHZ = 25599999 }; /* of a ratio that fits into a register */
	const struct item_row *row = &item_kinds[item->kind];

	if (row->indexes > 0 && item->index >= row->indexes && !item_is_of_package(item))
		return false;
	if (row->format == AS_KHZ)
		return value.number == CPUFREQ_NO_LIMIT || value.number <= HIGHEST_KHZ;
	if (item->kind != ITEM_PARTITION)
		return row->format == AS_TEXT ? value.text != NULL : value.number <= row->highest;
	/* Perhaps `invalid (...)`, with CPUs. */
	for (size_t i = 0; value.text && i < sizeof(PARTITIONS) / sizeof(*PARTITIONS); i++)
		if (strncmp(value.text, PARTITIONS[i], strlen(PARTITIONS[i])) == 0)
			return true;
	return false;
}

/* ---- Places ---- */

/** Adds a CPU by which an offline place is reached, where the caller wants them. */
static int offline_cpu(struct isst_cpuset *cpus, unsigned int number)
{
	int error = cpus ? isst_cpuset_add(cpus, number, number) : 0;

	return error ? error : PLACE_OFFLINE;
}

/** A domain that the driver does not offer now is none that the machine does not have. */
static int place_in_topology(const struct isst_context *context, const struct item *item)
{
	if (item_domain(context, item))
		return PLACE_REACHED;
	return topology_is_unserved(context->topology, item->package, item->domain) ? PLACE_UNSERVED
										    : PLACE_NONE;
}

static int place_of_cpu(struct isst_context *context, const struct item *item,
			struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	const char *message = context->messages.error;
	struct isst_cpuset *possible;
	int error, place = PLACE_NONE;

	if (isst_cpuset_has(topology->present, item->index)) {
		/* That a CPU is offline can be read, and written. */
		if (item->kind == ITEM_ONLINE)
			return PLACE_REACHED;
		if (!isst_cpuset_has(topology->online, item->index))
			return offline_cpu(cpus, item->index);
		return place_in_topology(context, item);
	}
	/* A CPU that was taken out may come back: the kernel keeps its number free. */
	possible = isst_cpuset_new();
	error = possible
			? kernel_files_cpulist(&context->files, CPU_DIRECTORY "/possible", possible)
			: -ENOMEM;
	if (error == -ENOMEM)
		place = error;
	else if (!error && isst_cpuset_has(possible, item->index))
		place = offline_cpu(cpus, item->index);
	context->messages.error = message;
	isst_cpuset_free(possible);
	return place;
}

/** Turbo ratio limits are reached through a CPU; a power domain is there without. */
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

/** CPUs that were online in this boot, and are offline now together with their package or die:
 * those of the item's domain; or @package: of its package, which can be reached by none, since the
 * power domains of I/O have no CPUs of their own. */
static int place_of_remembered(const struct isst_context *context, const struct item *item,
			       bool package, struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	bool power_domains = context_has_power_domains(context);
	int place = PLACE_NONE;

	if (package && (!power_domains || item->domain >= TOPOLOGY_DOMAINS))
		return place;
	for (size_t i = 0; i < topology->domain_count && package; i++)
		if (topology->domains[i]->public.package == item->package)
			return place;
	for (size_t i = 0; i < topology->unreachable_count && place >= 0; i++) {
		const struct cached_cpu *cpu = &topology->unreachable[i];

		/* The numbers of power domains identify them: see item_of(). */
		if (cpu->package == item->package &&
		    (package || item_is_shared(item) ||
		     (cpu->domain == item->domain && (cpu->die == item->die || power_domains))))
			place = offline_cpu(cpus, cpu->number);
	}
	return place;
}

int item_place(struct isst_context *context, const struct item *item, struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	bool unseen = false;
	unsigned int cpu;
	int place;

	if (item_is_of_machine(item))
		return item->index == 0 ? PLACE_REACHED : PLACE_NONE;
	if (item_kinds[item->kind].of_cpu)
		return place_of_cpu(context, item, cpus);
	place = place_in_topology(context, item);
	if (place == PLACE_REACHED && item->kind == ITEM_TURBO_RATIO_LIMITS)
		return place_of_limits(context, item, cpus);
	if (place == PLACE_NONE)
		place = place_of_remembered(context, item, false, cpus);
	if (place == PLACE_NONE)
		place = place_of_remembered(context, item, true, cpus);
	if (place != PLACE_NONE)
		return place;
	/* Where CPUs were never seen online there may be unknown packages. */
	for (size_t i = 0; i < topology->domain_count; i++)
		unseen |= topology->domains[i]->unknown_cpus != NULL;
	isst_cpuset_for_each (cpu, topology->present)
		if (unseen && place >= 0 && !isst_cpuset_has(topology->online, cpu) &&
		    !topology_cpu(topology, cpu) && !topology_is_unreachable(topology, cpu))
			place = offline_cpu(cpus, cpu);
	return place;
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
