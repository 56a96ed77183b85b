/* SPDX-License-Identifier: BSD-3-Clause */
/* High and low priority of SST-TF, by domain and by package, whose cores share buckets. */
#include "explain/packages.h"
#include "common/judge.h"
#include "firmware/platform.h"

#include <limits.h>

bool has_high_priority(const struct survey_cpu *cpu)
{
	return cpu->clos_known && cpu->clos <= LAST_HIGH_CLOS;
}

bool has_low_priority(const struct survey_cpu *cpu)
{
	return cpu->clos_known && !has_high_priority(cpu);
}

static bool is_low_and_asked(const struct survey_cpu *cpu)
{
	return cpu->asked && has_low_priority(cpu);
}

bool is_divided(const struct survey_domain *domain)
{
	bool high = false, low = false;

	survey_for_each_cpu (cpu, domain) {
		high |= has_high_priority(cpu);
		low |= has_low_priority(cpu);
	}
	return high && low;
}

/* ---- Domains ---- */

bool turbo_freq_is_supported(const struct survey_domain *domain)
{
	return survey_has_level(domain) && domain->now->level.turbo_freq >= ISST_FEATURE_DISABLED;
}

bool turbo_freq_is_on(const struct survey_domain *domain)
{
	return survey_has_level(domain) && domain->now->level.turbo_freq == ISST_FEATURE_ENABLED;
}

bool has_priorities(const struct survey_domain *domain)
{
	return turbo_freq_is_on(domain) && survey_classes_hold(domain);
}

static bool has_members(const struct survey_domain *domain, unsigned int clos)
{
	survey_for_each_cpu (cpu, domain)
		if (cpu->clos_known && cpu->clos == clos)
			return true;
	return false;
}

bool classes_have_purpose(const struct survey_domain *domain)
{
	const struct isst_value *base = &domain->now->level.base_mhz;
	bool weights = domain->now->core_power.priority != ISST_PRIORITY_ORDERED, purpose = false;

	for (unsigned int i = 0; i <= LAST_HIGH_CLOS; i++) {
		const struct isst_clos *high = &domain->clos[i];

		if (!has_members(domain, i) || high->failure.error)
			continue;
		if (base->state == ISST_KNOWN && high->min_mhz > base->value)
			return false;
		for (unsigned int j = LAST_HIGH_CLOS + 1; j < ISST_CLOS_COUNT; j++) {
			const struct isst_clos *low = &domain->clos[j];

			purpose |= has_members(domain, j) && !low->failure.error &&
				   (high->min_mhz != low->min_mhz ||
				    high->max_mhz != low->max_mhz ||
				    (weights && high->weight != low->weight));
		}
	}
	return purpose;
}

/* ---- Maxima of classes ---- */

unsigned int clos_max_mhz(const struct survey_domain *domain, const struct survey_cpu *cpu)
{
	if (!survey_classes_hold(domain) || !cpu->clos_known ||
	    domain->clos[cpu->clos].failure.error)
		return UINT_MAX;
	return domain->clos[cpu->clos].max_mhz;
}

unsigned int clip_mhz(const struct survey_domain *domain, const struct survey_cpu *cpu)
{
	const struct isst_value *clip = &domain->now->level.turbo_freq_info.clip_mhz[0];

	if (!has_priorities(domain) || !cpu->clos_known || has_high_priority(cpu))
		return 0;
	return clip->state == ISST_KNOWN ? clip->value : 0;
}

/* ---- Packages ---- */

/** Adds a domain that counts, with the level of the smallest last bucket. */
static void add_domain(struct package *package, const struct survey_domain *domain)
{
	const struct isst_turbo_freq *info = &domain->now->level.turbo_freq_info;
	const struct isst_turbo_freq *kept = package->info;
	struct division *cpus = &package->cpus;

	for (size_t i = 0; i < domain->cpu_count; i++) {
		const struct survey_cpu *cpu = &domain->cpus[i];

		cpus->unknown += !cpu->clos_known;
		cpus->high += has_high_priority(cpu);
		cpus->low += has_low_priority(cpu);
		cpus->high_cores += survey_is_first_of_core(domain, i, has_high_priority);
		cpus->low_cores += survey_is_first_of_core(domain, i, has_low_priority);
		cpus->low_asked_cores += survey_is_first_of_core(domain, i, is_low_and_asked);
	}
	if (info->buckets == 0 || (kept && info->high_priority_cores[info->buckets - 1] >=
						   kept->high_priority_cores[kept->buckets - 1]))
		return;
	package->level = &domain->now->level;
	package->info = info;
}

struct package find_package(const struct survey_domain *domain, domain_filter *counts)
{
	const struct survey *survey = domain->survey;
	const unsigned int number = domain->domain->package;
	size_t i = (size_t)(domain - survey->domains);
	struct package package = { .gains = true };

	while (i > 0 && survey->domains[i - 1].domain->package == number)
		i--;
	package.first = i;
	for (; i < survey->count && survey->domains[i].domain->package == number; i++) {
		const struct survey_domain *other = &survey->domains[i];

		if (counts(other))
			add_domain(&package, other);
		/* What decides if the domain counts could not be read. */
		else if (!survey_has_level(other) ||
			 other->now->level.turbo_freq == ISST_FEATURE_UNKNOWN ||
			 other->now->core_power.clos_in_force == ISST_FEATURE_UNKNOWN)
			package.cpus.unknown += other->cpu_count;
	}
	package.end = i;
	if (package.level) {
		package.bucket = used_bucket(package.info, package.cpus.high_cores);
		package.gaining = level_gaining_buckets(package.level);
		package.gains = package.bucket < package.gaining;
	}
	return package;
}

unsigned int used_bucket(const struct isst_turbo_freq *info, size_t cores)
{
	unsigned int bucket = 0;

	while (bucket < info->buckets && info->high_priority_cores[bucket] < cores)
		bucket++;
	return bucket;
}

unsigned int bucket_mhz(const struct survey_domain *domain, size_t cores)
{
	const struct isst_turbo_freq *info = &domain->now->level.turbo_freq_info;
	unsigned int bucket = used_bucket(info, cores);

	return bucket < info->buckets && info->mhz[0][bucket].state == ISST_KNOWN
		       ? info->mhz[0][bucket].value
		       : 0;
}

const char *package_cores_word(struct findings *findings, size_t count)
{
	return platform_cores_word(&findings->survey->context->platform, count);
}
