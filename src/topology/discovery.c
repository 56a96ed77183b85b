/* SPDX-License-Identifier: BSD-3-Clause */
/* Discovery as a whole: its steps in turn, once more where CPUs went on- or offline meanwhile. */
#include "base/cpuset.h"
#include "base/messages.h"
#include "common/numbered.h"
#include "firmware/firmware.h"
#include "sysfs/cpufreq.h"
#include "sysfs/kernel_files.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Second threads while SMT is off: the kernel does not report where they are ---- */

static int compare_cores(const void *left, const void *right)
{
	const struct isst_cpu *a = &(*(struct topology_cpu *const *)left)->public;
	const struct isst_cpu *b = &(*(struct topology_cpu *const *)right)->public;

	if (a->domain->index != b->domain->index)
		return a->domain->index < b->domain->index ? -1 : 1;
	return (a->core > b->core) - (a->core < b->core);
}

/**
 * Whether the CPUs of a set, which are offline and unknown, are the hidden threads of cores that
 * are known: SMT is off, and there are no more of them than cores that could have one. Returns 0 or
 * -ENOMEM.
 *
 * Each core that is online hides one thread, and each core that is offline as a whole two more: so
 * where there are no more hidden CPUs than cores that hide one, no core is offline.
 */
static int are_siblings(const struct topology_sources *sources, const struct topology *topology,
			const struct isst_cpuset *unseen, bool *siblings)
{
	struct topology_cpu **cpus = calloc(topology->cpu_count + 1, sizeof(*cpus));
	size_t count = 0, single = 0;
	char *control = NULL;
	int error = 0;

	*siblings = false;
	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < topology->cpu_count; i++)
		if (topology->cpus[i]->public.core_known)
			cpus[count++] = topology->cpus[i];
	qsort(cpus, count, sizeof(struct topology_cpu *), compare_cores);
	/* Cores of which one thread is known. */
	for (size_t i = 0; i < count; i++)
		single += (i == 0 || compare_cores(&cpus[i - 1], &cpus[i])) &&
			  (i + 1 == count || compare_cores(&cpus[i], &cpus[i + 1]));
	free(cpus);
	if (isst_cpuset_count(unseen) > single)
		return 0;
	/* On a processor that has no SMT no CPU is hidden. */
	error = kernel_files_text(sources->files, CPU_DIRECTORY "/smt/control", &control);
	*siblings = !error && hotplug_smt_is_off(control);
	free(control);
	return error == -ENOMEM ? error : 0;
}

/* ---- Discovery ---- */

enum { MOST_TRIES = 3 }; /* of a discovery that CPUs disturb by going on- or offline */

/** Of which domains all CPUs are known: a CPU of @unseen may be in any of them. */
static int check_domains(const struct topology_sources *sources, struct topology *topology,
			 const struct isst_cpuset *unseen)
{
	const char *why = NULL;
	char *list = NULL;
	bool doubtful = false;
	int error = 0;

	if (isst_cpuset_count(unseen) > 0) {
		list = name_numbers("CPU", unseen);
		if (list)
			why = message_make(sources->messages,
					   isst_cpuset_count(unseen) == 1
						   ? "%s is offline, and has not been seen "
						     "online since boot"
						   : "%s are offline, and have not been seen "
						     "online since boot",
					   list);
		else
			error = -ENOMEM;
	}
	for (size_t i = 0; i < topology->domain_count && !error; i++) {
		struct topology_domain *domain = topology->domains[i];

		if (!domain->unknown_cpus)
			domain->unknown_cpus = why;
		domain->public.cpus_known = !domain->unknown_cpus;
		doubtful |= domain->split && isst_cpuset_count(domain->present) == 0;
	}
	if (!error && why && doubtful)
		message_notice(sources->messages,
			       "%s: it is unknown whether a power domain without CPUs is an I/O "
			       "die or contains them",
			       why);
	free(list);
	return error;
}

/** What follows from the CPUs that are offline, and those of them that were never seen. */
static int check_offline(const struct topology_sources *sources, struct topology *topology)
{
	struct isst_cpuset *unseen = isst_cpuset_new();
	bool siblings = false;
	unsigned int number;
	int error = unseen ? 0 : -ENOMEM;

	isst_cpuset_for_each (number, topology->present)
		if (!error && !isst_cpuset_has(topology->online, number) &&
		    !topology_find_cpu(topology, number) &&
		    !topology_is_unreachable(topology, number))
			error = isst_cpuset_add(unseen, number, number);
	if (!error && isst_cpuset_count(unseen) > 0)
		error = are_siblings(sources, topology, unseen, &siblings);
	if (siblings)
		cpuset_clear(unseen);
	if (!error)
		error = check_domains(sources, topology, unseen);
	if (!error)
		error = topology_describe_offline(sources, topology, unseen);
	isst_cpuset_free(unseen);
	return error;
}

/** Notes in each domain what its CPUs' cores mean for core masks. */
static void summarize_cores(const struct topology_sources *sources, struct topology *topology)
{
	size_t known = topology->cpu_count + topology->unreachable_count;
	size_t unknown = isst_cpuset_count(topology->present) - known;

	for (size_t i = 0; i < topology->domain_count; i++)
		topology->domains[i]->may_have_high_cores = unknown > 0;
	for (size_t i = 0; i < topology->cpu_count; i++) {
		struct topology_cpu *cpu = topology->cpus[i];
		struct topology_domain *domain = cpu->domain;
		unsigned int physical = firmware_encode_punit(
			sources->operations,
			(struct punit_number){ domain->public.number, cpu->public.core,
					       cpu->public.thread });

		if (cpu->unknown_core && !domain->unknown_core)
			domain->unknown_core = cpu->unknown_core;
		if (!cpu->public.core_known || cpu->public.core >= 32)
			domain->may_have_high_cores = true;
		if (cpu->public.core_known && cpu->public.core >= 32)
			domain->has_high_cores = true;
		message_trace(sources->messages,
			      "map logical_cpu:%u core: %u die:%u pkg:%u punit:%u punit_cpu:%u "
			      "punit_core:%u%s",
			      cpu->public.number, cpu->public.core, domain->public.die,
			      domain->public.package, domain->public.number, physical,
			      cpu->public.core, cpu->public.online ? "" : " offline");
	}
	if (unknown > 0)
		message_trace(sources->messages,
			      "%zu CPUs are offline and were not seen online before", unknown);
}

/** One try. *@result is what was found, as far as it went, also after an error. */
static int discover_once(const struct topology_sources *sources, struct topology **result)
{
	struct topology *topology = calloc(1, sizeof(*topology));
	int error = topology ? 0 : -ENOMEM;

	*result = topology;

	if (!error)
		error = topology_read_lists(sources, topology);
	if (!error)
		error = (sources->operations->cores_of_kernel
				 ? topology_take_kernel_cores
				 : topology_read_cores)(sources, topology);
	if (!error && sources->operations->valid_domains)
		error = topology_split_packages(sources, topology);
	if (!error)
		error = topology_check_places(sources, topology);
	for (size_t i = 0; topology && i < topology->cpu_count && !error; i++)
		error = topology_leave_out_core(sources, topology, topology->cpus[i]);
	if (!error)
		error = topology_recall_offline(sources, topology);
	if (!error) {
		summarize_cores(sources, topology);
		error = check_offline(sources, topology);
	}
	return error;
}

/** Whether what was found may come of CPUs that went on- or offline meanwhile. */
static bool may_be_torn(const struct topology *topology, int error)
{
	if (!topology || !topology->online || (error && error != -EIO))
		return false;
	for (size_t i = 0; i < topology->domain_count && !error; i++)
		if (topology->domains[i]->unknown_core)
			return true;
	return error || topology->left_out_count > 0;
}

/** Whether other CPUs are online now than at the beginning. */
static bool online_changed(const struct topology_sources *sources, const struct topology *topology)
{
	struct isst_cpuset *now = topology ? isst_cpuset_new() : NULL;
	char *before = topology ? isst_cpuset_to_list(topology->online) : NULL, *after = NULL;
	bool changed;

	if (now && !kernel_files_cpulist(sources->files, CPU_DIRECTORY "/online", now))
		after = isst_cpuset_to_list(now);
	changed = before && after && strcmp(before, after) != 0;
	free(before);
	free(after);
	isst_cpuset_free(now);
	return changed;
}

int topology_discover(const struct topology_sources *sources, struct topology **result)
{
	int error = discover_once(sources, result);

	for (int tries = 1;
	     tries < MOST_TRIES && may_be_torn(*result, error) && online_changed(sources, *result);
	     tries++) {
		message_trace(sources->messages,
			      "CPUs went online or offline during discovery: repeating it");
		topology_free(*result);
		error = discover_once(sources, result);
	}
	if (error)
		topology_free(*result);
	return error;
}
