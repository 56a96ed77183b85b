/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State that was lost over suspend. Kernels restored the first power domain of a package alone: it
 * has what the others have lost. On mailbox servers the kernel does not restore core-power.
 */
#include "explain/checks.h"
#include "explain/packages.h"

#include <stdio.h>
#include <string.h>

/** What a power domain has at power-on: no feature is on. */
static bool has_no_features(const struct survey_domain *domain)
{
	return domain->level.base_freq != ISST_FEATURE_ENABLED &&
	       domain->level.turbo_freq != ISST_FEATURE_ENABLED;
}

static bool is_missing(enum isst_feature_state here, enum isst_feature_state there)
{
	return there == ISST_FEATURE_ENABLED && here == ISST_FEATURE_DISABLED;
}

/** Whether a domain is as at power-on, and the first one of its package is not. */
static bool has_lost_state(const struct survey_domain *domain, const struct survey_domain *first)
{
	bool core_power = survey_core_power_is_on(first) && survey_core_power_is_off(domain);

	if (!survey_has_level(domain) || !survey_has_level(first) || !has_no_features(domain))
		return false;
	return core_power || is_missing(domain->level.base_freq, first->level.base_freq) ||
	       is_missing(domain->level.turbo_freq, first->level.turbo_freq) ||
	       domain->profile.current_level != first->profile.current_level;
}

/** The statements that make a domain what the first one is, divided by semicolons. */
static const char *make_remedy(struct findings *findings, const struct survey_domain *domain,
			       const struct survey_domain *first)
{
	char level[32] = "";

	if (domain->profile.current_level != first->profile.current_level)
		snprintf(level, sizeof(level), "level %u;", first->profile.current_level);
	return message_make(
		&findings->survey->context->messages, "%s%s%s%s", level,
		is_missing(domain->level.base_freq, first->level.base_freq) ? "base-freq on;" : "",
		is_missing(domain->level.turbo_freq, first->level.turbo_freq) ? "turbo-freq on;"
									      : "",
		survey_core_power_is_on(first) && survey_core_power_is_off(domain)
			? first->core_power.priority == ISST_PRIORITY_ORDERED
				  ? "core-power on ordered;"
				  : "core-power on;"
			: "");
}

/** Whether the cores of a domain, whose classes were lost, would be too many for the buckets. */
static bool would_overfill(const struct findings *findings, const struct survey_domain *domain,
			   const struct survey_domain *first)
{
	const struct package package = find_package(findings->survey, domain,
						    turbo_freq_is_supported);
	const struct isst_turbo_freq *info;

	if (!has_priorities(first) || !package.level || package.cpus.unknown > 0 ||
	    domain->profile.current_level != first->profile.current_level)
		return false;
	info = &package.level->turbo_freq_info;
	return used_bucket(info, package.cpus.high_cores) == info->buckets;
}

/** Chooses high priority cores anew where the first domain has a part of them: in the bucket that
 * so many in each domain use. */
static void choose_again(struct findings *findings, struct isst_finding *finding,
			 const struct survey_domain *domain, const struct survey_domain *first)
{
	const struct package package = find_package(findings->survey, domain,
						    turbo_freq_is_supported);
	const struct isst_turbo_freq *info = &package.level->turbo_freq_info;
	size_t domains = 0;
	unsigned int bucket;

	for (size_t i = package.first; i < package.end; i++)
		domains += turbo_freq_is_supported(&findings->survey->domains[i]);
	bucket = used_bucket(info, divide(first).high_cores * domains);
	finding_explain(findings, finding, NULL,
			bucket_remedy(findings, &package,
				      bucket < info->buckets ? bucket : info->buckets - 1));
	if (finding)
		finding->kind = REMEDY_PACKAGE_STATEMENT;
}

static const char *state_word(bool on)
{
	return on ? "on" : "off";
}

static void note_lost(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_domain *first)
{
	struct isst_finding *finding = findings_note(
		findings, ISST_FINDING_STATE_LOST_ON_RESUME,
		"resumed since boot (/sys/power/suspend_stats/success %u); level %u, "
		"base-freq off, turbo-freq off, core-power %s; the first power domain has level "
		"%u, base-freq %s, turbo-freq %s, core-power %s (perf-profile info, core-power "
		"info)",
		findings->survey->resumes, domain->profile.current_level,
		state_word(survey_core_power_is_on(domain)), first->profile.current_level,
		state_word(first->level.base_freq == ISST_FEATURE_ENABLED),
		state_word(first->level.turbo_freq == ISST_FEATURE_ENABLED),
		state_word(survey_core_power_is_on(first)));

	finding_explain(findings, finding,
			"the kernel has restored the first power domain of the package alone; "
			"classes of the others may be lost, too: apply your configuration again",
			make_remedy(findings, domain, first));
	if (would_overfill(findings, domain, first))
		choose_again(findings, finding, domain, first);
	finding_add_domain(findings, finding, domain);
}

static void check_power_domains(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	const struct survey_domain *first = NULL;

	for (size_t i = 0; i < survey->count; i++) {
		const struct survey_domain *domain = &survey->domains[i];

		if (!domain->domain->has_cpu)
			continue;
		if (!first || first->domain->package != domain->domain->package)
			first = domain;
		else if (domain->asked && has_lost_state(domain, first))
			note_lost(findings, domain, first);
	}
}

/* ---- Mailbox servers ---- */

static bool has_other_classes(const struct survey_domain *domain)
{
	for (size_t i = 0; i < domain->cpu_count; i++)
		if (domain->cpus[i].clos_known && domain->cpus[i].clos > 0)
			return true;
	return false;
}

static void check_core_power(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	for (size_t i = 0; i < survey->count; i++) {
		const struct survey_domain *domain = &survey->domains[i];
		struct isst_finding *finding;

		if (!domain->asked || !survey_core_power_is_off(domain) ||
		    !has_other_classes(domain))
			continue;
		finding = findings_note(findings, ISST_FINDING_STATE_LOST_ON_RESUME,
					"resumed since boot (/sys/power/suspend_stats/success %u); "
					"core-power is off "
					"(core-power info), and CPUs are in other classes than "
					"CLOS 0 (core-power get-assoc)",
					survey->resumes);
		finding_explain(findings, finding,
				"the kernel does not enable core-power again after suspend",
				"core-power on");
		finding_add_domain(findings, finding, domain);
	}
}

void check_resume(struct findings *findings)
{
	if (findings->survey->resumes == 0)
		return;
	if (context_has_power_domains(findings->survey->context))
		check_power_domains(findings);
	else
		check_core_power(findings);
}
