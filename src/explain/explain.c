/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out why CPUs run as they do. */
#include "explain/explain.h"
#include "explain/checks.h"

int explain(const struct survey *survey, struct findings *findings)
{
	static void (*const ALL[])(struct findings * findings) = {
		check_clos,	check_turbo_freq, check_levels,	    check_resume,
		check_cpufreq,	check_reasons,	  check_registers,  check_managers,
		check_measured, check_choices,	  check_advisories, NULL,
	};
	static void (*const LIMITS[])(struct findings * findings) = { check_reasons,
								      check_registers, NULL };
	void (*const *checks)(struct findings * findings) = survey->limits_only ? LIMITS : ALL;

	*findings = (struct findings){ .survey = survey };
	for (size_t i = 0; checks[i] && !findings->error; i++)
		checks[i](findings);
	return findings->error ? findings->error : findings_finish(findings);
}
