/* SPDX-License-Identifier: BSD-3-Clause */
/* The firmware's numbers of cores and power domains, and whether they can be true. */
#include "base/array.h"
#include "base/error_name.h"
#include "base/messages.h"
#include "common/numbered.h"
#include "driver/driver.h"
#include "firmware/firmware.h"
#include "sysfs/kernel_files.h"
#include "sysfs/system.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Packages split into power domains, which the kernel's die ids do not show ---- */

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

/** Leaves out a package without power domains. @packages: their number, or 0 if unknown. */
static int leave_out_package(const struct topology_sources *sources, struct topology *topology,
			     unsigned int package, unsigned int packages, int cause)
{
	const char *why = "it is not bound to all devices of the package", *hint = "";
	int error;

	/* When it is bound the driver compares the id with the number of packages. */
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

/** Adds the domains that the driver provides for a package. */
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

/** Whether a die is the first of its package. */
static bool is_first_die(struct topology_domain *const *dies, size_t i)
{
	return i == 0 || dies[i]->public.package != dies[i - 1]->public.package;
}

static int add_packages(const struct topology_sources *sources, struct topology *topology,
			struct topology_domain *const *dies, size_t count)
{
	/* 0 where other packages may be offline. */
	unsigned int packages = 0;
	int error = 0;

	if (isst_cpuset_count(topology->online) >= isst_cpuset_count(topology->present))
		for (size_t i = 0; i < count; i++)
			packages += is_first_die(dies, i);
	for (size_t i = 0; i < count && !error; i++)
		if (is_first_die(dies, i))
			error = add_package(sources, topology, dies[i]->public.package, packages);
	return error;
}

/** Moves a CPU to its power domain, which also gets the CPU's die. */
static int move_cpu(struct topology *topology, struct topology_cpu *cpu)
{
	const struct isst_domain *die = &cpu->domain->public;
	struct topology_domain *domain = NULL;

	if (cpu->public.core_known)
		domain = topology_find_domain(topology, die->package, die->die, cpu->punit_domain);
	/* A CPU of unknown core may be in any power domain of its package. */
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

/** Removes CPUs without a domain from the table, with a notice. */
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

/** Gives domains without CPUs the die of their package, if it has only one. */
static void place_without_cpus(struct topology *topology, struct topology_domain *const *dies,
			       size_t die_count)
{
	for (size_t i = 0; i < topology->domain_count; i++) {
		struct isst_domain *domain = &topology->domains[i]->public;
		size_t count = 0;

		for (size_t j = 0; j < die_count && !domain->die_known; j++) {
			if (dies[j]->public.package != domain->package)
				continue;
			domain->die = dies[j]->public.die;
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
	/* The domains as the kernel reports them. */
	struct topology_domain **dies = topology->domains;
	const size_t die_count = topology->domain_count;
	int error;

	topology->domains = NULL;
	topology->domain_count = 0;
	error = add_packages(sources, topology, dies, die_count);
	for (size_t i = 0; i < topology->cpu_count && !error; i++)
		error = move_cpu(topology, topology->cpus[i]);
	if (!error)
		error = drop_strays(sources, topology);
	if (!error && topology->domain_count == 0)
		error = message_error(sources->messages, -EOPNOTSUPP,
				      "the driver provides no power domain of any package: is the "
				      "module isst_tpmi loaded, and bound to its devices?");
	if (!error) {
		place_without_cpus(topology, dies, die_count);
		topology_order_domains(sources, topology);
	}
	for (size_t i = 0; i < die_count; i++)
		topology_free_domain(dies[i]);
	free(dies);
	return error;
}

/** Reports all CPUs that the driver does not know for one reason in one message. */
static int note_unknown(const struct topology_sources *sources, struct topology *topology,
			const struct abi_cpu_map *entries, const int *errors, size_t first)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	const struct error_text name = error_name(errors[first]);
	char *list = NULL;
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = first; i < topology->cpu_count && !error; i++)
		if ((errors[i] || entries[i].physical_cpu == UINT32_MAX) &&
		    errors[i] == errors[first])
			error = isst_cpuset_add(cpus, entries[i].logical_cpu,
						entries[i].logical_cpu);
	if (!error && !(list = isst_cpuset_to_list(cpus)))
		error = -ENOMEM;
	for (size_t i = first; i < topology->cpu_count && !error; i++)
		if (isst_cpuset_has(cpus, entries[i].logical_cpu))
			topology->cpus[i]->unknown_core = message_make(
				sources->messages,
				"the driver does not report the core of CPU%s %s (GET_PHY_ID: %s)",
				isst_cpuset_count(cpus) > 1 ? "s" : "", list,
				errors[first] ? name.text : "not a number");
	free(list);
	isst_cpuset_free(cpus);
	return error;
}

/** Whether a CPU has a power domain although the platform has none. */
static bool names_foreign_domain(const struct topology_sources *sources,
				 const struct topology_cpu *cpu)
{
	return cpu->public.core_known && cpu->punit_domain > 0 &&
	       !sources->operations->valid_domains;
}

/** One message for all CPUs alike, of which there may be thousands. */
static int note_foreign_domains(const struct topology_sources *sources,
				const struct topology *topology)
{
	struct isst_cpuset *reported = isst_cpuset_new();
	int error = reported ? 0 : -ENOMEM;

	for (size_t i = 0; i < topology->cpu_count && !error; i++) {
		const struct topology_cpu *first = topology->cpus[i];
		struct isst_cpuset *alike;
		char *list = NULL;

		if (!names_foreign_domain(sources, first) ||
		    isst_cpuset_has(reported, first->public.number))
			continue;
		alike = isst_cpuset_new();
		error = alike ? 0 : -ENOMEM;
		for (size_t j = i; j < topology->cpu_count && !error; j++) {
			const struct topology_cpu *cpu = topology->cpus[j];

			if (names_foreign_domain(sources, cpu) && first->domain == cpu->domain &&
			    first->punit_domain == cpu->punit_domain)
				error = isst_cpuset_add(alike, cpu->public.number,
							cpu->public.number);
		}
		if (!error)
			error = isst_cpuset_add_set(reported, alike);
		if (!error && !(list = name_numbers("CPU", alike)))
			error = -ENOMEM;
		if (!error)
			message_notice(sources->messages,
				       isst_cpuset_count(alike) > 1
					       ? "%s report power domain %u, which this platform "
						 "cannot have; using %s"
					       : "%s reports power domain %u, which this platform "
						 "cannot have; using %s",
				       list, first->punit_domain, first->domain->public.name);
		free(list);
		isst_cpuset_free(alike);
	}
	isst_cpuset_free(reported);
	return error;
}

static bool is_beyond(const struct topology_cpu *cpu)
{
	return cpu->public.core_known && cpu->public.core >= TOPOLOGY_CORES;
}

/** The firmware has no bits for cores from 64 on: such numbers cannot be true. */
static int disown_cores_beyond(const struct topology_sources *sources, struct topology *topology)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	const char *why = NULL;
	unsigned int core = 0;
	char *list = NULL;
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < topology->cpu_count && !error; i++) {
		const struct isst_cpu *cpu = &topology->cpus[i]->public;

		if (!is_beyond(topology->cpus[i]))
			continue;
		core = cpu->core;
		error = isst_cpuset_add(cpus, cpu->number, cpu->number);
	}
	if (error || isst_cpuset_count(cpus) == 0)
		goto out;
	list = name_numbers("CPU", cpus);
	if (!list)
		error = -ENOMEM;
	else if (isst_cpuset_count(cpus) == 1)
		why = message_make(sources->messages,
				   "the driver reports core %u for %s, but the firmware "
				   "supports only cores 0 to %u",
				   core, list, TOPOLOGY_CORES - 1);
	else
		why = message_make(sources->messages,
				   "the driver reports cores above %u for %s, but the "
				   "firmware supports only cores 0 to %u",
				   TOPOLOGY_CORES - 1, list, TOPOLOGY_CORES - 1);
	for (size_t i = 0; i < topology->cpu_count && why; i++) {
		if (!is_beyond(topology->cpus[i]))
			continue;
		topology->cpus[i]->unknown_core = why;
		topology->cpus[i]->public.core_known = false;
	}
out:
	free(list);
	isst_cpuset_free(cpus);
	return error;
}

int topology_compare_places(const void *left, const void *right)
{
	const struct isst_cpu *a = &(*(struct topology_cpu *const *)left)->public;
	const struct isst_cpu *b = &(*(struct topology_cpu *const *)right)->public;

	if (a->domain != b->domain)
		return a->domain->index < b->domain->index ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

/** Notes that @count CPUs have the same location. */
static int disown_place(const struct topology_sources *sources, struct topology_cpu **places,
			size_t count)
{
	const struct isst_cpu *first = &places[0]->public;
	struct isst_cpuset *cpus = isst_cpuset_new();
	char *list = NULL;
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		error = isst_cpuset_add(cpus, places[i]->public.number, places[i]->public.number);
	if (!error && !(list = isst_cpuset_to_list(cpus)))
		error = -ENOMEM;
	/* "CPU numbers": messages about lists of "CPUs" are folded. */
	for (size_t i = 0; i < count && !error; i++) {
		places[i]->unknown_core = message_make(
			sources->messages,
			"the driver reports the same location for CPU numbers %s (core %u, thread "
			"%u of %s)",
			list, first->core, first->thread, places[i]->domain->public.name);
		places[i]->public.core_known = false;
	}
	free(list);
	isst_cpuset_free(cpus);
	return error;
}

/* No two CPUs are the same thread of a core. The kernel's numbers of cores are not those of masks.
 */
int topology_check_places(const struct topology_sources *sources, struct topology *topology)
{
	struct topology_cpu **places = calloc(topology->cpu_count + 1, sizeof(*places));
	size_t count = 0, same;
	int error;

	if (!places)
		return -ENOMEM;
	error = sources->operations->cores_of_kernel ? 0 : disown_cores_beyond(sources, topology);
	for (size_t i = 0; i < topology->cpu_count; i++)
		if (topology->cpus[i]->public.core_known)
			places[count++] = topology->cpus[i];
	qsort(places, count, sizeof(*places), topology_compare_places);
	for (size_t i = 0; i < count && !error; i += same) {
		for (same = 1; i + same < count; same++)
			if (topology_compare_places(&places[i], &places[i + same]) != 0)
				break;
		if (same > 1)
			error = disown_place(sources, &places[i], same);
	}
	free(places);
	return error;
}

int topology_leave_out_core(const struct topology_sources *sources, struct topology *topology,
			    const struct topology_cpu *cpu)
{
	if (!cpu->unknown_core)
		return 0;
	return topology_leave_out(
		topology, message_make(sources->messages, "%s: left out", cpu->unknown_core));
}

int topology_read_cores(const struct topology_sources *sources, struct topology *topology)
{
	struct abi_cpu_map *entries = calloc(topology->cpu_count, sizeof(*entries));
	int *errors = calloc(topology->cpu_count, sizeof(*errors));
	int error = entries && errors ? 0 : -ENOMEM;

	for (size_t i = 0; i < topology->cpu_count && !error; i++)
		entries[i].logical_cpu = topology->cpus[i]->public.number;
	if (!error)
		driver_phy_ids(sources->driver, entries, errors, topology->cpu_count);
	for (size_t i = 0; i < topology->cpu_count && !error; i++) {
		struct topology_cpu *cpu = topology->cpus[i];
		struct punit_number punit;

		if (errors[i] || entries[i].physical_cpu == UINT32_MAX) {
			if (!cpu->unknown_core)
				error = note_unknown(sources, topology, entries, errors, i);
			continue;
		}
		punit = firmware_decode_punit(sources->operations, entries[i].physical_cpu);
		cpu->punit_domain = punit.domain;
		cpu->public.core_known = true;
		cpu->public.core = punit.core;
		cpu->public.thread = punit.thread;
	}
	if (!error)
		error = note_foreign_domains(sources, topology);
	free(entries);
	free(errors);
	return error;
}

int topology_take_kernel_cores(const struct topology_sources *sources, struct topology *topology)
{
	for (size_t i = 0; i < topology->cpu_count; i++) {
		struct topology_cpu *cpu = topology->cpus[i];
		struct isst_cpu *public = &cpu->public;
		uint64_t core = 0;
		int error = kernel_files_number(
			sources->files,
			kernel_files_path(sources->files, CPU_DIRECTORY "/cpu%u/topology/core_id",
					  public->number),
			INT32_MAX, &core);

		if (error == -ENOENT) {
			cpu->unknown_core = message_make(
				sources->messages, "the kernel does not report the core of CPU %u",
				public->number);
			continue;
		}
		if (error)
			return error;
		public->core = (unsigned int)core;
		/* Threads of a core are counted in the order of their numbers. */
		for (size_t j = 0; j < i; j++) {
			const struct isst_cpu *other = &topology->cpus[j]->public;

			public->thread += other->core_known && other->domain == public->domain &&
					  other->core == public->core;
		}
		public->core_known = true;
	}
	return 0;
}
