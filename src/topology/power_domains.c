/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packages that consist of power domains: which of them the driver offers, and which CPUs are
 * whose. The kernel's die ids do not show that.
 */
#include "base/array.h"
#include "base/error_name.h"
#include "base/messages.h"
#include "common/numbered.h"
#include "firmware/firmware.h"
#include "sysfs/system.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdlib.h>

/** The domains as the kernel reports them, while new ones take their place. */
struct dies {
	struct topology_domain **domains;
	size_t count;
};

bool topology_is_unserved(const struct topology *topology, unsigned int package,
			  unsigned int number)
{
	for (size_t i = 0; i < topology->unserved_count; i++) {
		const struct unserved_domain *unserved = &topology->unserved[i];

		if (unserved->package == package &&
		    (unserved->whole ? number < TOPOLOGY_DOMAINS : unserved->number == number))
			return true;
	}
	return false;
}

static int note_unserved(struct topology *topology, const struct unserved_domain *unserved)
{
	if (topology_is_unserved(topology, unserved->package, unserved->number))
		return 0;
	if (ARRAY_GROW(topology->unserved, topology->unserved_count))
		return -ENOMEM;
	topology->unserved[topology->unserved_count++] = *unserved;
	return 0;
}

/** Leaves out a package of which the driver offers nothing. @packages: as counted, or 0. */
static int leave_out_package(const struct topology_sources *sources, struct topology *topology,
			     unsigned int package, unsigned int packages, int cause)
{
	const char *why = "it is not bound to all devices of the package", *hint = "";
	int error;

	/* The driver compares the id with the number of packages when it is bound. */
	if (packages > 0 && package >= packages)
		why = message_make(sources->messages,
				   "of %u packages it accepts only ids 0 to %u (\"Invalid package "
				   "id\" in the kernel's log), and binding it does not help",
				   packages, packages - 1);
	else if (!module_is_loaded(sources->files, "isst_tpmi"))
		hint = "; is the module isst_tpmi loaded?";
	error = topology_leave_out(
		topology,
		message_make(sources->messages,
			     "package %u is left out: the driver provides no power domain (%s): "
			     "%s%s",
			     package, cause ? error_name(cause).text : "0 instances", why, hint));

	return error ? error
		     : note_unserved(topology, &(struct unserved_domain){ .package = package,
									  .whole = true });
}

/** Makes the domains that the driver offers for a package. */
static int add_package(const struct topology_sources *sources, struct topology *topology,
		       unsigned int package, unsigned int packages)
{
	unsigned int valid = 0;
	int error = sources->operations->valid_domains(sources->driver, package, &valid);

	if (error || valid == 0)
		return leave_out_package(sources, topology, package, packages, error);
	for (unsigned int number = 0; number < TOPOLOGY_DOMAINS && valid >> number; number++) {
		struct topology_domain *domain;

		if (!(valid >> number & 1))
			continue;
		domain = topology_add_domain(topology, package, 0);
		if (!domain)
			return -ENOMEM;
		domain->split = true;
		domain->public.number = number;
		domain->public.die_known = false;
	}
	return 0;
}

/** Whether a die is the first of its package: they stand together. */
static bool is_first_die(const struct dies *dies, size_t i)
{
	return i == 0 || dies->domains[i]->public.package != dies->domains[i - 1]->public.package;
}

static int add_packages(const struct topology_sources *sources, struct topology *topology,
			const struct dies *dies)
{
	/* The number of packages; 0 where others may be offline. */
	unsigned int packages = 0;
	int error = 0;

	if (isst_cpuset_count(topology->online) >= isst_cpuset_count(topology->present))
		for (size_t i = 0; i < dies->count; i++)
			packages += is_first_die(dies, i);
	for (size_t i = 0; i < dies->count && !error; i++)
		if (is_first_die(dies, i))
			error = add_package(sources, topology, dies->domains[i]->public.package,
					    packages);
	return error;
}

/** Gives a CPU to its domain, which also gets the CPU's die. */
static int move_cpu(struct topology *topology, struct topology_cpu *cpu)
{
	const struct isst_domain *die = &cpu->domain->public;
	struct topology_domain *domain = NULL;

	if (cpu->public.core_known)
		domain = topology_find_domain(topology, die->package, die->die, cpu->punit_domain);
	/* A CPU that may be in any power domain of its package: of none of them all are known. */
	for (size_t i = 0; i < topology->domain_count && cpu->unknown_core; i++) {
		struct topology_domain *other = topology->domains[i];

		if (other->public.package == die->package && !other->unknown_core)
			other->unknown_core = other->unknown_cpus = cpu->unknown_core;
	}
	cpu->domain = NULL;
	cpu->public.domain = NULL;
	if (!domain && cpu->public.core_known)
		return note_unserved(topology,
				     &(struct unserved_domain){ .package = die->package,
								.number = cpu->punit_domain });
	if (!domain)
		return 0;
	if (!domain->public.die_known)
		domain->public.die = die->die;
	domain->public.die_known = true;
	return topology_add_to_domain(domain, cpu);
}

/** Removes the CPUs that belong to no domain from the table, with a notice. */
static int drop_strays(const struct topology_sources *sources, struct topology *topology)
{
	struct isst_cpuset *strays = isst_cpuset_new();
	char *list = NULL;
	size_t kept = 0;
	int error = strays ? 0 : -ENOMEM;

	for (size_t i = 0; i < topology->cpu_count && !error; i++) {
		const struct topology_cpu *cpu = topology->cpus[i];

		if (cpu->domain)
			continue;
		if (cpu->unknown_core)
			error = topology_leave_out_core(sources, topology, cpu);
		else
			error = isst_cpuset_add(strays, cpu->public.number, cpu->public.number);
	}
	if (error)
		goto out;
	for (size_t i = 0; i < topology->cpu_count; i++) {
		if (topology->cpus[i]->domain)
			topology->cpus[kept++] = topology->cpus[i];
		else
			free(topology->cpus[i]);
	}
	topology->cpu_count = kept;
	if (isst_cpuset_count(strays) == 0)
		goto out;
	list = name_numbers("CPU", strays);
	error = list ? topology_leave_out(topology,
					  message_make(sources->messages,
						       "%s: left out: in no power domain that "
						       "the driver provides",
						       list))
		     : -ENOMEM;
out:
	free(list);
	isst_cpuset_free(strays);
	return error;
}

/** A domain without CPUs is on the die of its package, where that has only one. */
static void place_without_cpus(struct topology *topology, const struct dies *dies)
{
	for (size_t i = 0; i < topology->domain_count; i++) {
		struct isst_domain *domain = &topology->domains[i]->public;
		size_t count = 0;

		for (size_t j = 0; j < dies->count && !domain->die_known; j++) {
			if (dies->domains[j]->public.package != domain->package)
				continue;
			domain->die = dies->domains[j]->public.die;
			count++;
		}
		if (count == 1)
			domain->die_known = true;
		else if (!domain->die_known)
			domain->die = 0;
	}
}

int topology_split_packages(const struct topology_sources *sources, struct topology *topology)
{
	struct dies dies = { topology->domains, topology->domain_count };
	int error;

	topology->domains = NULL;
	topology->domain_count = 0;
	error = add_packages(sources, topology, &dies);
	for (size_t i = 0; i < topology->cpu_count && !error; i++)
		error = move_cpu(topology, topology->cpus[i]);
	if (!error)
		error = drop_strays(sources, topology);
	if (!error && topology->domain_count == 0)
		error = message_error(sources->messages, -EOPNOTSUPP,
				      "the driver provides no power domain of any package: is the "
				      "module isst_tpmi loaded, and bound to its devices?");
	if (!error) {
		place_without_cpus(topology, &dies);
		topology_order_domains(sources, topology);
	}
	for (size_t i = 0; i < dies.count; i++)
		topology_free_domain(dies.domains[i]);
	free(dies.domains);
	return error;
}
