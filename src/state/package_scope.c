/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests and their neighbours in the same packages. */
#include "state/apply.h"
#include "topology/context.h"
#include "transaction/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Whether a domain is a neighbour of the requests: in a package that they touch, and none of them.
 */
static bool is_neighbour(const struct isst_domain *domain, const struct domain_request *requests,
			 size_t count)
{
	bool touched = false;

	for (size_t i = 0; i < count; i++) {
		if (requests[i].domain == domain)
			return false;
		touched |= requests[i].domain->package == domain->package;
	}
	return touched;
}

static void add_neighbours(struct package_scope *scope, const struct domain_request *requests)
{
	const struct isst_context *context = scope->change->context;

	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = context_domain(context, i);

		if (is_neighbour(domain, requests, scope->own))
			scope->requests[scope->count++] =
				(struct domain_request){ .domain = domain };
	}
}

/** A change that cannot be made in the whole package is not made; a domain without CPUs is done
 * without. */
static void pass_failure_on(struct package_scope *scope, const struct domain_request *neighbour)
{
	if (isst_domain_is_io(neighbour->domain)) {
		change_warn_left_out(scope->change, neighbour->failure.message);
		return;
	}
	for (size_t i = 0; i < scope->own; i++)
		if (scope->requests[i].domain->package == neighbour->domain->package &&
		    request_is_active(&scope->requests[i]))
			scope->requests[i].failure = neighbour->failure;
}

/** Neighbours take part as far as they have core-power. */
static void check_neighbours(struct package_scope *scope, const struct state_needs *needs)
{
	for (size_t i = scope->own; i < scope->count; i++) {
		struct domain_request *neighbour = &scope->requests[i];

		if (!request_is_active(neighbour) && neighbour->failure.error != -EOPNOTSUPP)
			pass_failure_on(scope, neighbour);
		if (request_is_active(neighbour) && needs->core_power &&
		    !scope->current.domains[i].core_power.supported)
			neighbour->failure.error = -ECANCELED;
	}
}

/** Reads the states of the requests, and behind them those of their neighbours. */
static int read_states(struct package_scope *scope, const struct scope_needs *needs)
{
	struct isst_change *change = scope->change;
	struct domain_snapshot *all = calloc(scope->count + 1, sizeof(*all));
	size_t neighbours = scope->count - scope->own;
	struct current_state own = { 0 }, others = { 0 };
	int error = all ? 0 : -ENOMEM;

	if (!error)
		error = current_state_read(change, scope->requests, scope->own, &needs->own, &own);
	if (!error)
		error = current_state_read(change, &scope->requests[scope->own], neighbours,
					   &needs->neighbours, &others);
	if (error) {
		current_state_free(&own);
		free(all);
		return error;
	}
	memcpy(all, own.domains, scope->own * sizeof(*all));
	memcpy(&all[scope->own], others.domains, neighbours * sizeof(*all));
	free(own.domains);
	free(others.domains);
	scope->current.domains = all;
	scope->current.count = scope->count;
	return 0;
}

int package_scope_begin(struct isst_change *change, const struct domain_request *requests,
			size_t count, const struct scope_needs *needs, struct package_scope *scope)
{
	size_t domains = isst_domain_count(change->context);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = context_check_domain(change->context, requests[i].domain);
	if (error)
		return error;
	*scope = (struct package_scope){ .change = change, .count = count };
	scope->requests = calloc(count + domains + 1, sizeof(*scope->requests));
	if (!scope->requests)
		return -ENOMEM;
	for (; scope->own < count; scope->own++)
		scope->requests[scope->own] = requests[scope->own];
	if (needs->width == SCOPE_PACKAGES ||
	    (needs->width == SCOPE_POWER_DOMAINS && context_has_power_domains(change->context)))
		add_neighbours(scope, requests);
	error = read_states(scope, needs);
	if (error) {
		free(scope->requests);
		return error;
	}
	check_neighbours(scope, &needs->neighbours);
	return 0;
}

/** Whether one of the requests of a package is active. */
static bool package_is_wanted(const struct package_scope *scope, unsigned int package)
{
	for (size_t i = 0; i < scope->own; i++)
		if (request_is_active(&scope->requests[i]) &&
		    scope->requests[i].domain->package == package)
			return true;
	return false;
}

void package_scope_drop_idle_siblings(struct package_scope *scope)
{
	for (size_t i = scope->own; i < scope->count; i++)
		if (!package_is_wanted(scope, scope->requests[i].domain->package))
			scope->requests[i].failure.error = -ECANCELED;
}

void package_scope_drop(struct package_scope *scope, size_t i)
{
	scope->requests[i].failure = (struct isst_failure){ .error = -ECANCELED };
}

struct domain_request *package_scope_sharing(const struct package_scope *scope)
{
	struct domain_request *sharing = calloc(scope->count + 1, sizeof(*sharing));

	for (size_t i = 0; i < scope->count && sharing; i++) {
		const struct domain_request *request = &scope->requests[i];

		sharing[i] = *request;
		if (i < scope->own && request->failure.error == -EOPNOTSUPP &&
		    isst_domain_is_io(request->domain) &&
		    scope->current.domains[i].core_power.supported &&
		    package_is_wanted(scope, request->domain->package))
			sharing[i].failure = (struct isst_failure){ 0 };
	}
	return sharing;
}

void package_scope_end(struct package_scope *scope, struct domain_request *requests)
{
	for (size_t i = 0; i < scope->own; i++) {
		requests[i].failure = scope->requests[i].failure;
		if (requests[i].failure.error == -ECANCELED)
			requests[i].failure = (struct isst_failure){ 0 };
	}
	current_state_free(&scope->current);
	free(scope->requests);
}

struct current_state package_scope_own_state(const struct package_scope *scope)
{
	return (struct current_state){ scope->current.domains, scope->own };
}

size_t package_scope_core_power_count(const struct package_scope *scope)
{
	return context_has_power_domains(scope->change->context) ? scope->count : scope->own;
}

/** Whether a feature may stay on in a power domain of a package, besides those of I/O dies, which
 * follow the others. */
static bool may_stay_on(const struct package_scope *scope, unsigned int package,
			unsigned int feature)
{
	for (size_t i = 0; i < scope->count; i++) {
		const struct domain_request *request = &scope->requests[i];

		if (request->domain->package == package && !isst_domain_is_io(request->domain) &&
		    (i >= scope->own || !request_is_active(request)) &&
		    feature_may_be_on(&scope->current.domains[i], feature))
			return true;
	}
	return false;
}

void package_scope_drop_active_siblings(struct package_scope *scope, unsigned int feature)
{
	for (size_t i = scope->own; i < scope->count; i++)
		if (may_stay_on(scope, scope->requests[i].domain->package, feature))
			scope->requests[i].failure.error = -ECANCELED;
}

/** Whether a neighbour is of an I/O die in which a feature goes off with the last of the others. */
static bool follows_off(const struct package_scope *scope, size_t i, unsigned int feature)
{
	const struct domain_snapshot *current = &scope->current.domains[i];
	const struct domain_request *request = &scope->requests[i];
	bool on = feature_is_on(&current->level, feature);

	if (!isst_domain_is_io(request->domain) || !feature_may_be_on(current, feature) ||
	    !package_is_wanted(scope, request->domain->package) ||
	    may_stay_on(scope, request->domain->package, feature))
		return false;
	/* For a sibling that is not active this has been reported. */
	if (!on && request_is_active(request))
		change_warn_left_out(scope->change, feature_unknown_why(current));
	return on;
}

void package_scope_check_off(struct package_scope *scope, size_t i, unsigned int feature)
{
	const struct isst_level *level = &scope->current.domains[i].level;
	struct domain_request *request = &scope->requests[i];

	if (!request_is_active(request) ||
	    (feature == FEATURE_BASE_FREQ ? level->base_freq : level->turbo_freq) !=
		    ISST_FEATURE_UNSUPPORTED)
		return;
	if (isst_domain_is_io(request->domain)) {
		request_reject(scope->change, request, -EOPNOTSUPP,
			       "%s feature is not present at this level %u", feature_name(feature),
			       level->level);
		return;
	}
	change_warn(scope->change, ISST_WARNING_NOTHING_TO_DISABLE,
		    "%s: %s feature is not present at this level %u: nothing to disable",
		    request->domain->name, feature_name(feature), level->level);
	package_scope_drop(scope, i);
}

int package_scope_switch_off(struct package_scope *scope, unsigned int feature)
{
	struct setting off = { .subject = feature == FEATURE_BASE_FREQ ? SUBJECT_BASE_FREQ
								       : SUBJECT_TURBO_FREQ,
			       .index = INDEX_ALL,
			       .wanted = WANTED_NUMBER };
	struct configuration configuration = { .settings = &off, .setting_count = 1 };
	struct domain_request *requests = calloc(scope->count + 1, sizeof(*requests));
	int error;

	if (!requests)
		return -ENOMEM;
	for (size_t i = 0; i < scope->count; i++) {
		requests[i] = scope->requests[i];
		if (i >= scope->own)
			requests[i].failure.error = follows_off(scope, i, feature) ? 0 : -ECANCELED;
	}
	error = plan_settings(scope, requests, ALL_SUBJECTS, NULL, &configuration);
	free(requests);
	return error;
}

void package_scope_warn_of_saved(struct package_scope *scope, unsigned int feature)
{
	const char *name = feature_name(feature);
	int found = 0;

	for (size_t i = 0; i < scope->own && found <= 0; i++)
		if (request_is_active(&scope->requests[i]))
			found = settings_exist(scope->change->context, name,
					       scope->requests[i].domain);
	if (found > 0)
		change_warn(scope->change, ISST_WARNING_SAVED_SETTINGS_REMAIN,
			    "what else %s enable --auto has set stays (core-power, classes of "
			    "service): %s disable --auto restores what was there before",
			    name, name);
}

int package_scope_name_other_levels(struct package_scope *scope, unsigned int feature)
{
	const char *name = feature_name(feature);
	int found = 0;

	for (size_t i = 0; i < scope->own && found >= 0; i++) {
		const struct isst_domain *domain = scope->requests[i].domain;
		unsigned int level;

		if (!request_is_active(&scope->requests[i]))
			continue;
		found = settings_of_other_level(scope->change->context, name, domain,
						scope->current.domains[i].profile.current_level,
						&level);
		if (found > 0)
			change_warn(
				scope->change, ISST_WARNING_SAVED_FOR_OTHER_LEVEL,
				"%s: settings from before %s enable are saved for level %u: "
				"%s disable --auto restores them at that level, not at level %u",
				domain->name, name, level, name,
				scope->current.domains[i].profile.current_level);
	}
	return found < 0 ? found : 0;
}

/** Whether core-power may be disabled for request @i; reports where it may not. */
static bool may_go_off(struct package_scope *scope, size_t i, unsigned int other)
{
	bool in_use = feature_in_use(scope->change, scope->requests, &scope->current, i, other);

	if (!scope->current.domains[i].core_power.supported)
		return false;
	if (in_use)
		change_warn(scope->change, ISST_WARNING_NEEDED_BY_FEATURE,
			    "%s: core-power stays enabled: %s needs it",
			    scope->requests[i].domain->name, feature_name(other));
	return !in_use;
}

/** Whether core-power is on in a domain, and goes off with @requests. */
static bool goes_off(const struct package_scope *scope, const struct domain_request *requests,
		     size_t i)
{
	return request_is_active(&requests[i]) && scope->current.domains[i].core_power.enabled;
}

/** Whether core-power goes off in all power domains of a package in which it is on. */
static bool goes_off_in_package(const struct package_scope *scope,
				const struct domain_request *requests, unsigned int package)
{
	for (size_t i = 0; i < scope->count; i++)
		if (scope->requests[i].domain->package == package &&
		    scope->current.domains[i].core_power.enabled && !goes_off(scope, requests, i))
			return false;
	return context_has_power_domains(scope->change->context);
}

/** Whether a request before request @i is the same package's. */
static bool is_named(const struct package_scope *scope, const struct domain_request *requests,
		     size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (goes_off(scope, requests, j) &&
		    scope->requests[j].domain->package == scope->requests[i].domain->package)
			return true;
	return false;
}

/** Describes where core-power goes off with a feature: in a package as a whole, or in which domains
 * of it. */
static void warn_of_core_power_off(struct package_scope *scope,
				   const struct domain_request *requests, unsigned int feature)
{
	for (size_t i = 0; i < package_scope_core_power_count(scope); i++) {
		const struct isst_domain *domain = scope->requests[i].domain;
		bool whole = goes_off_in_package(scope, requests, domain->package);
		const char *of;
		int others;

		if (!goes_off(scope, requests, i) || (whole && is_named(scope, requests, i)))
			continue;
		others = settings_exist(scope->change->context, feature_name(feature), domain);
		of = others > 0 ? " of this level" : "";
		if (others == -ENOMEM)
			scope->change->broken = true;
		if (whole)
			change_warn(scope->change, ISST_WARNING_NO_SAVED_SETTINGS,
				    "package %u: no saved settings%s: core-power is disabled",
				    domain->package, of);
		else
			change_warn(scope->change, ISST_WARNING_NO_SAVED_SETTINGS,
				    "%s: no saved settings%s: core-power is "
				    "disabled",
				    domain->name, of);
	}
}

int package_scope_core_power_off(struct package_scope *scope, const struct domain_request *sharing,
				 unsigned int feature, const bool *restored)
{
	struct setting off = { .subject = SUBJECT_CORE_POWER,
			       .index = INDEX_ALL,
			       .wanted = WANTED_NUMBER };
	struct configuration configuration = { .settings = &off, .setting_count = 1 };
	unsigned int other = other_feature(feature);
	struct domain_request *requests = calloc(scope->count + 1, sizeof(*requests));
	int error;

	if (!requests)
		return -ENOMEM;
	for (size_t i = 0; i < scope->count; i++) {
		requests[i] = sharing[i];
		if (!request_is_active(&requests[i]))
			continue;
		if (restored[i] || !may_go_off(scope, i, other))
			requests[i].failure.error = -ECANCELED;
	}
	for (size_t i = package_scope_core_power_count(scope); i < scope->count; i++)
		requests[i].failure.error = -ECANCELED;
	warn_of_core_power_off(scope, requests, feature);
	error = plan_settings(scope, requests, ALL_SUBJECTS, NULL, &configuration);
	free(requests);
	return error;
}
