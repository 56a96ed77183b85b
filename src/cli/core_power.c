/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of core-power: ask the library, fill the report. Must not know output formats. */
#include "handlers.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report_state_of(struct report_node *parent, const struct isst_core_power *state)
{
	struct report_node *node = report_branch(parent, KEY_CORE_POWER, 0);

	report_state(node, KEY_SUPPORT_STATUS, state->supported);
	report_state(node, KEY_ENABLE_STATUS, state->enabled);
	if (state->clos_failure.error)
		return;
	report_state(node, KEY_CLOS_ENABLE_STATUS, state->clos_enabled);
	report_word(node, KEY_PRIORITY_TYPE,
		    state->priority == ISST_ORDERED ? "ordered" : "proportional");
}

void core_power_info(struct run *run)
{
	const struct targets *targets = &run->targets;
	struct isst_core_power *states = calloc(targets->domain_count + 1, sizeof(*states));

	if (!states) {
		run_error(run, STATUS_FAILED, "out of memory");
		return;
	}
	for (size_t slot = 0; slot < targets->domain_count; slot++)
		states[slot].domain = targets->domains[slot];
	if (run_call(run, isst_core_power_read(run->context, states, targets->domain_count)) == 0) {
		for (size_t i = 0; i < targets->unit_count; i++) {
			const struct unit *unit = &targets->units[i];
			const struct isst_core_power *state = &states[unit->slot];

			if (run_result(run, &state->failure, unit->first))
				report_state_of(unit_report(unit, run->context, run->report),
						state);
		}
	}
	free(states);
}

static void report_clos(struct report_node *parent, const struct isst_clos *clos)
{
	struct report_node *node = report_branch(parent, KEY_CORE_POWER, 0);

	report_number(node, KEY_CLOS, clos->clos);
	report_number(node, KEY_EPP, clos->epp);
	report_number(node, KEY_CLOS_WEIGHT, clos->weight);
	report_number(node, KEY_CLOS_MIN, clos->min_mhz);
	report_number(node, KEY_CLOS_MAX, clos->max_mhz);
	report_number(node, KEY_CLOS_DESIRED, clos->desired_mhz);
}

void core_power_get_config(struct run *run)
{
	const struct targets *targets = &run->targets;
	struct isst_clos *configs = calloc(targets->domain_count + 1, sizeof(*configs));

	if (!configs) {
		run_error(run, STATUS_FAILED, "out of memory");
		return;
	}
	for (size_t slot = 0; slot < targets->domain_count; slot++) {
		configs[slot].domain = targets->domains[slot];
		configs[slot].clos = request_number(run->request, OPTION_CLOS);
	}
	if (run_call(run, isst_clos_read(run->context, configs, targets->domain_count)) == 0) {
		for (size_t i = 0; i < targets->unit_count; i++) {
			const struct unit *unit = &targets->units[i];
			const struct isst_clos *clos = &configs[unit->slot];

			if (run_result(run, &clos->failure, unit->first))
				report_clos(unit_report(unit, run->context, run->report), clos);
		}
	}
	free(configs);
}

static void report_association(struct report_node *parent,
			       const struct isst_clos_association *association)
{
	report_number(report_branch(parent, KEY_GET_ASSOC, 0), KEY_CLOS, association->clos);
}

/** Several CPUs share a core, and then its failure: it is told once, with all of them. */
static void report_core_failure(struct run *run, const struct isst_clos_association *list, size_t i)
{
	struct isst_failure failure = list[i].failure;
	struct isst_cpuset *cpus = isst_cpuset_new();
	char *message = NULL, *named = NULL;

	if (!cpus || !failure.message) {
		run_result(run, &failure, true);
		goto out;
	}
	for (size_t k = 0; k < run->targets.unit_count; k++) {
		if (!list[k].failure.message ||
		    strcmp(list[k].failure.message, failure.message) != 0)
			continue;
		if (k < i)
			goto out;
		if (isst_cpuset_add(cpus, list[k].cpu->number, list[k].cpu->number))
			break;
	}
	named = isst_cpuset_ranges(cpus);
	if (named && isst_cpuset_count(cpus) > 1 &&
	    asprintf(&message, "%s (CPUs %s)", failure.message, named) >= 0)
		failure.message = message;
	run_result(run, &failure, true);
out:
	isst_cpuset_free(cpus);
	free(named);
	free(message);
}

void core_power_get_assoc(struct run *run)
{
	const struct targets *targets = &run->targets;
	struct isst_clos_association *list = calloc(targets->unit_count + 1, sizeof(*list));

	if (!list) {
		run_error(run, STATUS_FAILED, "out of memory");
		return;
	}
	for (size_t i = 0; i < targets->unit_count; i++)
		list[i].cpu = isst_cpu(run->context, targets->units[i].cpu);
	if (run_call(run, isst_clos_association_read(run->context, list, targets->unit_count)) ==
	    0) {
		for (size_t i = 0; i < targets->unit_count; i++) {
			if (list[i].failure.error)
				report_core_failure(run, list, i);
			else
				report_association(
					unit_report(&targets->units[i], run->context, run->report),
					&list[i]);
		}
	}
	free(list);
}
