/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading for a set of targets, but for levels: what the features read, as results. */
#include "features/features.h"
#include "library/read_kind.h"

#include <stdlib.h>
#include <string.h>

/** Reads @each structs for each target, the first of which has the number @first. */
static struct isst_results *prepare(const struct read_kind *kind, const struct call *call,
				    const struct target_list *list, unsigned int first,
				    unsigned int each)
{
	size_t targets = call->for_cpus ? list->cpu_count : list->domain_count;
	struct isst_results *results = results_new(targets * each, kind->carried);

	if (results)
		results->structs = calloc(targets * each + 1, kind->size);
	if (!results || !results->structs) {
		isst_results_free(results);
		return NULL;
	}
	results_name_targets(results, list, call->for_cpus, each);
	for (size_t i = 0; i < targets * each; i++) {
		const void *target = call->for_cpus ? (const void *)results->items[i].cpu
						    : results->items[i].domain;
		unsigned int index = first + (unsigned int)(i % each);
		char *one = (char *)results->structs + i * kind->size;

		memcpy(one + kind->target_at, &target, sizeof(target));
		if (kind->index_at)
			memcpy(one + kind->index_at, &index, sizeof(index));
	}
	return results;
}

/** Points a result to its struct. Returns 0 or -ENOMEM. */
static int finish(const struct read_kind *kind, struct isst_result *result, const char *one)
{
	const struct isst_failure *failure = (const void *)(one + kind->failure_at);
	int error = result_fail(result, ISST_PART_RESULT, failure);

	for (int source = 0; source < SOURCES; source++)
		if (kind->carried >> source & 1 && !(kind->needs_success && failure->error))
			result->sources[source] = one;
	if (!error && kind->part)
		error = result_fail(result, kind->part,
				    (const void *)(one + kind->part_failure_at));
	return error;
}

int read_kind(const struct read_kind *kind, const struct call *call, unsigned int first,
	      unsigned int each, struct isst_results **out)
{
	struct isst_results *results;
	struct target_list list;
	int error;

	if (!call->context || !out)
		return context_refuse(call->context, "there is nowhere to put the results (NULL)");
	*out = NULL;
	error = call_check(call, &list);
	if (error)
		return error;
	results = prepare(kind, call, &list, first, each);
	if (!results)
		return call_no_memory(call->context);
	error = kind->read(call->context, results->structs, results->count);
	for (size_t i = 0; i < results->count && !error; i++)
		if (finish(kind, &results->items[i],
			   (const char *)results->structs + i * kind->size))
			error = call_no_memory(call->context);
	if (error) {
		isst_results_free(results);
		return error;
	}
	*out = results;
	return results_conclude(call->context, results, NULL);
}

int read_domains(const struct read_kind *kind, struct isst_context *context,
		 const struct isst_targets *targets, const struct isst_request *request,
		 unsigned int flags, struct isst_results **out)
{
	const struct call call = {
		.context = context, .targets = targets, .request = request, .flags = flags
	};

	return read_kind(kind, &call, 0, 1, out);
}

int read_cpus(const struct read_kind *kind, struct isst_context *context,
	      const struct isst_targets *targets, const struct isst_request *request,
	      unsigned int flags, struct isst_results **out)
{
	const struct call call = { .context = context,
				   .targets = targets,
				   .request = request,
				   .flags = flags,
				   .for_cpus = true };

	return read_kind(kind, &call, 0, 1, out);
}

/* ---- Summaries of levels ---- */

static int read_profiles(struct isst_context *context, void *structs, size_t count)
{
	return perf_profile_read(context, structs, count);
}

int isst_read_perf_profiles(struct isst_context *context, const struct isst_targets *targets,
			    const struct isst_request *request, unsigned int flags,
			    struct isst_results **results)
{
	static const struct read_kind KIND = {
		READ_KIND(struct isst_perf_profile, domain, read_profiles, CARRIES(PERF_PROFILE)),
		.part = ISST_PART_PERF_PROFILE,
		.part_failure_at = offsetof(struct isst_perf_profile, failure)
	};

	return read_domains(&KIND, context, targets, request, flags, results);
}

/* ---- Core-power ---- */

static int read_core_power(struct isst_context *context, void *structs, size_t count)
{
	return core_power_read(context, structs, count);
}

int isst_read_core_power(struct isst_context *context, const struct isst_targets *targets,
			 const struct isst_request *request, unsigned int flags,
			 struct isst_results **results)
{
	static const struct read_kind KIND = {
		READ_KIND(struct isst_core_power, domain, read_core_power,
			  CARRIES(CORE_POWER) | CARRIES(CLOS_USE)),
		.part = ISST_PART_CLOS,
		.part_failure_at = offsetof(struct isst_core_power, clos_failure)
	};

	return read_domains(&KIND, context, targets, request, flags, results);
}

/* ---- CLOS ---- */

static const int CLOS_VALUES[] = { ISST_VALUE_CLOS, 0 };

static int read_clos(struct isst_context *context, void *structs, size_t count)
{
	return clos_read(context, structs, count);
}

int isst_read_clos(struct isst_context *context, const struct isst_targets *targets,
		   const struct isst_request *request, unsigned int flags,
		   struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct isst_clos, domain, read_clos,
							 CARRIES(CLOS) | CARRIES(CLOS_CONFIG)),
					       .index_at = offsetof(struct isst_clos, clos) };
	const struct call call = { .context = context,
				   .targets = targets,
				   .request = request,
				   .values = CLOS_VALUES,
				   .flags = flags };
	uint64_t one;

	if (request_get(request, ISST_VALUE_CLOS, &one))
		return read_kind(&KIND, &call, (unsigned int)one, 1, results);
	return read_kind(&KIND, &call, 0, ISST_CLOS_COUNT, results);
}

static int read_associations(struct isst_context *context, void *structs, size_t count)
{
	return clos_association_read(context, structs, count);
}

int isst_read_clos_associations(struct isst_context *context, const struct isst_targets *targets,
				const struct isst_request *request, unsigned int flags,
				struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct isst_clos_association, cpu,
							 read_associations, CARRIES(ASSOCIATION)) };

	return read_cpus(&KIND, context, targets, request, flags, results);
}

/* ---- Turbo ratio limits ---- */

static int read_limits(struct isst_context *context, void *structs, size_t count)
{
	return turbo_ratio_limits_read(context, structs, count);
}

int isst_read_turbo_ratio_limits(struct isst_context *context, const struct isst_targets *targets,
				 const struct isst_request *request, unsigned int flags,
				 struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct isst_turbo_ratio_limits, domain,
							 read_limits, CARRIES(LIMITS)) };

	return read_domains(&KIND, context, targets, request, flags, results);
}
