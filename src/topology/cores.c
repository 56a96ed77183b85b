/* SPDX-License-Identifier: BSD-3-Clause */
/* The firmware's numbers of cores, in batches, and whether they can be true. */
#include "base/error_name.h"
#include "base/messages.h"
#include "common/numbered.h"
#include "driver/driver.h"
#include "firmware/firmware.h"
#include "sysfs/kernel_files.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/** Reports all CPUs that the driver does not know for the same reason in one message. */
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

/** Whether a CPU reports a power domain although the platform has none. */
static bool names_foreign_domain(const struct topology_sources *sources,
				 const struct topology_cpu *cpu)
{
	return cpu->public.core_known && cpu->punit_domain > 0 &&
	       !sources->operations->valid_domains;
}

/** One line for all CPUs that are alike, of which there may be thousands. */
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

/** The firmware has no bit for a core of 64 and above: such a number cannot be true. */
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

/** Notes of @count CPUs that they have the same place. */
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
	/* Not a list of CPUs of which that holds one by one: such messages are folded. */
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

/* No two CPUs are the same thread of the same core: where the driver reports so, neither number is
 * to be trusted. The kernel's numbers of cores are not those of masks. */
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

		/* All ones are no number. */
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

/* ---- Cores as the kernel numbers them, where no driver reports the firmware's ---- */

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
		/* The threads of a core count in the order of their numbers. */
		for (size_t j = 0; j < i; j++) {
			const struct isst_cpu *other = &topology->cpus[j]->public;

			public->thread += other->core_known && other->domain == public->domain &&
					  other->core == public->core;
		}
		public->core_known = true;
	}
	return 0;
}
