/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of the turbo ratio limits as SST-TF goes on or off. */
#include "state/turbo_freq_limits.h"
#include "state/facts.h"
#include "topology/context.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/**
 * Whose level defines the limits of domain @i. Power domains share the register of their package:
 * were each to write its own limits, the last one would count, and the next run would find the
 * others changed.
 */
static size_t limits_owner(const struct isst_change *change, const struct domain_request *requests,
			   size_t i)
{
	size_t first = 0;

	if (!context_has_power_domains(change->context))
		return i;
	while (!request_is_active(&requests[first]) || !requests[first].domain->has_cpu ||
	       requests[first].domain->package != requests[i].domain->package)
		first++;
	return first;
}

/** The register is that of a CPU. */
static bool has_register(const struct domain_request *request)
{
	return request_is_active(request) && request->domain->has_cpu;
}

/** The owner's limits, where they are known: what is not known is not written. */
static void set_level_limits(struct step *step, const struct isst_domain *domain,
			     const struct level_limits *limits)
{
	uint64_t word = ratios_word(limits->mhz);

	if (limits->failure.error)
		change_warn(step->change, ISST_WARNING_TURBO_RATIO_LIMITS_KEPT,
			    "%s; the turbo ratio limits are left unchanged",
			    limits->failure.message);
	else if (word == 0)
		change_warn(step->change, ISST_WARNING_TURBO_RATIO_LIMITS_KEPT,
			    "%s: level %u has no turbo ratio limits; the current ones are left "
			    "unchanged",
			    domain->name, limits->level);
	else
		step_set_optional(step, item_of(ITEM_TURBO_RATIO_LIMITS, domain, 0), WHOLE_VALUE,
				  word);
}

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

void turbo_freq_keep_limits_in_use(const struct package_scope *scope, bool *limits)
{
	for (size_t i = 0; i < scope->own; i++) {
		if (!has_register(&scope->requests[i]) ||
		    !limits_stay_in_use(scope->change, scope->requests, &scope->current, i))
			continue;
		warn_of_use(scope, i);
		limits[i] = true;
	}
}

int turbo_freq_plan_level_limits(struct package_scope *scope, const bool *restored)
{
	struct level_limits *limits = calloc(scope->own + 1, sizeof(*limits));
	struct isst_change *change = scope->change;
	struct step *step = change_step(change, ITEM_TURBO_RATIO_LIMITS);
	int error = limits ? 0 : -ENOMEM;

	for (size_t i = 0; i < scope->own && !error; i++) {
		limits[i].domain = scope->requests[i].domain;
		limits[i].level = scope->current.domains[i].profile.current_level;
		if (has_register(&scope->requests[i]) && !restored[i])
			limits[limits_owner(change, scope->requests, i)].wanted = true;
	}
	if (!error)
		error = level_limits_read(change->context, limits, scope->own);
	for (size_t i = 0; i < scope->own && !error && step; i++)
		if (has_register(&scope->requests[i]) && !restored[i])
			set_level_limits(step, scope->requests[i].domain,
					 &limits[limits_owner(change, scope->requests, i)]);
	free(limits);
	return error;
}
