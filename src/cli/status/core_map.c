/* SPDX-License-Identifier: BSD-3-Clause */
/* `status --map`: each core with its class of service or priority. Must not know output formats. */
#include "../../common/priorities.h"
#include "machine_status.h"

#include <errno.h>

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

/** Whether a core is shown: with --cpu those of the CPUs named. */
static bool is_shown(const struct run *run, const struct core *core)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, core->cpus)
		if (is_named(run, cpu))
			return true;
	return false;
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
static void report_domain(const struct machine_status *status, const struct domain_status *domain)
{
	struct report_node *module = NULL;
	unsigned int inside = 0;

	for (size_t i = 0; i < status->cores.count; i++) {
		const struct core *core = &status->cores.all[i];

		if (core->domain != domain->domain || !is_shown(status->run, core))
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
	struct run *run = status->run;

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct domain_status *domain = &status->domains[unit->slot];
		const struct isst_result *level = levels_get(&status->levels, unit, 0);
		struct failure failure = failure_of(domain->core_power, ISST_PART_RESULT);

		if (!domain->node)
			continue;
		if (level)
			level_failures(run, level);
		if (failure.error != -EOPNOTSUPP)
			run_failure(run, &failure);
		report_domain(status, domain);
	}
}
