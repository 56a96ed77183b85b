/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-CP: switching it, configuring CLOS, and putting cores into them. */
#include "features/context.h"
#include "features/span.h"
#include "sysfs/cpufreq.h"

#include <errno.h>
#include <stdlib.h>

static void check_support(struct isst_change *change, struct isst_request *request,
			  const struct domain_facts *facts)
{
	if (wanted(request) && !facts->core_power.supported)
		refuse(change, request, -EOPNOTSUPP, "core-power not supported");
}

static void warn_of_interference(struct isst_change *change, const struct isst_request *requests,
				 size_t count)
{
	uint64_t khz;

	for (size_t i = 0; i < count; i++) {
		if (!wanted(&requests[i]) || !requests[i].domain->has_cpu ||
		    cpufreq_read(&change->context->files, requests[i].domain->cpu,
				 "scaling_max_freq", &khz))
			continue;
		change_warn(change,
			    "cpufreq subsystem and core-power enable will interfere with each "
			    "other!");
		break;
	}
	warn_of_cpufreq(change, requests, count);
}

/** Core-power cannot be taken from turbo-freq. */
static void check_users(struct span *span, size_t i)
{
	struct isst_request *request = &span->requests[i];
	const struct isst_domain *user;

	if (!wanted(request))
		return;
	user = span->facts.domains[i].level.turbo_freq == ISST_FEATURE_ENABLED
		       ? request->domain
		       : span_user(span, request->domain->package, FEATURE_TURBO_FREQ);
	if (user)
		refuse(span->change, request, -EIO,
		       "Ignoring request, turbo-freq feature is still enabled%s%s; disable it first "
		       "(turbo-freq disable)",
		       user == request->domain ? "" : " in ",
		       user == request->domain ? "" : user->name);
}

int isst_plan_core_power(struct isst_change *change, struct isst_request *requests, size_t count,
			 bool enable, enum isst_priority_request priority)
{
	struct span span;
	int error = span_begin(change, requests, count, SPAN_POWER_DOMAINS, CURRENT_LEVEL,
			       ISST_LEVEL_FEATURES, &span);

	if (error)
		return error;
	for (size_t i = 0; i < count; i++) {
		check_support(change, &span.requests[i], &span.facts.domains[i]);
		if (!enable)
			check_users(&span, i);
	}
	span_settle(&span);
	if (enable)
		warn_of_interference(change, span.requests, count);
	plan_core_power_steps(change, span.requests, span.count, enable, priority);
	span_end(&span, requests);
	return 0;
}

/** Warns of CLOS limits that the processor does not reach: the firmware would clip them. */
static void warn_of_range(struct isst_change *change, const struct isst_request *request,
			  const struct isst_clos *values)
{
	struct kernel_files *files = &change->context->files;
	const struct isst_domain *domain = request->domain;
	uint64_t lowest_khz, highest_khz;

	if (!wanted(request) || !domain->has_cpu ||
	    cpufreq_read(files, domain->cpu, "cpuinfo_max_freq", &highest_khz) ||
	    cpufreq_read(files, domain->cpu, "cpuinfo_min_freq", &lowest_khz))
		return;
	if (values->min_mhz * UINT64_C(1000) > highest_khz)
		change_warn(change,
			    "%s: CLOS %u min %u MHz is above what its CPUs reach (%llu MHz)",
			    domain->name, values->clos, values->min_mhz,
			    (unsigned long long)highest_khz / 1000);
	if (values->max_mhz && values->max_mhz * UINT64_C(1000) < lowest_khz)
		change_warn(change,
			    "%s: CLOS %u max %u MHz is below the lowest frequency of its "
			    "CPUs (%llu MHz)",
			    domain->name, values->clos, values->max_mhz,
			    (unsigned long long)lowest_khz / 1000);
}

static int check_clos(struct isst_change *change, const struct isst_clos *values)
{
	struct messages *messages = &change->context->messages;

	if (values->clos >= ISST_CLOSES)
		return message_error(messages, -EINVAL, "CLOS %u: there are 0 to %d", values->clos,
				     ISST_CLOSES - 1);
	if (values->epp > 15 || values->weight > 15)
		return message_error(messages, -EINVAL, "EPP and weight of a CLOS are 0 to 15");
	if (values->min_mhz > ISST_NO_LIMIT_MHZ || values->max_mhz > ISST_NO_LIMIT_MHZ ||
	    values->desired_mhz > ISST_NO_LIMIT_MHZ)
		return message_error(messages, -EINVAL, "frequencies of a CLOS are at most %d MHz",
				     ISST_NO_LIMIT_MHZ);
	if (values->min_mhz > values->max_mhz)
		return message_error(messages, -EINVAL, "CLOS %u: min %u MHz is above max %u MHz",
				     values->clos, values->min_mhz, values->max_mhz);
	return 0;
}

int isst_plan_clos(struct isst_change *change, struct isst_request *requests, size_t count,
		   const struct isst_clos *values)
{
	struct step *step;
	struct span span;
	int error = check_clos(change, values);

	if (!error)
		error = span_begin(change, requests, count, SPAN_POWER_DOMAINS, CURRENT_LEVEL,
				   ISST_LEVEL_FEATURES, &span);
	if (error)
		return error;
	for (size_t i = 0; i < count; i++) {
		check_support(change, &span.requests[i], &span.facts.domains[i]);
		warn_of_range(change, &span.requests[i], values);
	}
	span_settle(&span);
	step = change_step(change, ITEM_CLOS);
	for (size_t i = 0; i < span.count; i++)
		if (wanted(&span.requests[i]))
			step_set(step, item_of(ITEM_CLOS, span.requests[i].domain, values->clos),
				 clos_mask(change->context), clos_value(values));
	span_end(&span, requests);
	return 0;
}

/** The domains of the CPUs, each once. Returns their number. */
static size_t domains_of(const struct isst_clos_association *associations, size_t count,
			 struct isst_request *requests)
{
	size_t domains = 0;

	for (size_t i = 0; i < count; i++) {
		size_t known = 0;

		while (known < domains && requests[known].domain != associations[i].cpu->domain)
			known++;
		if (known == domains)
			requests[domains++] =
				(struct isst_request){ .domain = associations[i].cpu->domain };
	}
	return domains;
}

/** What stands against the association of one CPU: what stands against its domain, or that its core
 * is not known. */
static void check_association(struct isst_change *change, struct isst_clos_association *association,
			      const struct isst_request *requests)
{
	const struct isst_cpu *cpu = association->cpu;

	association->failure = (struct isst_failure){ 0 };
	while (requests->domain != cpu->domain)
		requests++;
	if (!wanted(requests))
		association->failure = requests->failure;
	else if (!cpu->core_known)
		message_failure(&change->context->messages, &association->failure, -EIO,
				"CPU %u: %s", cpu->number,
				topology_cpu(change->context->topology, cpu->number)->unknown_core);
}

/** Puts each core into the step once, in the order of the CPUs. */
static void add_associations(struct step *step, const struct isst_clos_association *associations,
			     size_t count, uint64_t *seen)
{
	for (size_t i = 0; i < count; i++) {
		const struct isst_cpu *cpu = associations[i].cpu;
		uint64_t bit = UINT64_C(1) << (cpu->core & 63);

		if (associations[i].failure.error || seen[cpu->domain->index] & bit)
			continue;
		seen[cpu->domain->index] |= bit;
		step_set(step, item_of(ITEM_ASSOCIATION, cpu->domain, cpu->core), WHOLE_VALUE,
			 associations[i].clos);
	}
}

int isst_plan_association(struct isst_change *change, struct isst_clos_association *associations,
			  size_t count)
{
	size_t all_domains = isst_domain_count(change->context), domains;
	struct isst_request *requests = calloc(all_domains, sizeof(*requests));
	uint64_t *seen = calloc(all_domains, sizeof(*seen));
	struct facts facts = { 0 };
	int error = requests && seen ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		error = context_check_cpu(change->context, associations[i].cpu);
	for (size_t i = 0; i < count && !error; i++)
		if (associations[i].clos >= ISST_CLOSES)
			error = message_error(&change->context->messages, -EINVAL,
					      "CLOS %u: there are 0 to %d", associations[i].clos,
					      ISST_CLOSES - 1);
	if (error)
		goto out;
	domains = domains_of(associations, count, requests);
	error = facts_read(change, requests, domains, CURRENT_LEVEL, ISST_LEVEL_FEATURES, &facts);
	if (error)
		goto out;
	for (size_t i = 0; i < domains; i++)
		check_support(change, &requests[i], &facts.domains[i]);
	for (size_t i = 0; i < count; i++)
		check_association(change, &associations[i], requests);
	add_associations(change_step(change, ITEM_ASSOCIATION), associations, count, seen);
	facts_free(&facts);
out:
	free(requests);
	free(seen);
	return error;
}
