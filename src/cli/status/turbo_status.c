/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether turbo is disabled, and turbo ratio limits that are lower than the level allows. It reads
 * no MSR on TPMI machines, and none of a domain whose CPUs are all isolated or nohz_full. Must not
 * know output formats.
 */
#include "machine_status.h"

#include <errno.h>
#include <stdlib.h>

enum { BUCKETS = 8, MHZ_PER_RATIO = 100 };

/* What the hardware cannot be limited by. */
static const uint64_t NO_LIMITS = UINT64_MAX;

void turbo_status_report(struct run *run, struct report_node *top)
{
	int disabled = isst_platform_fact(run->context, ISST_FACT_TURBO_DISABLED);

	if (disabled >= 0)
		report_state(top, KEY_STATUS_TURBO, !disabled);
	else if (disabled != -ENODATA)
		run_call(run, disabled);
}

/* ---- Turbo ratio limits ---- */

static bool has_turbo_freq(const struct domain_status *domain)
{
	return domain->reads_limits && domain->turbo_freq_state == ISST_FEATURE_ENABLED;
}

static bool reads_limits(const struct domain_status *domain)
{
	return domain->reads_limits;
}

bool domain_has_reader(const struct isst_domain *domain, const struct isst_cpuset *undisturbed)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, isst_domain_online_cpus(domain))
		if (!isst_cpuset_has(undisturbed, cpu))
			return true;
	return false;
}

/** Finds the domains whose limits are read: those with limits to compare them with. Returns whether
 * there are any. */
static bool find_domains(struct machine_status *status)
{
	struct run *run = status->run;
	struct isst_cpuset *undisturbed = NULL;
	bool any = false;

	if (isst_platform_fact(run->context, ISST_FACT_POWER_DOMAINS) > 0 ||
	    isst_platform_fact(run->context, ISST_FACT_PRESET) > 0 ||
	    run_call(run, isst_undisturbed_cpus(run->context, &undisturbed)) != 0)
		return false;
	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		struct domain_status *domain = &status->domains[unit->slot];
		const struct isst_result *level = status_properties(status, unit);

		domain->reads_limits = domain->node && level &&
				       has_value(level, ISST_VALUE_TURBO_LIMIT_MHZ) &&
				       domain_has_reader(domain->domain, undisturbed);
		any |= domain->reads_limits;
	}
	isst_cpuset_free(undisturbed);
	return any;
}

static const struct isst_result *result_of(const struct isst_results *results,
					   const struct isst_domain *domain)
{
	const struct isst_result *result;

	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++)
		if (isst_result_domain(result) == domain)
			return result;
	return NULL;
}

/** The limit of the level in a bucket, or with SST-TF the highest frequency of that; 0: the level
 * has no such bucket. */
static unsigned int allowed_mhz(const struct isst_result *level, const struct isst_result *buckets,
				unsigned int bucket)
{
	unsigned int mhz;

	if (isst_result_value_at(level, ISST_VALUE_TURBO_LIMIT_MHZ, 0, bucket, &mhz) != 0 || !mhz)
		return 0;
	if (buckets &&
	    isst_result_value_at(buckets, ISST_VALUE_TURBO_FREQ_HIGH_MHZ, 0, 0, &mhz) != 0)
		return 0;
	return mhz;
}

static void report_lowered(const struct domain_status *domain, uint64_t limits,
			   const struct isst_result *level, const struct isst_result *buckets)
{
	for (unsigned int bucket = 0; bucket < BUCKETS; bucket++) {
		unsigned int mhz = (unsigned int)(limits >> 8 * bucket & 0xff) * MHZ_PER_RATIO;
		unsigned int allowed = allowed_mhz(level, buckets, bucket);
		struct report_node *node;

		if (mhz >= allowed)
			continue;
		node = report_branch(domain->node, KEY_STATUS_TURBO_LIMITS, bucket);
		report_number(node, KEY_STATUS_MAX, mhz);
		report_number(node, KEY_STATUS_LEVEL_MAX, allowed);
	}
}

static uint64_t limits_of(const struct isst_result *result)
{
	uint64_t limits;

	return isst_result_value64(result, ISST_VALUE_TURBO_RATIO_LIMITS, &limits) == 0 ? limits
											: NO_LIMITS;
}

/** SST-TF is read only where limits could be in its way: enabling it removes them. */
static struct isst_results *read_buckets(struct machine_status *status,
					 const struct isst_results *limits)
{
	const struct isst_result *result;

	for (size_t i = 0; (result = isst_results_at(limits, i)) != NULL; i++)
		if (limits_of(result) != NO_LIMITS)
			return status_read(status, isst_read_levels,
					   ISST_READ_LEVELS_CURRENT | ISST_READ_LEVELS_TURBO_FREQ,
					   has_turbo_freq);
	return NULL;
}

static void report_failures(struct run *run, const struct isst_results *limits)
{
	const struct isst_result *result;

	for (size_t i = 0; (result = isst_results_at(limits, i)) != NULL; i++) {
		struct failure failure = failure_of(result, ISST_PART_RESULT);

		if (failure.error != -EOPNOTSUPP)
			run_failure(run, &failure);
	}
}

void turbo_limits_report(struct machine_status *status)
{
	struct run *run = status->run;
	struct isst_results *limits, *buckets;

	if (!find_domains(status))
		return;
	limits = status_read(status, isst_read_turbo_ratio_limits, 0, reads_limits);
	report_failures(run, limits);
	buckets = read_buckets(status, limits);
	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct domain_status *domain = &status->domains[unit->slot];
		uint64_t in_force = domain->reads_limits
					    ? limits_of(result_of(limits, domain->domain))
					    : NO_LIMITS;

		if (in_force != NO_LIMITS)
			report_lowered(domain, in_force, status_properties(status, unit),
				       domain->turbo_freq_state == ISST_FEATURE_ENABLED
					       ? result_of(buckets, domain->domain)
					       : NULL);
	}
	isst_results_free(buckets);
	isst_results_free(limits);
}
