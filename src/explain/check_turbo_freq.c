/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-TF: whether it is enabled where cores have high priority, and how many have it. */
#include "explain/packages.h"
#include "features/planning.h"

/** Whether a finding about a priority can name CPUs of a domain. */
static bool is_about(const struct survey_domain *domain, bool (*has)(const struct survey_cpu *cpu))
{
	survey_for_each_cpu (cpu, domain)
		if (cpu->asked && has(cpu))
			return true;
	return false;
}

/* ---- Remedies ---- */

/** The bucket to choose high priority cores for; the number of buckets: they are in one. */
static unsigned int bucket_to_choose(const struct package *package)
{
	if (package->cpus.unknown > 0)
		return package->info->buckets;
	if (package->cpus.high == 0 || package->cpus.low == 0 || package->gaining == 0)
		return 0;
	return package->bucket < package->info->buckets ? package->info->buckets
							: package->gaining - 1;
}

/** Statements that choose cores for a bucket, or that turn off SST-TF where no bucket gains. */
static const char *bucket_remedy(struct findings *findings, const struct package *package,
				 unsigned int bucket)
{
	bool turbo_freq = true, classes = true;

	if (package->level && package->gaining == 0)
		return "turbo-freq off";
	/* Cores are chosen in all domains with SST-TF. */
	for (size_t i = package->first; i < package->end; i++) {
		const struct survey_domain *domain = &findings->survey->domains[i];

		if (!turbo_freq_is_supported(domain))
			continue;
		turbo_freq &= turbo_freq_is_on(domain);
		classes &= !survey_classes_are_off(domain);
	}
	return FINDING_TEXT(findings, "%s%shigh-priority bucket %u",
			    turbo_freq ? "" : "turbo-freq on;",
			    classes ? "" : "core-power on ordered;", bucket);
}

/** The statements that make use of SST-TF (REMEDY_PACKAGE_STATEMENT): these, or a choice of cores
 * where those of high priority are in no bucket. */
static const char *turbo_freq_remedy(struct findings *findings, const struct package *package,
				     const char *statements)
{
	unsigned int bucket = package->level ? bucket_to_choose(package) : 0;

	return !package->level || bucket == package->info->buckets
		       ? statements
		       : bucket_remedy(findings, package, bucket);
}

/** What cores reach with turbo_freq_remedy(), behind what a finding means. */
static const char *turbo_freq_meaning(struct findings *findings, const struct package *package,
				      const char *meaning)
{
	const struct isst_turbo_freq *info = package->info;
	unsigned int bucket, chosen;
	size_t cores;

	if (!package->level || package->cpus.unknown > 0)
		return meaning;
	if (package->gaining == 0)
		return FINDING_TEXT(findings,
				    "%s; SST-TF gains nothing: all cores reach up to %u MHz "
				    "without it",
				    meaning, level_all_cores_mhz(package->level));
	chosen = bucket_to_choose(package);
	bucket = chosen < info->buckets ? chosen : package->bucket;
	cores = chosen < info->buckets ? info->high_priority_cores[bucket]
				       : package->cpus.high_cores;
	if (info->mhz[0][bucket].state != ISST_KNOWN || info->clip_mhz[0].state != ISST_KNOWN)
		return meaning;
	return FINDING_TEXT(findings,
			    "%s; with the remedy %zu %s%s %s up to %u MHz, and all others %u MHz",
			    meaning, cores, package_cores_word(findings, cores),
			    chosen < info->buckets ? ", which it chooses," : "",
			    chosen < info->buckets || cores != 1 ? "reach" : "reaches",
			    info->mhz[0][bucket].value, info->clip_mhz[0].value);
}

/* ---- SST-TF, and what it needs ---- */

/** As has_priorities(), but SST-TF can be off. */
static bool could_have_priorities(const struct survey_domain *domain)
{
	return turbo_freq_is_supported(domain) && survey_classes_hold(domain);
}

/** What the classes of a divided domain are for that do not call for SST-TF, which is off; NULL:
 * they do. */
static const char *find_purpose(struct findings *findings, const struct survey_domain *domain,
				const struct package *package)
{
	const struct isst_turbo_freq *info = package->info;

	if (classes_have_purpose(domain))
		return "the limits or weights of the classes have an effect without SST-TF";
	/* A bucket holds the cores of high priority, and makes them faster than all are without. */
	if (!info || (turbo_freq_is_supported(domain) && package->gains))
		return NULL;
	if (package->bucket == info->buckets)
		return "more cores have high priority than any bucket of SST-TF holds: the classes "
		       "decide which cores yield first when power is short";
	return FINDING_TEXT(
		findings,
		"the classes decide which cores yield first when power is short; SST-TF "
		"would be no gain: high priority cores up to %u MHz, all others %u MHz; "
		"the level allows all cores %u MHz",
		info->mhz[0][package->bucket].value, info->clip_mhz[0].value,
		level_all_cores_mhz(package->level));
}

/** SST-BF has classes of its own for the cores with a higher base frequency. */
static void check_disabled(struct findings *findings, const struct survey_domain *domain)
{
	bool supported = turbo_freq_is_supported(domain);
	const struct package package = find_package(domain, supported ? could_have_priorities
								      : survey_classes_hold);
	const int code = ISST_FINDING_PRIORITY_WITHOUT_TURBO_FREQ;
	bool limits = classes_have_purpose(domain);
	struct found found = { code, .domain = domain, .without_cpus = true };
	/* Those that yield, or those that could have more. */
	bool (*concerned)(const struct survey_cpu *cpu) = has_low_priority;
	struct isst_finding *finding;

	if (!survey_core_power_is_on(domain) || !is_divided(domain) ||
	    domain->now->level.base_freq == ISST_FEATURE_ENABLED)
		return;
	found.meaning = find_purpose(findings, domain, &package);
	if (found_disable(&found, domain, FEATURE_TURBO_FREQ | FEATURE_BASE_FREQ)) {
		found.meaning = "the classes are left of a feature that was disabled without "
				"--auto: they decide which cores yield first when power is short";
	} else if (found.meaning) {
		found.kind = REMEDY_STATEMENT;
		found.remedy = "cpu {cpus}: association 0";
	} else if (supported) {
		concerned = has_high_priority;
		found.meaning = FINDING_TEXT(
			findings, "%s; where priority is not meant, state 'association 0'",
			turbo_freq_meaning(findings, &package, finding_code(code)->meaning));
		found.remedy = turbo_freq_remedy(findings, &package, "turbo-freq on");
	} else {
		found.kind = REMEDY_STATEMENT;
		found.meaning =
			domain->has_saved_classes
				? "enable --auto has set classes at another level, where its "
				  "settings are saved: here they decide which cores yield first "
				  "when power is short"
				: "the classes decide which cores yield first when power is short";
		found.remedy = "association 0";
	}
	if (!is_about(domain, concerned))
		return;
	finding = findings_add(
		findings, &found,
		"core-power is enabled, %zu %s of the package in CLOS 0 or 1 and others in CLOS 2 "
		"or 3%s (core-power get-assoc%s)%s; turbo-freq is %s (perf-profile info)",
		package.cpus.high_cores, package_cores_word(findings, package.cpus.high_cores),
		limits ? ", with limits or weights of their own" : "", limits ? ", get-config" : "",
		AS_SAVED(domain, FEATURE_TURBO_FREQ | FEATURE_BASE_FREQ),
		supported ? "disabled" : "not supported at this level");
	survey_for_each_cpu (cpu, domain)
		if (cpu->asked && concerned(cpu))
			finding_add_cpu(finding, domain, cpu->cpu->number);
}

static const char *describe_classes(struct findings *findings, const struct package *package)
{
	if (package->cpus.unknown > 0)
		return "";
	if (package->cpus.low == 0)
		return ", and all CPUs of the package are in CLOS 0 or 1 (core-power get-assoc)";
	if (package->cpus.high == 0)
		return ", and all CPUs of the package are in CLOS 2 or 3 (core-power get-assoc)";
	if (!package->level || package->bucket < package->info->buckets)
		return "";
	return FINDING_TEXT(findings,
			    ", and %zu %s of the package are in CLOS 0 or 1 (core-power "
			    "get-assoc), more than the last bucket holds (turbo-freq info)",
			    package->cpus.high_cores,
			    package_cores_word(findings, package->cpus.high_cores));
}

static void check_enabled(struct findings *findings, const struct survey_domain *domain)
{
	static const char HOLD[] =
		"limits and priorities of classes of service count all the same: so measured on "
		"servers that boot like this";
	const int code = ISST_FINDING_TURBO_FREQ_WITHOUT_CORE_POWER;
	const struct package package = find_package(domain, turbo_freq_is_on);
	bool divided = package.cpus.low > 0 || package.cpus.unknown > 0 || !package.level;
	const char *statement = "core-power on ordered";
	struct found found = { code, .domain = domain };

	if (!survey_core_power_is_off(domain))
		return;
	if (!survey_classes_hold(domain)) {
		/* core-power alone could give high priority to all, to none, or to too many. */
		found.remedy = turbo_freq_remedy(findings, &package, statement);
		found.meaning = turbo_freq_meaning(findings, &package, finding_code(code)->meaning);
		if (found.remedy != statement)
			found.kind = REMEDY_PACKAGE_STATEMENT;
	} else {
		/* Nothing is to be done about classes that hold, other than choosing cores where
		 * all have high priority; other divisions that are of no use are findings of their
		 * own. */
		found.kind = divided ? REMEDY_TEXT : REMEDY_PACKAGE_STATEMENT;
		found.meaning = divided ? HOLD : turbo_freq_meaning(findings, &package, HOLD);
		found.remedy = divided ? "" : bucket_remedy(findings, &package, 0);
	}
	findings_add(
		findings, &found,
		"turbo-freq is enabled (perf-profile info), core-power is disabled (core-power "
		"info)%s",
		describe_classes(findings, &package));
}

/* ---- Buckets, which hold cores of a package ---- */

/** Adds what of a package findings can be about: its CPUs of high priority, or all. */
static void add_package(struct isst_finding *finding, const struct package *package)
{
	for (size_t i = package->first; i < package->end; i++) {
		const struct survey_domain *domain = &finding->findings->survey->domains[i];
		const bool high = package->cpus.high > 0;

		if (!has_priorities(domain) || !domain->asked)
			continue;
		if (!high)
			finding_add_place(finding, domain);
		survey_for_each_cpu (cpu, domain)
			if (cpu->asked && (!high || has_high_priority(cpu)))
				finding_add_cpu(finding, domain, cpu->cpu->number);
	}
}

/** High priority cores that were measured below their bucket. */
static void check_high(struct findings *findings, const struct package *package)
{
	for (size_t i = package->first; i < package->end; i++) {
		const struct survey_domain *domain = &findings->survey->domains[i];

		survey_for_each_cpu (cpu, domain)
			if (has_priorities(domain) && has_high_priority(cpu))
				measured_note(findings, ISST_FINDING_MEASURED_BELOW_TURBO_FREQ,
					      domain, cpu,
					      bucket_mhz(domain, package->cpus.high_cores),
					      "SST-TF allows its high priority cores");
	}
}

static bool is_as_fast_as_first(const struct isst_turbo_freq *info, unsigned int bucket)
{
	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++)
		if (info->mhz[type][bucket].state == ISST_UNREADABLE ||
		    info->mhz[type][bucket].value != info->mhz[type][0].value)
			return false;
	return true;
}

/** What a package's division costs: all cores have high priority, or none (which costs nothing
 * where the level does not clip), or more than the fastest bucket holds. Sets the code, and the
 * @bucket to choose cores for. Returns what was read; NULL: nothing is found. */
static const char *find_division(struct findings *findings, const struct package *package,
				 bool core_power, struct found *found, unsigned int *bucket)
{
	const struct isst_turbo_freq *info = package->info;
	const bool overfull = package->level && package->bucket == info->buckets;

	if (package->cpus.low == 0) {
		found->code = ISST_FINDING_TURBO_FREQ_WITHOUT_PRIORITIES;
		/* Without core-power it is the finding of check_enabled(). */
		return core_power ? "turbo-freq and core-power are enabled, and all CPUs of the "
				    "package are in CLOS 0 or 1 (core-power get-assoc)"
				  : NULL;
	}
	if (!package->level)
		return NULL;
	if (package->cpus.high == 0) {
		found->code = ISST_FINDING_TURBO_FREQ_WITHOUT_HIGH_PRIORITY;
		if (info->clip_mhz[0].state != ISST_KNOWN ||
		    info->clip_mhz[0].value >= info->mhz[0][0].value)
			return NULL;
		return FINDING_TEXT(
			findings,
			"%s enabled, and all CPUs of the package are in CLOS 2 or 3 (core-power "
			"get-assoc); level %u clips these to %u MHz, and its first bucket holds %u "
			"%s, at %u MHz (turbo-freq info)",
			core_power ? "turbo-freq and core-power are" : "turbo-freq is",
			package->level->level, info->clip_mhz[0].value,
			info->high_priority_cores[0],
			package_cores_word(findings, info->high_priority_cores[0]),
			info->mhz[0][0].value);
	}
	check_high(findings, package);
	/* The last bucket, or the largest one whose cores are as fast as those of the first. */
	while (*bucket + 1 < info->buckets && (overfull || is_as_fast_as_first(info, *bucket + 1)))
		++*bucket;
	if (package->bucket <= *bucket && !overfull)
		return NULL;
	found->code = overfull ? ISST_FINDING_BUCKET_OVERFULL : ISST_FINDING_BUCKET_NOT_FIRST;
	return FINDING_TEXT(findings,
			    "%zu %s of the package have high priority (core-power get-assoc); the "
			    "%s bucket of level %u holds %u, at %u MHz (turbo-freq info)",
			    package->cpus.high_cores,
			    package_cores_word(findings, package->cpus.high_cores),
			    overfull ? "last" : "fastest", package->level->level,
			    info->high_priority_cores[*bucket], info->mhz[0][*bucket].value);
}

static void check_package(struct findings *findings, const struct package *package)
{
	bool core_power = false, asked = false;
	struct found found = { .code = 0 };
	unsigned int bucket = 0;
	const char *read;

	/* Findings are about CPUs of domains in which priorities count. */
	for (size_t i = package->first; i < package->end; i++) {
		const struct survey_domain *domain = &findings->survey->domains[i];

		if (!has_priorities(domain))
			continue;
		asked |= package->cpus.high > 0 ? is_about(domain, has_high_priority)
						: domain->asked;
		core_power |= survey_core_power_is_on(domain);
	}
	if (package->cpus.unknown > 0 || !asked)
		return;
	read = find_division(findings, package, core_power, &found, &bucket);
	if (!read)
		return;
	found.meaning = finding_code(found.code)->meaning;
	if (found.code == ISST_FINDING_BUCKET_NOT_FIRST)
		found.meaning = FINDING_TEXT(
			findings, "bucket %u applies: high priority cores reach %u MHz%s",
			package->bucket, package->info->mhz[0][package->bucket].value,
			package->gaining > 0
				? "; the remedy chooses fewer, and all others are clipped"
				: "");
	if (found.code == ISST_FINDING_BUCKET_OVERFULL && package->gaining > 0)
		bucket = package->gaining - 1;
	if (found.code != ISST_FINDING_BUCKET_NOT_FIRST || package->gaining == 0)
		found.meaning = turbo_freq_meaning(findings, package, found.meaning);
	found.remedy = bucket_remedy(findings, package, bucket);
	/* Where no bucket gains SST-TF is best off, with all that was enabled with it. */
	for (size_t i = package->first; i < package->end; i++)
		if (package->level && level_gaining_buckets(package->level) == 0 &&
		    turbo_freq_is_on(&findings->survey->domains[i]))
			found_disable(&found, &findings->survey->domains[i], FEATURE_TURBO_FREQ);
	add_package(findings_add(findings, &found, "%s", read), package);
}

/* ---- Turbo ratio limits, where they are read ---- */

/** The frequency that limits of a bucket must reach; 0: any, or the level has no such bucket.
 * TPMI servers boot with SST-TF on and the limits of the level; only over a resume do they lose
 * what SST-TF was given. */
static unsigned int wanted_mhz(const struct survey_domain *domain, bool turbo_freq,
			       unsigned int bucket)
{
	const struct isst_level *level = &domain->now->level;
	const struct isst_value *mhz = &level->limit[0].mhz[bucket];

	if (mhz->state == ISST_KNOWN && mhz->value > 0 && turbo_freq)
		mhz = &level->turbo_freq_info.mhz[0][0];
	return mhz->state == ISST_KNOWN ? mhz->value : 0;
}

static void check_limits(struct findings *findings, const struct survey_domain *domain)
{
	bool on = turbo_freq_is_on(domain);
	bool above = on && (findings->survey->resumes > 0 ||
			    !context_has_power_domains(findings->survey->context));
	struct found found = {
		ISST_FINDING_TURBO_RATIO_LIMITS_LOW,
		.meaning = on ? "the limits are in the way of what SST-TF allows"
			      : "turbo frequencies are lower than those of the level",
		.remedy = on ? "turbo-ratio-limits none" : "turbo-ratio-limits level",
		.domain = domain
	};

	for (unsigned int i = 0; i < ISST_BUCKETS; i++) {
		unsigned int mhz = (unsigned int)(domain->limits.value >> 8 * i & 0xff) *
				   MHZ_PER_RATIO;

		if (mhz >= wanted_mhz(domain, above, i))
			continue;
		found.applied = survey_applies(domain, NULL, SUBJECT_TURBO_RATIO_LIMITS, INDEX_ALL,
					       domain->limits.value);
		findings_add(findings, &found,
			     "turbo ratio limits %#llx (MSR 0x1ad): bucket %u has %u MHz, %s %u "
			     "MHz (perf-profile info)",
			     (unsigned long long)domain->limits.value, i, mhz,
			     above ? "SST-TF" : "the level", wanted_mhz(domain, above, i));
		return;
	}
}

void check_turbo_freq(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	for (size_t i = 0; i < survey->count; i++) {
		const struct survey_domain *domain = &survey->domains[i];

		if (i == 0 || domain->domain->package != domain[-1].domain->package) {
			const struct package package = find_package(domain, has_priorities);

			check_package(findings, &package);
		}
		if (!domain->asked)
			continue;
		if (turbo_freq_is_on(domain))
			check_enabled(findings, domain);
		else if (turbo_freq_is_supported(domain) ||
			 (survey_has_level(domain) &&
			  domain->now->level.turbo_freq == ISST_FEATURE_UNSUPPORTED))
			check_disabled(findings, domain);
		if (domain->has_limits)
			check_limits(findings, domain);
	}
}
