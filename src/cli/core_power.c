/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of core-power: ask the library, fill the report. Must not know output formats. */
#include "handlers.h"
#include "reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_state(struct report_node *unit, const struct isst_result *state)
{
	struct report_node *node = report_branch(unit, KEY_CORE_POWER, 0);
	unsigned int priority;

	report_flag(node, KEY_SUPPORT_STATUS, state, ISST_VALUE_CORE_POWER_SUPPORTED);
	report_flag(node, KEY_ENABLE_STATUS, state, ISST_VALUE_CORE_POWER_ENABLED);
	report_flag(node, KEY_CLOS_ENABLE_STATUS, state, ISST_VALUE_CLOS_ENABLED);
	if (isst_result_value(state, ISST_VALUE_PRIORITY, &priority) == 0)
		report_word(node, KEY_PRIORITY_TYPE,
			    priority == ISST_PRIORITY_ORDERED ? "ordered" : "proportional");
}

void core_power_info(struct run *run)
{
	const struct question question = { .read = isst_read_core_power };

	show_domains(run, &question, show_state);
}

static void show_clos(struct report_node *unit, const struct isst_result *clos)
{
	struct report_node *node = report_branch(unit, KEY_CORE_POWER, 0);

	report_value(node, KEY_CLOS, clos, ISST_VALUE_CLOS);
	report_value(node, KEY_EPP, clos, ISST_VALUE_CLOS_EPP);
	report_value(node, KEY_CLOS_WEIGHT, clos, ISST_VALUE_CLOS_WEIGHT);
	report_value(node, KEY_CLOS_MIN, clos, ISST_VALUE_CLOS_MIN_MHZ);
	report_value(node, KEY_CLOS_MAX, clos, ISST_VALUE_CLOS_MAX_MHZ);
	report_value(node, KEY_CLOS_DESIRED, clos, ISST_VALUE_CLOS_DESIRED_MHZ);
}

void core_power_get_config(struct run *run)
{
	const struct question question = { .read = isst_read_clos,
					   .value = ISST_VALUE_CLOS,
					   .option = OPTION_CLOS };

	show_domains(run, &question, show_clos);
}

/** Adds the CPUs whose results have a message. Returns false if one before @i has it, or without
 * memory. */
static bool add_cpus_with(const struct isst_results *results, size_t i, const char *message,
			  struct isst_cpuset *cpus)
{
	const struct isst_result *other;

	for (size_t k = 0; (other = isst_results_at(results, k)) != NULL; k++) {
		const char *why = isst_result_message(other, ISST_PART_RESULT);
		unsigned int number = isst_cpu_number(isst_result_cpu(other));

		if (!why || strcmp(why, message) != 0)
			continue;
		if (k < i)
			return false;
		if (isst_cpuset_add(cpus, number, number))
			break;
	}
	return true;
}

/** Several CPUs share a core, and then its failure: it is reported once, with all of them. */
static void report_core_failure(struct run *run, const struct isst_results *results, size_t i)
{
	struct failure failure = failure_of(isst_results_at(results, i), ISST_PART_RESULT);
	struct isst_cpuset *cpus = isst_cpuset_new();
	char *message = NULL, *named = NULL;

	if (cpus && !add_cpus_with(results, i, failure.message, cpus))
		goto out;
	named = cpus ? isst_cpuset_to_list(cpus) : NULL;
	if (named && isst_cpuset_count(cpus) > 1 &&
	    asprintf(&message, "%s (CPUs %s)", failure.message, named) >= 0)
		failure.message = message;
	run_result(run, &failure, true);
out:
	isst_cpuset_free(cpus);
	free(named);
	free(message);
}

static void show_association(struct run *run, const struct isst_results *results, size_t i)
{
	const struct unit *unit = &run->targets.units[i];
	const struct isst_result *result = isst_results_at(results, i);

	if (isst_result_error(result, ISST_PART_RESULT))
		report_core_failure(run, results, i);
	else
		report_value(report_branch(unit_report(unit, run->context, run->report),
					   KEY_GET_ASSOC, 0),
			     KEY_CLOS, result, ISST_VALUE_CLOS);
}

void core_power_get_assoc(struct run *run)
{
	struct isst_targets *targets = cpu_targets(run);
	struct isst_results *results = NULL;
	int error;

	if (!targets)
		return;
	error = isst_read_clos_associations(run->context, targets, NULL, 0, &results);
	if (!results)
		run_call(run, error);
	for (size_t i = 0; i < isst_results_count(results); i++)
		show_association(run, results, i);
	isst_results_free(results);
	isst_targets_free(targets);
}
