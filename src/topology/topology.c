/* SPDX-License-Identifier: BSD-3-Clause */
/* A topology: its CPUs and domains by number, and how it inherits from an earlier one. */
#include "base/array.h"
#include "base/cpuset.h"
#include "topology/context.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Inheritance. Callers hold pointers to domains, CPUs and sets for as long as a context lives:
 * these keep their addresses, and the contents are exchanged. ---- */

/** The same domain in @old, present or lost. */
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

/** Exchanges two domains, but not their addresses and those of their sets. */
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

/** Exchanges domains with those of @old that are the same. */
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
		/* For sort_domains(): it is not lost. */
		heir->heir = domain;
	}
}

/** Keeps domains of @old that were not inherited, and frees what was exchanged for the others. */
static void sort_domains(struct topology *topology, struct topology_domain **domains, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct topology_domain *domain = domains[i], *exchanged = domain->heir;

		domain->heir = NULL;
		if (exchanged) {
			topology_free_domain(exchanged);
			continue;
		}
		/* Without CPUs it must not look like an I/O die. */
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

/** As for domains. Both tables are sorted by number. */
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

/* ---- The table of domains ---- */

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

struct topology_domain *topology_find_domain(const struct topology *topology, unsigned int package,
					     unsigned int die, unsigned int number)
{
	size_t i = array_lower_bound(&package, topology->domains, topology->domain_count,
				     sizeof(struct topology_domain *), by_package);

	for (; i < topology->domain_count; i++) {
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
	message_list_free(&topology->left_out);
	message_list_free(&topology->offline_parts);
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

int topology_note(const struct topology_sources *sources, struct message_list *list,
		  enum isst_message_code code, struct message_place place, const char *format, ...)
{
	const struct isst_message *message;
	va_list arguments;

	va_start(arguments, format);
	message = message_new(sources->messages, place, format, arguments);
	va_end(arguments);
	message_mark(message, (int)code, ISST_LOG_WARNING, 0);
	return message_list_add(list, message);
}
