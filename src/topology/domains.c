/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of domains: making them, and their order. */
#include "base/array.h"
#include "base/messages.h"
#include "topology/steps.h"

#include <stdlib.h>

struct topology_domain *topology_add_domain(struct topology *topology, unsigned int package,
					    unsigned int die)
{
	struct topology_domain *domain;

	if (ARRAY_GROW(topology->domains, topology->domain_count))
		return NULL;
	domain = calloc(1, sizeof(*domain));
	if (!domain)
		return NULL;
	topology->domains[topology->domain_count++] = domain;
	domain->present = isst_cpuset_new();
	domain->online = isst_cpuset_new();
	if (!domain->present || !domain->online)
		return NULL;
	domain->public = (struct isst_domain){ .package = package,
					       .die = die,
					       .die_known = true,
					       .present = domain->present,
					       .online = domain->online };
	return domain;
}

void topology_free_domain(struct topology_domain *domain)
{
	isst_cpuset_free(domain->present);
	isst_cpuset_free(domain->online);
	free(domain);
}

static int by_package(const void *key, const void *element)
{
	const unsigned int *package = key;
	const struct topology_domain *const *domain = element;

	return *package > (*domain)->public.package ? 1 : -1;
}

/** Index of the first domain of a package, or of a higher one. */
static size_t find_package(const struct topology *topology, unsigned int package)
{
	return array_lower_bound(&package, topology->domains, topology->domain_count,
				 sizeof(struct topology_domain *), by_package);
}

struct topology_domain *topology_find_domain(const struct topology *topology, unsigned int package,
					     unsigned int die, unsigned int number)
{
	for (size_t i = find_package(topology, package); i < topology->domain_count; i++) {
		struct topology_domain *domain = topology->domains[i];

		if (domain->public.package != package)
			break;
		if (domain->public.number == number && (domain->split || domain->public.die == die))
			return domain;
	}
	return NULL;
}

static int compare_domains(const void *left, const void *right)
{
	const struct isst_domain *a = &(*(struct topology_domain *const *)left)->public;
	const struct isst_domain *b = &(*(struct topology_domain *const *)right)->public;

	if (a->package != b->package)
		return a->package < b->package ? -1 : 1;
	if (a->die_known != b->die_known)
		return a->die_known ? -1 : 1;
	if (a->die != b->die)
		return a->die < b->die ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

const char *topology_domain_name(struct messages *messages, bool split,
				 const struct isst_domain *domain)
{
	if (split)
		return message_make(messages, "package %u, power domain %u", domain->package,
				    domain->number);
	return message_make(messages, "package %u, die %u", domain->package, domain->die);
}

void topology_order_domains(const struct topology_sources *sources, struct topology *topology)
{
	if (topology->domain_count > 0)
		qsort(topology->domains, topology->domain_count, sizeof(*topology->domains),
		      compare_domains);
	for (size_t i = 0; i < topology->domain_count; i++) {
		struct topology_domain *domain = topology->domains[i];
		struct isst_domain *public = &domain->public;

		public->index = (unsigned int)i;
		public->has_cpu = isst_cpuset_next(domain->online, 0, &public->cpu);
		public->name = topology_domain_name(sources->messages, domain->split, public);
	}
}
