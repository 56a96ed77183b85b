/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a topology takes the place of an earlier one. Callers hold pointers to domains, CPUs and sets
 * for as long as a context lives: so these keep their addresses, and their contents are exchanged.
 */
#include "base/cpuset.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdlib.h>

/** The domain of @old that is the same one as @domain: among the present ones, or the lost. */
static struct topology_domain *find_ancestor(const struct topology *old,
					     const struct topology_domain *domain)
{
	const struct isst_domain *public = &domain->public;
	struct topology_domain *found = topology_find_domain(old, public->package, public->die,
							     public->number);

	for (size_t i = 0; i < old->lost_domain_count && !found; i++) {
		struct topology_domain *lost = old->lost_domains[i];

		if (lost->public.package == public->package &&
		    lost->public.number == public->number &&
		    (lost->split || lost->public.die == public->die))
			found = lost;
	}
	return found && found->split == domain->split ? found : NULL;
}

/** Exchanges two domains, the addresses of the domains and of their sets excepted. */
static void swap_domains(struct topology_domain *one, struct topology_domain *other)
{
	struct topology_domain kept = *one;

	*one = *other;
	*other = kept;
	other->present = one->present;
	other->online = one->online;
	one->present = kept.present;
	one->online = kept.online;
	one->public.present = one->present;
	one->public.online = one->online;
	other->public.present = other->present;
	other->public.online = other->online;
	cpuset_swap(one->present, other->present);
	cpuset_swap(one->online, other->online);
}

/** Puts the earlier domains into the places of those that are the same, which become @old's. */
static void inherit_domains(struct topology *topology, struct topology *old)
{
	for (size_t i = 0; i < topology->domain_count; i++)
		topology->domains[i]->heir = find_ancestor(old, topology->domains[i]);
	for (size_t i = 0; i < topology->cpu_count; i++) {
		struct topology_cpu *cpu = topology->cpus[i];

		if (!cpu->domain->heir)
			continue;
		cpu->domain = cpu->domain->heir;
		cpu->public.domain = &cpu->domain->public;
	}
	for (size_t i = 0; i < topology->domain_count; i++) {
		struct topology_domain *domain = topology->domains[i], *heir = domain->heir;

		if (!heir)
			continue;
		domain->heir = NULL;
		swap_domains(heir, domain);
		topology->domains[i] = heir;
		/* Marks it, for lose_domains(), as one that is not lost. */
		heir->heir = domain;
	}
}

/** Keeps the domains of a list of @old that were not inherited, and frees what came in exchange for
 * those that were. */
static void sort_domains(struct topology *topology, struct topology_domain **domains, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct topology_domain *domain = domains[i], *exchanged = domain->heir;

		domain->heir = NULL;
		if (exchanged) {
			topology_free_domain(exchanged);
			continue;
		}
		/* It has no CPUs, and yet is not one of an I/O die. */
		cpuset_clear(domain->present);
		cpuset_clear(domain->online);
		domain->public.has_cpu = domain->public.cpus_known = false;
		topology->lost_domains[topology->lost_domain_count++] = domain;
	}
}

static struct topology_cpu *take_lost_cpu(struct topology *old, unsigned int number)
{
	for (size_t i = 0; i < old->lost_cpu_count; i++) {
		struct topology_cpu *lost = old->lost_cpus[i];

		if (lost->public.number != number)
			continue;
		old->lost_cpus[i] = old->lost_cpus[--old->lost_cpu_count];
		return lost;
	}
	return NULL;
}

static void lose_cpu(struct topology *topology, struct topology_cpu *cpu)
{
	cpu->public.online = false;
	topology->lost_cpus[topology->lost_cpu_count++] = cpu;
}

/** As for domains. Both tables are in the order of the CPUs' numbers. */
static void inherit_cpus(struct topology *topology, struct topology *old)
{
	size_t k = 0;

	for (size_t i = 0; i < topology->cpu_count; i++) {
		struct topology_cpu *found = topology->cpus[i], *kept;

		while (k < old->cpu_count && old->cpus[k]->public.number < found->public.number)
			lose_cpu(topology, old->cpus[k++]);
		if (k < old->cpu_count && old->cpus[k]->public.number == found->public.number)
			kept = old->cpus[k++];
		else
			kept = take_lost_cpu(old, found->public.number);
		if (!kept)
			continue;
		*kept = *found;
		free(found);
		topology->cpus[i] = kept;
	}
	while (k < old->cpu_count)
		lose_cpu(topology, old->cpus[k++]);
	for (size_t i = 0; i < old->lost_cpu_count; i++)
		lose_cpu(topology, old->lost_cpus[i]);
	old->cpu_count = old->lost_cpu_count = 0;
}

static void inherit_set(struct isst_cpuset **set, struct isst_cpuset **old)
{
	struct isst_cpuset *kept = *old;

	cpuset_swap(*set, kept);
	*old = *set;
	*set = kept;
}

int topology_inherit(struct topology *topology, struct topology *old)
{
	size_t domains = old->domain_count + old->lost_domain_count;
	size_t cpus = old->cpu_count + old->lost_cpu_count;

	topology->lost_domains = calloc(domains + 1, sizeof(*topology->lost_domains));
	topology->lost_cpus = calloc(cpus + 1, sizeof(*topology->lost_cpus));
	if (!topology->lost_domains || !topology->lost_cpus)
		return -ENOMEM;
	inherit_domains(topology, old);
	sort_domains(topology, old->domains, old->domain_count);
	sort_domains(topology, old->lost_domains, old->lost_domain_count);
	old->domain_count = old->lost_domain_count = 0;
	inherit_cpus(topology, old);
	inherit_set(&topology->present, &old->present);
	inherit_set(&topology->online, &old->online);
	topology_free(old);
	return 0;
}

bool topology_has_domain(const struct topology *topology, const struct isst_domain *domain)
{
	return domain && domain->index < topology->domain_count &&
	       &topology->domains[domain->index]->public == domain;
}

bool topology_has_lost_domain(const struct topology *topology, const struct isst_domain *domain)
{
	for (size_t i = 0; i < topology->lost_domain_count; i++)
		if (&topology->lost_domains[i]->public == domain)
			return true;
	return false;
}

bool topology_has_cpu(const struct topology *topology, const struct isst_cpu *cpu)
{
	const struct topology_cpu *found = cpu ? topology_find_cpu(topology, cpu->number) : NULL;

	return found && &found->public == cpu;
}

bool topology_has_lost_cpu(const struct topology *topology, const struct isst_cpu *cpu)
{
	for (size_t i = 0; i < topology->lost_cpu_count; i++)
		if (&topology->lost_cpus[i]->public == cpu)
			return true;
	return false;
}
