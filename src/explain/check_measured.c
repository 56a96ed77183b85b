/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPUs reached while they were kept busy. */
#include "explain/checks.h"

#include <inttypes.h>

/* Interrupts make a measurement a little too low, and 100 MHz are the hardware's step. */
enum { KHZ_PER_MHZ = 1000, TOLERATED_PERCENT = 97, STEP_MHZ = 100 };

static void check_cpu(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_cpu *cpu)
{
	uint64_t mhz = cpu->measured_khz / KHZ_PER_MHZ;
	unsigned int base = level_base_mhz(domain, cpu->cpu->number);

	if (mhz == 0 || base == 0 || mhz * 100 >= (uint64_t)base * TOLERATED_PERCENT)
		return;
	/* CPUs of about the same frequency are one finding. */
	mhz = (mhz + STEP_MHZ / 2) / STEP_MHZ * STEP_MHZ;
	finding_add_cpu(findings,
			findings_note(findings, ISST_FINDING_MEASURED_BELOW_BASE,
				      "about %" PRIu64 " MHz while busy (measured for 0.3 s); the "
				      "base frequency is %u MHz at level %u",
				      mhz, base, domain->level.level),
			domain, cpu->cpu->number);
}

void check_measured(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	for (size_t i = 0; i < survey->count; i++)
		for (size_t j = 0; j < survey->domains[i].cpu_count; j++)
			check_cpu(findings, &survey->domains[i], &survey->domains[i].cpus[j]);
}
