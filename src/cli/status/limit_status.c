/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of the uncore and of cpufreq that were set. Must not know output formats. */
#include "machine_status.h"

#include <errno.h>
#include <stdlib.h>

/* ---- The uncore ---- */

static bool is_shown(const struct domain_status *domain)
{
	return domain->node;
}

/** Reports what a limit is now: what was set, or else what it was at boot. */
static void report_present(struct report_node *node, enum key_id key,
			   const struct isst_result *limits, unsigned int fabric, int set,
			   int initial)
{
	unsigned int mhz;
	int error = isst_result_value_at(limits, set, fabric, 0, &mhz);

	if (error == -ENODATA)
		error = isst_result_value_at(limits, initial, fabric, 0, &mhz);
	if (!error)
		report_number(node, key, mhz);
	else if (error != -ENODATA)
		report_unknown(node, key);
}

/** What a limit was at boot. The screen has no column of such values if none is known. */
static void report_default(struct report_node *node, enum key_id key,
			   const struct isst_result *limits, unsigned int fabric, int initial)
{
	unsigned int mhz;

	if (isst_result_value_at(limits, initial, fabric, 0, &mhz) == 0)
		report_number(node, key, mhz);
}

static void report_fabric(struct report_node *parent, const struct isst_result *limits,
			  unsigned int fabric)
{
	struct report_node *node = report_branch(parent, KEY_STATUS_UNCORE, fabric);

	report_present(node, KEY_STATUS_MIN, limits, fabric, ISST_VALUE_UNCORE_MIN_MHZ,
		       ISST_VALUE_UNCORE_INITIAL_MIN_MHZ);
	report_present(node, KEY_STATUS_MAX, limits, fabric, ISST_VALUE_UNCORE_MAX_MHZ,
		       ISST_VALUE_UNCORE_INITIAL_MAX_MHZ);
	report_default(node, KEY_STATUS_LOWEST, limits, fabric, ISST_VALUE_UNCORE_INITIAL_MIN_MHZ);
	report_default(node, KEY_STATUS_HIGHEST, limits, fabric, ISST_VALUE_UNCORE_INITIAL_MAX_MHZ);
}

/** Whether a limit was set, or may be. */
static bool is_set(const struct isst_result *limits, int id, unsigned int fabric)
{
	unsigned int mhz;

	return isst_result_value_at(limits, id, fabric, 0, &mhz) != -ENODATA;
}

static void report_uncore(struct machine_status *status)
{
	struct isst_results *results = status_read(status, isst_read_uncore_limits, 0, is_shown);
	const struct isst_result *limits;

	for (size_t i = 0; (limits = isst_results_at(results, i)) != NULL; i++) {
		const struct domain_status *domain = status_of_domain(status,
								      isst_result_domain(limits));
		struct failure failure = failure_of(limits, ISST_PART_RESULT);
		unsigned int fabrics;

		if (failure.error != -EOPNOTSUPP)
			run_failure(status->run, &failure);
		isst_result_extent(limits, ISST_VALUE_UNCORE_MIN_MHZ, &fabrics, NULL);
		for (unsigned int fabric = 0; domain && fabric < fabrics; fabric++)
			if (is_set(limits, ISST_VALUE_UNCORE_MIN_MHZ, fabric) ||
			    is_set(limits, ISST_VALUE_UNCORE_MAX_MHZ, fabric))
				report_fabric(domain->node, limits, fabric);
	}
	isst_results_free(results);
}

/* ---- cpufreq ---- */

/** The limits of a CPU of a domain; 0: none. */
struct cpu_limits {
	const struct isst_domain *domain;
	bool unknown;
	bool first;	    /* of the CPUs of the domain with these limits */
	unsigned int index; /* of those limits in the domain */
	unsigned int cpu, min_mhz, max_mhz, lowest_mhz, highest_mhz;
};

static bool is_same(const struct cpu_limits *one, const struct cpu_limits *other)
{
	return one->domain == other->domain && one->unknown == other->unknown &&
	       one->min_mhz == other->min_mhz && one->max_mhz == other->max_mhz &&
	       one->lowest_mhz == other->lowest_mhz && one->highest_mhz == other->highest_mhz;
}

/** CPUs whose files are not read; *@cpus is NULL if there are none. Returns false after an error.
 */
static bool find_isolated(struct run *run, struct isst_cpuset **cpus)
{
	int error = isst_cpus_by_name(run->context, "isolated", 0, cpus);

	if (!error || error == -EOPNOTSUPP)
		return true;
	run_call(run, error);
	return false;
}

/** Lists CPUs that have limits, or may have. Only the first of the errors is reported. Returns
 * their number. */
static size_t list_limits(struct run *run, const struct isst_results *results,
			  struct cpu_limits *limits)
{
	const struct isst_result *result;
	bool failed = false;
	size_t count = 0;

	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++) {
		struct failure failure = failure_of(result, ISST_PART_RESULT);

		limits[count] = (struct cpu_limits){
			.domain = isst_result_domain(result),
			.cpu = isst_cpu_number(isst_result_cpu(result)),
			.unknown = failure.error && failure.error != -EOPNOTSUPP,
			.min_mhz = value_of(result, ISST_VALUE_SCALING_MIN_MHZ),
			.max_mhz = value_of(result, ISST_VALUE_SCALING_MAX_MHZ),
			.lowest_mhz = value_of(result, ISST_VALUE_PROCESSOR_MIN_MHZ),
			.highest_mhz = value_of(result, ISST_VALUE_PROCESSOR_MAX_MHZ),
		};
		if (limits[count].unknown && !failed)
			run_failure(run, &failure);
		failed = failed || limits[count].unknown;
		count += limits[count].unknown || limits[count].min_mhz > 0 ||
			 limits[count].max_mhz > 0;
	}
	return count;
}

static void report_frequencies(struct report_node *node, const struct cpu_limits *limits)
{
	if (limits->unknown) {
		report_unknown(node, KEY_STATUS_MIN);
		report_unknown(node, KEY_STATUS_MAX);
		return;
	}
	report_number(node, KEY_STATUS_MIN, limits->min_mhz ? limits->min_mhz : limits->lowest_mhz);
	report_number(node, KEY_STATUS_MAX,
		      limits->max_mhz ? limits->max_mhz : limits->highest_mhz);
	report_number(node, KEY_STATUS_LOWEST, limits->lowest_mhz);
	report_number(node, KEY_STATUS_HIGHEST, limits->highest_mhz);
}

/** Reports the CPUs of a domain with the same limits as the first of a list. */
static void report_alike(struct machine_status *status, const struct cpu_limits *limits,
			 size_t count, unsigned int index)
{
	const struct domain_status *domain = status_of_domain(status, limits->domain);
	struct isst_cpuset *cpus = isst_cpuset_new();
	struct report_node *node;
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		if (is_same(limits, &limits[i]))
			error = isst_cpuset_add(cpus, limits[i].cpu, limits[i].cpu);
	if (!error && domain) {
		node = report_branch(domain->node, KEY_STATUS_SCALING, index);
		report_frequencies(node, limits);
		report_cpu_ranges(node, KEY_STATUS_CPUS, 0, cpus);
	}
	isst_cpuset_free(cpus);
	if (error)
		run_error(status->run, STATUS_FAILED, "out of memory");
}

/** Marks the first CPU of a domain with its limits, and counts those of the domain before it. */
static void find_first(struct cpu_limits *limits, size_t at)
{
	limits[at].first = true;
	for (size_t i = 0; i < at && limits[at].first; i++) {
		limits[at].first = !is_same(&limits[i], &limits[at]);
		limits[at].index += limits[i].first && limits[i].domain == limits[at].domain;
	}
}

static void report_limits(struct machine_status *status, struct cpu_limits *limits, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		find_first(limits, i);
		if (limits[i].first)
			report_alike(status, &limits[i], count - i, limits[i].index);
	}
}

static void report_scaling(struct machine_status *status, const struct isst_cpuset *cpus)
{
	struct isst_results *results = status_read_cpus(status, isst_read_scaling_limits, cpus);
	struct cpu_limits *limits = calloc(isst_results_count(results) + 1, sizeof(*limits));

	if (!limits)
		run_error(status->run, STATUS_FAILED, "out of memory");
	else
		report_limits(status, limits, list_limits(status->run, results, limits));
	free(limits);
	isst_results_free(results);
}

static void report_cpufreq(struct machine_status *status)
{
	struct isst_cpuset *isolated = NULL, *cpus = isst_cpuset_new(),
			   *left_out = isst_cpuset_new();
	struct run *run = status->run;

	if (!cpus || !left_out) {
		run_error(run, STATUS_FAILED, "out of memory");
	} else if (find_isolated(run, &isolated)) {
		if (status_choose_cpus(status, isolated, cpus, left_out) != 0)
			run_error(run, STATUS_FAILED, "out of memory");
		else
			report_scaling(status, cpus);
		if (isst_cpuset_count(left_out) > 0)
			report_cpu_ranges(report_unit(run->report, NULL, 0), KEY_STATUS_NOT_READ, 0,
					  left_out);
	}
	isst_cpuset_free(isolated);
	isst_cpuset_free(cpus);
	isst_cpuset_free(left_out);
}

void limit_status_report(struct machine_status *status)
{
	report_uncore(status);
	report_cpufreq(status);
}
