/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds back CPUs by intention. It is of interest for CPUs that were named, not on a machine
 * as a whole, which has been configured so. */
#include "explain/checks.h"

enum { LAST_HIGH_CLOS = 1, KHZ_PER_MHZ = 1000 };

/** The highest frequency that cpufreq shows; 0: unknown. */
static unsigned int highest_mhz(const struct survey_cpu *cpu)
{
	return cpu->has_cpufreq ? (unsigned int)(cpu->limits.processor.max_khz / KHZ_PER_MHZ) : 0;
}

/** What SST-TF clips a CPU to; 0: nothing, or unknown. */
static unsigned int clip_mhz(const struct survey_domain *domain, const struct survey_cpu *cpu)
{
	const struct isst_value *clip = &domain->level.turbo_freq_info.clip_mhz[0];

	if (!survey_has_level(domain) || domain->level.turbo_freq != ISST_FEATURE_ENABLED ||
	    !survey_core_power_is_on(domain) || !cpu->clos_known || cpu->clos <= LAST_HIGH_CLOS)
		return 0;
	return clip->state == ISST_KNOWN ? clip->value : 0;
}

static void check_priority(struct findings *findings, const struct survey_domain *domain,
			   const struct survey_cpu *cpu)
{
	unsigned int clip = clip_mhz(domain, cpu), highest = highest_mhz(cpu);

	if (clip == 0 || (highest > 0 && clip >= highest))
		return;
	finding_add_cpu(findings,
			findings_note(findings, ISST_FINDING_LOW_PRIORITY,
				      "CLOS %u (core-power get-assoc); turbo-freq is enabled, and "
				      "clips CLOS 2 and 3 to %u MHz (turbo-freq info)",
				      cpu->clos, clip),
			domain, cpu->cpu->number);
}

/** Below the base frequency it is a finding of its own. */
static void check_clos_max(struct findings *findings, const struct survey_domain *domain,
			   const struct survey_cpu *cpu)
{
	const struct isst_clos *config = &domain->clos[cpu->clos % ISST_CLOS_COUNT];
	unsigned int base = level_base_mhz(domain, cpu->cpu->number), highest = highest_mhz(cpu);
	unsigned int clip = clip_mhz(domain, cpu);
	struct isst_finding *finding;

	if (!survey_core_power_is_on(domain) || !cpu->clos_known || config->failure.error)
		return;
	if (config->max_mhz == 0 || config->max_mhz < base || config->max_mhz >= highest ||
	    (clip > 0 && config->max_mhz >= clip))
		return;
	finding = findings_note(findings, ISST_FINDING_CLOS_MAX,
				"CLOS %u: maximum %u MHz (core-power get-config), cpuinfo_max_freq "
				"%u MHz (cpufreq)",
				cpu->clos, config->max_mhz, highest);
	finding_explain(
		findings, finding, NULL,
		message_make(&findings->survey->context->messages, "clos %u max none", cpu->clos));
	finding_add_cpu(findings, finding, domain, cpu->cpu->number);
}

static void check_base(struct findings *findings, const struct survey_domain *domain,
		       const struct survey_cpu *cpu)
{
	const struct isst_level *level = &domain->level;
	unsigned int mhz = level_base_mhz(domain, cpu->cpu->number);
	struct isst_finding *finding;

	if (!survey_has_level(domain) || level->base_freq != ISST_FEATURE_ENABLED || mhz == 0 ||
	    level->base_mhz.state != ISST_KNOWN || mhz >= level->base_mhz.value)
		return;
	finding = findings_note(findings, ISST_FINDING_LOW_BASE_FREQUENCY,
				"base-freq is enabled: base frequency %u MHz (base-freq info), "
				"without it %u MHz (perf-profile info)",
				mhz, level->base_mhz.value);
	if (!findings->survey->context->platform.preset)
		finding_explain(findings, finding, NULL, "base-freq off");
	finding_add_cpu(findings, finding, domain, cpu->cpu->number);
}

void check_named(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	for (size_t i = 0; i < survey->count && survey->named; i++) {
		const struct survey_domain *domain = &survey->domains[i];

		for (size_t j = 0; j < domain->cpu_count; j++) {
			if (!domain->cpus[j].asked)
				continue;
			check_priority(findings, domain, &domain->cpus[j]);
			check_clos_max(findings, domain, &domain->cpus[j]);
			check_base(findings, domain, &domain->cpus[j]);
		}
	}
}
