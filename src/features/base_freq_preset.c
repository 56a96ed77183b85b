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

/** All of a domain or nothing. Returns 0, also where @target was refused, or -ENOMEM. */
static int plan_domain(struct isst_change *change, struct domain_snapshot *target,
		       const struct preset_steps *steps, bool enable)
{
	const struct isst_domain *domain = target->domain;
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
			target_reject(change, domain, &target->failure, -EOPNOTSUPP,
				      "CPU %u has no %s in cpufreq, which needs intel_pstate with "
				      "hardware-controlled performance states (HWP)",
				      cpu, missing);
		else if (error && error != -ENOMEM)
			target_reject(change, domain, &target->failure, error, "%s",
				      isst_error(change->context));
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

int plan_preset_base_freq(struct isst_change *change, struct domain_snapshot *domains, bool enable,
			  bool automatic)
{
	const size_t count = isst_domain_count(change->context);
	struct preset_steps steps;
	size_t first = change->count;
	int error = 0;

	if (enable)
		warn_of_cpufreq(change, domains, domain_is_asked, true);
	else if (automatic)
		error = plan_restoring(change, FEATURE_BASE_FREQ, domains);
	steps.max = change_step(change, ITEM_SCALING_MAX);
	steps.min = change_step(change, ITEM_SCALING_MIN);
	if (!error)
		error = change_turbo_state(change, &steps.turbo);
	for (size_t i = 0; i < count && !error; i++)
		if (domain_is_asked(&domains[i]) && !domains[i].restored)
			error = plan_domain(change, &domains[i], &steps, enable);
	if (!error)
		error = change_turbo_state(change, &steps.turbo);
	for (size_t i = 0; i < count && !error; i++) {
		if (!domain_is_asked(&domains[i]))
			continue;
		if (enable && automatic)
			error = settings_level(change, domains[i].domain, 0);
		else if (!enable)
			change_warn(change, ISST_WARNING_NOTHING_TO_DISABLE,
				    "%s: base-freq is configured by the BIOS and stays enabled: "
				    "but for limits of cpufreq, there is nothing to disable",
				    domains[i].domain->name);
	}
	if (!error && enable && automatic)
		error = settings_save(change, feature_name(FEATURE_BASE_FREQ), NULL, first);
	return error;
}
