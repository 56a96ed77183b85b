/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-TF: whether it is enabled where cores have high priority, and how many have it. */
#include "explain/checks.h"

#include <stdlib.h>

enum { LAST_HIGH_CLOS = 1, CORES = 256, MHZ_PER_RATIO = 100 };

/** SST-TF takes CLOS 0 and 1 for high priority. */
static bool has_high_priority(const struct survey_cpu *cpu)
{
	return cpu->clos_known && cpu->clos <= LAST_HIGH_CLOS;
}

/** How the cores of a domain are divided. */
struct division {
	size_t low, unknown; /* CPUs */
	size_t high_cores;
};

static struct division divide(const struct survey_domain *domain)
{
	struct division division = { 0 };
	bool seen[CORES] = { false };

	for (size_t i = 0; i < domain->cpu_count; i++) {
		const struct survey_cpu *cpu = &domain->cpus[i];
		unsigned int core = cpu->cpu->core;

		division.unknown += !cpu->clos_known;
		division.low += cpu->clos_known && !has_high_priority(cpu);
		if (!has_high_priority(cpu))
			continue;
		if (!cpu->cpu->core_known || core >= CORES || seen[core])
			continue;
		seen[core] = true;
		division.high_cores++;
	}
	return division;
}

static enum isst_feature_state turbo_freq_of(const struct survey_domain *domain)
{
	return survey_has_level(domain) ? domain->level.turbo_freq : ISST_FEATURE_UNKNOWN;
}

/** Whether a finding about high priority can name CPUs of a domain. */
static bool is_about_high(const struct survey_domain *domain)
{
	for (size_t i = 0; i < domain->cpu_count; i++)
		if (domain->cpus[i].asked && has_high_priority(&domain->cpus[i]))
			return true;
	return false;
}

/** Adds the CPUs with high priority to a finding. */
static void add_high(struct findings *findings, struct isst_finding *finding,
		     const struct survey_domain *domain)
{
	for (size_t i = 0; i < domain->cpu_count; i++)
		if (domain->cpus[i].asked && has_high_priority(&domain->cpus[i]))
			finding_add_cpu(findings, finding, domain, domain->cpus[i].cpu->number);
}

/* ---- SST-TF, and what it needs ---- */

/** SST-BF has classes of its own for the cores with a higher base frequency. */
static void check_disabled(struct findings *findings, const struct survey_domain *domain)
{
	const struct division division = divide(domain);

	if (!survey_core_power_is_on(domain) || !is_about_high(domain) || division.low == 0 ||
	    domain->level.base_freq == ISST_FEATURE_ENABLED)
		return;
	add_high(findings,
		 findings_note(findings, ISST_FINDING_PRIORITY_WITHOUT_TURBO_FREQ,
			       "core-power is enabled, CPUs are in CLOS 0 or 1 and others in CLOS "
			       "2 or 3 (core-power get-assoc); turbo-freq is disabled "
			       "(perf-profile info)"),
		 domain);
}

/** Whether all CPUs of a domain's package would have high priority with core-power. */
static bool is_without_low(const struct survey *survey, const struct survey_domain *domain)
{
	for (size_t i = 0; i < survey->count; i++) {
		const struct survey_domain *other = &survey->domains[i];
		struct division division;

		if (other->domain->package != domain->domain->package)
			continue;
		division = divide(other);
		if (division.low > 0 || division.unknown > 0)
			return false;
	}
	return true;
}

static void check_enabled(struct findings *findings, const struct survey_domain *domain)
{
	const struct survey *survey = findings->survey;
	struct isst_finding *finding;

	if (!survey_core_power_is_off(domain))
		return;
	if (!is_without_low(survey, domain)) {
		finding = findings_note(findings, ISST_FINDING_TURBO_FREQ_WITHOUT_CORE_POWER,
					"turbo-freq is enabled (perf-profile info), core-power is "
					"disabled (core-power info)");
	} else {
		finding = findings_note(findings, ISST_FINDING_TURBO_FREQ_WITHOUT_CORE_POWER,
					"turbo-freq is enabled (perf-profile info), core-power is "
					"disabled (core-power info), and all CPUs of the package "
					"are in CLOS 0 or 1 (core-power get-assoc)");
		/* core-power alone would give high priority to all. */
		finding_explain(findings, finding, NULL,
				"core-power on ordered;high-priority bucket 0");
		if (finding)
			finding->kind = REMEDY_PACKAGE_STATEMENT;
	}
	finding_add_domain(findings, finding, domain);
}

/* ---- Buckets, which hold cores of a package ---- */

/** The domains of a package in which priorities count. */
struct package {
	size_t first, end;   /* positions in the survey */
	size_t low, unknown; /* CPUs */
	size_t high_cores;
	const struct isst_level *level; /* with the smallest last bucket; NULL: none */
	bool asked;			/* of a CPU with high priority */
};

static bool counts(const struct survey_domain *domain)
{
	return turbo_freq_of(domain) == ISST_FEATURE_ENABLED && survey_core_power_is_on(domain);
}

static unsigned int last_bucket(const struct isst_level *level)
{
	const struct isst_turbo_freq *info = &level->turbo_freq_info;

	return info->high_priority_cores[info->buckets - 1];
}

static struct package find_package(const struct survey *survey, size_t first)
{
	const unsigned int number = survey->domains[first].domain->package;
	struct package package = { .first = first, .end = first };

	for (;
	     package.end < survey->count && survey->domains[package.end].domain->package == number;
	     package.end++) {
		const struct survey_domain *domain = &survey->domains[package.end];
		const struct division division = divide(domain);

		if (!counts(domain))
			continue;
		package.asked |= is_about_high(domain);
		package.low += division.low;
		package.unknown += division.unknown;
		package.high_cores += division.high_cores;
		if (domain->level.turbo_freq_info.buckets > 0 &&
		    (!package.level || last_bucket(&domain->level) < last_bucket(package.level)))
			package.level = &domain->level;
	}
	return package;
}

static void add_package(struct findings *findings, struct isst_finding *finding,
			const struct package *package)
{
	for (size_t i = package->first; i < package->end; i++)
		if (counts(&findings->survey->domains[i]) && findings->survey->domains[i].asked)
			add_high(findings, finding, &findings->survey->domains[i]);
}

/** The first bucket that is large enough; the number of buckets: none is. */
static unsigned int used_bucket(const struct isst_turbo_freq *info, size_t cores)
{
	unsigned int bucket = 0;

	while (bucket < info->buckets && info->high_priority_cores[bucket] < cores)
		bucket++;
	return bucket;
}

/** Cores that share the frequency of a bucket reach it where nothing else limits them. */
static void check_measured_high(struct findings *findings, const struct package *package,
				unsigned int mhz)
{
	for (size_t i = package->first; i < package->end; i++) {
		const struct survey_domain *domain = &findings->survey->domains[i];

		for (size_t j = 0; j < domain->cpu_count && counts(domain); j++)
			if (has_high_priority(&domain->cpus[j]))
				measured_note(findings, ISST_FINDING_MEASURED_BELOW_TURBO_FREQ,
					      domain, &domain->cpus[j], mhz,
					      "SST-TF allows its high priority cores");
	}
}

static void check_bucket(struct findings *findings, const struct package *package)
{
	const struct isst_turbo_freq *info = &package->level->turbo_freq_info;
	struct messages *messages = &findings->survey->context->messages;
	unsigned int bucket = used_bucket(info, package->high_cores);
	bool overfull = bucket == info->buckets;
	unsigned int shown = overfull ? info->buckets - 1 : 0;
	struct isst_finding *finding;

	if (!overfull)
		check_measured_high(findings, package, info->mhz[0][bucket].value);
	if (bucket == 0)
		return;
	finding = findings_note(
		findings, overfull ? ISST_FINDING_BUCKET_OVERFULL : ISST_FINDING_BUCKET_NOT_FIRST,
		"%zu cores of the package have high priority (core-power "
		"get-assoc); the %s bucket of level %u holds %u, at %u MHz "
		"(turbo-freq info)",
		package->high_cores, overfull ? "last" : "first", package->level->level,
		info->high_priority_cores[shown], info->mhz[0][shown].value);
	if (overfull)
		finding_explain(findings, finding, NULL,
				message_make(messages, "high-priority bucket %u", shown));
	else
		finding_explain(findings, finding,
				message_make(messages,
					     "bucket %u applies: high priority cores reach %u MHz",
					     bucket, info->mhz[0][bucket].value),
				NULL);
	add_package(findings, finding, package);
}

static void check_package(struct findings *findings, const struct package *package)
{
	if (!package->asked || package->unknown > 0)
		return;
	if (package->low == 0)
		add_package(findings,
			    findings_note(findings, ISST_FINDING_TURBO_FREQ_WITHOUT_PRIORITIES,
					  "turbo-freq and core-power are enabled, and all CPUs of "
					  "the package are in CLOS 0 or 1 (core-power get-assoc)"),
			    package);
	else if (package->level)
		check_bucket(findings, package);
}

/* ---- Turbo ratio limits, where they are read ---- */

static unsigned int known_mhz(const struct isst_value *mhz)
{
	return mhz->state == ISST_KNOWN ? mhz->value : 0;
}

/** The frequency that limits must not be below, in a bucket; 0: any. A bucket that the level does
 * not have applies to no number of cores. */
static unsigned int wanted_mhz(const struct survey_domain *domain, unsigned int bucket)
{
	const struct isst_level *level = &domain->level;
	unsigned int of_level = known_mhz(&level->limit[0].mhz[bucket]);

	if (of_level == 0 || turbo_freq_of(domain) != ISST_FEATURE_ENABLED)
		return of_level;
	return known_mhz(&level->turbo_freq_info.mhz[0][0]);
}

static void check_limits(struct findings *findings, const struct survey_domain *domain)
{
	bool on = turbo_freq_of(domain) == ISST_FEATURE_ENABLED;
	struct isst_finding *finding;

	for (unsigned int i = 0; i < ISST_BUCKETS; i++) {
		unsigned int mhz = (unsigned int)(domain->limits.value >> 8 * i & 0xff) *
				   MHZ_PER_RATIO;

		if (mhz >= wanted_mhz(domain, i))
			continue;
		finding = findings_note(findings, ISST_FINDING_TURBO_RATIO_LIMITS_LOW,
					"turbo ratio limits %#llx (MSR 0x1ad): bucket %u has %u "
					"MHz, %s %u MHz (perf-profile info)",
					(unsigned long long)domain->limits.value, i, mhz,
					on ? "SST-TF" : "the level", wanted_mhz(domain, i));
		finding_explain(findings, finding,
				on ? "the limits are in the way of what SST-TF allows"
				   : "turbo frequencies are lower than those of the level",
				on ? "turbo-ratio-limits none" : "turbo-ratio-limits level");
		finding_add_domain(findings, finding, domain);
		return;
	}
}

void check_turbo_freq(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	for (size_t i = 0; i < survey->count; i++) {
		const struct survey_domain *domain = &survey->domains[i];
		enum isst_feature_state state = turbo_freq_of(domain);

		if (i == 0 || domain->domain->package != domain[-1].domain->package) {
			const struct package package = find_package(survey, i);

			check_package(findings, &package);
		}
		if (!domain->asked)
			continue;
		if (state == ISST_FEATURE_DISABLED)
			check_disabled(findings, domain);
		else if (state == ISST_FEATURE_ENABLED)
			check_enabled(findings, domain);
		if (domain->has_limits)
			check_limits(findings, domain);
	}
}
