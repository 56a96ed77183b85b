/* SPDX-License-Identifier: BSD-3-Clause */
#include "../process/xalloc.h"
#include "machine_status.h"

const struct domain_status *status_of_domain(const struct machine_status *status,
					     const struct isst_domain *domain)
{
	for (size_t i = 0; i < status->domain_count; i++)
		if (status->domains[i].domain == domain)
			return &status->domains[i];
	return NULL;
}

/** Reads for targets, which are freed; nothing where there are none. */
static struct isst_results *read_any(struct run *run, int what, unsigned int flags,
				     struct isst_targets *targets)
{
	struct isst_results *results = NULL;
	int error = isst_read(run->context, what, targets, NULL, flags, &results);

	isst_targets_free(targets);
	if (error && !results)
		run_not_asked(run, error);
	if (isst_results_count(results) == 0) {
		isst_results_free(results);
		results = NULL;
	}
	return results;
}

struct isst_results *status_read(struct machine_status *status, int what, unsigned int flags,
				 bool (*wanted)(const struct domain_status *domain))
{
	struct run *run = status->run;
	struct isst_targets *targets = xcheck(isst_targets_new(run->context));

	for_each_domain (domain, status)
		if (!wanted || wanted(domain))
			xcall(isst_targets_add_domain(targets, domain->domain));
	return read_any(run, what, flags, targets);
}

struct isst_results *status_read_cpus(struct machine_status *status, int what,
				      const struct isst_cpuset *cpus)
{
	struct isst_targets *targets = xcheck(isst_targets_new(status->run->context));

	xcall(isst_targets_add_cpus(targets, cpus));
	return read_any(status->run, what, 0, targets);
}

/* ---- CPUs ---- */

bool domain_has_reader(const struct isst_domain *domain, const struct isst_cpuset *undisturbed)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, isst_domain_online_cpus(domain))
		if (!isst_cpuset_has(undisturbed, cpu))
			return true;
	return false;
}

/* ---- Levels ---- */

const struct isst_result *result_of_domain(const struct isst_results *results,
					   const struct isst_domain *domain)
{
	const struct isst_result *result;
	size_t i = 0;

	while ((result = isst_results_at(results, i)) != NULL &&
	       isst_result_domain(result) != domain)
		i++;
	return result;
}

/** Whether a result is complete, and of the level that its domain has now. */
static bool is_current(const struct isst_results *now, const struct isst_result *result)
{
	static const int PARTS[] = { ISST_PART_RESULT, ISST_PART_PERF_PROFILE, ISST_PART_BASE_FREQ,
				     ISST_PART_TURBO_FREQ };
	const struct isst_result *level = result_of_domain(now, isst_result_domain(result));

	for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
		if (isst_result_error(result, PARTS[i]))
			return false;
	return level && has_value(result, ISST_VALUE_LEVEL) && has_value(level, ISST_VALUE_LEVEL) &&
	       value_of(level, ISST_VALUE_LEVEL) == value_of(result, ISST_VALUE_LEVEL);
}

void status_keep_levels(struct machine_status *status, unsigned int parts,
			bool (*wanted)(const struct domain_status *domain),
			struct isst_results **kept)
{
	bool current = *kept;
	size_t next = 0;

	for (size_t i = 0; i < status->domain_count && current; i++) {
		const struct isst_result *result;

		if (wanted && !wanted(&status->domains[i]))
			continue;
		result = isst_results_at(*kept, next++);
		current = result && isst_result_domain(result) == status->domains[i].domain &&
			  is_current(status->levels.results, result);
	}
	if (current && next == isst_results_count(*kept))
		return;
	isst_results_free(*kept);
	*kept = status_read(status, ISST_READ_LEVELS, ISST_LEVELS_CURRENT | parts, wanted);
}

int status_read_levels(struct machine_status *status, unsigned int parts)
{
	struct run *run = status->run;
	bool keeps = run->level_memory && parts;
	int error = run_read_levels(run, LEVELS_CURRENT, keeps ? 0 : parts, &status->levels);

	if (error || !keeps)
		return error;
	status_keep_levels(status, parts, NULL, &run->level_memory->properties);
	status->properties = run->level_memory->properties;
	return 0;
}

const struct isst_result *status_properties(const struct machine_status *status,
					    const struct domain_status *domain)
{
	const struct isst_result *level = levels_get(&status->levels, domain->unit, 0);

	return level && status->properties ? result_of_domain(status->properties, domain->domain)
					   : level;
}
