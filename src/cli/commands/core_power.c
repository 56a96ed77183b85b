/* SPDX-License-Identifier: BSD-3-Clause */
#include "../process/xalloc.h"
#include "../run/handlers.h"
#include "../run/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Associations ---- */

/** CPUs of a core share its failure: what is alike is one message in the end. */
static void report_core_failure(struct run *run, const struct isst_result *result)
{
	struct failure failure = failure_of(result, ISST_PART_RESULT);
	char *message = NULL;

	/* Some messages begin with it. */
	if (failure.error && strncmp(failure.message, "CPU", 3) != 0) {
		message = xasprintf("%s (CPU %u)", failure.message,
				    isst_cpu_number(isst_result_cpu(result)));
		failure.message = message;
	}
	run_result(run, failure, true);
	free(message);
}

/* ---- By CLOS ---- */

enum { CLOS_COUNT = 4 };

/** Reports the CPUs of a unit's domain whose cores are in each CLOS, where any could be read. */
static void report_unit_by_clos(struct run *run, const struct unit *unit,
				const struct isst_results *results)
{
	struct report_node *cpus[CLOS_COUNT], *node = NULL;
	const struct isst_result *result;

	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++) {
		const struct isst_cpu *cpu = isst_result_cpu(result);
		unsigned int clos, number = isst_cpu_number(cpu);

		if (isst_cpu_domain(cpu) != unit->domain ||
		    isst_result_error(result, ISST_PART_RESULT))
			continue;
		if (!node) {
			node = report_branch(unit_report(run, unit), KEY_GET_ASSOC, 0);
			for (clos = 0; clos < CLOS_COUNT; clos++)
				cpus[clos] = report_cpu_ranges(node, KEY_CLOS_CPUS, clos, NULL);
		}
		if (isst_result_value(result, ISST_VALUE_CLOS, &clos) == 0 && clos < CLOS_COUNT)
			xcall(isst_cpuset_add(cpus[clos]->cpus, number, number));
	}
	/* What CPUs have in common: the unit is no CPU, though one stands for it. */
	if (node && unit->is_cpu)
		run->report->last->of_cpu = false;
}

void core_power_get_assoc(struct run *run)
{
	const struct question question = { .read = ISST_READ_CLOS_ASSOCIATIONS };
	bool by_clos = request_has(run->request, OPTION_BY_CLOS);
	struct isst_targets *targets = run->targets.named ? cpu_targets(run)
							  : xcheck(isst_targets_new(run->context));
	struct isst_results *results;

	/* All CPUs that are online, where none are named. */
	for (size_t i = 0; i < run->targets.domain_count && !run->targets.named; i++)
		xcall(isst_targets_add_cpus(targets,
					    isst_domain_online_cpus(run->targets.domains[i])));
	results = read_targets(run, targets, &question);
	for (size_t i = 0; i < isst_results_count(results); i++)
		report_core_failure(run, isst_results_at(results, i));
	for (size_t i = 0; results && i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *result = isst_results_at(results, i);

		if (by_clos && unit->first)
			report_unit_by_clos(run, unit, results);
		else if (!by_clos && isst_result_error(result, ISST_PART_RESULT))
			report_unread(run, unit, failure_of(result, ISST_PART_RESULT),
				      KEY_GET_ASSOC, NULL);
		else if (!by_clos)
			report_value(report_branch(unit_report(run, unit), KEY_GET_ASSOC, 0),
				     KEY_CLOS, result, ISST_VALUE_CLOS);
	}
	isst_results_free(results);
}

/* ---- Changes ---- */

static bool is_so(const struct run *run, int fact)
{
	return isst_platform_fact(run->context, fact) > 0;
}

bool core_power_check_enable(struct run *run)
{
	bool possible = is_so(run, ISST_FACT_PROPORTIONAL_PRIORITY) ||
			!request_has(run->request, OPTION_PRIORITY) ||
			request_number(run->request, OPTION_PRIORITY) != ISST_PRIORITY_PROPORTIONAL;

	if (!possible)
		run_error(run, STATUS_UNSUPPORTED,
			  "Invalid clos priority type: proportional for this platform");
	return possible;
}

/** Options of a class: their defaults, and what scripts of the reference tool are shown for them.
 */
static const struct setting {
	enum option_id option;
	int value;
	bool needs_weight; /* only machines whose CLOS has a weight have it */
	unsigned int otherwise;
	const char *announcement;
	const char *refusal; /* where it is unsupported */
} settings[] = {
	{ OPTION_EPP, ISST_VALUE_CLOS_EPP, true, 0,
	  "clos epp is not specified or invalid, default: 0",
	  "epp can't be specified on this platform" },
	{ OPTION_WEIGHT, ISST_VALUE_CLOS_WEIGHT, true, 0,
	  "clos frequency weight is not specified or invalid, default: 0",
	  "weight can't be specified on this platform" },
	{ OPTION_MIN, ISST_VALUE_CLOS_MIN_MHZ, false, 0, "clos min is not specified, default: 0",
	  NULL },
	{ OPTION_MAX, ISST_VALUE_CLOS_MAX_MHZ, false, ISST_CLOS_NO_LIMIT_MHZ,
	  "clos max is not specified, default: Max frequency (ratio 0xff)", NULL },
	{ .announcement = NULL },
};

void core_power_fill_config(const struct run *run, struct isst_request *request)
{
	xcall(isst_request_set(request, ISST_VALUE_CLOS_DESIRED_MHZ, 0));
	for (const struct setting *row = settings; row->announcement; row++) {
		unsigned int value = request_has(run->request, row->option)
					     ? request_number(run->request, row->option)
					     : row->otherwise;

		/* Scripts of the reference tool that state an EPP on TPMI get a remark. */
		if (row->value == ISST_VALUE_CLOS_EPP && !is_so(run, ISST_FACT_CLOS_EPP))
			value = 0;
		xcall(isst_request_set(request, row->value,
				       row->needs_weight ? value : value / 100 * 100));
	}
}

/** Reports the values used for options that are not given, or not as they are given. */
static void announce_settings(struct run *run)
{
	static const struct {
		enum option_id option;
		const char *name;
	} frequencies[] = { { OPTION_MIN, "min" }, { OPTION_MAX, "max" } };
	const struct request *request = run->request;
	bool weight = is_so(run, ISST_FACT_CLOS_WEIGHT);

	for (const struct setting *row = settings; row->announcement && request->reference; row++)
		if (!request_has(request, row->option) && (weight || !row->needs_weight))
			report_message(run->report, ENTRY_REMARK, "%s", row->announcement);
	if (request_has(request, OPTION_EPP) && !is_so(run, ISST_FACT_CLOS_EPP))
		report_message(run->report, ENTRY_REMARK,
			       "clos epp is not supported on this platform");
	if (request_has(request, OPTION_DESIRED))
		report_message(run->report, ENTRY_REMARK,
			       "clos desired is not supported on this platform");
	for (size_t i = 0; i < sizeof(frequencies) / sizeof(frequencies[0]); i++) {
		unsigned int mhz = request_number(request, frequencies[i].option);

		if (mhz % 100 != 0)
			report_message(run->report, ENTRY_NOTE,
				       "option --%s: %u MHz is not a multiple of 100 MHz, using "
				       "%u MHz",
				       frequencies[i].name, mhz, mhz / 100 * 100);
	}
}

bool core_power_check_config(struct run *run)
{
	bool possible = true;

	for (const struct setting *row = settings; row->announcement; row++) {
		bool epp = row->value == ISST_VALUE_CLOS_EPP && !run->request->reference;

		if (row->needs_weight && request_has(run->request, row->option) &&
		    !is_so(run, epp ? ISST_FACT_CLOS_EPP : ISST_FACT_CLOS_WEIGHT)) {
			run_error(run, STATUS_UNSUPPORTED, "%s", row->refusal);
			possible = false;
		}
	}
	if (possible)
		announce_settings(run);
	return possible;
}
