/* SPDX-License-Identifier: BSD-3-Clause */
/* The firmware's numbers of cores and power domains, and whether they can be true. */
#include "base/array.h"
#include "base/error_name.h"
#include "base/messages.h"
#include "driver/driver.h"
#include "firmware/firmware.h"
#include "sysfs/kernel_files.h"
#include "sysfs/system.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- CPUs that have something in common ---- */

typedef bool (*is_meant)(const struct topology_cpu *cpu, const struct topology_cpu *like);

/** Names the CPUs of which a function returns true, and counts them. */
static const char *name_cpus(const struct topology_sources *sources,
			     const struct topology *topology, is_meant meant,
			     const struct topology_cpu *like, size_t *count)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? 0 : -ENOMEM;
	const char *name;

	for (size_t i = 0; i < topology->cpu_count && !error; i++)
		if (meant(topology->cpus[i], like))
			error = isst_cpuset_add(cpus, topology->cpus[i]->public.number,
						topology->cpus[i]->public.number);
	*count = isst_cpuset_count(cpus);
	name = message_make_at(sources->messages, of_cpus(NULL, cpus), "%s",
			       message_numbers(sources->messages, "CPU", cpus));
	sources->messages->lost |= error != 0;
	isst_cpuset_free(cpus);
	return name;
}

/** Notes why the cores of such CPUs are unknown. */
static void disown_cores(struct topology *topology, is_meant meant, const struct topology_cpu *like,
			 const char *why)
{
	const struct topology_cpu first = *like;

	for (size_t i = 0; i < topology->cpu_count; i++)
		if (meant(topology->cpus[i], &first)) {
			topology->cpus[i]->unknown_core = why;
			topology->cpus[i]->public.core_known = false;
		}
}

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
	error = topology_note(
		sources, &topology->left_out, ISST_MESSAGE_PART_LEFT_OUT, of_package(package),
		"package %u is left out: the driver provides no power domain (%s): %s%s", package,
		cause ? error_name(cause).text : "0 instances", why, hint);

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

/** Notes that a CPU is left out, if its core is unknown. */
static int leave_out_core(const struct topology_sources *sources, struct topology *topology,
			  const struct topology_cpu *cpu)
{
	if (!cpu->unknown_core)
		return 0;
	return topology_note(sources, &topology->left_out, ISST_MESSAGE_PART_LEFT_OUT,
			     of_cpu(NULL, cpu->public.number), "%s: left out", cpu->unknown_core);
}

static bool is_stray(const struct topology_cpu *cpu, const struct topology_cpu *like)
{
	(void)like;
	return !cpu->domain && !cpu->unknown_core;
}

/** Removes CPUs without a domain from the table, with a notice. */
static int drop_strays(const struct topology_sources *sources, struct topology *topology)
{
	size_t count, kept = 0;
	const char *strays = name_cpus(sources, topology, is_stray, NULL, &count);
	int error = 0;

	for (size_t i = 0; i < topology->cpu_count && !error; i++)
		if (!topology->cpus[i]->domain)
			error = leave_out_core(sources, topology, topology->cpus[i]);
	if (error)
		return error;
	for (size_t i = 0; i < topology->cpu_count; i++) {
		if (topology->cpus[i]->domain)
			topology->cpus[kept++] = topology->cpus[i];
		else
			free(topology->cpus[i]);
	}
	topology->cpu_count = kept;
	return count == 0 ? 0
			  : topology_note(sources, &topology->left_out, ISST_MESSAGE_PART_LEFT_OUT,
					  of_text(sources->messages, strays),
					  "%s: left out: in no power domain that the driver "
					  "provides",
					  strays);
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

static bool is_unreported(const struct topology_cpu *cpu, const struct topology_cpu *like)
{
	return cpu->unreported == like->unreported;
}

/** Whether a CPU has a power domain although the platform has none, @like that one. */
static bool has_foreign_domain(const struct topology_cpu *cpu, const struct topology_cpu *like)
{
	return cpu->public.core_known && cpu->punit_domain == like->punit_domain &&
	       cpu->domain == like->domain;
}

/** One message for all CPUs alike, of which there may be thousands. */
static void note_foreign_domains(const struct topology_sources *sources,
				 const struct topology *topology)
{
	for (size_t i = 0; i < topology->cpu_count; i++) {
		const struct topology_cpu first = *topology->cpus[i];
		const char *cpus;
		size_t count;

		if (!first.public.core_known || first.punit_domain == 0)
			continue;
		cpus = name_cpus(sources, topology, has_foreign_domain, &first, &count);
		message_notice(sources->messages, of_package(first.domain->public.package),
			       "%s %s power domain %u, which this platform cannot have; using %s",
			       cpus, count > 1 ? "report" : "reports", first.punit_domain,
			       first.domain->public.name);
		for (size_t j = i; j < topology->cpu_count; j++)
			if (has_foreign_domain(topology->cpus[j], &first))
				topology->cpus[j]->punit_domain = 0;
	}
}

static bool is_beyond(const struct topology_cpu *cpu, const struct topology_cpu *like)
{
	(void)like;
	return cpu->public.core_known && cpu->public.core >= TOPOLOGY_CORES;
}

/** The firmware has no bits for cores from 64 on: such numbers cannot be true. */
static void disown_cores_beyond(const struct topology_sources *sources, struct topology *topology)
{
	const struct topology_cpu *first = NULL;
	const char *cpus, *above;
	size_t count;

	for (size_t i = 0; i < topology->cpu_count && !first; i++)
		if (is_beyond(topology->cpus[i], NULL))
			first = topology->cpus[i];
	if (!first)
		return;
	cpus = name_cpus(sources, topology, is_beyond, NULL, &count);
	above = count == 1 ? message_make(sources->messages, "core %u", first->public.core)
			   : message_make(sources->messages, "cores above %u", TOPOLOGY_CORES - 1);
	disown_cores(topology, is_beyond, first,
		     message_make(sources->messages,
				  "the driver reports %s for %s, but the firmware supports only "
				  "cores 0 to %u",
				  above, cpus, TOPOLOGY_CORES - 1));
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

static bool is_at_place(const struct topology_cpu *cpu, const struct topology_cpu *like)
{
	return cpu->public.core_known && topology_compare_places(&cpu, &like) == 0;
}

/* No two CPUs are the same thread of a core. The kernel's numbers of cores are not those of masks.
 */
int topology_check_places(const struct topology_sources *sources, struct topology *topology)
{
	struct topology_cpu **places = calloc(topology->cpu_count + 1, sizeof(*places));
	size_t count = 0, same;
	int error = 0;

	if (!places)
		return -ENOMEM;
	if (!sources->operations->cores_of_kernel)
		disown_cores_beyond(sources, topology);
	for (size_t i = 0; i < topology->cpu_count; i++)
		if (topology->cpus[i]->public.core_known)
			places[count++] = topology->cpus[i];
	qsort(places, count, sizeof(*places), topology_compare_places);
	for (size_t i = 1; i < count; i++) {
		const struct topology_cpu *cpu = places[i];
		const char *cpus;

		if (!cpu->public.core_known || !is_at_place(places[i - 1], cpu))
			continue;
		cpus = name_cpus(sources, topology, is_at_place, cpu, &same);
		/* "CPU numbers": messages about lists of "CPUs" are folded. */
		disown_cores(topology, is_at_place, cpu,
			     message_make(sources->messages,
					  "the driver reports the same location for CPU numbers %s "
					  "(core %u, thread %u of %s)",
					  cpus + strlen("CPUs "), cpu->public.core,
					  cpu->public.thread, cpu->domain->public.name));
	}
	free(places);
	for (size_t i = 0; i < topology->cpu_count && !error; i++)
		error = leave_out_core(sources, topology, topology->cpus[i]);
	return error;
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
		const struct punit_number punit = firmware_decode_punit(sources->operations,
									entries[i].physical_cpu);

		cpu->unreported = errors[i];
		if (!errors[i] && entries[i].physical_cpu == UINT32_MAX)
			cpu->unreported = 1;
		if (cpu->unreported)
			continue;
		cpu->punit_domain = punit.domain;
		cpu->public.core_known = true;
		cpu->public.core = punit.core;
		cpu->public.thread = punit.thread;
	}
	free(entries);
	free(errors);
	for (size_t i = 0; i < topology->cpu_count && !error; i++) {
		const struct topology_cpu *cpu = topology->cpus[i];
		const int cause = cpu->unreported;
		const char *cpus;
		size_t count;

		if (!cause || cpu->unknown_core)
			continue;
		cpus = name_cpus(sources, topology, is_unreported, cpu, &count);
		disown_cores(
			topology, is_unreported, cpu,
			message_make(sources->messages,
				     "the driver does not report the core of %s (GET_PHY_ID: %s)",
				     cpus, cause < 0 ? error_name(cause).text : "not a number"));
	}
	if (!error && !sources->operations->valid_domains)
		note_foreign_domains(sources, topology);
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
