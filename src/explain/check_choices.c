/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds back CPUs by intention. */
#include "explain/findings.h"
#include "explain/packages.h"
#include "features/planning.h"
#include "features/snapshot.h"

enum { KHZ_PER_MHZ = 1000 };

/** The highest frequency that cpufreq shows; 0: unknown. */
static unsigned int highest_mhz(const struct survey_cpu *cpu)
{
	return cpu->has_cpufreq ? (unsigned int)(cpu->limits.processor.max_khz / KHZ_PER_MHZ) : 0;
}

/** What low priority is good for: nothing, where a bucket is no faster than all cores without. */
static const char *low_priority_meaning(const struct package *package)
{
	if (!package->gains && package->cpus.unknown == 0 &&
	    package->bucket < package->info->buckets)
		return "cores of low priority are slower, and SST-TF gains nothing: those of high "
		       "priority reach no more than all cores without it";
	return finding_code(ISST_FINDING_LOW_PRIORITY)->meaning;
}

/** What high priority for the CPUs named costs the others that have it. */
static void explain_priority(struct findings *findings, struct found *found,
			     const struct package *package)
{
	const char *meaning = low_priority_meaning(package);
	size_t cores = package->cpus.high_cores + package->cpus.low_asked_cores;
	const struct isst_turbo_freq *info = package->info;
	unsigned int then;

	if (!findings->survey->named) {
		found->kind = REMEDY_TEXT;
		found->meaning = meaning;
		found->remedy = FINDING_TEXT(
			findings,
			"where it is not meant, choose other cores, or isst turbo-freq disable%s; "
			"isst turbo-freq plan prints what numbers of cores reach",
			found->domain->saved & FEATURE_TURBO_FREQ ? " --auto" : "");
		return;
	}
	if (!package->level || package->cpus.unknown > 0)
		return;
	then = used_bucket(info, cores);
	if (then == info->buckets) {
		found->kind = REMEDY_TEXT;
		found->meaning = FINDING_TEXT(findings, "%s: the last one %u of the package",
					      meaning, info->high_priority_cores[then - 1]);
		found->remedy = "take other cores out of CLOS 0 and 1 first; isst turbo-freq plan "
				"prints what numbers of cores reach";
	} else {
		found->meaning = FINDING_TEXT(
			findings,
			"%s; with the remedy %zu %s of the package have high priority, and reach "
			"up to %u MHz, now %u MHz",
			meaning, cores, package_cores_word(findings, cores),
			info->mhz[0][then].value, info->mhz[0][package->bucket].value);
	}
}

/** Where no core has high priority that is the finding. */
static void check_priority(struct findings *findings, const struct survey_domain *domain,
			   const struct package *package, const struct survey_cpu *cpu)
{
	struct found found = { ISST_FINDING_LOW_PRIORITY, .domain = domain, .cpu = cpu };
	unsigned int clip = clip_mhz(domain, cpu), highest = highest_mhz(cpu);
	unsigned int all = level_all_cores_mhz(&domain->now->level);
	const char *without = "";

	if (clip == 0 || (highest > 0 && clip >= highest) || package->cpus.high == 0)
		return;
	if (all > clip)
		without = FINDING_TEXT(findings, ", without it the level allows all %u MHz", all);
	explain_priority(findings, &found, package);
	findings_add(findings, &found,
		     "CLOS %u (core-power get-assoc); turbo-freq is enabled%s, and clips CLOS 2 "
		     "and 3 to %u MHz (turbo-freq info)%s; high priority %s of the package: %zu, "
		     "low priority: %zu",
		     cpu->clos, AS_SAVED(domain, FEATURE_TURBO_FREQ), clip, without,
		     package_cores_word(findings, 2), package->cpus.high_cores,
		     package->cpus.low_cores);
}

/** Below the base frequency it is a finding of its own, as below the bucket of the package. */
static void check_clos_max(struct findings *findings, const struct survey_domain *domain,
			   const struct package *package, const struct survey_cpu *cpu)
{
	const struct isst_clos *config = &domain->clos[cpu->clos % ISST_CLOS_COUNT];
	unsigned int base = level_base_mhz(domain, cpu->cpu->number), highest = highest_mhz(cpu);
	unsigned int clip = clip_mhz(domain, cpu);
	const char *what;

	if (!survey_classes_hold(domain) || !cpu->clos_known || config->failure.error ||
	    config->max_mhz == 0 || config->max_mhz < base || config->max_mhz >= highest ||
	    (clip > 0 && config->max_mhz >= clip) || is_held_by_classes(findings->survey, domain))
		return;
	if (has_priorities(domain) && package->level && package->cpus.unknown == 0 &&
	    package->cpus.low > 0 &&
	    is_held_below_bucket(domain, cpu, bucket_mhz(domain, package->cpus.high_cores)))
		return;
	what = FINDING_TEXT(findings, ", cpuinfo_max_freq %u MHz (cpufreq)", highest);
	note_max(findings, ISST_FINDING_CLOS_MAX, domain, cpu, what, false);
}

static void check_base(struct findings *findings, const struct survey_domain *domain,
		       const struct survey_cpu *cpu)
{
	const struct isst_level *level = &domain->now->level;
	unsigned int mhz = level_base_mhz(domain, cpu->cpu->number);
	struct found found = { ISST_FINDING_LOW_BASE_FREQUENCY, .domain = domain, .cpu = cpu };

	if (!survey_has_level(domain) || level->base_freq != ISST_FEATURE_ENABLED || mhz == 0 ||
	    level->base_mhz.state != ISST_KNOWN || mhz >= level->base_mhz.value)
		return;
	if (!findings->survey->context->platform.preset &&
	    !found_disable(&found, domain, FEATURE_BASE_FREQ)) {
		const struct division division = divide_cpus(domain);
		/* Without it the classes of SST-BF are for nothing. */
		bool remain = survey_core_power_is_on(domain) && !turbo_freq_is_on(domain) &&
			      division.high > 0 && division.low > 0 &&
			      !classes_have_purpose(domain);

		found.remedy = remain ? "base-freq off;association 0 = all" : "base-freq off";
	}
	findings_add(findings, &found,
		     "base-freq is enabled%s: base frequency %u MHz (base-freq info), without it "
		     "%u MHz (perf-profile info)",
		     AS_SAVED(domain, FEATURE_BASE_FREQ), mhz, level->base_mhz.value);
}

void check_choices(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	survey_for_each_domain (domain, survey) {
		const struct package package = find_package(survey, domain, has_priorities);

		survey_for_each_cpu (cpu, domain) {
			if (!cpu->asked)
				continue;
			check_priority(findings, domain, &package, cpu);
			check_clos_max(findings, domain, &package, cpu);
			check_base(findings, domain, cpu);
		}
	}
}
