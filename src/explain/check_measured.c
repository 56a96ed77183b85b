/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPUs reached while they were kept busy. */
#include "explain/checks.h"
#include "explain/packages.h"

#include <inttypes.h>

/* Interrupts make a measurement a little too low, and 100 MHz are the hardware's step. */
enum { KHZ_PER_MHZ = 1000, TOLERATED_PERCENT = 97, STEP_MHZ = 100 };

/** Whether a CPU reaches a limit below the frequency that it is to reach. */
static bool is_at_limit(const struct survey_cpu *cpu, uint64_t limit_mhz, unsigned int mhz)
{
	return limit_mhz < mhz &&
	       cpu->measured_khz / KHZ_PER_MHZ * 100 >= limit_mhz * TOLERATED_PERCENT;
}

/** The limit that a CPU reaches, below a frequency; NULL: none is known. */
static const char *find_limit(const struct findings *findings, const struct survey_domain *domain,
			      const struct survey_cpu *cpu, unsigned int mhz)
{
	struct messages *messages = &findings->survey->context->messages;
	uint64_t khz = cpu->limits.now.max_khz;

	if (cpu->has_cpufreq && khz != LIMIT_NONE && is_at_limit(cpu, khz / KHZ_PER_MHZ, mhz))
		return message_make(messages, "scaling_max_freq is %" PRIu64 " MHz",
				    khz / KHZ_PER_MHZ);
	if (is_at_limit(cpu, clos_max_mhz(domain, cpu), mhz))
		return message_make(messages, "the maximum of CLOS %u is %u MHz", cpu->clos,
				    clos_max_mhz(domain, cpu));
	return NULL;
}

void measured_note(struct findings *findings, int code, const struct survey_domain *domain,
		   const struct survey_cpu *cpu, unsigned int mhz, const char *of_what)
{
	uint64_t measured = cpu->measured_khz / KHZ_PER_MHZ;
	struct isst_finding *finding;
	const char *limit;

	if (measured == 0 || mhz == 0 || measured * 100 >= (uint64_t)mhz * TOLERATED_PERCENT)
		return;
	/* CPUs of about the same frequency are one finding. */
	measured = (measured + STEP_MHZ / 2) / STEP_MHZ * STEP_MHZ;
	limit = find_limit(findings, domain, cpu, mhz);
	finding = findings_note(findings, code,
				"about %" PRIu64 " MHz while busy (measured for 0.3 s); %s "
				"%u MHz at level %u%s%s",
				measured, of_what, mhz, domain->now->level.level, limit ? "; " : "",
				limit ? limit : "");
	if (limit)
		finding_explain(findings, finding,
				"this limit holds the CPUs: it is a finding above",
				"carry out the remedy of that finding, and measure again");
	finding_add_cpu(findings, finding, domain, cpu->cpu->number);
}

static void check_cpu(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_cpu *cpu)
{
	measured_note(findings, ISST_FINDING_MEASURED_BELOW_BASE, domain, cpu,
		      level_base_mhz(domain, cpu->cpu->number), "the base frequency is");
}

/** A package that draws what it may is held there by the frequency of its cores. */
static void check_power(struct findings *findings, const struct power_zone *zone)
{
	enum { UW_PER_MW = 1000, UW_PER_W = 1000000, MW_PER_W = 1000, HALF = 2 };
	const struct survey *survey = findings->survey;
	uint64_t mw = powercap_mw(zone);
	struct isst_finding *finding;

	if (mw * 100 < zone->limit_uw / UW_PER_MW * TOLERATED_PERCENT)
		return;
	finding = findings_note(findings, ISST_FINDING_PACKAGE_AT_POWER_LIMIT,
				"about %" PRIu64
				" W while CPUs were measured; the limit is %" PRIu64
				" W (constraint long_term, /sys/class/powercap)",
				(mw + MW_PER_W / HALF) / MW_PER_W, zone->limit_uw / UW_PER_W);
	for (size_t i = 0; i < survey->count; i++) {
		const struct isst_domain *domain = survey->domains[i].domain;

		if (powercap_zone(&survey->power, domain->package, domain->die) == zone)
			finding_add_place(findings, finding, &survey->domains[i]);
	}
}

void check_measured(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	for (size_t i = 0; i < survey->power.count; i++)
		if (survey->power.zones[i].time_ns)
			check_power(findings, &survey->power.zones[i]);

	for (size_t i = 0; i < survey->count; i++)
		for (size_t j = 0; j < survey->domains[i].cpu_count; j++)
			check_cpu(findings, &survey->domains[i], &survey->domains[i].cpus[j]);
}
