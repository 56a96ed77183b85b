/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../common/priorities.h"
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

static void report_value_or_unknown(struct report_node *node, enum key_id key,
				    const struct isst_result *clos, int id)
{
	if (isst_result_error(clos, ISST_PART_RESULT))
		report_unknown(node, key);
	else
		report_value(node, key, clos, id);
}

static void report_class(const struct machine_status *status, const struct domain_status *domain,
			 const struct isst_result *clos)
{
	unsigned int number = value_of(clos, ISST_VALUE_CLOS), count = 0;
	struct isst_cpuset *cpus = isst_cpuset_new();
	bool incomplete = cores_have_unknown(&status->cores, domain->domain);
	struct report_node *node;
	bool empty, shown;

	if (!cpus ||
	    status_add_class(status, domain->domain, (int)number, (int)number, cpus) != 0) {
		run_no_memory(status->run);
		isst_cpuset_free(cpus);
		return;
	}
	empty = isst_cpuset_count(cpus) == 0;
	shown = !empty || incomplete || is_configured(domain, clos);
	node = shown || status->run->complete ? report_branch(domain->node, KEY_STATUS_CLOS, number)
					      : NULL;
	if (status->run->complete && !incomplete) {
		/* Those of which a CPU is online. The firmware counts those of a module as one. */
		for (size_t i = 0; i < status->cores.count; i++) {
			const struct core *core = &status->cores.all[i];

			count += core->domain == domain->domain && core->clos == (int)number &&
				 isst_cpuset_count(core->online) > 0;
		}
		report_number(node, KEY_CORE_COUNT, count);
	}
	if (shown) {
		report_value_or_unknown(node, KEY_STATUS_MIN, clos, ISST_VALUE_CLOS_MIN_MHZ);
		report_value_or_unknown(node, KEY_STATUS_MAX, clos, ISST_VALUE_CLOS_MAX_MHZ);
		if (has_weights(domain))
			report_value_or_unknown(node, KEY_STATUS_WEIGHT, clos,
						ISST_VALUE_CLOS_WEIGHT);
		if (empty && incomplete)
			report_unknown(node, KEY_STATUS_CPUS);
		else
			report_cpu_ranges(node, KEY_STATUS_CPUS, 0, cpus);
	}
	isst_cpuset_free(cpus);
}

/** Whether classes do not hold, and all cores and classes are as after boot. */
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

void clos_status_report(struct machine_status *status)
{
	struct isst_results *results = status_read(status, isst_read_clos, 0, has_classes);
	const struct isst_domain *failed = NULL;
	const struct isst_result *clos;

	for (size_t i = 0; (clos = isst_results_at(results, i)) != NULL; i++) {
		const struct isst_domain *of = isst_result_domain(clos);
		const struct domain_status *domain = status_of_domain(status, of);
		struct failure failure = failure_of(clos, ISST_PART_RESULT);
		unsigned int number = value_of(clos, ISST_VALUE_CLOS);

		if (!domain || is_unused(status, domain, results))
			continue;
		/* One message for the classes of a domain. */
		if (failure.error && of != failed) {
			run_failure(status->run, failure);
			failed = of;
		}
		report_class(status, domain, clos);
		/* For the report of high priority cores. */
		if (number < STATUS_CLASSES && !failure.error)
			status->domains[domain - status->domains].clos_max_mhz[number] = value_of(
				clos, ISST_VALUE_CLOS_MAX_MHZ);
	}
	isst_results_free(results);
}

/* ---- The map of --map ---- */

/** The word of a core; NULL: it is not known. */
static const char *word_of(const struct domain_status *domain, const struct core *core)
{
	static const char *const CLASSES[] = { "clos-0", "clos-1", "clos-2", "clos-3" };
	size_t clos = (size_t)core->clos;

	if (isst_cpuset_count(core->online) == 0)
		return "offline";
	if (domain->core_power_state == ISST_FEATURE_UNKNOWN || core->clos == CLOS_UNKNOWN)
		return isst_result_error(domain->core_power, ISST_PART_RESULT) == -EOPNOTSUPP
			       ? "none"
			       : NULL;
	if (core->clos == CLOS_NONE || clos >= sizeof(CLASSES) / sizeof(CLASSES[0]))
		return "none";
	/* Whether it has a priority depends on SST-TF. */
	if (!knows_priorities(domain) && !is_off(domain->clos_state))
		return NULL;
	/* Whether classes hold by SST-TF alone was measured on some machines. */
	if (is_off(domain->clos_state) && is_off(domain->turbo_freq_state))
		return "unused";
	if (has_priorities(domain))
		return core->clos <= LAST_HIGH_CLOS ? "high" : "low";
	return CLASSES[clos];
}

static void report_core(struct report_node *parent, const struct domain_status *domain,
			const struct core *core, unsigned int index)
{
	struct report_node *node = report_branch(parent, KEY_MAP_CORE, index);
	const char *word = word_of(domain, core);

	report_cpu_ranges(node, KEY_MAP_CPUS, 0, core->cpus);
	if (word)
		report_word(node, KEY_MAP_MARK, word);
	else
		report_unknown(node, KEY_MAP_MARK);
}

/** Cores are numbered as the firmware does, or within their module. */
static void report_map(const struct machine_status *status, const struct domain_status *domain)
{
	struct report_node *module = NULL;
	unsigned int inside = 0, cpu;

	for (size_t i = 0; i < status->cores.count; i++) {
		const struct core *core = &status->cores.all[i];
		bool shown = false;

		isst_cpuset_for_each (cpu, core->cpus)
			shown |= is_named(status->run, cpu);
		if (core->domain != domain->domain || !shown)
			continue;
		if (!core->in_module) {
			report_core(domain->node, domain, core,
				    core->number_known ? core->number : core->lowest);
			continue;
		}
		if (!module || module->index != core->number) {
			module = report_branch(domain->node, KEY_MAP_MODULE, core->number);
			inside = 0;
		}
		report_core(module, domain, core, inside++);
	}
}

void core_map_report(struct machine_status *status)
{
	for (size_t i = 0; i < status->domain_count; i++) {
		const struct domain_status *domain = &status->domains[i];
		const struct isst_result *level = levels_get(&status->levels, domain->unit, 0);
		struct failure failure = failure_of(domain->core_power, ISST_PART_RESULT);

		if (!domain->node)
			continue;
		if (level)
			level_failures(status->run, level);
		if (failure.error != -EOPNOTSUPP)
			run_failure(status->run, failure);
		report_map(status, domain);
	}
}
