/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel does to frequencies: limits of cpufreq, governors, turbo, SMT. */
#include "common/number.h"
#include "explain/findings.h"
#include "features/planning.h"
#include "sysfs/system.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { HIGH_EPP = 192 };

/* min_perf_pct of boot does not follow the level: only a value far above the lowest was set. */
enum { ALL_PERCENT = 100, HIGH_PERCENT = 50 };

/** What a high lower limit means. */
#define NOTHING_TO_DO "CPUs with nothing to do take power that others could use"

/* ---- Each CPU ---- */

static void check_limit(struct findings *findings, const struct survey_domain *domain,
			const struct survey_cpu *cpu, bool max)
{
	const struct frequency_limits *now = &cpu->limits.now, *all = &cpu->limits.processor;
	const char *owners = cpu->limit_owners[max ? CPUFREQ_MAX : CPUFREQ_MIN];
	bool preset = findings->survey->context->platform.preset;
	bool at_base = preset && cpu->base_khz > 0 && now->max_khz == cpu->base_khz &&
		       now->min_khz == cpu->base_khz;
	uint64_t khz = max ? now->max_khz : now->min_khz;
	struct found found = { ISST_FINDING_SCALING_LIMIT, .domain = domain, .cpu = cpu };

	/* High priority cores of SST-BF get a lower limit with it. */
	if (khz == LIMIT_NONE ||
	    (!max && (preset ? at_base : domain->now->level.base_freq == ISST_FEATURE_ENABLED)))
		return;
	if (max && at_base) {
		found.severity = ISST_SEVERITY_NOTE;
		found.meaning = "base-freq enable limits each CPU to its base frequency here: none "
				"reaches turbo";
		if (!found_disable(&found, domain, FEATURE_BASE_FREQ)) {
			found.kind = REMEDY_COMMAND;
			found.remedy = "base-freq disable";
		}
	} else if (max) {
		found.applied = survey_applies(domain, cpu, SUBJECT_SCALING_MAX, INDEX_ALL, khz);
		found.meaning = "the kernel does not ask for more than its upper limit";
		found.remedy = "cpu {cpus}: scaling-max none";
	} else {
		found.severity = ISST_SEVERITY_NOTE;
		found.meaning = NOTHING_TO_DO;
		found.remedy = "cpu {cpus}: scaling-min none";
	}
	if (owners) {
		found.kind = REMEDY_TEXT;
		found.meaning =
			"the kernel obeys the tightest limit of several owners, and others than "
			"the user have one: a configuration lifts the user's only";
		found.remedy = "lift the limit of the other owner first: of a cooling device by "
			       "cooling, bios_limit in the BIOS, max_perf_pct and min_perf_pct by "
			       "writing to them";
	}
	findings_add(findings, &found,
		     "scaling_%s_freq %" PRIu64 " MHz, cpuinfo_%s_freq %" PRIu64
		     " MHz (cpufreq)%s%s",
		     max ? "max" : "min", khz / KHZ_PER_MHZ, max ? "max" : "min",
		     (max ? all->max_khz : all->min_khz) / KHZ_PER_MHZ, owners ? ", " : "",
		     owners ? owners : "");
}

/** Governors that are slow. intel_pstate chooses frequencies itself: its powersave is not. */
static void check_governor(struct findings *findings, const struct survey_domain *domain,
			   const struct survey_cpu *cpu)
{
	static const struct {
		const char *name;
		int severity;
		const char *meaning; /* NULL: that of the code */
	} SLOW[] = {
		{ "powersave", ISST_SEVERITY_WARNING, NULL },
		{ "userspace", ISST_SEVERITY_NOTE, "the frequency is the one that a program set" },
		{ "conservative", ISST_SEVERITY_NOTE, "frequencies rise slowly under load" },
	};
	const char *driver = findings->survey->driver;

	for (size_t i = 0; i < sizeof(SLOW) / sizeof(SLOW[0]); i++)
		if (strcmp(cpu->governor, SLOW[i].name) == 0 &&
		    !(driver && strcmp(driver, "intel_pstate") == 0))
			findings_add(findings,
				     &(struct found){ ISST_FINDING_GOVERNOR,
						      .severity = SLOW[i].severity,
						      .meaning = SLOW[i].meaning, .domain = domain,
						      .cpu = cpu },
				     "scaling_governor %s, scaling_driver %s (cpufreq)",
				     cpu->governor, driver ? driver : "?");
}

/** A word of the kernel, or the number of the register: 0 performance to 255 power. */
static bool is_slow_preference(const char *preference)
{
	uint64_t number;

	return strcmp(preference, "power") == 0 || strcmp(preference, "balance_power") == 0 ||
	       (number_parse(preference, 10, UINT8_MAX, &number) == 0 && number >= HIGH_EPP);
}

/* ---- Why there is no cpufreq, or no HWP ---- */

static bool has_parameter(const struct survey *survey, const char *parameter)
{
	const char *at = survey->command_line;
	size_t length = strlen(parameter);

	while (at && (at = strstr(at, parameter)) != NULL) {
		if ((at == survey->command_line || at[-1] == ' ') &&
		    (at[length] == '\0' || at[length] == ' ' || at[length] == '\n'))
			return true;
		at += length;
	}
	return false;
}

/** Finds that files of cpufreq are missing, or those that it has with HWP, with what is known of
 * the cause; nothing is guessed. */
static void check_missing(struct findings *findings, const struct survey_domain *domain,
			  const struct survey_cpu *cpu, bool hwp)
{
	static const char *const PARAMETERS[] = { "intel_pstate=disable", "cpufreq.off=1",
						  "intel_pstate=no_hwp", NULL };
	const struct survey *survey = findings->survey;
	struct found found = { hwp ? ISST_FINDING_HWP_OFF : ISST_FINDING_NO_CPUFREQ,
			       .domain = domain, .cpu = cpu };
	const char *what = "there is no directory cpufreq (/sys/devices/system/cpu/cpuN)";
	const char *const *parameter = PARAMETERS, *cause = "";

	while (*parameter && !has_parameter(survey, *parameter))
		parameter++;
	if (*parameter) {
		cause = FINDING_TEXT(findings, "; the kernel was booted with %s (/proc/cmdline)",
				     *parameter);
		found.remedy = FINDING_TEXT(findings, "boot without %s", *parameter);
	} else if (survey->flags && strstr(survey->flags, " hypervisor ")) {
		cause = "; this is a virtual machine (flag hypervisor, /proc/cpuinfo)";
		found.remedy = "look at frequencies on the host";
	} else if (survey->flags && !strstr(survey->flags, " hwp ")) {
		cause = "; the processor has no flag hwp (/proc/cpuinfo)";
		found.remedy = hwp ? "enable HWP (Speed Shift) in the BIOS" : NULL;
	} else if (survey->pstate && strcmp(survey->pstate, "off") == 0) {
		cause = "; intel_pstate/status is off";
		found.remedy = "echo active > /sys/devices/system/cpu/intel_pstate/status";
	}
	if (hwp)
		what = FINDING_TEXT(findings, "scaling_driver %s, without base_frequency (cpufreq)",
				    survey->driver ? survey->driver : "?");
	findings_add(findings, &found, "%s%s", what, cause);
}

static void check_cpu(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_cpu *cpu)
{
	if (!cpu->read)
		return;
	if (!cpu->has_cpufreq) {
		if (cpu->limits.failure.error == -EOPNOTSUPP)
			check_missing(findings, domain, cpu, false);
		return;
	}
	check_limit(findings, domain, cpu, true);
	check_limit(findings, domain, cpu, false);
	if (cpu->governor)
		check_governor(findings, domain, cpu);
	if (cpu->preference && is_slow_preference(cpu->preference))
		findings_add(findings,
			     &(struct found){ ISST_FINDING_EPP, .domain = domain, .cpu = cpu },
			     "energy_performance_preference %s (cpufreq)", cpu->preference);
	if (!cpu->base_khz)
		check_missing(findings, domain, cpu, true);
}

/* ---- The machine ---- */

/** Limits for all CPUs, in parts of the highest frequency. */
static void check_percentages(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	unsigned int max = survey->max_perf_pct, min = survey->min_perf_pct;
	const struct frequency_limits *processor = survey_processor(survey);
	uint64_t highest_khz = processor->max_khz ? processor->max_khz : 1;
	unsigned int lowest = (unsigned int)(processor->min_khz * ALL_PERCENT / highest_khz);
	struct found found = { .code = ISST_FINDING_PERF_PCT_LIMIT };

	if (max > 0 && max < ALL_PERCENT) {
		found.meaning = "the kernel does not ask for more than this part, in percent, of "
				"the highest frequency";
		found.remedy = "echo 100 > /sys/devices/system/cpu/intel_pstate/max_perf_pct";
		findings_add(findings, &found,
			     "max_perf_pct %u (/sys/devices/system/cpu/intel_pstate)", max);
	}
	if (lowest == 0 || lowest >= HIGH_PERCENT || min < HIGH_PERCENT)
		return;
	found.severity = ISST_SEVERITY_NOTE;
	found.meaning = NOTHING_TO_DO;
	found.remedy = FINDING_TEXT(
		findings, "echo %u > /sys/devices/system/cpu/intel_pstate/min_perf_pct", lowest);
	findings_add(findings, &found,
		     "min_perf_pct %u (/sys/devices/system/cpu/intel_pstate); the lowest frequency "
		     "is %u percent of the highest",
		     min, lowest);
}

void check_cpufreq(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	struct found smt_off = { ISST_FINDING_SMT_OFF,
				 .remedy = "echo on > /sys/devices/system/cpu/smt/control" };

	if (survey->turbo == TURBO_OFF)
		findings_add(findings, &(struct found){ .code = ISST_FINDING_TURBO_DISABLED },
			     "no_turbo 1 (/sys/devices/system/cpu/intel_pstate)");
	check_percentages(findings);
	if (survey->smt && strcmp(survey->smt, "forceoff") == 0)
		smt_off.remedy = "boot without nosmt=force";
	if (survey->smt && hotplug_smt_is_off(survey->smt))
		findings_add(findings, &smt_off, "smt/control %s (/sys/devices/system/cpu)",
			     survey->smt);
	survey_for_each_domain (domain, survey)
		survey_for_each_cpu (cpu, domain)
			check_cpu(findings, domain, cpu);
}
