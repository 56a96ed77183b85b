/* SPDX-License-Identifier: BSD-3-Clause */
/* Discovery: the kernel's lists, then the other steps; repeated if CPUs went on- or offline
 * meanwhile. */
#include "base/cpuset.h"
#include "base/messages.h"
#include "firmware/firmware.h"
#include "sysfs/kernel_files.h"
#include "sysfs/system.h"
#include "topology/context.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The kernel's lists: a few files are read for each die, none for each CPU ---- */

enum { HIGHEST_NUMBER = UINT32_MAX - 1 };

static const char CPU_FILE[] = CPU_DIRECTORY "/cpu%u/topology/%s";

/** Reads which CPUs there are, and makes the table of those that are online. */
static int read_cpu_lists(const struct topology_sources *sources, struct topology *topology)
{
	struct isst_cpuset *possible = NULL;
	unsigned int number, highest = 0;
	int error = kernel_files_new_cpulist(sources->files, CPU_DIRECTORY "/possible", &possible);

	if (!error)
		error = kernel_files_new_cpulist(sources->files, CPU_DIRECTORY "/present",
						 &topology->present);
	if (!error)
		error = kernel_files_new_cpulist(sources->files, CPU_DIRECTORY "/online",
						 &topology->online);
	if (!error && isst_cpuset_count(topology->online) == 0)
		error = message_error(sources->messages, -EIO, "%s/online contains no CPU",
				      CPU_DIRECTORY);
	if (error)
		goto out;
	topology->cpus = calloc(isst_cpuset_count(topology->online) + 1, sizeof(*topology->cpus));
	if (!topology->cpus || isst_cpuset_add_set(possible, topology->present) ||
	    isst_cpuset_add_set(topology->present, topology->online) ||
	    hotplug_set_online(sources->files, topology->online))
		error = -ENOMEM;
	isst_cpuset_for_each (number, possible)
		highest = number;
	topology->mask_bits = (highest / 32 + 1) * 32;
	isst_cpuset_for_each (number, topology->online) {
		struct topology_cpu *cpu = error ? NULL : calloc(1, sizeof(*cpu));

		if (!cpu) {
			error = -ENOMEM;
			break;
		}
		cpu->public = (struct isst_cpu){ .number = number, .online = true };
		topology->cpus[topology->cpu_count++] = cpu;
	}
out:
	isst_cpuset_free(possible);
	return error;
}

/** Reads a number of a CPU's topology directory. */
static int read_cpu_number(const struct topology_sources *sources, unsigned int cpu,
			   const char *name, unsigned int *number)
{
	uint64_t value;
	int error = kernel_files_number(sources->files,
					kernel_files_path(sources->files, CPU_FILE, cpu, name),
					HIGHEST_NUMBER, &value);

	if (!error)
		*number = (unsigned int)value;
	return error;
}

/** Adds the online CPUs of a die to its domain. */
static int fill_domain(const struct topology_sources *sources, struct topology *topology,
		       struct topology_domain *domain, const struct isst_cpuset *cpus)
{
	unsigned int number;

	isst_cpuset_for_each (number, cpus) {
		struct topology_cpu *cpu = topology_find_cpu(topology, number);
		int error;

		if (!cpu)
			continue;
		if (cpu->domain)
			return message_error(
				sources->messages, -EIO,
				"the kernel lists CPU %u in package %u, die %u and also in "
				"package %u, die %u",
				number, cpu->domain->public.package, cpu->domain->public.die,
				domain->public.package, domain->public.die);
		error = topology_add_to_domain(domain, cpu);
		if (error)
			return error;
	}
	return 0;
}

/** Adds the die of a CPU, with all CPUs that share it. */
static int scan_die(const struct topology_sources *sources, struct topology *topology,
		    unsigned int cpu)
{
	/* Kernels without dies list packages, under one of two names. */
	static const char *const LISTS[] = { "die_cpus_list", "package_cpus_list",
					     "core_siblings_list", NULL };
	struct isst_cpuset *cpus = isst_cpuset_new();
	const char *const *list = LISTS, *path;
	struct topology_domain *domain;
	unsigned int package = 0, die = 0;
	int error = cpus ? 0 : -ENOMEM;

	if (!error)
		error = read_cpu_number(sources, cpu, "physical_package_id", &package);
	if (!error) {
		error = read_cpu_number(sources, cpu, "die_id", &die);
		if (error == -ENOENT)
			error = 0;
	}
	if (!error)
		do {
			path = kernel_files_path(sources->files, CPU_FILE, cpu, *list++);
			error = kernel_files_cpulist(sources->files, path, cpus);
		} while (error == -ENOENT && *list);
	if (!error && !isst_cpuset_has(cpus, cpu))
		error = message_error(sources->messages, -EIO, "%s does not name CPU %u itself",
				      path, cpu);
	if (error == -ENOENT)
		error = message_error(sources->messages, -EIO,
				      CPU_DIRECTORY
				      "/cpu%u/topology does not contain the package of an online "
				      "CPU",
				      cpu);
	if (error)
		goto out;
	domain = topology_add_domain(topology, package, die);
	error = domain ? fill_domain(sources, topology, domain, cpus) : -ENOMEM;
out:
	isst_cpuset_free(cpus);
	return error;
}

static int scan_dies(const struct topology_sources *sources, struct topology *topology)
{
	for (size_t i = 0; i < topology->cpu_count; i++) {
		const struct topology_cpu *cpu = topology->cpus[i];
		int error = 0;

		if (cpu && !cpu->domain)
			error = scan_die(sources, topology, cpu->public.number);
		if (error)
			return error;
	}
	topology_order_domains(sources, topology);
	for (size_t i = 1; i < topology->domain_count; i++) {
		const struct isst_domain *domain = &topology->domains[i]->public;
		const struct isst_domain *before = &topology->domains[i - 1]->public;

		if (before->package == domain->package && before->die == domain->die)
			return message_error_at(sources->messages, of_package(domain->package),
						-EIO, "the kernel reports two sets of CPUs for %s",
						domain->name);
	}
	return 0;
}

/* ---- Second threads while SMT is off: the kernel does not report their location ---- */

static bool is_same_core(const struct topology_cpu *one, const struct topology_cpu *other)
{
	return one->domain == other->domain && one->public.core == other->public.core;
}

/** Whether unknown offline CPUs are the hidden threads of known cores: SMT is off, and there are no
 * more of them than cores with one known thread (an offline core would hide two). Returns 0 or
 * -ENOMEM. */
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
	qsort(cpus, count, sizeof(struct topology_cpu *), topology_compare_places);
	for (size_t i = 0; i < count; i++)
		single += (i == 0 || !is_same_core(cpus[i - 1], cpus[i])) &&
			  (i + 1 == count || !is_same_core(cpus[i], cpus[i + 1]));
	free(cpus);
	if (isst_cpuset_count(unseen) > single)
		return 0;
	error = kernel_files_text(sources->files, CPU_DIRECTORY "/smt/control", &control);
	*siblings = !error && hotplug_smt_is_off(control);
	free(control);
	return error == -ENOMEM ? error : 0;
}

/* ---- Discovery ---- */

enum { MOST_TRIES = 3 }; /* of a discovery that CPUs disturb by going on- or offline */

/** Handles offline CPUs that were never seen online: each may be in any domain. */
static int check_offline(const struct topology_sources *sources, struct topology *topology)
{
	struct messages *messages = sources->messages;
	struct isst_cpuset *unseen = isst_cpuset_new();
	bool siblings = false, doubtful = false;
	int error = unseen ? 0 : -ENOMEM;
	const char *why = NULL;
	unsigned int number;
	size_t count;

	isst_cpuset_for_each (number, topology->present)
		if (!error && !isst_cpuset_has(topology->online, number) &&
		    !topology_find_cpu(topology, number) &&
		    !topology_is_unreachable(topology, number))
			error = isst_cpuset_add(unseen, number, number);
	if (!error && isst_cpuset_count(unseen) > 0)
		error = are_siblings(sources, topology, unseen, &siblings);
	if (error)
		goto out;
	if (siblings)
		cpuset_clear(unseen);
	count = isst_cpuset_count(unseen);
	if (count > 0)
		why = message_make(messages,
				   "%s %s offline, and %s not been seen online since boot",
				   message_numbers(messages, "CPU", unseen),
				   count == 1 ? "is" : "are", count == 1 ? "has" : "have");
	for (size_t i = 0; i < topology->domain_count; i++) {
		struct topology_domain *domain = topology->domains[i];

		if (!domain->unknown_cpus)
			domain->unknown_cpus = why;
		domain->public.cpus_known = !domain->unknown_cpus;
		doubtful |= domain->split && isst_cpuset_count(domain->present) == 0;
	}
	if (why && doubtful)
		message_notice(messages, of_text(messages, why),
			       "%s: it is unknown whether a power domain without CPUs is an I/O "
			       "die or contains them",
			       why);
	error = topology_describe_offline(sources, topology, unseen);
out:
	isst_cpuset_free(unseen);
	return error;
}

/** Notes in each domain which halves of core masks it needs. */
static void summarize_cores(const struct topology_sources *sources, struct topology *topology)
{
	size_t known = topology->cpu_count + topology->unreachable_count;
	size_t unknown = isst_cpuset_count(topology->present) - known;

	for (size_t i = 0; i < topology->domain_count; i++)
		topology->domains[i]->may_have_high_cores = unknown > 0;
	for (size_t i = 0; i < topology->cpu_count; i++) {
		struct topology_cpu *cpu = topology->cpus[i];
		struct topology_domain *domain = cpu->domain;
		unsigned int thread_bits = sources->operations->thread_bits;

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
			      domain->public.package, domain->public.number,
			      domain->public.number << (thread_bits + 8) |
				      cpu->public.core << thread_bits | cpu->public.thread,
			      cpu->public.core, cpu->public.online ? "" : " offline");
	}
	if (unknown > 0)
		message_trace(sources->messages,
			      "%zu CPUs are offline and were not seen online before", unknown);
}

/** One try. *@result is what was found, also after an error. */
static int discover_once(const struct topology_sources *sources, struct topology **result)
{
	struct topology *topology = calloc(1, sizeof(*topology));
	const bool lost = sources->messages->lost;
	int error = topology ? 0 : -ENOMEM;

	*result = topology;
	sources->messages->lost = false;
	if (!error)
		error = read_cpu_lists(sources, topology);
	if (!error)
		error = scan_dies(sources, topology);
	if (!error)
		error = (sources->operations->cores_of_kernel
				 ? topology_take_kernel_cores
				 : topology_read_cores)(sources, topology);
	if (!error && sources->operations->valid_domains)
		error = topology_split_packages(sources, topology);
	if (!error)
		error = topology_check_places(sources, topology);
	if (!error)
		error = topology_recall_offline(sources, topology);
	if (!error) {
		summarize_cores(sources, topology);
		error = check_offline(sources, topology);
	}
	/* A text that could not be made is an error. */
	if (!error && sources->messages->lost)
		error = -ENOMEM;
	sources->messages->lost |= lost;
	return error;
}

/** Whether the result may come from CPUs that went on- or offline meanwhile. */
static bool may_be_torn(const struct topology *topology, int error)
{
	if (!topology || !topology->online || (error && error != -EIO))
		return false;
	for (size_t i = 0; i < topology->domain_count && !error; i++)
		if (topology->domains[i]->unknown_core)
			return true;
	return error || topology->left_out.count > 0;
}

static bool online_changed(const struct topology_sources *sources, const struct topology *topology)
{
	struct isst_cpuset *now = isst_cpuset_new();
	bool changed = now && !kernel_files_cpulist(sources->files, CPU_DIRECTORY "/online", now) &&
		       !isst_cpuset_is_equal(now, topology->online);

	isst_cpuset_free(now);
	return changed;
}

int context_discover_topology(struct isst_context *context)
{
	const struct topology_sources sources = { .files = &context->files,
						  .driver = &context->driver,
						  .operations = context->firmware.operations,
						  .messages = &context->messages,
						  .runtime = &context->runtime };
	struct topology *topology;
	int error = discover_once(&sources, &topology);

	for (int tries = 1; tries < MOST_TRIES && may_be_torn(topology, error) &&
			    online_changed(&sources, topology);
	     tries++) {
		message_trace(&context->messages,
			      "CPUs went online or offline during discovery: repeating it");
		topology_free(topology);
		error = discover_once(&sources, &topology);
	}
	if (!error && context->topology)
		error = topology_inherit(topology, context->topology);
	if (error)
		topology_free(topology);
	else
		context->topology = topology;
	return error;
}
