/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why the hardware limited frequencies where TPMI does not report it: the bits of MSR 0x64f
 * (Intel's manual: core performance limit reasons), and the kernel's counters of throttling.
 */
#include "explain/checks.h"

#include <inttypes.h>

/* Bit 16 + N is set as bit N is, and stays. */
enum { LOGGED = 16 };

static const struct {
	unsigned int bit;
	int code;
	const char *word, *meaning;
	bool normal; /* it is reached without faults, so that what is logged has no meaning */
} REASONS[] = {
	{ 0, ISST_FINDING_LIMITED_PLATFORM, "PROCHOT",
	  "the platform asked the processor to slow down", false },
	{ 1, ISST_FINDING_LIMITED_THERMAL, "thermal", "the processor was too hot", false },
	{ 4, ISST_FINDING_LIMITED_MISC, "residency state regulation",
	  "the processor limited the time in high P-states", false },
	{ 5, ISST_FINDING_LIMITED_THERMAL, "running average thermal limit",
	  "the processor was too hot on average", false },
	{ 6, ISST_FINDING_LIMITED_PLATFORM, "voltage regulator thermal alert",
	  "a voltage regulator was too hot", false },
	{ 7, ISST_FINDING_LIMITED_CURRENT, "voltage regulator design current",
	  "a voltage regulator reached its limit of the current", false },
	{ 8, ISST_FINDING_LIMITED_MISC, "other", "a reason that the processor does not name",
	  false },
	{ 10, ISST_FINDING_LIMITED_POWER, "PL1", "the long-term power limit was reached", false },
	{ 11, ISST_FINDING_LIMITED_POWER, "PL2", "the short-term power limit was reached", false },
	{ 12, ISST_FINDING_LIMITED_FREQUENCY, "turbo limit",
	  "the turbo frequency for so many active cores was reached, as it is without faults",
	  true },
	{ 13, ISST_FINDING_LIMITED_FREQUENCY, "turbo transition attenuation",
	  "changes of the turbo frequency were made less frequent", true },
};

enum { REASON_COUNT = sizeof(REASONS) / sizeof(REASONS[0]) };

static void check_register(struct findings *findings, const struct survey_domain *domain)
{
	for (size_t i = 0; i < REASON_COUNT; i++) {
		bool now = domain->reasons >> REASONS[i].bit & 1;
		bool logged = domain->reasons >> (REASONS[i].bit + LOGGED) & 1;
		struct isst_finding *finding;

		if (!now && (!logged || REASONS[i].normal))
			continue;
		finding = findings_note(findings, REASONS[i].code,
					"%s in MSR 0x64f (%#" PRIx64 ")%s", REASONS[i].word,
					domain->reasons, now ? ", at present" : "");
		finding_explain(findings, finding,
				now ? REASONS[i].meaning
				    : message_make(&findings->survey->context->messages,
						   "%s, once or more often since the register was "
						   "last cleared",
						   REASONS[i].meaning),
				NULL);
		finding_add_place(findings, finding, domain);
	}
}

/* ---- Counters ---- */

static void raise_to(uint64_t *highest, uint64_t count)
{
	if (count > *highest)
		*highest = count;
}

/** One finding for all that were throttled, with the highest counts. */
static void check_counters(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	uint64_t core = 0, package = 0;
	struct isst_finding *finding;

	for (size_t i = 0; i < survey->count; i++) {
		raise_to(&package, survey->domains[i].throttled);
		for (size_t j = 0; j < survey->domains[i].cpu_count; j++)
			raise_to(&core, survey->domains[i].cpus[j].throttled);
	}
	if (core == 0 && package == 0)
		return;
	finding = findings_note(findings, ISST_FINDING_THERMAL_THROTTLED,
				"core_throttle_count up to %" PRIu64
				", package_throttle_count up to %" PRIu64
				" since boot (thermal_throttle of CPUs)",
				core, package);
	for (size_t i = 0; i < survey->count; i++) {
		const struct survey_domain *domain = &survey->domains[i];

		if (domain->throttled > 0)
			finding_add_place(findings, finding, domain);
		for (size_t j = 0; j < domain->cpu_count; j++)
			if (domain->cpus[j].throttled > 0)
				finding_add_cpu(findings, finding, domain,
						domain->cpus[j].cpu->number);
	}
}

void check_registers(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	for (size_t i = 0; i < survey->count; i++)
		if (survey->domains[i].has_reasons)
			check_register(findings, &survey->domains[i]);
	check_counters(findings);
}
