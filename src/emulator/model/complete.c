/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completes a platform with the values that follow from others, whether it comes from a platform
 * file or from a captured machine. Knows nothing of either.
 */
#include "emulator/model/platform.h"
#include "emulator/model/text.h"
#include "emulator/model/tpmi_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Files that depend on the kernel release and on the cpufreq driver. */
static int complete_files(struct platform *platform)
{
	bool intel = strncmp(platform->cpufreq.text, "intel_", 6) == 0;

	if (!platform->cgroup_isolated.line)
		platform->cgroup_isolated.value = platform->kernel.value >= KERNEL(6, 1);
	if (!platform->offline_cpufreq.line)
		platform->offline_cpufreq.value = platform->kernel.value >= KERNEL(5, 19)
							  ? OFFLINE_CPUFREQ_BUSY
							  : OFFLINE_CPUFREQ_READABLE;
	if (!platform->bios_turbo.value)
		platform->no_turbo.value = 1;
	if (!platform->uncore_follows_level.line)
		platform->uncore_follows_level.value = platform_is_tpmi(platform);
	if (platform->pstate.line || intel)
		return 0;
	free(platform->pstate.text);
	platform->pstate.text = strdup("none");
	return platform->pstate.text ? 0 : -ENOMEM;
}

/** Measured on Granite Rapids servers (docs/internals/hardware-reports.md); known of no others. */
static void complete_clos(struct platform *platform)
{
	enum { GRANITE_RAPIDS = 0xad };

	for (size_t i = 0; i < platform->domain_count; i++) {
		struct number_value *uses = &platform->domains[i].turbo_freq_uses_clos;

		if (!uses->line)
			uses->value = platform_is_tpmi(platform) && platform->family.value == 6 &&
				      platform->model.value == GRANITE_RAPIDS;
	}
}

/* ---- CPUs ---- */

/** x86 kernels number possible CPUs without holes: holes are CPUs that are not present. */
static int complete_possible(struct platform *platform)
{
	unsigned int highest = platform->cpus[platform->cpu_count - 1].number;
	unsigned int cpu;
	int error = 0;

	if (!platform->possible.set) {
		platform->possible.set = isst_cpuset_new();
		error = platform->possible.set ? isst_cpuset_add(platform->possible.set, 0, highest)
					       : -ENOMEM;
	}
	if (error)
		return error;
	isst_cpuset_for_each (cpu, platform->possible.set)
		platform->cpu_ids = cpu + 1;
	return 0;
}

/** Where a CPU is, for finding those of the same core. */
struct place {
	unsigned int package, die, core_id;
	size_t cpu; /* index */
};

static int compare(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int compare_cores(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = compare(a->package, b->package);

	if (!order)
		order = compare(a->die, b->die);
	return order ? order : compare(a->core_id, b->core_id);
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = compare_cores(a, b);

	return order ? order : compare(a->cpu, b->cpu);
}

/** By sorting: every process on a machine does it, and there may be thousands of CPUs. */
static int find_first_threads(struct platform *platform)
{
	struct place *places = calloc(platform->cpu_count, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];
		const struct platform_domain *domain = &platform->domains[cpu->domain];

		places[i] = (struct place){ domain->package, domain->die, cpu->core_id, i };
	}
	qsort(places, platform->cpu_count, sizeof(*places), compare_places);
	for (size_t i = 0; i < platform->cpu_count; i++)
		platform->cpus[places[i].cpu].first_of_core =
			i == 0 || compare_cores(&places[i - 1], &places[i]) != 0;
	free(places);
	return 0;
}

static void complete_smt(struct platform *platform)
{
	if (platform->smt.line)
		return;
	platform->smt.value = SMT_NOT_SUPPORTED;
	for (size_t i = 0; i < platform->cpu_count; i++)
		if (!platform->cpus[i].first_of_core)
			platform->smt.value = SMT_ON;
}

static int check_cpus(const struct platform *platform, char **what)
{
	unsigned int beyond;

	if (platform->possible.set && isst_cpuset_next(platform->possible.set, MOST_CPUS, &beyond))
		return set_error(what, -EINVAL,
				 "found possible CPU %u, expected CPUs 0 to %u as "
				 "in the kernel",
				 beyond, MOST_CPUS - 1);
	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];

		if (cpu->number >= MOST_CPUS)
			return set_error(what, -EINVAL,
					 "found CPU %u, expected 0 to %u as in the "
					 "kernel",
					 cpu->number, MOST_CPUS - 1);
		if (cpu->domain >= platform->domain_count)
			return set_error(what, -EINVAL, "CPU %u is in no domain", cpu->number);
		if (i > 0 && cpu->number <= cpu[-1].number)
			return set_error(what, -EINVAL, "CPU %u comes after CPU %u", cpu->number,
					 cpu[-1].number);
	}
	return 0;
}

/** Driver and kernel number packages from 0 on, whatever their ids are. */
static void number_sockets(struct platform *platform)
{
	unsigned int socket = 0;

	for (size_t i = 0; i < platform->domain_count; i++) {
		struct platform_domain *domain = &platform->domains[i];

		if (i > 0 && domain->package != domain[-1].package)
			socket++;
		domain->socket = socket;
	}
}

/** Links the CPUs of each domain: most questions are about those of one package. */
static void link_cpus(struct platform *platform)
{
	for (size_t i = platform->cpu_count; i-- > 0;) {
		struct platform_cpu *cpu = &platform->cpus[i];
		struct platform_domain *domain = &platform->domains[cpu->domain];

		cpu->next_of_domain = domain->first_cpu;
		domain->first_cpu = cpu;
	}
}

/** Each package is a NUMA node, numbered from 0 on. */
static void number_nodes(struct platform *platform)
{
	for (size_t i = 0; i < platform->cpu_count; i++)
		platform->cpus[i].node = platform->domains[platform->cpus[i].domain].socket;
}

/** The cores that a domain's CPUs are in, where the domain does not list them. */
static int complete_cores(struct platform *platform)
{
	int error = 0;

	for (size_t i = 0; i < platform->domain_count && !error; i++) {
		struct platform_domain *domain = &platform->domains[i];

		if (domain->cores.set)
			continue;
		domain->cores.set = isst_cpuset_new();
		error = domain->cores.set ? 0 : -ENOMEM;
		for (const struct platform_cpu *cpu = domain->first_cpu; cpu && !error;
		     cpu = cpu->next_of_domain)
			error = isst_cpuset_add(domain->cores.set, cpu->core, cpu->core);
	}
	return error;
}

/* ---- Power domains ---- */

static struct tpmi_registers registers_of(const struct platform_domain *domain)
{
	return (struct tpmi_registers){ domain->registers, domain->register_count };
}

static void number_registers(struct platform *platform)
{
	platform->register_count = 0;
	for (size_t i = 0; i < platform->domain_count; i++) {
		platform->domains[i].first_register = platform->register_count;
		platform->register_count += platform->domains[i].register_count;
	}
}

static int check_power_domain(const struct platform_domain *domain,
			      const struct platform_domain *before, char **what)
{
	const struct tpmi_registers registers = registers_of(domain);
	const char *missing = tpmi_incomplete(&registers);

	if (missing)
		return set_error(what, -EINVAL,
				 "package %u power domain %u has %zu registers, too few to hold %s",
				 domain->package, domain->power_domain, domain->register_count,
				 missing);
	if (domain->power_domain >= MOST_POWER_DOMAINS)
		return set_error(what, -EINVAL,
				 "package %u has a power domain %u; only 0 to %u "
				 "exist",
				 domain->package, domain->power_domain, MOST_POWER_DOMAINS - 1);
	if (before &&
	    (domain->package < before->package ||
	     (domain->package == before->package && domain->power_domain <= before->power_domain)))
		return set_error(
			what, -EINVAL,
			"package %u power domain %u comes after package %u power domain %u",
			domain->package, domain->power_domain, before->package,
			before->power_domain);
	return 0;
}

static int complete_power_domains(struct platform *platform, char **what)
{
	int error = 0;

	platform->mailbox.value = MAILBOX_NONE;
	platform->mmio.value = 0;
	for (size_t i = 0; i < platform->domain_count && !error; i++) {
		struct platform_domain *domain = &platform->domains[i];
		const struct tpmi_registers registers = registers_of(domain);

		error = check_power_domain(domain, i > 0 ? domain - 1 : NULL, what);
		if (error || domain->type.line)
			continue;
		domain->type.value = DOMAIN_COMPUTE;
		if (tpmi_absent(&registers))
			domain->type.value = DOMAIN_ABSENT;
		else if (isst_cpuset_count(domain->cores.set) == 0)
			domain->type.value = DOMAIN_IO;
	}
	return error;
}

void platform_unlock(struct platform *platform)
{
	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct tpmi_registers registers = registers_of(&platform->domains[i]);

		platform->domains[i].locked.value = 0;
		if (registers.count == 0 || tpmi_absent(&registers))
			continue;
		tpmi_set(&registers, PP_CONTROL_LOCK, 0, 0, 0);
		tpmi_set(&registers, PP_STATUS_LOCK, 0, 0, 0);
	}
}

int platform_complete(struct platform *platform, char **what)
{
	int error = complete_files(platform);

	complete_clos(platform);
	if (!error && (platform->domain_count == 0 || platform->cpu_count == 0))
		error = set_error(what, -EINVAL, "it contains no CPUs");
	if (!error)
		error = check_cpus(platform, what);
	if (!error) {
		link_cpus(platform);
		error = complete_possible(platform);
	}
	if (!error)
		error = complete_cores(platform);
	if (!error)
		number_sockets(platform);
	if (!error && platform_is_tpmi(platform))
		error = complete_power_domains(platform, what);
	if (!error)
		error = find_first_threads(platform);
	if (!error) {
		number_registers(platform);
		number_nodes(platform);
		complete_smt(platform);
	}
	return error;
}
