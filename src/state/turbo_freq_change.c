/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-TF on and off, with what goes with it: core-power, CLOS, associations, turbo ratio limits. */
#include "common/numbered.h"
#include "firmware/platform.h"
#include "state/apply.h"
#include "state/facts.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Turbo ratio limits ---- */

/** Reports why the turbo ratio limits of request @i stay: turbo-freq is on in another power domain
 * of the package, or that cannot be read. */
static void warn_of_use(const struct package_scope *scope, size_t i)
{
	unsigned int package = scope->requests[i].domain->package;
	const char *unknown = NULL;

	for (size_t j = 0; j < scope->count; j++) {
		const struct domain_snapshot *current = &scope->current.domains[j];

		if (request_is_active(&scope->requests[j]) ||
		    isst_domain_is_io(scope->requests[j].domain) ||
		    scope->requests[j].domain->package != package ||
		    !feature_may_be_on(current, FEATURE_TURBO_FREQ))
			continue;
		if (feature_is_on(&current->level, FEATURE_TURBO_FREQ)) {
			unknown = NULL;
			break;
		}
		unknown = feature_unknown_why(current);
	}
	if (unknown)
		change_warn(scope->change, ISST_WARNING_TURBO_RATIO_LIMITS_KEPT,
			    "%s; turbo-freq may be enabled there: the turbo ratio limits of the "
			    "package are left unchanged",
			    unknown);
	else
		change_warn(
			scope->change, ISST_WARNING_TURBO_RATIO_LIMITS_KEPT,
			"package %u: turbo-freq stays enabled in another power domain: the turbo "
			"ratio limits of the package are left unchanged",
			package);
}

/** Limits of the level, of which nothing is in force while turbo-freq is on, where they are not
 * restored. Nothing but these is asked for, and they are no reason to leave turbo-freq on. */
static int plan_level_limits(struct package_scope *scope)
{
	struct domain_request *requests = calloc(scope->count + 1, sizeof(*requests));
	int error = requests ? scope_add_setting(scope, SUBJECT_TURBO_RATIO_LIMITS, INDEX_ALL,
						 WANTED_OF_LEVEL, 0)
			     : -ENOMEM;
	bool any = false;

	for (size_t i = 0; i < scope->count && !error; i++) {
		/* The register is that of a CPU. */
		bool own = i < scope->own && request_is_active(&scope->requests[i]) &&
			   scope->requests[i].domain->has_cpu;
		/* The highest turbo frequencies of other power domains depend on them. */
		bool stay = own &&
			    limits_stay_in_use(scope->change, scope->requests, &scope->current, i);

		if (stay)
			warn_of_use(scope, i);
		requests[i] = scope->requests[i];
		if (!own || stay || scope->limits[i])
			requests[i].failure.error = -ECANCELED;
		else
			any = true;
	}
	if (!error && any)
		error = plan_settings(scope, requests, 0);
	configuration_clear(&scope->settings);
	free(requests);
	return error;
}

/* ---- What enabling needs ---- */

/** Each core must be known, or its old priority would stay. Firmware that reports no bucket would
 * have cores take second place to none; what cannot be read is not known to be none. */
static void check_cores(struct package_scope *scope, size_t i)
{
	const struct domain_snapshot *current = scope->current.domains;
	struct domain_request *request = &scope->requests[i];
	const char *unknown = topology_domain(request->domain)->unknown_core;

	if (request_is_active(request) && unknown)
		request_reject(scope->change, request, -EIO, "%s", unknown);
	if (!request_is_active(request) || isst_cpuset_count(request->domain->present) == 0)
		return;
	/* Power domains share the buckets of their package. */
	for (size_t j = 0; j < scope->own; j++) {
		const struct isst_turbo_freq *info = &current[j].level.turbo_freq_info;

		if (j != i && !(context_has_power_domains(scope->change->context) &&
				scope->requests[j].domain->package == request->domain->package))
			continue;
		if (info->failure.error)
			return;
		for (unsigned int type = 0; type < ISST_TRL_TYPES && info->buckets > 0; type++)
			if (info->mhz[type][0].state == ISST_KNOWN && info->mhz[type][0].value > 0)
				return;
	}
	request_reject(
		scope->change, request, -EIO,
		"the firmware reports no bucket of turbo-freq at level %u: none of its cores would get a "
		"higher turbo frequency",
		current[i].level.level);
}

/** Whether every query that enabling depends on was answered with yes. */
static void check_enable(struct package_scope *scope, size_t i)
{
	const struct domain_snapshot *current = &scope->current.domains[i];
	struct domain_request *request = &scope->requests[i];

	if (!request_is_active(request))
		return;
	if (current->level.turbo_freq == ISST_FEATURE_UNSUPPORTED)
		request_reject(scope->change, request, -EOPNOTSUPP,
			       "turbo-freq feature is not present at this level %u%s",
			       current->level.level,
			       feature_levels_text(scope->change->context, current, 1,
						   FEATURE_TURBO_FREQ));
	else if (!current->core_power.supported)
		request_reject(scope->change, request, -EOPNOTSUPP,
			       "core-power feature, which turbo-freq needs, is not present");
}

/** CPUs that lose the high priority of an earlier run are named. */
static int warn_of_former(struct isst_change *change, const struct isst_domain *domain,
			  const struct isst_cpuset *high_priority)
{
	size_t count = isst_cpuset_count(domain->present), filled = 0;
	struct isst_clos_association *now = calloc(count ? count : 1, sizeof(*now));
	struct isst_cpuset *former = isst_cpuset_new();
	unsigned int number;
	char *list;
	int error = now && former ? 0 : -ENOMEM;

	if (error)
		goto out;
	isst_cpuset_for_each (number, domain->present)
		now[filled++].cpu = context_cpu(change->context, number);
	error = clos_association_read(change->context, now, filled);
	for (size_t i = 0; i < filled && !error; i++) {
		unsigned int cpu = now[i].cpu->number;

		if (now[i].failure.error && now[i].cpu->core_known)
			error = message_error(&change->context->messages, now[i].failure.error,
					      "%s", now[i].failure.message);
		else if (!now[i].failure.error && now[i].clos == 0 &&
			 !isst_cpuset_has(high_priority, cpu))
			error = isst_cpuset_add(former, cpu, cpu);
	}
	if (error || isst_cpuset_count(former) == 0)
		goto out;
	list = name_numbers("CPU", former);
	change_warn(change, ISST_WARNING_HIGH_PRIORITY_LOST,
		    "%s had high priority before, and low priority now", list ? list : "CPUs");
	free(list);
out:
	free(now);
	isst_cpuset_free(former);
	return error;
}

/** Adds the siblings of CPUs: what is given priority is a core. */
static struct isst_cpuset *with_siblings(const struct isst_context *context,
					 const struct isst_cpuset *cpus)
{
	struct isst_cpuset *all = isst_cpuset_new();
	unsigned int number;
	int error = all ? 0 : -ENOMEM;

	isst_cpuset_for_each (number, cpus) {
		const struct isst_cpu *cpu = context_cpu(context, number);
		struct isst_cpuset *core;

		if (error || !cpu || !cpu->core_known || cpu->core >= 64)
			continue;
		core = topology_cpus_of_cores(context->topology, cpu->domain,
					      UINT64_C(1) << cpu->core);
		error = core ? isst_cpuset_add_set(all, core) : -ENOMEM;
		isst_cpuset_free(core);
	}
	if (!error)
		return all;
	isst_cpuset_free(all);
	return NULL;
}

/** What is reported of the cores that get high priority; @named: whether there are some. */
static int warn_of_priorities(struct package_scope *scope, bool named)
{
	struct isst_change *change = scope->change;
	const struct domain_request *requests = scope->requests;
	const struct domain_snapshot *current = scope->current.domains;
	bool any = false, failed = false;
	int error = 0;

	for (size_t i = 0; i < scope->count && !error; i++)
		if (request_is_active(&requests[i]) &&
		    current[i].level.turbo_freq == ISST_FEATURE_ENABLED)
			error = warn_of_former(change, requests[i].domain, scope->high_priority);
	/* Lack of the feature is left to the others. */
	for (size_t i = 0; i < scope->own; i++) {
		int failure = requests[i].failure.error;

		failed |= failure && failure != -EOPNOTSUPP && failure != -ECANCELED;
		any |= !failure;
	}
	if (!named && any && !failed)
		change_warn(change, ISST_WARNING_NO_HIGH_PRIORITY_CPUS,
			    "no CPUs are named: every %s becomes low priority, and none gets a "
			    "higher turbo frequency; choose high priority CPUs with "
			    "--high-priority CORES/package, or specify them with -c before the "
			    "feature",
			    platform_cores_word(&change->context->platform, 1));
	for (size_t i = 0; i < scope->count && !error; i++)
		if (request_is_active(&scope->sharing[i]))
			error = settings_level(change, requests[i].domain,
					       current[i].profile.current_level);
	return error;
}

/* ---- On and off ---- */

/** Whether turbo-freq is on already in all that request @i shares core-power with, as far as it is
 * asked for; I/O dies, which follow the others, need core-power for nothing. */
static bool was_on(const struct package_scope *scope, size_t i)
{
	bool shared = context_has_power_domains(scope->change->context), on = true, any = false;

	for (size_t j = 0; j < scope->own; j++) {
		const struct domain_request *request = &scope->requests[j];

		if (!request_is_active(request) || isst_domain_is_io(request->domain) ||
		    !(j == i ||
		      (shared && request->domain->package == scope->requests[i].domain->package)))
			continue;
		on &= feature_is_on(&scope->current.domains[j].level, FEATURE_TURBO_FREQ);
		any = true;
	}
	return on && any;
}

/** Turbo-freq, and core-power for its priorities. Where turbo-freq is on already another process
 * may have disabled core-power since: that is left as it is. */
static int add_settings(struct package_scope *scope)
{
	static const struct {
		enum subject subject;
		uint64_t number;
	} SWITCHES[] = { { SUBJECT_CORE_POWER, 1 }, { SUBJECT_PRIORITY, ISST_PRIORITY_ORDERED } };
	size_t count = package_scope_core_power_count(scope);
	int error = scope_add_setting(scope, SUBJECT_TURBO_FREQ, INDEX_ALL, WANTED_NUMBER, 1);

	for (size_t i = 0; i < 2 && !error; i++) {
		const struct setting kept = { .subject = SWITCHES[i].subject,
					      .index = INDEX_ALL,
					      .wanted = WANTED_UNMANAGED };

		error = scope_add_setting(scope, kept.subject, INDEX_ALL, WANTED_NUMBER,
					  SWITCHES[i].number);
		for (size_t j = 0; j < count && !error; j++)
			if (was_on(scope, j))
				error = settings_add(&scope->settings, scope->change->context,
						     scope->requests[j].domain, kept);
	}
	return error;
}

/** All bits set, where none are given. */
static int add_limits(struct package_scope *scope, const struct turbo_freq_request *request)
{
	return scope_add_setting(scope, SUBJECT_TURBO_RATIO_LIMITS, INDEX_ALL,
				 request->limits_given ? WANTED_NUMBER : WANTED_NONE,
				 request->limits);
}

static int plan_enable(struct package_scope *scope, const struct turbo_freq_request *request)
{
	struct isst_change *change = scope->change;
	int error;

	scope->high_priority = request->high_priority
				       ? with_siblings(change->context, request->high_priority)
				       : isst_cpuset_new();
	if (!scope->high_priority)
		return -ENOMEM;
	warn_of_cpufreq(change, scope->requests, scope->own, true);
	error = request->automatic ? warn_of_priorities(scope, request->high_priority) : 0;
	if (!error)
		error = request->automatic ? scope_add_setting(scope, SUBJECT_HIGH_PRIORITY,
							       INDEX_ALL, WANTED_CORES, 0)
					   : add_settings(scope);
	if (!error)
		error = add_limits(scope, request);
	if (!error)
		error = plan_settings(scope, scope->sharing,
				      request->automatic
					      ? SUBJECTS_OF_CORE_POWER | 1U << SUBJECT_ASSOCIATION
					      : SUBJECTS_OF_CORE_POWER);
	if (!error && request->automatic)
		error = settings_save(change, feature_name(FEATURE_TURBO_FREQ),
				      feature_name(FEATURE_BASE_FREQ), scope->first);
	return error;
}

static int plan_disable(struct package_scope *scope, const struct turbo_freq_request *request)
{
	int error = package_scope_disable(scope, FEATURE_TURBO_FREQ, request->automatic);

	if (!error && request->limits_given) {
		error = add_limits(scope, request);
		if (!error)
			error = plan_settings(scope, scope->requests, 0);
	} else if (!error) {
		error = plan_level_limits(scope);
	}
	if (!error && request->automatic)
		error = package_scope_core_power_off(scope, FEATURE_TURBO_FREQ);
	return error;
}

int change_plan_turbo_freq(struct isst_change *change, struct domain_request *requests,
			   size_t count, const struct turbo_freq_request *request)
{
	/* What it need not know cannot keep the change from being made. */
	struct scope_needs needs = { .width = request->automatic ? SCOPE_PACKAGES
								 : SCOPE_POWER_DOMAINS,
				     .own = { .levels = REQUIRED, .choice = LEVEL_CURRENT } };
	struct package_scope scope = { 0 };
	int error;

	if (request->enable || request->automatic)
		needs.own.core_power = REQUIRED;
	needs.neighbours = needs.own;
	/* For their saved settings, and as their turbo-freq may need the limits. */
	if (!request->automatic)
		needs.neighbours.levels = request->enable ? NOT_NEEDED : OPTIONAL;
	/* To warn of frequencies that cannot be reached. */
	if (request->enable && request->automatic)
		needs.own.parts = ISST_READ_LEVELS_TURBO_FREQ;
	error = package_scope_begin(change, requests, count, &needs, &scope);
	for (size_t i = 0; i < scope.own && request->enable; i++)
		check_enable(&scope, i);
	for (size_t i = 0; i < scope.own && request->enable && request->automatic; i++)
		check_cores(&scope, i);
	if (!error && request->enable)
		error = turbo_freq_check_turbo(change, scope.requests, scope.own);
	if (!error)
		error = package_scope_settle(&scope);
	if (!error)
		error = request->enable ? plan_enable(&scope, request)
					: plan_disable(&scope, request);
	return package_scope_end(&scope, change, requests, count, error);
}
