/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel does to frequencies: limits of cpufreq, governors, turbo, SMT. */
#include "explain/checks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KHZ_PER_MHZ = 1000, HIGH_EPP = 192 };

/* ---- Each CPU ---- */

static void check_max(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_cpu *cpu)
{
	const struct scaling_limits *limits = &cpu->limits;
	struct isst_finding *finding;

	if (limits->now.max_khz == LIMIT_NONE)
		return;
	finding = findings_note(
		findings, ISST_FINDING_SCALING_LIMIT,
		"scaling_max_freq %" PRIu64 " MHz, cpuinfo_max_freq %" PRIu64 " MHz (cpufreq)",
		limits->now.max_khz / KHZ_PER_MHZ, limits->processor.max_khz / KHZ_PER_MHZ);
	finding_explain(findings, finding, "the kernel does not ask for more than its upper limit",
			"scaling-max none = {cpus}");
	finding_add_cpu(findings, finding, domain, cpu->cpu->number);
}

/** High priority cores of SST-BF get a lower limit with it. */
static void check_min(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_cpu *cpu)
{
	const struct scaling_limits *limits = &cpu->limits;
	struct isst_finding *finding;

	if (limits->now.min_khz == LIMIT_NONE || domain->level.base_freq == ISST_FEATURE_ENABLED ||
	    findings->survey->context->platform.preset)
		return;
	finding = findings_note(
		findings, ISST_FINDING_SCALING_LIMIT,
		"scaling_min_freq %" PRIu64 " MHz, cpuinfo_min_freq %" PRIu64 " MHz (cpufreq)",
		limits->now.min_khz / KHZ_PER_MHZ, limits->processor.min_khz / KHZ_PER_MHZ);
	if (finding)
		finding->severity = ISST_SEVERITY_NOTE;
	finding_explain(findings, finding,
			"CPUs with nothing to do take power that others could use",
			"scaling-min none = {cpus}");
	finding_add_cpu(findings, finding, domain, cpu->cpu->number);
}

/** Whether intel_pstate chooses frequencies itself: its powersave is not slow. */
static bool has_own_policies(const struct survey *survey)
{
	return survey->driver && strcmp(survey->driver, "intel_pstate") == 0;
}

static bool is_slow_governor(const struct survey *survey, const char *governor)
{
	static const char *const SLOW[] = { "powersave", "userspace", "conservative" };

	if (has_own_policies(survey))
		return false;
	for (size_t i = 0; i < sizeof(SLOW) / sizeof(SLOW[0]); i++)
		if (strcmp(governor, SLOW[i]) == 0)
			return true;
	return false;
}

/** A word of the kernel, or the number of the register: 0 performance to 255 power. */
static bool is_slow_preference(const char *preference)
{
	uint64_t number;

	return strcmp(preference, "power") == 0 || strcmp(preference, "balance_power") == 0 ||
	       (isst_parse_number(preference, 10, UINT8_MAX, &number) == 0 && number >= HIGH_EPP);
}

static void check_policy(struct findings *findings, const struct survey_domain *domain,
			 const struct survey_cpu *cpu)
{
	const struct survey *survey = findings->survey;

	if (cpu->governor && is_slow_governor(survey, cpu->governor))
		finding_add_cpu(findings,
				findings_note(findings, ISST_FINDING_GOVERNOR,
					      "scaling_governor %s, scaling_driver %s (cpufreq)",
					      cpu->governor, survey->driver ? survey->driver : "?"),
				domain, cpu->cpu->number);
	if (cpu->preference && is_slow_preference(cpu->preference))
		finding_add_cpu(findings,
				findings_note(findings, ISST_FINDING_EPP,
					      "energy_performance_preference %s (cpufreq)",
					      cpu->preference),
				domain, cpu->cpu->number);
	if (!cpu->base_khz)
		finding_add_cpu(findings,
				findings_note(findings, ISST_FINDING_HWP_OFF,
					      "scaling_driver %s, without base_frequency (cpufreq)",
					      survey->driver ? survey->driver : "?"),
				domain, cpu->cpu->number);
}

static void check_cpu(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_cpu *cpu)
{
	if (!cpu->read)
		return;
	if (cpu->has_cpufreq) {
		check_max(findings, domain, cpu);
		check_min(findings, domain, cpu);
		check_policy(findings, domain, cpu);
	} else if (cpu->limits.failure.error == -EOPNOTSUPP) {
		finding_add_cpu(findings,
				findings_note(findings, ISST_FINDING_NO_CPUFREQ,
					      "there is no directory cpufreq "
					      "(/sys/devices/system/cpu/cpuN)"),
				domain, cpu->cpu->number);
	}
}

/* ---- The machine ---- */

static void check_turbo(struct findings *findings)
{
	if (findings->survey->turbo == TURBO_OFF)
		findings_note(findings, ISST_FINDING_TURBO_DISABLED,
			      "no_turbo 1 (/sys/devices/system/cpu/intel_pstate)");
}

static void check_smt(struct findings *findings)
{
	const char *smt = findings->survey->smt;
	bool forced;

	if (!smt || !hotplug_smt_is_off(smt))
		return;
	forced = strcmp(smt, "forceoff") == 0;
	finding_explain(findings,
			findings_note(findings, ISST_FINDING_SMT_OFF,
				      "smt/control %s (/sys/devices/system/cpu)", smt),
			NULL,
			forced ? "boot without nosmt=force"
			       : "echo on > /sys/devices/system/cpu/smt/control");
}

void check_cpufreq(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	check_turbo(findings);
	check_smt(findings);
	for (size_t i = 0; i < survey->count; i++)
		for (size_t j = 0; j < survey->domains[i].cpu_count; j++)
			check_cpu(findings, &survey->domains[i], &survey->domains[i].cpus[j]);
}
