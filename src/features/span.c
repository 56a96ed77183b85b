/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests and their neighbours in the same packages. */
#include "features/span.h"
#include "features/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Whether a domain is a neighbour of the requests: in a package that they touch, and none of them.
 */
static bool is_neighbour(const struct isst_domain *domain, const struct isst_request *requests,
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

static void add_neighbours(struct span *span, const struct isst_request *requests)
{
	const struct isst_context *context = span->change->context;

	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = isst_domain(context, i);

		if (is_neighbour(domain, requests, span->own))
			span->requests[span->count++] = (struct isst_request){ .domain = domain };
	}
}

/** A change that cannot be made in the whole package is not made; a domain without CPUs is done
 * without. */
static void pass_failure_on(struct span *span, const struct isst_request *neighbour)
{
	if (isst_domain_is_io(neighbour->domain)) {
		change_warn_left_out(span->change, neighbour->failure.message);
		return;
	}
	for (size_t i = 0; i < span->own; i++)
		if (span->requests[i].domain->package == neighbour->domain->package &&
		    wanted(&span->requests[i]))
			span->requests[i].failure = neighbour->failure;
}

/** Neighbours take part as far as they have core-power. */
static void judge_neighbours(struct span *span, const struct fact_needs *needs)
{
	for (size_t i = span->own; i < span->count; i++) {
		struct isst_request *neighbour = &span->requests[i];

		if (!wanted(neighbour) && neighbour->failure.error != -EOPNOTSUPP)
			pass_failure_on(span, neighbour);
		if (wanted(neighbour) && needs->core_power &&
		    !span->facts.domains[i].core_power.supported)
			neighbour->failure.error = -ECANCELED;
	}
}

/** Reads the facts of the requests, and behind them those of their neighbours. */
static int read_facts(struct span *span, const struct span_needs *needs)
{
	struct isst_change *change = span->change;
	struct domain_facts *all = calloc(span->count + 1, sizeof(*all));
	size_t neighbours = span->count - span->own;
	struct facts own = { 0 }, others = { 0 };
	int error = all ? 0 : -ENOMEM;

	if (!error)
		error = facts_read(change, span->requests, span->own, &needs->own, &own);
	if (!error)
		error = facts_read(change, &span->requests[span->own], neighbours,
				   &needs->neighbours, &others);
	if (error) {
		facts_free(&own);
		free(all);
		return error;
	}
	memcpy(all, own.domains, span->own * sizeof(*all));
	memcpy(&all[span->own], others.domains, neighbours * sizeof(*all));
	free(own.domains);
	free(others.domains);
	span->facts.domains = all;
	span->facts.count = span->count;
	return 0;
}

int span_begin(struct isst_change *change, const struct isst_request *requests, size_t count,
	       const struct span_needs *needs, struct span *span)
{
	size_t domains = isst_domain_count(change->context);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = context_check_domain(change->context, requests[i].domain);
	if (error)
		return error;
	*span = (struct span){ .change = change, .count = count };
	span->requests = calloc(count + domains + 1, sizeof(*span->requests));
	if (!span->requests)
		return -ENOMEM;
	for (; span->own < count; span->own++)
		span->requests[span->own] = requests[span->own];
	if (needs->width == SPAN_PACKAGES ||
	    (needs->width == SPAN_POWER_DOMAINS && context_has_power_domains(change->context)))
		add_neighbours(span, requests);
	error = read_facts(span, needs);
	if (error) {
		free(span->requests);
		return error;
	}
	judge_neighbours(span, &needs->neighbours);
	return 0;
}

/** Whether one of the requests of a package is wanted. */
static bool package_is_wanted(const struct span *span, unsigned int package)
{
	for (size_t i = 0; i < span->own; i++)
		if (wanted(&span->requests[i]) && span->requests[i].domain->package == package)
			return true;
	return false;
}

void span_settle(struct span *span)
{
	for (size_t i = span->own; i < span->count; i++)
		if (!package_is_wanted(span, span->requests[i].domain->package))
			span->requests[i].failure.error = -ECANCELED;
}

void span_leave_out(struct span *span, size_t i)
{
	span->requests[i].failure = (struct isst_failure){ .error = -ECANCELED };
}

struct isst_request *span_sharing(const struct span *span)
{
	struct isst_request *sharing = calloc(span->count + 1, sizeof(*sharing));

	for (size_t i = 0; i < span->count && sharing; i++) {
		const struct isst_request *request = &span->requests[i];

		sharing[i] = *request;
		if (i < span->own && request->failure.error == -EOPNOTSUPP &&
		    isst_domain_is_io(request->domain) &&
		    span->facts.domains[i].core_power.supported &&
		    package_is_wanted(span, request->domain->package))
			sharing[i].failure = (struct isst_failure){ 0 };
	}
	return sharing;
}

void span_end(struct span *span, struct isst_request *requests)
{
	for (size_t i = 0; i < span->own; i++) {
		requests[i].failure = span->requests[i].failure;
		if (requests[i].failure.error == -ECANCELED)
			requests[i].failure = (struct isst_failure){ 0 };
	}
	facts_free(&span->facts);
	free(span->requests);
}

struct facts span_own_facts(const struct span *span)
{
	return (struct facts){ span->facts.domains, span->own };
}

size_t span_core_power_count(const struct span *span)
{
	return context_has_power_domains(span->change->context) ? span->count : span->own;
}

/** Whether a feature is on in a neighbour in a package. */
static bool neighbour_uses(const struct span *span, unsigned int package, unsigned int feature)
{
	for (size_t i = span->own; i < span->count; i++)
		if (span->requests[i].domain->package == package &&
		    feature_is_on(&span->facts.domains[i].level, feature))
			return true;
	return false;
}

void span_leave_users(struct span *span, unsigned int feature)
{
	for (size_t i = span->own; i < span->count; i++)
		if (neighbour_uses(span, span->requests[i].domain->package, feature))
			span->requests[i].failure.error = -ECANCELED;
}

/** Whether request @i is the first of what has one core-power switch. */
static bool is_first_of_switch(const struct span *span, const struct isst_request *requests,
			       size_t i)
{
	for (size_t j = 0; j < i && context_has_power_domains(span->change->context); j++)
		if (wanted(&requests[j]) &&
		    requests[j].domain->package == requests[i].domain->package)
			return false;
	return true;
}

int span_name_other_levels(struct span *span, unsigned int feature)
{
	const char *name = feature_name(feature);
	int found = 0;

	for (size_t i = 0; i < span->own && found >= 0; i++) {
		const struct isst_domain *domain = span->requests[i].domain;
		unsigned int level;

		if (!wanted(&span->requests[i]))
			continue;
		found = record_of_other_level(span->change->context, name, domain,
					      span->facts.domains[i].profile.current_level, &level);
		if (found > 0)
			change_warn(
				span->change,
				"%s: settings from before %s enable are saved for level %u: "
				"%s disable --auto restores them at that level, not at level %u",
				domain->name, name, level, name,
				span->facts.domains[i].profile.current_level);
	}
	return found < 0 ? found : 0;
}

/** Says that core-power goes off with a feature: in the whole package, where it is the package's.
 */
static void warn_of_core_power_off(struct span *span, const struct isst_domain *domain,
				   unsigned int feature)
{
	int others = record_exists(span->change->context, feature_name(feature), domain);
	const char *of = others > 0 ? " of this level" : "";

	if (others == -ENOMEM)
		span->change->broken = true;
	if (context_has_power_domains(span->change->context))
		change_warn(span->change, "package %u: no saved settings%s: core-power goes off",
			    domain->package, of);
	else
		change_warn(span->change, "%s: no saved settings%s: core-power goes off",
			    domain->name, of);
}

/** Whether core-power may go off for request @i; says so where it may not, or goes. */
static bool may_go_off(struct span *span, const struct isst_request *requests, size_t i,
		       unsigned int feature, unsigned int other)
{
	const struct isst_core_power *state = &span->facts.domains[i].core_power;
	bool in_use = feature_in_use(span->change, span->requests, &span->facts, i, other);
	const struct isst_domain *domain = requests[i].domain;

	if (state->supported && in_use)
		change_warn(span->change, "%s: core-power stays on: %s needs it", domain->name,
			    feature_name(other));
	else if (state->enabled && is_first_of_switch(span, requests, i))
		warn_of_core_power_off(span, domain, feature);
	return state->supported && !in_use;
}

int span_core_power_off(struct span *span, const struct isst_request *sharing, unsigned int feature,
			const bool *restored)
{
	unsigned int other = other_feature(feature);
	struct isst_request *requests = calloc(span->count + 1, sizeof(*requests));

	if (!requests)
		return -ENOMEM;
	for (size_t i = 0; i < span->count; i++) {
		requests[i] = sharing[i];
		if (!wanted(&requests[i]))
			continue;
		if (restored[i] || !may_go_off(span, requests, i, feature, other))
			requests[i].failure.error = -ECANCELED;
	}
	plan_core_power_steps(span->change, requests, span_core_power_count(span), false,
			      ISST_KEEP_PRIORITY);
	free(requests);
	return 0;
}
