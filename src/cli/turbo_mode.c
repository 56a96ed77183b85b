/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of turbo-mode: ask the library, fill the report. Must not know output formats. */
#include "change.h"
#include "handlers.h"

#include <errno.h>
#include <stdlib.h>

static void show_limits(struct run *run, const struct unit *unit,
			const struct isst_turbo_ratio_limits *limits)
{
	struct report_node *node;

	if (!run_result(run, &limits->failure, unit->first))
		return;
	node = unit_report(unit, run->context, run->report);
	report_hex(report_branch(node, KEY_GET_TRL, 0), KEY_TRL, limits->value);
}

void turbo_mode_get_trl(struct run *run)
{
	const struct targets *targets = &run->targets;
	struct isst_turbo_ratio_limits *limits = calloc(targets->domain_count + 1, sizeof(*limits));

	if (!limits) {
		run_error(run, STATUS_FAILED, "out of memory");
		return;
	}
	for (size_t slot = 0; slot < targets->domain_count; slot++)
		limits[slot].domain = targets->domains[slot];
	if (run_call(run, isst_turbo_ratio_limits_read(run->context, limits,
						       targets->domain_count)) == 0) {
		for (size_t i = 0; i < targets->unit_count; i++)
			show_limits(run, &targets->units[i], &limits[targets->units[i].slot]);
	}
	free(limits);
}

static int plan_limits(struct run *run, struct isst_change *change, struct domain_request *requests,
		       size_t count)
{
	return isst_plan_turbo_ratio_limits(change, requests, count,
					    run->request->options.value[OPTION_LIMITS].number);
}

void turbo_mode_set_trl(struct run *run)
{
	change_machine(run, &(struct change_command){ .plan_domains = plan_limits,
						      .feature = KEY_TURBO_MODE,
						      .result = KEY_SET_TRL });
}

static int plan_turbo_mode(struct run *run, struct isst_change *change,
			   struct isst_failure *failures, bool enable)
{
	const struct targets *targets = &run->targets;
	struct cpu_request *requests = calloc(targets->unit_count + 1, sizeof(*requests));
	int error;

	if (!requests)
		return -ENOMEM;
	for (size_t i = 0; i < targets->unit_count; i++)
		requests[i].cpu = isst_cpu(run->context, targets->units[i].cpu);
	error = isst_plan_turbo_mode(change, requests, targets->unit_count, enable);
	for (size_t i = 0; i < targets->unit_count; i++)
		failures[i] = requests[i].failure;
	free(requests);
	return error;
}

static int plan_enable(struct run *run, struct isst_change *change, struct isst_failure *failures)
{
	return plan_turbo_mode(run, change, failures, true);
}

static int plan_disable(struct run *run, struct isst_change *change, struct isst_failure *failures)
{
	return plan_turbo_mode(run, change, failures, false);
}

void turbo_mode_enable(struct run *run)
{
	change_machine(run, &(struct change_command){ .plan_units = plan_enable,
						      .feature = KEY_TURBO_MODE,
						      .result = KEY_ENABLE });
}

void turbo_mode_disable(struct run *run)
{
	change_machine(run, &(struct change_command){ .plan_units = plan_disable,
						      .feature = KEY_TURBO_MODE,
						      .result = KEY_DISABLE });
}
