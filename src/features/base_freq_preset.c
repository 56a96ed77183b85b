/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-BF where the BIOS has set it up for good: on and off are limits of cpufreq that hold every
 * CPU at its own base frequency. */
#include "features/planning.h"
#include "sysfs/cpufreq.h"
#include "transaction/report.h"
#include "transaction/steps.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>

static const struct preset_limits NO_LIMITS = { .max_khz = CPUFREQ_NO_LIMIT, .min_khz = 0 };

/** The steps: the upper limit first, since it wins where the lower one is above it. */
struct preset_steps {
	struct step *max, *min;
	enum turbo_state turbo;
};

/** All of a domain or nothing. Returns 0, also where @request was refused, or -ENOMEM. */
static int plan_domain(struct isst_change *change, struct domain_request *request,
		       const struct preset_steps *steps, bool enable)
{
	const struct isst_domain *domain = request->domain;
	struct preset_limits *limits = calloc(isst_cpuset_count(domain->online) + 1,
					      sizeof(*limits));
	const char *missing = NULL;
	struct item max;
	unsigned int cpu;
	size_t count = 0;
	int error = limits ? 0 : -ENOMEM;

	isst_cpuset_for_each (cpu, domain->online) {
		if (error)
			break;
		limits[count] = NO_LIMITS;
		error = cpufreq_hides_limit(&change->context->files, cpu, steps->turbo,
					    &limits[count].hidden);
		if (!error && enable)
			error = preset_find_limits(&change->context->files, cpu, &missing,
						   &limits[count]);
		if (error == -ENOENT)
			request_reject(change, request, -EOPNOTSUPP,
				       "CPU %u has no %s in cpufreq, which needs intel_pstate with "
				       "hardware-controlled performance states (HWP)",
				       cpu, missing);
		else if (error && error != -ENOMEM)
			request_reject(change, request, error, "%s", isst_error(change->context));
		count++;
	}
	count = 0;
	isst_cpuset_for_each (cpu, domain->online) {
		if (error)
			break;
		max = item_of(ITEM_SCALING_MAX, domain, cpu);
		if (limits[count].hidden)
			step_set_hidden(steps->max, max, limits[count].max_khz, CPUFREQ_NO_LIMIT);
		else
			step_set(steps->max, max, WHOLE_VALUE, limits[count].max_khz);
		step_set(steps->min, item_of(ITEM_SCALING_MIN, domain, cpu), WHOLE_VALUE,
			 limits[count++].min_khz);
	}
	free(limits);
	return error == -ENOMEM ? error : 0;
}

int plan_preset_base_freq(struct isst_change *change, struct domain_request *requests, size_t count,
			  bool enable, bool automatic)
{
	struct current_state current = { 0 };
	const struct state_needs needs = { .levels = REQUIRED, .choice = LEVEL_CURRENT };
	bool *restored = calloc(count + 1, sizeof(*restored));
	struct preset_steps steps;
	size_t first = change->count;
	int error = restored ? current_state_read(change, requests, count, &needs, &current)
			     : -ENOMEM;

	if (!error && enable)
		warn_of_cpufreq(change, requests, count, true);
	else if (!error && automatic)
		error = plan_restoring(change, FEATURE_BASE_FREQ, requests, &current, restored,
				       NULL);
	steps.max = change_step(change, ITEM_SCALING_MAX);
	steps.min = change_step(change, ITEM_SCALING_MIN);
	if (!error)
		error = change_turbo_state(change, &steps.turbo);
	for (size_t i = 0; i < count && !error; i++)
		if (request_is_active(&requests[i]) && !restored[i])
			error = plan_domain(change, &requests[i], &steps, enable);
	if (!error)
		error = change_turbo_state(change, &steps.turbo);
	for (size_t i = 0; i < count && !error; i++) {
		if (!request_is_active(&requests[i]))
			continue;
		if (enable && automatic)
			error = settings_level(change, requests[i].domain, 0);
		else if (!enable)
			change_warn(change, ISST_WARNING_NOTHING_TO_DISABLE,
				    "%s: base-freq is configured by the BIOS and stays enabled: "
				    "but for limits of cpufreq, there is nothing to disable",
				    requests[i].domain->name);
	}
	if (!error && enable && automatic)
		error = settings_save(change, feature_name(FEATURE_BASE_FREQ), NULL, first);
	current_state_free(&current);
	free(restored);
	return error;
}
