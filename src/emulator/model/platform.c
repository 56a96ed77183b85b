/* SPDX-License-Identifier: BSD-3-Clause */
/* A platform from its defaults to its end, and what is looked up in it. Nothing of where it comes
 * from. */
#include "emulator/model/platform.h"

#include <stdlib.h>
#include <string.h>

const char *const smt_controls[] = {
	"on", "off", "forceoff", "notsupported", "notimplemented", NULL
};

bool platform_is_tpmi(const struct platform *platform)
{
	return platform->api_version.value >= 2;
}

static int by_number(const void *key, const void *element)
{
	unsigned int number = *(const unsigned int *)key;
	unsigned int other = ((const struct platform_cpu *)element)->number;

	return number < other ? -1 : number > other;
}

const struct platform_cpu *platform_cpu(const struct platform *platform, unsigned int number)
{
	if (platform->cpu_count == 0)
		return NULL;
	return bsearch(&number, platform->cpus, platform->cpu_count, sizeof(*platform->cpus),
		       by_number);
}

const struct platform_level *platform_level(const struct platform_domain *domain,
					    unsigned int number)
{
	for (size_t i = 0; i < domain->level_count; i++)
		if (domain->levels[i].number == number)
			return &domain->levels[i];
	return NULL;
}

static bool set_texts(struct platform *platform, const char *name)
{
	platform->name = strdup(name);
	platform->vendor.text = strdup("GenuineIntel");
	platform->model_name.text = strdup("Intel(R) Xeon(R) Processor");
	platform->cpufreq.text = strdup("intel_pstate");
	platform->governor.text = strdup("powersave");
	platform->pstate.text = strdup("active");
	platform->title.text = strdup("");
	return platform->name && platform->vendor.text && platform->model_name.text &&
	       platform->cpufreq.text && platform->governor.text && platform->pstate.text &&
	       platform->title.text;
}

struct platform *platform_new(const char *name)
{
	struct platform *platform = calloc(1, sizeof(*platform));

	if (!platform)
		return NULL;
	platform->family.value = 6;
	platform->min_mhz.value = 800;
	platform->driver_version.value = 1;
	platform->api_version.value = 1;
	platform->max_commands.value = 64;
	platform->kernel.value = KERNEL(6, 12);
	platform->mailbox.value = MAILBOX_PCI;
	platform->node.value = 1;
	platform->masked_errors.value = 1;
	platform->dies.value = 1;
	platform->threads.value = 1;
	platform->die_files.value = 1;
	platform->hwp.value = 1;
	platform->bios_turbo.value = 1;
	platform->cpuinfo_follows_turbo.value = 1;
	platform->powercap.value = 1;
	platform->uncore.value = 1;
	platform->uncore_writable.value = 1;
	platform->cgroup_tree.value = CGROUP_V2;
	if (set_texts(platform, name))
		return platform;
	platform_free(platform);
	return NULL;
}

static void free_domain(struct platform_domain *domain)
{
	isst_cpuset_free(domain->cores.set);
	free(domain->limit_reasons.text);
	for (size_t i = 0; i < CLOS_COUNT; i++)
		isst_cpuset_free(domain->clos[i].cores.set);
	free(domain->levels);
	free(domain->registers);
}

void platform_free(struct platform *platform)
{
	if (!platform)
		return;
	for (size_t i = 0; i < platform->domain_count; i++)
		free_domain(&platform->domains[i]);
	free(platform->domains);
	free(platform->cpus);
	isst_cpuset_free(platform->packages.set);
	isst_cpuset_free(platform->cores.set);
	isst_cpuset_free(platform->power_domains.set);
	isst_cpuset_free(platform->partly_bound.set);
	isst_cpuset_free(platform->unbound.set);
	isst_cpuset_free(platform->cpu_numbers.set);
	isst_cpuset_free(platform->offline.set);
	isst_cpuset_free(platform->possible.set);
	isst_cpuset_free(platform->refuse_offline.set);
	isst_cpuset_free(platform->isolcpus.set);
	isst_cpuset_free(platform->nohz_full.set);
	free(platform->title.text);
	free(platform->vendor.text);
	free(platform->model_name.text);
	free(platform->cpufreq.text);
	free(platform->governor.text);
	free(platform->pstate.text);
	free(platform->processes.text);
	free(platform->services.text);
	free(platform->container.text);
	free(platform->command_line.text);
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
