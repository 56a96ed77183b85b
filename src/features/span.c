/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests and their neighbours in the same packages. */
#include "features/span.h"
#include "features/context.h"

#include <errno.h>
#include <stdlib.h>

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
static void judge_neighbours(struct span *span)
{
	for (size_t i = span->own; i < span->count; i++) {
		struct isst_request *neighbour = &span->requests[i];

		if (!wanted(neighbour) && neighbour->failure.error != -EOPNOTSUPP)
			pass_failure_on(span, neighbour);
		if (wanted(neighbour) && !span->facts.domains[i].core_power.supported)
			neighbour->failure.error = -ECANCELED;
	}
}

int span_begin(struct isst_change *change, const struct isst_request *requests, size_t count,
	       enum span_width width, unsigned int level, unsigned int parts, struct span *span)
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
	if (width == SPAN_PACKAGES || context_has_power_domains(change->context))
		add_neighbours(span, requests);
	error = facts_read(change, span->requests, span->count, level, parts, &span->facts);
	if (error) {
		free(span->requests);
		return error;
	}
	judge_neighbours(span);
	return 0;
}

void span_settle(struct span *span)
{
	for (size_t i = span->own; i < span->count; i++) {
		bool any = false;

		for (size_t j = 0; j < span->own; j++)
			any |= wanted(&span->requests[j]) &&
			       span->requests[j].domain->package ==
				       span->requests[i].domain->package;
		if (!any)
			span->requests[i].failure.error = -ECANCELED;
	}
}

void span_end(struct span *span, struct isst_request *requests)
{
	for (size_t i = 0; i < span->own; i++)
		requests[i].failure = span->requests[i].failure;
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

const struct isst_domain *span_user(const struct span *span, unsigned int package,
				    unsigned int feature)
{
	for (size_t i = span->own; i < span->count; i++)
		if (span->requests[i].domain->package == package &&
		    feature_is_on(&span->facts.domains[i].level, feature))
			return span->requests[i].domain;
	return NULL;
}

void span_leave_users(struct span *span, unsigned int feature)
{
	for (size_t i = span->own; i < span->count; i++)
		if (span_user(span, span->requests[i].domain->package, feature))
			span->requests[i].failure.error = -ECANCELED;
}
