/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of service that are in use or configured. Must not know output formats. */
#include "machine_status.h"

#include <errno.h>

static bool has_classes(const struct domain_status *domain)
{
	return domain->node && domain->core_power_state >= ISST_FEATURE_DISABLED;
}

/** Whether the weights of classes have a meaning. */
static bool has_weights(const struct domain_status *domain)
{
	return value_of(domain->core_power, ISST_VALUE_PRIORITY) == ISST_PRIORITY_PROPORTIONAL;
}

/** Whether a class has other values than after boot. Those of one that could not be read may be. */
static bool is_configured(const struct domain_status *domain, const struct isst_result *clos)
{
	return isst_result_error(clos, ISST_PART_RESULT) ||
	       value_of(clos, ISST_VALUE_CLOS_MIN_MHZ) > 0 ||
	       value_of(clos, ISST_VALUE_CLOS_MAX_MHZ) != ISST_CLOS_NO_LIMIT_MHZ ||
	       (has_weights(domain) && value_of(clos, ISST_VALUE_CLOS_WEIGHT) > 0);
}

/** The CPUs of a class that are online and named; NULL without memory. */
static struct isst_cpuset *cpus_of_class(const struct machine_status *status,
					 const struct isst_domain *domain, int clos)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < status->cores.count && !error; i++) {
		const struct core *core = &status->cores.all[i];
		unsigned int cpu;

		if (core->domain != domain || core->clos != clos)
			continue;
		isst_cpuset_for_each (cpu, core->online)
			if (is_named(status->run, cpu) && !error)
				error = isst_cpuset_add(cpus, cpu, cpu);
	}
	if (!error)
		return cpus;
	isst_cpuset_free(cpus);
	return NULL;
}

/** The cores of a class of which a CPU is online. The firmware counts those of a module as one. */
static unsigned int count_cores(const struct machine_status *status,
				const struct isst_domain *domain, int clos)
{
	unsigned int count = 0;

	for (size_t i = 0; i < status->cores.count; i++) {
		const struct core *core = &status->cores.all[i];

		count += core->domain == domain && core->clos == clos &&
			 isst_cpuset_count(core->online) > 0;
	}
	return count;
}

static void report_value_or_unknown(struct report_node *node, enum key_id key,
				    const struct isst_result *clos, int id)
{
	if (isst_result_error(clos, ISST_PART_RESULT))
		report_unknown(node, key);
	else
		report_value(node, key, clos, id);
}

/** Reports what a class is configured to, and its CPUs; NULL: they are not known. */
static void report_configuration(struct report_node *node, const struct domain_status *domain,
				 const struct isst_result *clos, const struct isst_cpuset *cpus)
{
	report_value_or_unknown(node, KEY_STATUS_MIN, clos, ISST_VALUE_CLOS_MIN_MHZ);
	report_value_or_unknown(node, KEY_STATUS_MAX, clos, ISST_VALUE_CLOS_MAX_MHZ);
	if (has_weights(domain))
		report_value_or_unknown(node, KEY_STATUS_WEIGHT, clos, ISST_VALUE_CLOS_WEIGHT);
	if (cpus)
		report_cpu_ranges(node, KEY_STATUS_CPUS, 0, cpus);
	else
		report_unknown(node, KEY_STATUS_CPUS);
}

static void report_class(const struct machine_status *status, const struct domain_status *domain,
			 const struct isst_result *clos)
{
	unsigned int number = value_of(clos, ISST_VALUE_CLOS);
	struct isst_cpuset *cpus = cpus_of_class(status, domain->domain, (int)number);
	bool incomplete = cores_have_unknown(&status->cores, domain->domain);
	bool empty = isst_cpuset_count(cpus) == 0;
	bool shown = !empty || incomplete || is_configured(domain, clos);
	struct report_node *node;

	if (!cpus) {
		run_error(status->run, STATUS_FAILED, "out of memory");
		return;
	}
	if (shown || status->run->complete) {
		node = report_branch(domain->node, KEY_STATUS_CLOS, number);
		if (status->run->complete && !incomplete)
			report_number(node, KEY_CORE_COUNT,
				      count_cores(status, domain->domain, (int)number));
		if (shown)
			report_configuration(node, domain, clos, empty && incomplete ? NULL : cpus);
	}
	isst_cpuset_free(cpus);
}

/** Whether classes are not worth a report: they do not hold, all cores are in CLOS 0, and no class
 * is configured. */
static bool is_unused(const struct machine_status *status, const struct domain_status *domain,
		      const struct isst_results *results)
{
	const struct isst_result *clos;

	if (!is_off(domain->clos_state) || status->run->complete ||
	    cores_have_unknown(&status->cores, domain->domain))
		return false;
	for (size_t i = 0; i < status->cores.count; i++)
		if (status->cores.all[i].domain == domain->domain && status->cores.all[i].clos > 0)
			return false;
	for (size_t i = 0; (clos = isst_results_at(results, i)) != NULL; i++)
		if (isst_result_domain(clos) == domain->domain && is_configured(domain, clos))
			return false;
	return true;
}

/** Keeps the maximum of a class for the report of high priority cores. */
static void keep_maximum(struct machine_status *status, const struct domain_status *domain,
			 const struct isst_result *clos)
{
	unsigned int number = value_of(clos, ISST_VALUE_CLOS);

	if (number < STATUS_CLASSES && !isst_result_error(clos, ISST_PART_RESULT))
		status->domains[domain - status->domains].clos_max_mhz[number] = value_of(
			clos, ISST_VALUE_CLOS_MAX_MHZ);
}

void clos_status_report(struct machine_status *status)
{
	struct isst_results *results = status_read(status, isst_read_clos, 0, has_classes);
	const struct isst_domain *failed = NULL;
	const struct isst_result *clos;

	for (size_t i = 0; (clos = isst_results_at(results, i)) != NULL; i++) {
		const struct isst_domain *of = isst_result_domain(clos);
		const struct domain_status *domain = status_of_domain(status, of);
		struct failure failure = failure_of(clos, ISST_PART_RESULT);

		if (!domain || is_unused(status, domain, results))
			continue;
		/* One message for the classes of a domain. */
		if (failure.error && of != failed) {
			run_failure(status->run, &failure);
			failed = of;
		}
		report_class(status, domain, clos);
		keep_maximum(status, domain, clos);
	}
	isst_results_free(results);
}
