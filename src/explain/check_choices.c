/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds back CPUs by intention: classes of service, SST-TF and SST-BF. */
#include "common/judge.h"
#include "explain/packages.h"
#include "features/planning.h"

/** The highest frequency that cpufreq shows; 0: unknown. */
static unsigned int highest_mhz(const struct survey_cpu *cpu)
{
	return cpu->has_cpufreq ? (unsigned int)(cpu->limits.processor.max_khz / KHZ_PER_MHZ) : 0;
}

/** What high priority for the CPUs named costs the others that have it. */
static void explain_priority(struct findings *findings, struct found *found,
			     const struct package *package)
{
	const char *meaning = finding_code(ISST_FINDING_LOW_PRIORITY)->meaning;
	size_t cores = package->cpus.high_cores + package->cpus.low_asked_cores;
	const struct isst_turbo_freq *info = package->info;
	const struct isst_clos *class = &found->domain->clos[0];
	unsigned int then, then_mhz, now_mhz;

	/* Low priority is good for nothing where a bucket is no faster than all cores without. */
	if (!package->gains && package->cpus.unknown == 0 && package->bucket < info->buckets)
		meaning = "cores of low priority are slower, and SST-TF gains nothing: those of "
			  "high priority reach no more than all cores without it";
	if (!findings->survey->named) {
		found->meaning = FINDING_TEXT(
			findings,
			"%s; if that is not wanted, choose other cores (isst "
			"turbo-freq plan), or let the remedy give priority to none",
			meaning);
		if (found_disable(found, found->domain, FEATURE_TURBO_FREQ))
			return;
		/* Classes that stayed would be found next; those of SST-BF are of use. */
		found->kind = REMEDY_PACKAGE_STATEMENT;
		found->remedy = found->domain->now->level.base_freq == ISST_FEATURE_ENABLED
					? "turbo-freq off"
					: "turbo-freq off;core-power off;association 0";
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
		return;
	}
	then_mhz = info->mhz[0][then].value;
	now_mhz = info->mhz[0][package->bucket].value;
	if (!class->failure.error && class->max_mhz < then_mhz) {
		found->kind = REMEDY_TEXT;
		found->meaning = FINDING_TEXT(
			findings, "%s; CLOS 0 has a maximum of %u MHz (core-power get-config)",
			meaning, class->max_mhz);
		found->remedy = "raise the maximum of CLOS 0 first (core-power config), which "
				"holds the cores of high priority";
		return;
	}
	found->meaning = FINDING_TEXT(
		findings,
		"%s; with the remedy %zu %s of the package have high priority, and reach up to "
		"%u MHz%s",
		meaning, cores, package_cores_word(findings, cores), then_mhz,
		then_mhz == now_mhz ? ", as before"
				    : FINDING_TEXT(findings, ", now %u MHz", now_mhz));
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
		without = FINDING_TEXT(findings, " Without it the level allows all %u MHz.", all);
	explain_priority(findings, &found, package);
	findings_add(findings, &found,
		     "CLOS %u (core-power get-assoc). turbo-freq is enabled%s. It clips CLOS 2 "
		     "and 3 to %u MHz (turbo-freq info).%s High priority %s of the package: %zu, "
		     "clipped: %zu",
		     cpu->clos, AS_SAVED(domain, FEATURE_TURBO_FREQ), clip, without,
		     package_cores_word(findings, 2), package->cpus.high_cores,
		     package->cpus.low_cores);
}

/* ---- Classes ---- */

/** Whether a maximum is that of all power domains with CPUs of the packages that have it. The
 * command sets it for whole packages, domains without CPUs included: so does the remedy. */
static bool is_max_of_packages(const struct survey *survey, unsigned int clos, unsigned int max)
{
	survey_for_each_domain (domain, survey)
		survey_for_each_domain (other, survey)
			if (other->domain->package == domain->domain->package &&
			    domain->domain->has_cpu && other->domain->has_cpu &&
			    !domain->clos[clos].failure.error &&
			    domain->clos[clos].max_mhz == max &&
			    (other->clos[clos].failure.error || other->clos[clos].max_mhz != max))
				return false;
	return context_has_power_domains(survey->context);
}

/** The highest frequency that a domain allows a core; 0: unknown. */
static unsigned int highest_turbo_mhz(const struct survey_domain *domain)
{
	const struct isst_level *level = &domain->now->level;
	const struct isst_value *turbo = turbo_freq_is_on(domain) &&
							 level->turbo_freq_info.buckets > 0
						 ? &level->turbo_freq_info.mhz[0][0]
						 : &level->limit[0].mhz[0];

	return survey_has_level(domain) && turbo->state == ISST_KNOWN ? turbo->value : 0;
}

/** Whether classes hold all cores of a package below the highest turbo frequency, and none of them
 * below its base frequency, or no lower than SST-TF: then they favour none. */
static bool is_held_by_classes(const struct survey_domain *domain)
{
	size_t held = 0;

	survey_for_each_domain (other, domain->survey) {
		unsigned int highest = highest_turbo_mhz(other);

		if (other->domain->package != domain->domain->package)
			continue;
		for (size_t j = 0; j < other->cpu_count; j++, held++) {
			unsigned int max = clos_max_mhz(other, &other->cpus[j]);
			unsigned int clip = clip_mhz(other, &other->cpus[j]);

			if (max >= highest || max == 0 || (clip > 0 && max >= clip) ||
			    max < level_base_mhz(other, other->cpus[j].cpu->number))
				return false;
		}
	}
	return held > 0;
}

/** The maximum of the class of a CPU, which holds it in one of several ways. */
static void check_max(struct findings *findings, const struct survey_domain *domain,
		      const struct package *package, const struct survey_cpu *cpu, bool held)
{
	const struct survey *survey = findings->survey;
	const unsigned int max = clos_max_mhz(domain, cpu), clip = clip_mhz(domain, cpu);
	const unsigned int base = level_base_mhz(domain, cpu->cpu->number);
	const unsigned int lowest = (unsigned int)(survey_processor(survey)->min_khz / KHZ_PER_MHZ);
	const unsigned int bucket = bucket_mhz(domain, package->cpus.high_cores);
	struct found found = { .domain = domain, .cpu = cpu };
	const char *what = "";

	if (max == 0 || max < lowest) {
		found.code = ISST_FINDING_CLOS_MAX_ZERO;
		if (max > 0)
			what = FINDING_TEXT(
				findings, ", below the lowest frequency, %u MHz (cpuinfo_min_freq)",
				lowest);
	} else if (max < base) {
		/* With SST-BF the cores of a class need not have the same. */
		found.code = ISST_FINDING_CLOS_MAX_BELOW_BASE;
		what = FINDING_TEXT(findings, ", below the base frequency of %s, %u MHz",
				    domain->now->level.base_freq == ISST_FEATURE_ENABLED
					    ? "base-freq"
					    : "the level",
				    base);
	} else if (held) {
		found.code = ISST_FINDING_CLOS_MAX_OF_ALL;
		what = FINDING_TEXT(
			findings,
			", and all cores of the package are in classes with such maxima (core-power "
			"get-assoc); the level allows up to %u MHz",
			highest_turbo_mhz(domain));
	} else if (has_priorities(domain) && package->level && package->cpus.unknown == 0 &&
		   package->cpus.low > 0 && has_high_priority(cpu) &&
		   clos_max_is_below_bucket(max, bucket)) {
		found.code = ISST_FINDING_CLOS_MAX_BELOW_TURBO_FREQ;
		what = FINDING_TEXT(findings,
				    ", below the %u MHz that high priority cores reach by their "
				    "bucket (turbo-freq info)",
				    bucket);
	} else if (max < highest_mhz(cpu) && (clip == 0 || max < clip)) {
		found.code = ISST_FINDING_CLOS_MAX;
		what = FINDING_TEXT(findings, ", cpuinfo_max_freq %u MHz (cpufreq)",
				    highest_mhz(cpu));
	} else {
		return;
	}
	found.applied = found.code != ISST_FINDING_CLOS_MAX_ZERO &&
			found.code != ISST_FINDING_CLOS_MAX &&
			survey_applies(domain, NULL, SUBJECT_CLOS_MAX, cpu->clos,
				       max * UINT64_C(1000));
	found.remedy = FINDING_TEXT(findings, "clos %u: max none", cpu->clos);
	if (is_max_of_packages(survey, cpu->clos, max))
		found.kind = REMEDY_WHOLE_PACKAGE_STATEMENT;
	findings_add(findings, &found, "CLOS %u: maximum %u MHz (core-power get-config)%s",
		     cpu->clos, max, what);
}

/** A class other than CLOS 0, in which all cores are at power-on. With SST-TF that is found. */
static void check_association(struct findings *findings, const struct survey_domain *domain,
			      const struct survey_cpu *cpu)
{
	unsigned int left = domain->now->level.base_freq == ISST_FEATURE_ENABLED
				    ? 0
				    : FEATURE_TURBO_FREQ | FEATURE_BASE_FREQ;
	struct found found = { ISST_FINDING_CORE_POWER_OFF_WITH_ASSOCIATIONS, .domain = domain,
			       .cpu = cpu };

	if (!cpu->clos_known || cpu->clos == 0 || !survey_classes_are_off(domain) ||
	    turbo_freq_is_on(domain))
		return;
	found_disable(&found, domain, left);
	findings_add(findings, &found,
		     "core-power is disabled (core-power info), and CPUs are in other classes than "
		     "CLOS 0 (core-power get-assoc)%s",
		     AS_SAVED(domain, left));
}

/* ---- SST-BF ---- */

/** The lower, the sooner a class gets power. */
static unsigned int rank(const struct survey_domain *domain, unsigned int clos)
{
	return domain->now->core_power.priority == ISST_PRIORITY_ORDERED
		       ? clos
		       : domain->clos[clos].weight;
}

/** The class of the highest or lowest priority of cores (@high: of SST-BF); ISST_CLOS_COUNT: none.
 */
static unsigned int find_class(const struct survey_domain *domain, bool high, bool lowest)
{
	const struct isst_cpuset *cores = domain->now->level.base_freq_info.high_priority;
	unsigned int found = ISST_CLOS_COUNT;

	survey_for_each_cpu (cpu, domain) {
		if (!cpu->clos_known || domain->clos[cpu->clos].failure.error ||
		    isst_cpuset_has(cores, cpu->cpu->number) != high)
			continue;
		if (found == ISST_CLOS_COUNT ||
		    (lowest ? rank(domain, cpu->clos) > rank(domain, found)
			    : rank(domain, cpu->clos) < rank(domain, found)))
			found = cpu->clos;
	}
	return found;
}

/** SST-BF with classes that favour the other cores. */
static void check_base_freq(struct findings *findings, const struct survey_domain *domain)
{
	const struct isst_cpuset *cores = domain->now->level.base_freq_info.high_priority;
	bool both = turbo_freq_is_on(domain);
	unsigned int high, others;
	struct found found = { ISST_FINDING_BASE_FREQ_PRIORITIES, .domain = domain };

	if (!survey_has_level(domain) || domain->now->level.base_freq != ISST_FEATURE_ENABLED ||
	    !cores)
		return;
	high = find_class(domain, true, true);
	others = find_class(domain, false, false);
	if (high == ISST_CLOS_COUNT || others == ISST_CLOS_COUNT ||
	    rank(domain, high) <= rank(domain, others))
		return;
	/* More cores of high priority than SST-TF has a bucket for would be no remedy. */
	if (!found_disable(&found, domain, FEATURE_TURBO_FREQ) && both &&
	    !found_disable(&found, domain, FEATURE_BASE_FREQ))
		found.remedy = "base-freq off";
	survey_for_each_cpu (cpu, domain) {
		if (!cpu->asked || !isst_cpuset_has(cores, cpu->cpu->number) || !cpu->clos_known ||
		    rank(domain, cpu->clos) <= rank(domain, others))
			continue;
		found.cpu = cpu;
		findings_add(findings, &found,
			     "base-freq is enabled%s%s%s: cores with the higher base frequency "
			     "(base-freq info) are in CLOS %u, others in CLOS %u (core-power "
			     "get-assoc)",
			     AS_SAVED(domain, FEATURE_BASE_FREQ),
			     both				  ? ", and so is turbo-freq"
			     : domain->saved & FEATURE_TURBO_FREQ ? ", and turbo-freq was"
								  : "",
			     AS_SAVED(domain, FEATURE_TURBO_FREQ), high, others);
	}
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
		/* Without it the classes of SST-BF are for nothing. */
		bool remain = survey_core_power_is_on(domain) && !turbo_freq_is_on(domain) &&
			      is_divided(domain) && !classes_have_purpose(domain);

		found.remedy = remain ? "base-freq off;association 0" : "base-freq off";
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
		const struct package package = find_package(domain, has_priorities);
		const bool held = survey_classes_hold(domain) && is_held_by_classes(domain);

		if (!domain->asked)
			continue;
		if (survey_classes_hold(domain))
			check_base_freq(findings, domain);
		survey_for_each_cpu (cpu, domain) {
			if (!cpu->asked)
				continue;
			check_priority(findings, domain, &package, cpu);
			check_max(findings, domain, &package, cpu, held);
			check_association(findings, domain, cpu);
			check_base(findings, domain, cpu);
		}
	}
}
