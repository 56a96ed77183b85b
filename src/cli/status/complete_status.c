/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a complete report has of the state of the machine, and a screen has not: what concerns whole
 * packages; and how the machine differs from a configuration. Must not know output formats.
 */
#include "../run/config.h"
#include "limits_found.h"

/* ---- A configuration ---- */

void config_status_report(struct run *run)
{
	struct report_node *top;

	if (!config_matches(run) ||
	    config_call(run, run->config, isst_config_check(run->config, run->context, 0)) != 0)
		return;
	run_report_notices(run);
	top = report_branch(report_unit(run->report, NULL, 0), KEY_CONFIGURATION, 0);
	config_report_comparison(run, top);
}

/* ---- Packages ---- */

/** The largest number of the levels in force in a package, or of their summaries. */
static void report_largest(struct machine_status *status, unsigned int package,
			   struct report_node *node, enum key_id key, int id)
{
	unsigned int largest = 0, value;
	bool any = false;

	for (size_t i = 0; i < status->run->targets.unit_count; i++) {
		const struct unit *unit = &status->run->targets.units[i];
		const struct isst_result *level = levels_get(&status->levels, unit, 0);

		if (unit->place.package != package || isst_domain_is_io(unit->domain) || !level ||
		    isst_result_value(level, id, &value) != 0)
			continue;
		if (id == ISST_VALUE_HIGHEST_LEVEL && !value_of(level, ISST_VALUE_ENABLED))
			value = 0;
		largest = !any || value > largest ? value : largest;
		any = true;
	}
	if (any && key == KEY_STATUS_LOCK)
		report_state(node, key, largest);
	else if (any)
		report_number(node, key, largest);
}

/** What the hardware holds back, each reason once: more or less may have been read for other CPUs.
 * What cannot be read is in no format that this is for. */
static void report_reasons(struct report_node *node, const struct isst_explanation *explanation,
			   unsigned int package)
{
	const struct isst_finding *finding;
	unsigned int count = 0;
	int reported = 0;

	/* Those of the same code follow each other. */
	for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)) != NULL; i++) {
		if (!finding_is_limit_of(finding, package) ||
		    isst_finding_code(finding) == reported)
			continue;
		reported = isst_finding_code(finding);
		report_word(report_branch(node, KEY_FINDING, count++), KEY_FINDING_CODE,
			    isst_finding_name(finding));
	}
}

static void report_package(struct machine_status *status, const struct isst_results *levels,
			   unsigned int package)
{
	const struct report_step path = { &keys[KEY_PACKAGE], package };
	struct report_node *node = report_unit(status->run->report, &path, 1);
	const struct isst_explanation *explanation = limits_explanation(status);

	report_largest(status, package, node, KEY_STATUS_HIGHEST_LEVEL, ISST_VALUE_HIGHEST_LEVEL);
	report_largest(status, package, node, KEY_STATUS_LOCK, ISST_VALUE_LOCKED);
	report_largest(status, package, node, KEY_POWER, ISST_VALUE_TDP_W);
	report_largest(status, package, node, KEY_TJUNCTION_MAX, ISST_VALUE_TJUNCTION_C);
	high_priority_package_report(status, levels, package, node);
	report_reasons(node, explanation, package);
}

/** Reports what could not be read of SST-TF, unless something was reported before: what is read for
 * high priority cores is the same. */
static void report_failures(struct run *run, const struct isst_results *levels)
{
	const struct isst_result *level;

	if (run->status != STATUS_DONE)
		return;
	for (size_t i = 0; (level = isst_results_at(levels, i)) != NULL; i++) {
		struct failure summary = failure_of(level, ISST_PART_PERF_PROFILE);

		run_failure(run, &summary);
		level_failures(run, level);
	}
}

void complete_status_report(struct machine_status *status)
{
	struct isst_results *levels = high_priority_levels(status);

	report_failures(status->run, levels);
	for (size_t i = 0; i < status->domain_count; i++) {
		unsigned int package = isst_domain_package(status->domains[i].domain);

		if (i == 0 || package != isst_domain_package(status->domains[i - 1].domain))
			report_package(status, levels, package);
	}
	isst_results_free(levels);
}
