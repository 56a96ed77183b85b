/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading for a set of targets, but for levels: what the features read, as results; and whether the
 * machine is still the one that was discovered. */
#include "base/messages.h"
#include "features/features.h"
#include "features/running.h"
#include "library/results.h"
#include "library/targets.h"
#include "sysfs/cpu_lists.h"
#include "sysfs/limit_reasons.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/** A kind of results, of which each target has one or several, one struct each. */
struct read_kind {
	size_t size;
	size_t target_at;  /* of the domain or CPU that the struct is about */
	size_t failure_at; /* of what stands against all of it */
	int (*read)(struct isst_context *context, void *structs, size_t count);
	unsigned int carried; /* sources that are found in the struct */
	bool needs_success;   /* they are found only where nothing failed */
	bool of_cpus;	      /* targets are CPUs */
	/* Where it has several structs for a target: their number is kept here; 0: it has not. */
	size_t index_at;
	/* A part of results with a failure of its own; 0: there is none. */
	enum isst_part part;
	size_t part_failure_at;
};

#define READ_KIND(type, target, reader, sources) \
	.size = sizeof(type), .target_at = offsetof(type, target), \
	.failure_at = offsetof(type, failure), .read = (reader), .carried = (sources)

#define CARRIES(source) (1U << SOURCE_##source)

/** Reads @each structs for each target, the first of which has the number @first. */
static struct isst_results *prepare_results(const struct read_kind *kind, const struct call *call,
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
static int point_result(const struct read_kind *kind, struct isst_result *result, const char *one)
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

/**
 * Reads for the targets of a call. Returns what isst_read_...() do.
 *
 * @first, @each: so many structs for each target, the first of which has that number
 */
static int read_kind(const struct read_kind *kind, const struct call *call, unsigned int first,
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
	results = prepare_results(kind, call, &list, first, each);
	if (!results)
		return call_no_memory(call->context);
	error = kind->read(call->context, results->structs, results->count);
	for (size_t i = 0; i < results->count && !error; i++)
		if (point_result(kind, &results->items[i],
				 (const char *)results->structs + i * kind->size))
			error = call_no_memory(call->context);
	if (error) {
		isst_results_free(results);
		return error;
	}
	*out = results;
	return results_conclude(call->context, results, NULL);
}

/** The same with one struct for each target of what isst_read_...() were given. */
static int read_each(const struct read_kind *kind, struct isst_context *context,
		     const struct isst_targets *targets, const struct isst_request *request,
		     unsigned int flags, struct isst_results **out)
{
	const struct call call = { .context = context,
				   .targets = targets,
				   .request = request,
				   .flags = flags,
				   .for_cpus = kind->of_cpus };

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

	return read_each(&KIND, context, targets, request, flags, results);
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

	return read_each(&KIND, context, targets, request, flags, results);
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
							 read_associations, CARRIES(ASSOCIATION)),
					       .of_cpus = true };

	return read_each(&KIND, context, targets, request, flags, results);
}

/* ---- Turbo ratio limits ---- */

static int read_turbo_ratio_limits(struct isst_context *context, void *structs, size_t count)
{
	return turbo_ratio_limits_read(context, structs, count);
}

int isst_read_turbo_ratio_limits(struct isst_context *context, const struct isst_targets *targets,
				 const struct isst_request *request, unsigned int flags,
				 struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(
		struct isst_turbo_ratio_limits, domain, read_turbo_ratio_limits, CARRIES(LIMITS)) };

	return read_each(&KIND, context, targets, request, flags, results);
}

/* ---- Frequencies of the kernel ---- */

enum { KHZ_PER_MHZ = 1000 };

/** A frequency that the kernel shows. */
static struct isst_value mhz_of(uint64_t khz)
{
	return (struct isst_value){ .state = ISST_KNOWN,
				    .value = (unsigned int)(khz / KHZ_PER_MHZ) };
}

/** A limit, or that there is none. @absent: what stands for none */
static struct isst_value limit_of(uint64_t khz, uint64_t absent)
{
	const struct isst_value none = { .state = ISST_ABSENT };

	return khz == absent ? none : mhz_of(khz);
}

/* ---- Limits of the uncore ---- */

/** A limit that was set is another one than that of boot, where the kernel shows this. */
static void take_fabric(struct uncore_values *values, const struct uncore_limits *limits)
{
	const struct frequency_limits *now = &limits->now, *initial = &limits->initial;
	unsigned int fabric = limits->fabric;

	values->min_mhz[fabric] = limit_of(now->min_khz, initial->min_khz);
	values->max_mhz[fabric] = limit_of(now->max_khz, initial->max_khz);
	values->initial_min_mhz[fabric] = limit_of(initial->min_khz, 0);
	values->initial_max_mhz[fabric] = limit_of(initial->max_khz, 0);
}

static void fail_fabric(struct uncore_values *values, unsigned int fabric,
			const struct isst_failure *failure)
{
	const struct isst_value unreadable = { .state = ISST_UNREADABLE };

	/* A fabric that the kernel does not have is none of the domain's. */
	if (failure->error == -EOPNOTSUPP && fabric > 0)
		return;
	failure_join(&values->failure, failure);
	if (failure->error == -EOPNOTSUPP)
		return;
	values->min_mhz[fabric] = values->max_mhz[fabric] = unreadable;
	values->initial_min_mhz[fabric] = values->initial_max_mhz[fabric] = unreadable;
}

static int read_domain(struct isst_context *context, struct uncore_values *values)
{
	struct uncore_limits limits[UNCORE_FABRICS] = { 0 };
	unsigned int count = 0;
	int error;

	if (!context_accepts_domain(context, values->domain, &values->failure))
		return 0;
	error = uncore_fabric_count(context, values->domain, &count);
	if (error == -ENOMEM)
		return error;
	/* The first one shows why there are none. */
	if (error || count == 0)
		count = 1;
	if (count > UNCORE_FABRICS)
		count = UNCORE_FABRICS;
	for (unsigned int fabric = 0; fabric < count; fabric++) {
		limits[fabric].domain = values->domain;
		limits[fabric].fabric = fabric;
	}
	error = uncore_limits_read(context, limits, count);
	for (unsigned int fabric = 0; fabric < count && !error; fabric++) {
		if (limits[fabric].failure.error)
			fail_fabric(values, fabric, &limits[fabric].failure);
		else
			take_fabric(values, &limits[fabric]);
	}
	return error;
}

static int read_uncore(struct isst_context *context, void *structs, size_t count)
{
	struct uncore_values *values = structs;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = read_domain(context, &values[i]);
	return error;
}

int isst_read_uncore_limits(struct isst_context *context, const struct isst_targets *targets,
			    const struct isst_request *request, unsigned int flags,
			    struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct uncore_values, domain, read_uncore,
							 CARRIES(UNCORE)) };

	return read_each(&KIND, context, targets, request, flags, results);
}

/* ---- Limits of cpufreq ---- */

static void take_limits(struct scaling_values *values, const struct scaling_limits *limits)
{
	values->failure = limits->failure;
	if (limits->failure.error)
		return;
	values->min_mhz = limit_of(limits->now.min_khz, LIMIT_NONE);
	values->max_mhz = limit_of(limits->now.max_khz, LIMIT_NONE);
	values->processor_min_mhz = mhz_of(limits->processor.min_khz);
	values->processor_max_mhz = mhz_of(limits->processor.max_khz);
}

static int read_scaling(struct isst_context *context, void *structs, size_t count)
{
	struct scaling_limits *limits = calloc(count + 1, sizeof(*limits));
	struct scaling_values *values = structs;
	int error = limits ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		limits[i].cpu = values[i].cpu;
	if (!error)
		error = scaling_limits_read(context, limits, count);
	for (size_t i = 0; i < count && !error; i++)
		take_limits(&values[i], &limits[i]);
	free(limits);
	return error;
}

int isst_read_scaling_limits(struct isst_context *context, const struct isst_targets *targets,
			     const struct isst_request *request, unsigned int flags,
			     struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct scaling_values, cpu, read_scaling,
							 CARRIES(SCALING)),
					       .of_cpus = true };

	return read_each(&KIND, context, targets, request, flags, results);
}

/* ---- What CPUs run at ---- */

_Static_assert(ISST_LIMIT_OTHER == (int)LIMIT_WORDS, "the last reason is behind the words");

static int read_frequencies(struct isst_context *context, void *structs, size_t count)
{
	return frequencies_read(context, structs, count);
}

static int read_reasons(struct isst_context *context, void *structs, size_t count)
{
	return reasons_read(context, structs, count);
}

int isst_read_frequencies(struct isst_context *context, const struct isst_targets *targets,
			  const struct isst_request *request, unsigned int flags,
			  struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct cpu_running, cpu, read_frequencies,
							 CARRIES(RUNNING)),
					       .of_cpus = true, .needs_success = true };

	return read_each(&KIND, context, targets, request, flags, results);
}

int isst_read_limit_reasons(struct isst_context *context, const struct isst_targets *targets,
			    const struct isst_request *request, unsigned int flags,
			    struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct cpu_running, cpu, read_reasons,
							 CARRIES(REASONS)),
					       .of_cpus = true, .needs_success = true };

	return read_each(&KIND, context, targets, request, flags, results);
}

static int read_power(struct isst_context *context, void *structs, size_t count)
{
	return power_read(context, structs, count);
}

int isst_read_power(struct isst_context *context, const struct isst_targets *targets,
		    const struct isst_request *request, unsigned int flags,
		    struct isst_results **results)
{
	static const struct read_kind KIND = { READ_KIND(struct domain_power, domain, read_power,
							 CARRIES(POWER)),
					       .needs_success = true };

	return read_each(&KIND, context, targets, request, flags, results);
}

const char *isst_limit_reason_name(int reason)
{
	if (reason == ISST_LIMIT_OTHER)
		return "OTHER";
	return reason >= 0 && reason < (int)LIMIT_WORDS ? limit_words[reason] : NULL;
}

/* ---- Sets of CPUs ---- */

int isst_undisturbed_cpus(struct isst_context *context, struct isst_cpuset **cpus)
{
	const char *before;
	int error;

	if (!context || !cpus)
		return context_refuse(context, "there is nowhere to put the CPUs (NULL)");
	*cpus = isst_cpuset_new();
	if (!*cpus)
		return call_no_memory(context);
	before = message_begin(&context->messages);
	error = message_end(&context->messages, before, undisturbed_cpus(&context->files, *cpus));
	if (error) {
		isst_cpuset_free(*cpus);
		*cpus = NULL;
	}
	return error;
}

/** Whether a list of the kernel has other CPUs than a set. Returns 1, 0 or a negative errno. */
static int differs(struct isst_context *context, const char *path, const struct isst_cpuset *than)
{
	struct isst_cpuset *now = isst_cpuset_new();
	unsigned int cpu;
	int result = now ? kernel_files_cpulist(&context->files, path, now) : -ENOMEM;

	if (result == -ENOENT)
		result = message_error(&context->messages, -EIO, "%s does not exist", path);
	if (!result)
		result = isst_cpuset_count(now) != isst_cpuset_count(than);
	for (cpu = 0; !result && isst_cpuset_next(now, cpu, &cpu); cpu++)
		result = !isst_cpuset_has(than, cpu);
	isst_cpuset_free(now);
	return result;
}

static int cpus_changed(struct isst_context *context)
{
	int result = context_check_discovered(context);

	if (!result)
		result = differs(context, CPU_DIRECTORY "/online", isst_online_cpus(context));
	if (!result)
		result = differs(context, CPU_DIRECTORY "/present", isst_present_cpus(context));
	return result;
}

int isst_cpus_changed(struct isst_context *context)
{
	const char *before;
	int result;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	result = cpus_changed(context);
	message_end(&context->messages, before, result < 0 ? result : 0);
	return result;
}
