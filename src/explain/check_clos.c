/* SPDX-License-Identifier: BSD-3-Clause */
/* Frequency limits of classes of service that have cores, and classes without core-power. */
#include "explain/findings.h"
#include "explain/packages.h"
#include "features/planning.h"

enum { KHZ_PER_MHZ = 1000 };

/** Where no core reaches turbo frequencies the classes favour none. */
static void check_all(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_cpu *cpu)
{
	const char *what = FINDING_TEXT(findings,
					", and all cores of the package are in classes with such "
					"maxima (core-power get-assoc); the level allows up to %u "
					"MHz",
					highest_turbo_mhz(domain));

	note_max(findings, ISST_FINDING_CLOS_MAX_OF_ALL, domain, cpu, what, true);
}

/** A maximum at which no core is of use, or below the base frequency. With SST-BF the cores of a
 * class need not have the same. */
static void check_max(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_cpu *cpu, unsigned int lowest)
{
	unsigned int max = domain->clos[cpu->clos].max_mhz;
	unsigned int base = level_base_mhz(domain, cpu->cpu->number);
	bool on = domain->now->level.base_freq == ISST_FEATURE_ENABLED, useless = max == 0;
	const char *what = "";

	if (!useless && max < lowest) {
		useless = true;
		what = FINDING_TEXT(findings,
				    ", below the lowest frequency, %u MHz (cpuinfo_min_freq)",
				    lowest);
	}
	if (useless) {
		note_max(findings, ISST_FINDING_CLOS_MAX_ZERO, domain, cpu, what, false);
	} else if (survey_has_level(domain) && max < base) {
		what = FINDING_TEXT(findings, ", below the base frequency of %s, %u MHz",
				    on ? "base-freq" : "the level", base);
		note_max(findings, ISST_FINDING_CLOS_MAX_BELOW_BASE, domain, cpu, what, true);
	}
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

	if (cpu->clos == 0 || !survey_classes_are_off(domain) || turbo_freq_is_on(domain))
		return;
	found_disable(&found, domain, left);
	findings_add(findings, &found,
		     "core-power is disabled (core-power info), and CPUs are in other classes than "
		     "CLOS 0 (core-power get-assoc)%s",
		     AS_SAVED(domain, left));
}

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

void check_clos(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	const struct frequency_limits *processor = survey_processor(survey);
	unsigned int lowest = (unsigned int)(processor->min_khz / KHZ_PER_MHZ);

	survey_for_each_domain (domain, survey) {
		bool hold = survey_classes_hold(domain);
		bool held = hold && is_held_by_classes(survey, domain);

		if (domain->asked && hold)
			check_base_freq(findings, domain);
		survey_for_each_cpu (cpu, domain) {
			if (!cpu->asked || !cpu->clos_known)
				continue;
			check_association(findings, domain, cpu);
			if (!hold || domain->clos[cpu->clos].failure.error)
				continue;
			check_max(findings, domain, cpu, lowest);
			if (held)
				check_all(findings, domain, cpu);
		}
	}
}
