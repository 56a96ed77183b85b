/* SPDX-License-Identifier: BSD-3-Clause */
/* The requests of commands: what they reach, and what of them is settings. */
#include "features/planning.h"
#include "state/apply.h"
#include "topology/context.h"
#include "transaction/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Requests and their neighbours in the same packages ---- */

/** Adds the neighbours of the requests: in a package that they touch, and none of them. */
static void add_neighbours(struct package_scope *scope)
{
	const struct isst_domain *domain;
	const size_t own = scope->own;

	for (size_t i = 0; (domain = context_domain(scope->change->context, i)); i++) {
		bool touched = false, named = false;

		for (size_t j = 0; j < own; j++) {
			named |= scope->requests[j].domain == domain;
			touched |= scope->requests[j].domain->package == domain->package;
		}
		if (touched && !named)
			scope->requests[scope->count++].domain = domain;
	}
}

/** Neighbours take part as far as they have core-power. A change that cannot be made in the whole
 * package is not made; a domain without CPUs is done without. */
static void check_neighbours(struct package_scope *scope, const struct state_needs *needs)
{
	for (size_t i = scope->own; i < scope->count; i++) {
		struct domain_request *neighbour = &scope->requests[i];
		int error = neighbour->failure.error;
		bool passed_on = error && error != -EOPNOTSUPP;

		if (passed_on && isst_domain_is_io(neighbour->domain))
			change_warn_left_out(scope->change, neighbour->failure.message);
		else
			for (size_t j = 0; j < scope->own && passed_on; j++)
				if (scope->requests[j].domain->package ==
					    neighbour->domain->package &&
				    request_is_active(&scope->requests[j]))
					scope->requests[j].failure = neighbour->failure;
		if (!error && needs->core_power && !scope->current.domains[i].core_power.supported)
			neighbour->failure.error = -ECANCELED;
	}
}

void package_scope_clear(struct package_scope *scope)
{
	current_state_free(&scope->current);
	free(scope->requests);
	free(scope->sharing);
	free(scope->restored);
	free(scope->limits);
	configuration_clear(&scope->settings);
	isst_cpuset_free(scope->high_priority);
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
	*scope = (struct package_scope){ .change = change, .first = change->count };
	scope->requests = calloc(count + domains + 1, sizeof(*scope->requests));
	if (!scope->requests)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		scope->requests[i] = requests[i];
	scope->own = scope->count = count;
	if (needs->width == SCOPE_PACKAGES ||
	    (needs->width == SCOPE_POWER_DOMAINS && context_has_power_domains(change->context)))
		add_neighbours(scope);
	error = current_state_read(change, scope->requests, count, &needs->own, &scope->current);
	if (!error)
		error = current_state_read(change, &scope->requests[count], scope->count - count,
					   &needs->neighbours, &scope->current);
	if (error) {
		package_scope_clear(scope);
		*scope = (struct package_scope){ 0 };
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

int package_scope_settle(struct package_scope *scope)
{
	for (size_t i = scope->own; i < scope->count; i++)
		if (!package_is_wanted(scope, scope->requests[i].domain->package))
			scope->requests[i].failure.error = -ECANCELED;
	free(scope->sharing);
	scope->sharing = calloc(scope->count + 1, sizeof(*scope->sharing));
	for (size_t i = 0; i < scope->count && scope->sharing; i++) {
		const struct domain_request *request = &scope->requests[i];

		scope->sharing[i] = *request;
		if (i < scope->own && request->failure.error == -EOPNOTSUPP &&
		    isst_domain_is_io(request->domain) &&
		    scope->current.domains[i].core_power.supported &&
		    package_is_wanted(scope, request->domain->package))
			scope->sharing[i].failure = (struct isst_failure){ 0 };
	}
	return scope->sharing ? 0 : -ENOMEM;
}

int package_scope_end(struct package_scope *scope, struct isst_change *change,
		      struct domain_request *requests, size_t count, int error)
{
	for (size_t i = 0; i < scope->own; i++) {
		requests[i].failure = scope->requests[i].failure;
		if (requests[i].failure.error == -ECANCELED)
			requests[i].failure = (struct isst_failure){ 0 };
	}
	package_scope_clear(scope);
	return plan_conclude(change, requests, count, error);
}

size_t package_scope_core_power_count(const struct package_scope *scope)
{
	return context_has_power_domains(scope->change->context) ? scope->count : scope->own;
}

/** Whether a feature may stay on in a power domain with CPUs of a package. */
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

/** What `disable` finds to do for request @i: nothing where there is no such feature. */
static void check_off(struct package_scope *scope, size_t i, unsigned int feature)
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
	request->failure = (struct isst_failure){ .error = -ECANCELED };
}

int scope_add_setting(struct package_scope *scope, enum subject subject, unsigned int index,
		      enum wanted_kind wanted, uint64_t number)
{
	struct setting setting = {
		.subject = subject, .index = index, .wanted = wanted, .number = number
	};

	return configuration_add(&scope->settings, &setting);
}

int plan_settings(struct package_scope *scope, const struct domain_request *requests,
		  uint32_t shared)
{
	struct configuration *settings = &scope->settings;
	struct wanted wanted = { .context = scope->change->context,
				 .configuration = settings,
				 .high_priority = scope->high_priority,
				 .is_command = true };
	size_t switched = package_scope_core_power_count(scope);
	int error = facts_begin(&wanted.facts, wanted.context);

	for (size_t i = 0; i < wanted.facts.count; i++)
		wanted.facts.domains[i].subjects = 0;
	for (size_t i = 0; i < scope->count && !error; i++) {
		bool own = i < scope->own && request_is_active(&scope->requests[i]);
		uint32_t subjects = own ? UINT32_MAX : shared;

		if (i >= switched)
			subjects &= ~SUBJECTS_OF_SWITCHES;
		if (request_is_active(&requests[i]) && subjects)
			facts_take(&wanted.facts, &scope->current.domains[i], subjects);
	}
	wanted.facts.whole = true;
	wanted.change = scope->change;
	for (size_t i = 0; i < settings->setting_count && !error; i++)
		if (settings->settings[i].wanted == WANTED_OF_LEVEL)
			error = facts_read_limits(&wanted.facts);
	if (!error)
		error = wanted_resolve(&wanted);
	if (!error)
		error = wanted_plan(&wanted, scope->change);
	if (settings->problem_count > 0)
		error = message_error(&wanted.context->messages, error, "%s",
				      settings->problems[0].text);
	/* These are the scope's. */
	wanted.facts.count = 0;
	wanted.high_priority = NULL;
	wanted_clear(&wanted);
	configuration_clear(settings);
	return error;
}

/** Switches something off where requests, which are freed, are active. */
static int plan_off(struct package_scope *scope, enum subject subject,
		    struct domain_request *requests)
{
	int error = scope_add_setting(scope, subject, INDEX_ALL, WANTED_NUMBER, 0);

	if (!error)
		error = plan_settings(scope, requests, ALL_SUBJECTS);
	free(requests);
	return error;
}

static int switch_off(struct package_scope *scope, unsigned int feature)
{
	struct domain_request *requests = calloc(scope->count + 1, sizeof(*requests));

	if (!requests)
		return -ENOMEM;
	for (size_t i = 0; i < scope->count; i++) {
		const struct domain_snapshot *current = &scope->current.domains[i];
		const struct isst_domain *domain = scope->requests[i].domain;
		bool on = feature_is_on(&current->level, feature), follows;

		requests[i] = scope->requests[i];
		if (i < scope->own)
			continue;
		/* In an I/O die it goes off with the last of the others. */
		follows = isst_domain_is_io(domain) && feature_may_be_on(current, feature) &&
			  package_is_wanted(scope, domain->package) &&
			  !may_stay_on(scope, domain->package, feature);
		/* For a sibling that is not active this has been reported. */
		if (follows && !on && request_is_active(&requests[i]))
			change_warn_left_out(scope->change, feature_unknown_why(current));
		requests[i].failure.error = follows && on ? 0 : -ECANCELED;
	}
	return plan_off(scope,
			feature == FEATURE_BASE_FREQ ? SUBJECT_BASE_FREQ : SUBJECT_TURBO_FREQ,
			requests);
}

/** Without --auto what was saved stays. */
static void warn_of_saved(struct package_scope *scope, unsigned int feature)
{
	const char *name = feature_name(feature);
	struct settings_found found = { 0 };

	for (size_t i = 0; i < scope->own && !found.any; i++)
		if (request_is_active(&scope->requests[i]))
			settings_find(scope->change->context, name, scope->requests[i].domain, 0,
				      &found);
	if (found.any)
		change_warn(scope->change, ISST_WARNING_SAVED_SETTINGS_REMAIN,
			    "what else %s enable --auto has set stays (core-power, classes of "
			    "service): %s disable --auto restores what was there before",
			    name, name);
}

/** Names the levels, other than the current one, of which settings are saved: `disable --auto`
 * restores them only there. Returns 0, or as settings_find() does. */
static int name_other_levels(struct package_scope *scope, unsigned int feature)
{
	const char *name = feature_name(feature);
	int error = 0;

	for (size_t i = 0; i < scope->own && !error; i++) {
		const struct isst_domain *domain = scope->requests[i].domain;
		unsigned int level = scope->current.domains[i].profile.current_level;
		struct settings_found found;

		if (!request_is_active(&scope->requests[i]))
			continue;
		error = settings_find(scope->change->context, name, domain, level, &found);
		if (found.other)
			change_warn(
				scope->change, ISST_WARNING_SAVED_FOR_OTHER_LEVEL,
				"%s: settings from before %s enable are saved for level %u: "
				"%s disable --auto restores them at that level, not at level %u "
				"(config reset --boot undoes all changes since boot)",
				domain->name, name, found.other_level, name, level);
	}
	return error;
}

int package_scope_disable(struct package_scope *scope, unsigned int feature, bool automatic)
{
	int error = automatic ? name_other_levels(scope, feature) : 0;

	for (size_t i = 0; i < scope->own; i++)
		check_off(scope, i, feature);
	/* The feature stays on, or may, in a power domain with CPUs. */
	for (size_t i = scope->own; i < scope->count; i++)
		if (may_stay_on(scope, scope->requests[i].domain->package, feature))
			scope->requests[i].failure.error = -ECANCELED;
	if (package_scope_settle(scope))
		error = -ENOMEM;
	scope->restored = calloc(scope->count + 1, sizeof(*scope->restored));
	scope->limits = calloc(scope->count + 1, sizeof(*scope->limits));
	if (!scope->restored || !scope->limits)
		error = -ENOMEM;
	if (!error)
		error = switch_off(scope, feature);
	if (!error && automatic)
		error = plan_restoring(scope->change, feature, scope->sharing, &scope->current,
				       scope->restored,
				       feature == FEATURE_TURBO_FREQ ? scope->limits : NULL);
	else if (!error)
		warn_of_saved(scope, feature);
	return error;
}

/** Whether core-power is on in a domain, and goes off with @requests. */
static bool goes_off(const struct package_scope *scope, const struct domain_request *requests,
		     size_t i)
{
	return request_is_active(&requests[i]) && scope->current.domains[i].core_power.enabled;
}

/** Describes where core-power goes off with a feature: in a package as a whole, where it goes off
 * in all power domains in which it is on, or in which domains of it. */
static void warn_of_core_power_off(struct package_scope *scope,
				   const struct domain_request *requests, unsigned int feature)
{
	struct isst_change *change = scope->change;

	for (size_t i = 0; i < package_scope_core_power_count(scope); i++) {
		const struct isst_domain *domain = scope->requests[i].domain;
		bool whole = context_has_power_domains(change->context), named = false;
		struct settings_found found;

		if (!goes_off(scope, requests, i))
			continue;
		for (size_t j = 0; j < scope->count; j++) {
			if (scope->requests[j].domain->package != domain->package)
				continue;
			named |= j < i && goes_off(scope, requests, j);
			whole &= !scope->current.domains[j].core_power.enabled ||
				 goes_off(scope, requests, j);
		}
		if (whole && named)
			continue;
		change->broken |= settings_find(change->context, feature_name(feature), domain, 0,
						&found) == -ENOMEM;
		change_warn(change, ISST_WARNING_NO_SAVED_SETTINGS,
			    "%s: no saved settings%s: core-power is disabled; classes of service, "
			    "associations and the priority type stay (config reset --boot undoes "
			    "all changes since boot)",
			    whole ? message_make(&change->texts, "package %u", domain->package)
				  : domain->name,
			    found.any ? " of this level" : "");
	}
}

int package_scope_core_power_off(struct package_scope *scope, unsigned int feature)
{
	unsigned int other = other_feature(feature);
	struct domain_request *requests = calloc(scope->count + 1, sizeof(*requests));

	if (!requests)
		return -ENOMEM;
	for (size_t i = 0; i < scope->count; i++) {
		bool may = request_is_active(&scope->sharing[i]) && !scope->restored[i] &&
			   scope->current.domains[i].core_power.supported;
		bool used = may && feature_in_use(scope->change, scope->requests, &scope->current,
						  i, other);

		requests[i] = scope->sharing[i];
		if (used)
			change_warn(scope->change, ISST_WARNING_NEEDED_BY_FEATURE,
				    "%s: core-power stays enabled: %s needs it",
				    scope->requests[i].domain->name, feature_name(other));
		if (!may || used || i >= package_scope_core_power_count(scope))
			requests[i].failure.error = -ECANCELED;
	}
	warn_of_core_power_off(scope, requests, feature);
	return plan_off(scope, SUBJECT_CORE_POWER, requests);
}

/* ---- Requests of commands ---- */

int change_plan_level(struct isst_change *change, struct domain_request *requests, size_t count,
		      unsigned int level, bool online)
{
	return plan_conclude(change, requests, count,
			     plan_level_change(change, requests, count, level, online));
}
