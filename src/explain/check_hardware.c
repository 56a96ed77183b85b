/* SPDX-License-Identifier: BSD-3-Clause */
/* What the hardware reports of limits, and what CPUs reached while they were kept busy. */
#include "common/judge.h"
#include "explain/packages.h"

#include <inttypes.h>
#include <string.h>

/* ---- Busy CPUs ---- */

/* Interrupts make a measurement a little too low, and 100 MHz are the hardware's step. */
enum { TOLERATED_PERCENT = 97, STEP_MHZ = 100 };

/** Whether a CPU reaches a limit below the frequency that it is to reach. */
static bool is_at_limit(const struct survey_cpu *cpu, uint64_t limit_mhz, unsigned int mhz)
{
	return limit_mhz < mhz &&
	       cpu->measured_khz / KHZ_PER_MHZ * 100 >= limit_mhz * TOLERATED_PERCENT;
}

/** The limit that a CPU reaches, below a frequency; NULL: none is known. */
static const char *find_limit(struct findings *findings, const struct survey_domain *domain,
			      const struct survey_cpu *cpu, unsigned int mhz)
{
	uint64_t khz = cpu->limits.now.max_khz;
	unsigned int percent = findings->survey->max_perf_pct;
	uint64_t part_mhz = cpu->limits.processor.max_khz / KHZ_PER_MHZ * percent / 100;
	unsigned int base_mhz = level_base_mhz(domain, cpu->cpu->number);

	if (cpu->has_cpufreq && percent > 0 && percent < 100 && is_at_limit(cpu, part_mhz, mhz))
		return FINDING_TEXT(findings, "max_perf_pct is %u, which is %" PRIu64 " MHz",
				    percent, part_mhz);
	if (cpu->has_cpufreq && khz != LIMIT_NONE && is_at_limit(cpu, khz / KHZ_PER_MHZ, mhz))
		return FINDING_TEXT(findings, "scaling_max_freq is %" PRIu64 " MHz",
				    khz / KHZ_PER_MHZ);
	if (findings->survey->turbo == TURBO_OFF && is_at_limit(cpu, base_mhz, mhz))
		return FINDING_TEXT(findings, "no_turbo is 1, and the base frequency is %u MHz",
				    base_mhz);
	if (is_at_limit(cpu, clos_max_mhz(domain, cpu), mhz))
		return FINDING_TEXT(findings, "the maximum of CLOS %u is %u MHz", cpu->clos,
				    clos_max_mhz(domain, cpu));
	return NULL;
}

void measured_note(struct findings *findings, int code, const struct survey_domain *domain,
		   const struct survey_cpu *cpu, unsigned int mhz, const char *of_what)
{
	uint64_t measured = cpu->measured_khz / KHZ_PER_MHZ;
	struct found found = { code, .domain = domain, .cpu = cpu };
	const char *limit;

	if (measured == 0 || mhz == 0 || measured * 100 >= (uint64_t)mhz * TOLERATED_PERCENT)
		return;
	/* CPUs of about the same frequency are one finding. */
	measured = (measured + STEP_MHZ / 2) / STEP_MHZ * STEP_MHZ;
	limit = find_limit(findings, domain, cpu, mhz);
	if (limit) {
		found.meaning = "this limit holds the CPUs: it is a finding above";
		found.remedy = "carry out the remedy of that finding, and measure again";
	}
	findings_add(findings, &found,
		     "about %" PRIu64 " MHz while busy (measured for 0.3 s); %s %u MHz at level "
		     "%u%s%s",
		     measured, of_what, mhz, domain->now->level.level, limit ? "; " : "",
		     limit ? limit : "");
}

/** A package that draws what it may is held there by the frequency of its cores. */
static void check_drawn_power(struct findings *findings, const struct power_zone *zone)
{
	enum { UW_PER_MW = 1000, UW_PER_W = 1000000, MW_PER_W = 1000, HALF = 2 };
	const struct survey *survey = findings->survey;
	uint64_t mw = powercap_mw(zone);
	struct isst_finding *finding;

	if (mw * 100 < zone->limit_uw / UW_PER_MW * TOLERATED_PERCENT)
		return;
	finding = findings_add(findings,
			       &(struct found){ .code = ISST_FINDING_PACKAGE_AT_POWER_LIMIT },
			       "about %" PRIu64 " W while CPUs were measured; the limit is %" PRIu64
			       " W (constraint %s_term, /sys/class/powercap)",
			       (mw + MW_PER_W / HALF) / MW_PER_W, zone->limit_uw / UW_PER_W,
			       zone->short_term ? "short" : "long");
	survey_for_each_domain (other, survey) {
		const struct isst_domain *domain = other->domain;

		if (powercap_zone(&survey->power, domain->package, domain->die) == zone)
			finding_add_place(finding, other);
	}
}

/** A limit below the power that the level is specified for. */
static void check_power_limit(struct findings *findings, const struct survey_domain *domain)
{
	enum { UW_PER_W = 1000000 };
	const struct power_zone *zone = powercap_zone(&findings->survey->power,
						      domain->domain->package, domain->domain->die);
	const struct isst_level *level = &domain->now->level;
	struct found found = { ISST_FINDING_POWER_LIMIT, .domain = domain };

	if (!zone || !survey_has_level(domain) || level->power_w.state != ISST_KNOWN ||
	    !power_limit_is_below_tdp(zone->limit_uw / 1000, level->power_w.value))
		return;
	found.remedy = FINDING_TEXT(findings, "echo %" PRIu64 " > %s/constraint_%u_power_limit_uw",
				    (uint64_t)level->power_w.value * UW_PER_W, zone->directory,
				    zone->constraint);
	findings_add(findings, &found,
		     "the %s-term limit is %" PRIu64 " W (%s); the TDP of level %u is %" PRIu64
		     " W (perf-profile info)",
		     zone->short_term ? "short" : "long", zone->limit_uw / UW_PER_W,
		     zone->directory, level->level, (uint64_t)level->power_w.value);
}

void check_power(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	survey_for_each_domain (domain, survey)
		if (domain->asked)
			check_power_limit(findings, domain);

	for (size_t i = 0; i < survey->power.count; i++)
		if (survey->power.zones[i].time_ns)
			check_drawn_power(findings, &survey->power.zones[i]);

	survey_for_each_domain (domain, survey)
		survey_for_each_cpu (cpu, domain)
			measured_note(findings, ISST_FINDING_MEASURED_BELOW_BASE, domain, cpu,
				      level_base_mhz(domain, cpu->cpu->number),
				      "the base frequency is");
}

/* ---- The bits of MSR 0x64f (Intel's manual: core performance limit reasons) ---- */

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

static void check_register(struct findings *findings, const struct survey_domain *domain)
{
	for (size_t i = 0; i < sizeof(REASONS) / sizeof(REASONS[0]); i++) {
		bool now = domain->reasons >> REASONS[i].bit & 1;
		bool logged = domain->reasons >> (REASONS[i].bit + LOGGED) & 1;
		struct found found = { REASONS[i].code, .meaning = REASONS[i].meaning,
				       .domain = domain, .without_cpus = true };

		if (!now && (!logged || REASONS[i].normal))
			continue;
		if (!now)
			found.meaning = FINDING_TEXT(
				findings,
				"%s, once or more often since the register was last cleared",
				REASONS[i].meaning);
		findings_add(findings, &found, "%s in MSR 0x64f (%#" PRIx64 ")%s", REASONS[i].word,
			     domain->reasons, now ? ", at present" : "");
	}
}

/** One finding for all that were throttled, with the highest counts. */
static void check_counters(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	uint64_t core = 0, package = 0;
	struct isst_finding *finding;

	survey_for_each_domain (domain, survey) {
		package = domain->throttled > package ? domain->throttled : package;
		survey_for_each_cpu (cpu, domain)
			if (cpu->throttled > core)
				core = cpu->throttled;
	}
	if (core == 0 && package == 0)
		return;
	finding = findings_add(findings, &(struct found){ .code = ISST_FINDING_THERMAL_THROTTLED },
			       "core_throttle_count up to %" PRIu64
			       ", package_throttle_count up to %" PRIu64
			       " since boot (thermal_throttle of CPUs)",
			       core, package);
	survey_for_each_domain (domain, survey) {
		if (domain->throttled > 0)
			finding_add_place(finding, domain);
		survey_for_each_cpu (cpu, domain)
			if (cpu->throttled > 0)
				finding_add_cpu(finding, domain, cpu->cpu->number);
	}
}

void check_registers(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	survey_for_each_domain (domain, survey)
		if (domain->has_reasons)
			check_register(findings, domain);
	check_counters(findings);
}

/* ---- Performance limit reasons: a coarse word stands alone, a fine one begins with it ---- */

/* The last one is for all other words. */
static const struct {
	int code;
	const char *meaning;
} COARSE[] = {
	[LIMIT_THERMAL] = { ISST_FINDING_LIMITED_THERMAL, "the processor was too hot" },
	[LIMIT_PLATFORM] = { ISST_FINDING_LIMITED_PLATFORM,
			     "the platform asked the processor to slow down" },
	[LIMIT_POWER] = { ISST_FINDING_LIMITED_POWER, "a power limit was reached" },
	[LIMIT_CURRENT] = { ISST_FINDING_LIMITED_CURRENT, "a limit of the current was reached" },
	[LIMIT_RAS] = { ISST_FINDING_LIMITED_RAS,
			"a function for reliability (RAS) limited the frequency" },
	[LIMIT_MCP] = { ISST_FINDING_LIMITED_MCP,
			"a limit that the processor calls MCP was reached" },
	[LIMIT_DFC] = { ISST_FINDING_LIMITED_DFC,
			"a limit that the processor calls DFC was reached" },
	[LIMIT_QOS] = { ISST_FINDING_LIMITED_QOS,
			"the limits of a class of service (CLOS) were reached" },
	[LIMIT_MISC] = { ISST_FINDING_LIMITED_MISC, "a reason that the processor does not name" },
	[LIMIT_FREQUENCY] = { ISST_FINDING_LIMITED_FREQUENCY,
			      "the turbo frequency for so many active cores was reached, as it is without faults" },
	[LIMIT_WORDS] = { ISST_FINDING_LIMITED_OTHERWISE, "a reason that is not known here" },
};

/** Parts of fine words, which stand between underscores. */
static const struct {
	const char *part, *meaning;
} FINE[] = {
	{ "CDYN", "by the kind of instructions" },
	{ "TRL", "turbo ratio limits" },
	{ "PKG", "of the package" },
	{ "PL1", "long-term power limit" },
	{ "PL2", "short-term power limit" },
	{ "MSR", "set by MSR" },
	{ "MMIO", "set by MMIO" },
	{ "TPMI", "set by TPMI" },
	{ "PER_CORE", "of single cores" },
	{ "PROCHOT", "the signal PROCHOT" },
};

/** Whether a fine word contains a part: between underscores, digits behind it. */
static bool has_part(const char *word, size_t length, const char *part)
{
	size_t size = strlen(part);

	for (size_t at = 1; at + size <= length; at++) {
		size_t end = at + size;

		if (word[at - 1] != '_' || memcmp(word + at, part, size) != 0)
			continue;
		if (end == length || word[end] == '_' || (word[end] >= '0' && word[end] <= '9'))
			return true;
	}
	return false;
}

/** Adds to @fine what a fine word means: `THERMAL_PER_CORE: of single cores`. */
static const char *add_fine(struct findings *findings, const char *fine, const char *word,
			    size_t length)
{
	const char *meaning = "";

	for (size_t i = 0; i < sizeof(FINE) / sizeof(FINE[0]); i++)
		if (has_part(word, length, FINE[i].part))
			meaning = FINDING_TEXT(findings, "%s%s%s", meaning, *meaning ? ", " : "",
					       FINE[i].meaning);
	return *meaning ? FINDING_TEXT(findings, "%s%s%.*s: %s", fine, *fine ? "; " : "",
				       (int)length, word, meaning)
			: fine;
}

/** A finding for the words of each coarse reason, the last of which is for all others. */
static void check_line(struct findings *findings, const struct survey_domain *domain,
		       const struct limit_line *line)
{
	for (size_t i = 0; i <= LIMIT_WORDS; i++) {
		struct found found = { COARSE[i].code, .domain = domain, .without_cpus = true };
		const char *words = "", *fine = "";
		struct isst_finding *finding;
		size_t length;

		for (const char *word = line->words; *word; word += strspn(word, " ")) {
			length = strcspn(word, " ");
			if (limit_word_of(word, length) == i) {
				words = FINDING_TEXT(findings, "%s%s%.*s", words, *words ? " " : "",
						     (int)length, word);
				fine = add_fine(findings, fine, word, length);
			}
			word += length;
		}
		if (!*words)
			continue;
		found.meaning = FINDING_TEXT(
			findings,
			"%s, once or more often since the reasons were last cleared%s%s%s",
			COARSE[i].meaning, *fine ? " (" : "", fine, *fine ? ")" : "");
		finding = findings_add(
			findings, &found,
			"performance limit reasons %s (debugfs, tpmi-*/plr/domain*/status)", words);
		if (!line->of_domain)
			finding_add_cpu(finding, domain, line->cpu);
	}
}

/** The domain of a CPU; NULL where it is not asked for. */
static const struct survey_domain *domain_of(const struct survey *survey, unsigned int cpu)
{
	survey_for_each_domain (domain, survey)
		if (domain->asked && isst_cpuset_has(domain->domain->present, cpu))
			return domain;
	return NULL;
}

void check_reasons(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	const struct limit_reasons *reasons = &survey->reasons;

	for (size_t i = 0; i < reasons->count; i++) {
		const struct limit_line *line = &reasons->lines[i];
		const struct survey_domain *domain;
		bool counts = !line->of_domain &&
			      (!survey->named || isst_cpuset_has(survey->named, line->cpu));
		size_t cpu = i;

		/* A domain's line counts where the lines of its CPUs, which follow, are empty. */
		if (line->of_domain) {
			cpu++;
			counts = cpu < reasons->count && !reasons->lines[cpu].of_domain;
			for (size_t j = cpu; j < reasons->count && !reasons->lines[j].of_domain;
			     j++)
				counts = counts && !*reasons->lines[j].words;
		}
		if (!*line->words || !counts)
			continue;
		domain = domain_of(survey, reasons->lines[cpu].cpu);
		if (domain)
			check_line(findings, domain, line);
	}
}
