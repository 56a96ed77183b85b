/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads CPUs, packages and dies from the kernel's lists. A few files are read for each die, none
 * for each CPU.
 */
#include "base/messages.h"
#include "sysfs/cpufreq.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { HIGHEST_NUMBER = UINT32_MAX - 1 };

static const char CPU_FILE[] = CPU_DIRECTORY "/cpu%u/topology/%s";

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
	if (error)
		goto out;
	if (isst_cpuset_count(topology->online) == 0) {
		error = message_error(sources->messages, -EIO, "%s/online contains no CPU",
				      CPU_DIRECTORY);
		goto out;
	}
	if (isst_cpuset_add_set(possible, topology->present) ||
	    isst_cpuset_add_set(topology->present, topology->online) ||
	    hotplug_set_online(sources->files, topology->online)) {
		error = -ENOMEM;
		goto out;
	}
	isst_cpuset_for_each (number, possible)
		highest = number;
	topology->mask_bits = (highest / 32 + 1) * 32;
out:
	isst_cpuset_free(possible);
	return error;
}

/** Reads a number of a CPU's topology directory. Returns -ENOENT where there is no such file. */
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

/**
 * Reads which CPUs share the die of @cpu. Kernels that do not know dies have only packages, under
 * one of two names.
 */
static int read_die_cpus(const struct topology_sources *sources, unsigned int cpu,
			 struct isst_cpuset *set)
{
	static const char *const NAMES[] = { "die_cpus_list", "package_cpus_list",
					     "core_siblings_list" };
	int error = -ENOENT;

	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]) && error == -ENOENT; i++) {
		const char *path = kernel_files_path(sources->files, CPU_FILE, cpu, NAMES[i]);

		error = kernel_files_cpulist(sources->files, path, set);
		if (!error && !isst_cpuset_has(set, cpu))
			error = message_error(sources->messages, -EIO,
					      "%s does not name CPU %u itself", path, cpu);
	}
	return error;
}

/** Gives the online CPUs of a die to their domain. */
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

/** Finds the die of a CPU that belongs to none yet, and all that share it. */
static int scan_die(const struct topology_sources *sources, struct topology *topology,
		    unsigned int cpu)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
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
		error = read_die_cpus(sources, cpu, cpus);
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
			return message_error(sources->messages, -EIO,
					     "the kernel reports two sets of CPUs for %s",
					     domain->name);
	}
	return 0;
}

int topology_read_lists(const struct topology_sources *sources, struct topology *topology)
{
	int error = read_cpu_lists(sources, topology);
	unsigned int number;

	if (error)
		return error;
	/* The table of online CPUs; where they are is not known yet. */
	topology->cpus = calloc(isst_cpuset_count(topology->online) + 1, sizeof(*topology->cpus));
	if (!topology->cpus)
		return -ENOMEM;
	isst_cpuset_for_each (number, topology->online) {
		struct topology_cpu *cpu = calloc(1, sizeof(*cpu));

		if (!cpu)
			return -ENOMEM;
		cpu->public = (struct isst_cpu){ .number = number, .online = true };
		topology->cpus[topology->cpu_count++] = cpu;
	}
	return scan_dies(sources, topology);
}
