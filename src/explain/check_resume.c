/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State that was lost over suspend, by what was recorded since boot, and by what else shows it.
 * Kernels restored the first power domain of a partition alone: it has what the others have lost.
 * On mailbox servers the kernel does not restore core-power, and a level without its features.
 */
#include "explain/findings.h"

#include <inttypes.h>
#include <string.h>

static const char *state_word(bool on)
{
	return on ? "on" : "off";
}

static bool has_other_classes(const struct survey_domain *domain)
{
	survey_for_each_cpu (cpu, domain)
		if (cpu->clos_known && cpu->clos > 0)
			return true;
	return false;
}

/** Notes lost state. Only the owner knows the remedy, or it is a @statement (or NULL): without
 * classes all cores would be high priority cores. */
static void note_loss(struct findings *findings, const struct survey_domain *domain,
		      const char *what, const char *meaning, const char *statement, bool certain)
{
	const char *file = findings->survey->applied_file;
	struct found found = { ISST_FINDING_STATE_LOST_ON_RESUME,
			       .severity = certain ? 0 : ISST_SEVERITY_NOTE,
			       .meaning = meaning,
			       .remedy = "apply your configuration again, or repeat the commands "
					 "that changed the machine",
			       .kind = REMEDY_TEXT,
			       .domain = domain };

	if (file) {
		found.remedy = FINDING_TEXT(findings, "isst config apply %s", file);
	} else if (statement) {
		found.remedy = statement;
		found.kind = REMEDY_STATEMENT;
	}
	findings_add(findings, &found,
		     "resumed since boot (/sys/power/suspend_stats/success %u); %s",
		     findings->survey->resumes, what);
}

/* ---- By the configuration that was applied ---- */

static bool knows_feature(enum isst_feature_state state)
{
	return state == ISST_FEATURE_ENABLED || state == ISST_FEATURE_DISABLED;
}

/** What is not as the configuration states that was applied last, each with a semicolon. */
static const char *find_loss(struct findings *findings, const struct survey_domain *domain)
{
	const struct isst_level *level = &domain->now->level;
	const bool known = survey_has_level(domain);
	const struct {
		const char *name;
		enum subject subject;
		bool known, on;
	} switches[] = {
		{ "turbo-freq", SUBJECT_TURBO_FREQ, known && knows_feature(level->turbo_freq),
		  level->turbo_freq == ISST_FEATURE_ENABLED },
		{ "base-freq", SUBJECT_BASE_FREQ, known && knows_feature(level->base_freq),
		  level->base_freq == ISST_FEATURE_ENABLED },
		{ "core-power", SUBJECT_CORE_POWER,
		  survey_core_power_is_on(domain) || survey_core_power_is_off(domain),
		  survey_core_power_is_on(domain) },
	};
	unsigned int present = domain->now->profile.current_level;
	int stated = survey_stated(domain, NULL, &domain->survey->applied, SUBJECT_LEVEL);
	const char *loss = "";

	if (known && stated != NOT_STATED && (unsigned int)stated != present)
		loss = FINDING_TEXT(findings, "level %u, not %d; ", present, stated);
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		stated = survey_stated(domain, NULL, &domain->survey->applied, switches[i].subject);
		if (switches[i].known && stated != NOT_STATED && (stated > 0) != switches[i].on)
			loss = FINDING_TEXT(findings, "%s%s %s, not %s; ", loss, switches[i].name,
					    state_word(switches[i].on), state_word(stated > 0));
	}
	survey_for_each_cpu (cpu, domain)
		if (cpu->clos_known && cpu->clos == 0 &&
		    survey_stated(domain, cpu, &domain->survey->applied, SUBJECT_ASSOCIATION) > 0)
			return FINDING_TEXT(findings, "%sCPUs in CLOS 0 that are not to be; ",
					    loss);
	return loss;
}

static bool check_applied(struct findings *findings, const struct survey_domain *domain)
{
	const char *loss = find_loss(findings, domain);

	if (!*loss)
		return false;
	/* Without the last semicolon. */
	note_loss(findings, domain,
		  FINDING_TEXT(findings,
			       "not as the configuration that was applied last: %.*s "
			       "(perf-profile info, core-power info, core-power get-assoc)",
			       (int)strlen(loss) - 2, loss),
		  "the kernel has not restored all that was configured, or it was changed since",
		  NULL, true);
	return true;
}

/* ---- Power domains ---- */

static bool is_missing(enum isst_feature_state here, enum isst_feature_state there)
{
	return there == ISST_FEATURE_ENABLED && here == ISST_FEATURE_DISABLED;
}

static bool is_as_after_boot(const struct survey_domain *domain, enum subject subject, bool on)
{
	int boot = survey_stated(domain, NULL, &domain->survey->boot, subject);

	return boot == NOT_STATED ? !on : (boot > 0) == on;
}

/** Whether level and features are those of power-on, as far as that is known. */
static bool has_level_of_power_on(const struct survey_domain *domain)
{
	const struct isst_level *level = &domain->now->level;
	int boot = survey_stated(domain, NULL, &domain->survey->boot, SUBJECT_LEVEL);

	return (boot == NOT_STATED || (unsigned int)boot == domain->now->profile.current_level) &&
	       is_as_after_boot(domain, SUBJECT_TURBO_FREQ,
				level->turbo_freq == ISST_FEATURE_ENABLED) &&
	       is_as_after_boot(domain, SUBJECT_BASE_FREQ,
				level->base_freq == ISST_FEATURE_ENABLED);
}

static bool has_core_power_of_power_on(const struct survey_domain *domain)
{
	return is_as_after_boot(domain, SUBJECT_CORE_POWER, survey_core_power_is_on(domain)) &&
	       !has_other_classes(domain);
}

static bool lacks_core_power(const struct survey_domain *domain, const struct survey_domain *first)
{
	return survey_core_power_is_on(first) && survey_core_power_is_off(domain);
}

/** Whether a domain, unlike the first, is as at power-on in what the kernel does not restore. */
static bool has_lost_state(const struct survey_domain *domain, const struct survey_domain *first,
			   bool restores_core_power)
{
	if (!survey_has_level(domain) || !survey_has_level(first) ||
	    !has_level_of_power_on(domain) ||
	    (!restores_core_power && !has_core_power_of_power_on(domain)))
		return false;
	return (!restores_core_power && lacks_core_power(domain, first)) ||
	       is_missing(domain->now->level.base_freq, first->now->level.base_freq) ||
	       is_missing(domain->now->level.turbo_freq, first->now->level.turbo_freq) ||
	       domain->now->profile.current_level != first->now->profile.current_level;
}

/** Where neither SST-TF nor core-power is lost, which take classes, statements make a domain like
 * the first. */
static void note_lost(struct findings *findings, const struct survey_domain *domain,
		      const struct survey_domain *first)
{
	bool base_freq = is_missing(domain->now->level.base_freq, first->now->level.base_freq);
	unsigned int level = first->now->profile.current_level;
	const char *remedy = NULL;
	const char *what = FINDING_TEXT(
		findings,
		"level %u, base-freq off, turbo-freq off, core-power %s; the first power domain "
		"has level %u, base-freq %s, turbo-freq %s, core-power %s (perf-profile info, "
		"core-power info)",
		domain->now->profile.current_level, state_word(survey_core_power_is_on(domain)),
		level, state_word(first->now->level.base_freq == ISST_FEATURE_ENABLED),
		state_word(first->now->level.turbo_freq == ISST_FEATURE_ENABLED),
		state_word(survey_core_power_is_on(first)));

	if (!is_missing(domain->now->level.turbo_freq, first->now->level.turbo_freq) &&
	    !lacks_core_power(domain, first))
		remedy = FINDING_TEXT(findings, "%s%s",
				      domain->now->profile.current_level != level
					      ? FINDING_TEXT(findings, "level %u;", level)
					      : "",
				      base_freq ? "base-freq on;" : "");
	/* If the kernel has restored these the domain was configured, with or without the rest. */
	note_loss(
		findings, domain, what,
		"the kernel has restored the first power domain of the partition alone; classes of "
		"the others may be lost, too",
		remedy, !survey_core_power_is_on(domain) && !has_other_classes(domain));
}

/** Whether no change of level, features, core-power or classes is left. */
static bool has_nothing_changed(const struct survey *survey)
{
	survey_for_each_domain (domain, survey) {
		if (domain->domain->has_cpu &&
		    (!survey_has_level(domain) || !has_level_of_power_on(domain) ||
		     !survey_core_power_is_off(domain) || !has_core_power_of_power_on(domain)))
			return false;
	}
	return true;
}

/** Mailbox servers: turbo ratio limits without effect are what SST-TF needs, and nothing else.
 * Where classes are not restored either, nothing shows what there was but that there was a change.
 */
static void check_mailbox(struct findings *findings, const struct survey_domain *domain)
{
	bool core_power = survey_core_power_is_off(domain) && has_other_classes(domain);
	bool turbo_freq = survey_has_level(domain) &&
			  domain->now->level.turbo_freq == ISST_FEATURE_DISABLED &&
			  domain->has_limits && domain->limits.value == UINT64_MAX;

	if (core_power)
		note_loss(findings, domain,
			  "core-power is off (core-power info), and CPUs are in other classes than "
			  "CLOS 0 (core-power get-assoc)",
			  "the kernel does not enable core-power again after suspend",
			  "core-power on", true);
	if (turbo_freq)
		note_loss(findings, domain,
			  FINDING_TEXT(findings,
				       "turbo-freq is off at level %u (perf-profile info), and the "
				       "turbo ratio limits are without effect (MSR 0x1ad %#" PRIx64
				       "), which it needs",
				       domain->now->profile.current_level, domain->limits.value),
			  "the kernel has restored the turbo ratio limits, and not SST-TF; the "
			  "level can be one that was replaced before",
			  NULL, true);
	if (!core_power && !turbo_freq && findings->survey->has_boot_state &&
	    has_nothing_changed(findings->survey))
		note_loss(findings, domain,
			  "the machine was changed since boot; level, features, core-power and the "
			  "classes of CPUs are as after boot (boot-state)",
			  "if core-power or classes were changed before, they are lost", NULL,
			  false);
}

void check_resume(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	const struct survey_domain *first = NULL;
	bool restores_core_power = kernel_is_fixed(survey, "resume-loses-domains");

	for (size_t i = 0; i < survey->count && survey->resumes > 0; i++) {
		const struct survey_domain *domain = &survey->domains[i];

		if (!domain->domain->has_cpu)
			continue;
		if (!first || first->domain->package != domain->domain->package)
			first = domain;
		if (!domain->asked || check_applied(findings, domain))
			continue;
		if (domain->has_saved_classes && !has_other_classes(domain) &&
		    !survey_core_power_is_on(domain))
			note_loss(findings, domain,
				  "core-power is off (core-power info), and all CPUs are in CLOS 0 "
				  "(core-power get-assoc), which enable --auto had changed (saved "
				  "settings)",
				  "the kernel has not restored core-power and classes", NULL, true);
		else if (!context_has_power_domains(survey->context))
			check_mailbox(findings, domain);
		else if (domain != first && !kernel_is_fixed(survey, "resume-loses-levels") &&
			 has_lost_state(domain, first, restores_core_power))
			note_lost(findings, domain, first);
	}
}
