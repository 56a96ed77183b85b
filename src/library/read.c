/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading for a set of targets, but for levels: what the features read, as results. */
#include "features/features.h"
#include "library/read_kind.h"

#include <errno.h>
#include <stdlib.h>

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
	for (size_t i = 0; i < targets * each; i++)
		kind->begin((char *)results->structs + i * kind->size, results->items[i].domain,
			    results->items[i].cpu, first + (unsigned int)(i % each));
	return results;
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
		if (kind->finish(&results->items[i],
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

static void begin_profile(void *one, const struct isst_domain *domain, const struct isst_cpu *cpu,
			  unsigned int index)
{
	(void)cpu;
	(void)index;
	((struct isst_perf_profile *)one)->domain = domain;
}

static int read_profiles(struct isst_context *context, void *structs, size_t count)
{
	return perf_profile_read(context, structs, count);
}

static int finish_profile(struct isst_result *result, const void *one)
{
	const struct isst_perf_profile *profile = one;
	int error = result_fail(result, ISST_PART_RESULT, &profile->failure);

	result->sources[SOURCE_PERF_PROFILE] = profile;
	return error ? error : result_fail(result, ISST_PART_PERF_PROFILE, &profile->failure);
}

int isst_read_perf_profiles(struct isst_context *context, const struct isst_targets *targets,
			    const struct isst_request *request, unsigned int flags,
			    struct isst_results **results)
{
	static const struct read_kind KIND = { sizeof(struct isst_perf_profile), begin_profile,
					       read_profiles, finish_profile,
					       CARRIES(PERF_PROFILE) };

	return read_domains(&KIND, context, targets, request, flags, results);
}

/* ---- Core-power ---- */

static void begin_core_power(void *one, const struct isst_domain *domain,
			     const struct isst_cpu *cpu, unsigned int index)
{
	(void)cpu;
	(void)index;
	((struct isst_core_power *)one)->domain = domain;
}

static int read_core_power(struct isst_context *context, void *structs, size_t count)
{
	return core_power_read(context, structs, count);
}

static int finish_core_power(struct isst_result *result, const void *one)
{
	const struct isst_core_power *state = one;
	int error = result_fail(result, ISST_PART_RESULT, &state->failure);

	result->sources[SOURCE_CORE_POWER] = state;
	result->sources[SOURCE_CLOS_USE] = state;
	return error ? error : result_fail(result, ISST_PART_CLOS, &state->clos_failure);
}

int isst_read_core_power(struct isst_context *context, const struct isst_targets *targets,
			 const struct isst_request *request, unsigned int flags,
			 struct isst_results **results)
{
	static const struct read_kind KIND = { sizeof(struct isst_core_power), begin_core_power,
					       read_core_power, finish_core_power,
					       CARRIES(CORE_POWER) | CARRIES(CLOS_USE) };

	return read_domains(&KIND, context, targets, request, flags, results);
}

/* ---- CLOS ---- */

static const int CLOS_VALUES[] = { ISST_VALUE_CLOS, 0 };

static void begin_clos(void *one, const struct isst_domain *domain, const struct isst_cpu *cpu,
		       unsigned int index)
{
	struct isst_clos *clos = one;

	(void)cpu;
	clos->domain = domain;
	clos->clos = index;
}

static int read_clos(struct isst_context *context, void *structs, size_t count)
{
	return clos_read(context, structs, count);
}

static int finish_clos(struct isst_result *result, const void *one)
{
	const struct isst_clos *clos = one;

	result->sources[SOURCE_CLOS] = clos;
	result->sources[SOURCE_CLOS_CONFIG] = clos;
	return result_fail(result, ISST_PART_RESULT, &clos->failure);
}

int isst_read_clos(struct isst_context *context, const struct isst_targets *targets,
		   const struct isst_request *request, unsigned int flags,
		   struct isst_results **results)
{
	static const struct read_kind KIND = { sizeof(struct isst_clos), begin_clos, read_clos,
					       finish_clos, CARRIES(CLOS) | CARRIES(CLOS_CONFIG) };
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

static void begin_association(void *one, const struct isst_domain *domain,
			      const struct isst_cpu *cpu, unsigned int index)
{
	(void)domain;
	(void)index;
	((struct isst_clos_association *)one)->cpu = cpu;
}

static int read_associations(struct isst_context *context, void *structs, size_t count)
{
	return clos_association_read(context, structs, count);
}

static int finish_association(struct isst_result *result, const void *one)
{
	const struct isst_clos_association *association = one;

	result->sources[SOURCE_ASSOCIATION] = association;
	return result_fail(result, ISST_PART_RESULT, &association->failure);
}

int isst_read_clos_associations(struct isst_context *context, const struct isst_targets *targets,
				const struct isst_request *request, unsigned int flags,
				struct isst_results **results)
{
	static const struct read_kind KIND = { sizeof(struct isst_clos_association),
					       begin_association, read_associations,
					       finish_association, CARRIES(ASSOCIATION) };

	return read_cpus(&KIND, context, targets, request, flags, results);
}

/* ---- Turbo ratio limits ---- */

static void begin_limits(void *one, const struct isst_domain *domain, const struct isst_cpu *cpu,
			 unsigned int index)
{
	(void)cpu;
	(void)index;
	((struct isst_turbo_ratio_limits *)one)->domain = domain;
}

static int read_limits(struct isst_context *context, void *structs, size_t count)
{
	return turbo_ratio_limits_read(context, structs, count);
}

static int finish_limits(struct isst_result *result, const void *one)
{
	const struct isst_turbo_ratio_limits *limits = one;

	result->sources[SOURCE_LIMITS] = limits;
	return result_fail(result, ISST_PART_RESULT, &limits->failure);
}

int isst_read_turbo_ratio_limits(struct isst_context *context, const struct isst_targets *targets,
				 const struct isst_request *request, unsigned int flags,
				 struct isst_results **results)
{
	static const struct read_kind KIND = { sizeof(struct isst_turbo_ratio_limits), begin_limits,
					       read_limits, finish_limits, CARRIES(LIMITS) };

	return read_domains(&KIND, context, targets, request, flags, results);
}
