/* SPDX-License-Identifier: BSD-3-Clause */
/* A platform: its defaults, look-ups, and the values that follow from others. */
#include "emulator/model/file.h"
#include "emulator/model/text.h"
#include "emulator/model/tpmi_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool platform_is_tpmi(const struct platform *platform)
{
	return platform->api_version.value >= 2;
}

const struct platform_cpu *platform_cpu(const struct platform *platform, unsigned int number)
{
	if (platform->cpu_count == 0)
		return NULL;
	return bsearch(&number, platform->cpus, platform->cpu_count, sizeof(*platform->cpus),
		       compare_numbers);
}

const struct platform_level *platform_level(const struct platform_domain *domain,
					    unsigned int number)
{
	for (size_t i = 0; i < domain->level_count; i++)
		if (domain->levels[i].number == number)
			return &domain->levels[i];
	return NULL;
}

struct platform *platform_new(const char *name)
{
	struct platform *platform = calloc(1, sizeof(*platform));

	if (!platform)
		return NULL;
	platform->name = strdup(name);
	if (platform->name && platform_file_set_defaults(TARGET_PLATFORM, platform) == 0)
		return platform;
	platform_free(platform);
	return NULL;
}

void platform_free(struct platform *platform)
{
	if (!platform)
		return;
	for (size_t i = 0; i < platform->domain_count; i++) {
		struct platform_domain *domain = &platform->domains[i];

		platform_file_free_values(TARGET_DOMAIN, domain);
		for (size_t j = 0; j < CLOS_COUNT; j++)
			platform_file_free_values(TARGET_CLOS, &domain->clos[j]);
		free(domain->levels);
		free(domain->registers);
	}
	platform_file_free_values(TARGET_PLATFORM, platform);
	free(platform->domains);
	free(platform->cpus);
	free(platform->name);
	free(platform->text);
	free(platform);
}

unsigned int platform_dies(const struct platform *platform)
{
	unsigned int highest = 0, dies = 1;
	const struct platform_domain *before = NULL;

	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];

		if (domain->type.value != DOMAIN_COMPUTE)
			continue;
		if (before && before->package == domain->package && before->die != domain->die &&
		    domain->power_domain > highest)
			highest = domain->power_domain;
		before = domain;
	}
	while (dies <= highest)
		dies *= 2;
	return dies;
}

/* ---- Values that follow from others ---- */

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

/* ---- CPUs ---- */

/** A CPU on its way to the others of its core. */
struct thread_place {
	uint64_t core; /* of all cores of the machine */
	size_t cpu;    /* index */
};

static int compare_places(const void *left, const void *right)
{
	const struct thread_place *a = left, *b = right;

	return a->core != b->core ? (a->core < b->core ? -1 : 1)
				  : (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

/** By sorting: every process on a machine does it, and there may be thousands of CPUs. */
static int find_first_threads(struct platform *platform)
{
	struct thread_place *places = calloc(platform->cpu_count + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];
		const struct platform_domain *domain = &platform->domains[cpu->domain];

		places[i].core = (uint64_t)domain->package << 48 | (uint64_t)domain->die << 32 |
				 cpu->core_id;
		places[i].cpu = i;
	}
	qsort(places, platform->cpu_count, sizeof(*places), compare_places);
	for (size_t i = 0; i < platform->cpu_count; i++)
		platform->cpus[places[i].cpu].first_of_core = i == 0 ||
							      places[i - 1].core != places[i].core;
	free(places);
	return 0;
}

static int check_cpu_numbers(const struct platform *platform, char **what)
{
	unsigned int beyond;

	if (platform->possible.set && isst_cpuset_next(platform->possible.set, MOST_CPUS, &beyond))
		return set_error(what, -EINVAL,
				 "found possible CPU %u, expected CPUs 0 to %u as "
				 "in the kernel",
				 beyond, MOST_CPUS - 1);
	for (size_t i = 0; i < platform->cpu_count; i++)
		if (platform->cpus[i].number >= MOST_CPUS)
			return set_error(what, -EINVAL,
					 "found CPU %u, expected 0 to %u as in the kernel",
					 platform->cpus[i].number, MOST_CPUS - 1);
	return 0;
}

/* ---- Power domains ---- */

static struct tpmi_registers registers_of(const struct platform_domain *domain)
{
	return (struct tpmi_registers){ domain->registers, domain->register_count };
}

static int complete_power_domains(struct platform *platform, char **what)
{
	platform->mailbox.value = MAILBOX_NONE;
	platform->mmio.value = 0;
	for (size_t i = 0; i < platform->domain_count; i++) {
		struct platform_domain *domain = &platform->domains[i];
		const struct tpmi_registers registers = registers_of(domain);
		const char *missing = tpmi_incomplete(&registers);

		if (missing)
			return set_error(
				what, -EINVAL,
				"package %u power domain %u has %zu registers, too few to hold %s",
				domain->package, domain->power_domain, domain->register_count,
				missing);
		if (domain->power_domain >= MOST_POWER_DOMAINS)
			return set_error(what, -EINVAL,
					 "package %u has a power domain %u; only 0 to %u exist",
					 domain->package, domain->power_domain,
					 MOST_POWER_DOMAINS - 1);
		if (!domain->type.line && tpmi_absent(&registers))
			domain->type.value = DOMAIN_ABSENT;
	}
	return 0;
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
	enum { GRANITE_RAPIDS = 0xad };
	int error = complete_files(platform);
	unsigned int number;

	/* Measured on Granite Rapids (docs/internals/hardware-reports.md), no others. */
	for (size_t i = 0; i < platform->domain_count; i++) {
		struct number_value *uses = &platform->domains[i].turbo_freq_uses_clos;

		if (!uses->line)
			uses->value = platform_is_tpmi(platform) && platform->family.value == 6 &&
				      platform->model.value == GRANITE_RAPIDS;
	}
	if (!error && (platform->domain_count == 0 || platform->cpu_count == 0))
		error = set_error(what, -EINVAL, "it contains no CPUs");
	if (!error)
		error = check_cpu_numbers(platform, what);
	if (error)
		return error;
	/* Links the CPUs of each domain: most questions are about those of one package. */
	for (size_t i = platform->cpu_count; i-- > 0;) {
		struct platform_cpu *cpu = &platform->cpus[i];
		struct platform_domain *domain = &platform->domains[cpu->domain];

		cpu->next_of_domain = domain->first_cpu;
		domain->first_cpu = cpu;
	}
	/* x86 kernels number possible CPUs without holes: holes are CPUs that are not present. */
	if (!platform->possible.set) {
		platform->possible.set = isst_cpuset_new();
		if (!platform->possible.set ||
		    isst_cpuset_add(platform->possible.set, 0,
				    platform->cpus[platform->cpu_count - 1].number))
			return -ENOMEM;
	}
	isst_cpuset_for_each (number, platform->possible.set)
		platform->cpu_ids = number + 1;
	/* Driver and kernel number packages from 0 on, whatever their ids are. */
	platform->register_count = 0;
	for (size_t i = 0; i < platform->domain_count; i++) {
		struct platform_domain *domain = &platform->domains[i];

		domain->socket = i > 0 ? domain[-1].socket + (domain->package != domain[-1].package)
				       : 0;
		domain->first_register = platform->register_count;
		platform->register_count += domain->register_count;
	}
	if (platform_is_tpmi(platform))
		error = complete_power_domains(platform, what);
	if (!error)
		error = find_first_threads(platform);
	if (error)
		return error;
	if (!platform->smt.line)
		platform->smt.value = SMT_NOT_SUPPORTED;
	for (size_t i = 0; i < platform->cpu_count; i++) {
		struct platform_cpu *cpu = &platform->cpus[i];

		/* Each package is a NUMA node. */
		cpu->node = platform->domains[cpu->domain].socket;
		if (!platform->smt.line && !cpu->first_of_core)
			platform->smt.value = SMT_ON;
	}
	return 0;
}
