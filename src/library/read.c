/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading for a set of targets, but for levels; and whether the CPUs changed since discovery. */
#include "base/messages.h"
#include "features/features.h"
#include "library/results.h"
#include "library/targets.h"
#include "sysfs/limit_reasons.h"
#include "sysfs/system.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/** A kind of results: each target has one or several, one struct each. */
struct read_kind {
	int (*read)(struct isst_context *context, void *structs, size_t count);
	size_t size;
	size_t target_at;     /* of the domain or CPU that the struct is about */
	size_t failure_at;    /* of what stands against all of it */
	unsigned int carried; /* sources that are found in the struct */
	bool needs_success;   /* they are found only where nothing failed */
	bool of_cpus;	      /* targets are CPUs */
	bool of_clos;	      /* a struct for each CLOS, or for the one that the request names */
	/* A part of results with a failure of its own; 0: there is none. */
	enum isst_part part;
	size_t part_failure_at;
};

static int read_fabrics(struct isst_context *context, struct uncore_values *values)
{
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
	if (count > ISST_FABRICS)
		count = ISST_FABRICS;
	for (unsigned int i = 0; i < count; i++) {
		values->fabric[i].domain = values->domain;
		values->fabric[i].fabric = i;
	}
	error = uncore_limits_read(context, values->fabric, count);
	/* A fabric that the kernel does not have is none of the domain's. */
	for (unsigned int i = 0; i < count && !error; i++)
		if (i == 0 || values->fabric[i].failure.error != -EOPNOTSUPP)
			failure_join(&values->failure, &values->fabric[i].failure);
	return error;
}

static int read_uncore(struct isst_context *context, struct uncore_values *values, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = read_fabrics(context, &values[i]);
	return error;
}

static int read_results(const struct read_kind *kind, struct isst_context *context,
			const struct isst_targets *targets, const struct isst_request *request,
			unsigned int flags, struct isst_results **out)
{
	static const int CLOS_VALUES[] = { ISST_VALUE_CLOS, 0 };
	const struct call call = { .context = context,
				   .targets = targets,
				   .request = request,
				   .values = kind->of_clos ? CLOS_VALUES : NULL,
				   .flags = flags,
				   .for_cpus = kind->of_cpus };
	unsigned int each = 1;
	struct isst_results *results;
	struct target_list list;
	uint64_t clos = 0;
	int error;

	if (!context || !out)
		return context_refuse(context, "there is nowhere to put the results (NULL)");
	*out = NULL;
	error = call_check(&call, &list);
	if (error)
		return error;
	if (kind->of_clos && !request_get(request, ISST_VALUE_CLOS, &clos))
		each = ISST_CLOS_COUNT;
	results = results_new(&call, &list, each, kind->carried);
	if (results)
		results->structs = calloc(results->count + 1, kind->size);
	if (!results || !results->structs) {
		isst_results_free(results);
		return call_no_memory(context);
	}
	for (size_t i = 0; i < results->count; i++) {
		const struct isst_result *result = &results->items[i];
		const void *target = kind->of_cpus ? (const void *)result->cpu : result->domain;

		memcpy((char *)results->structs + i * kind->size + kind->target_at, &target,
		       sizeof(target));
		if (kind->of_clos)
			((struct isst_clos *)results->structs)[i].clos = (unsigned int)clos +
									 (unsigned int)(i % each);
	}
	error = kind->read(context, results->structs, results->count);
	if (error) {
		isst_results_free(results);
		return error;
	}
	for (size_t i = 0; i < results->count; i++) {
		struct isst_result *result = &results->items[i];
		const char *one = (const char *)results->structs + i * kind->size;

		result->parts[ISST_PART_RESULT] = *(const struct isst_failure *)(one +
										 kind->failure_at);
		if (kind->part)
			result->parts[kind->part] = *(
				const struct isst_failure *)(one + kind->part_failure_at);
		for (int source = 0; source < SOURCES; source++)
			if (kind->carried >> source & 1 &&
			    !(kind->needs_success && result->parts[ISST_PART_RESULT].error))
				result->sources[source] = one;
	}
	return results_finish(context, results, false, out);
}

#define CARRIES(source) (1U << SOURCE_##source)

/** Defines a function of isst.h by the reader of its structs. */
#define READ(name, reader, type, target, ...) \
	static int reader##_any(struct isst_context *context, void *structs, size_t count) \
	{ \
		return reader(context, structs, count); \
	} \
	int name(struct isst_context *context, const struct isst_targets *targets, \
		 const struct isst_request *request, unsigned int flags, \
		 struct isst_results **results) \
	{ \
		static const struct read_kind KIND = { \
			.read = reader##_any, \
			.size = sizeof(struct type), \
			.target_at = offsetof(struct type, target), \
			.failure_at = offsetof(struct type, failure), \
			.carried = __VA_ARGS__, \
		}; \
\
		return read_results(&KIND, context, targets, request, flags, results); \
	}

READ(isst_read_perf_profiles, perf_profile_read, isst_perf_profile, domain, CARRIES(PERF_PROFILE),
     .part = ISST_PART_PERF_PROFILE, .part_failure_at = offsetof(struct isst_perf_profile, failure))
READ(isst_read_core_power, core_power_read, isst_core_power, domain,
     CARRIES(CORE_POWER) | CARRIES(CLOS_USE), .part = ISST_PART_CLOS,
     .part_failure_at = offsetof(struct isst_core_power, clos_failure))
READ(isst_read_clos, clos_read, isst_clos, domain, CARRIES(CLOS) | CARRIES(CLOS_CONFIG),
     .of_clos = true)
READ(isst_read_clos_associations, clos_association_read, isst_clos_association, cpu,
     CARRIES(ASSOCIATION), .of_cpus = true)
READ(isst_read_turbo_ratio_limits, turbo_ratio_limits_read, isst_turbo_ratio_limits, domain,
     CARRIES(LIMITS))
READ(isst_read_uncore_limits, read_uncore, uncore_values, domain, CARRIES(UNCORE))
READ(isst_read_scaling_limits, scaling_limits_read, scaling_limits, cpu, CARRIES(SCALING),
     .of_cpus = true, .needs_success = true)
READ(isst_read_frequencies, frequencies_read, cpu_running, cpu, CARRIES(RUNNING), .of_cpus = true,
     .needs_success = true)
READ(isst_read_limit_reasons, reasons_read, cpu_running, cpu, CARRIES(REASONS), .of_cpus = true,
     .needs_success = true)
READ(isst_read_power, power_read, domain_power, domain, CARRIES(POWER), .needs_success = true)

_Static_assert(ISST_LIMIT_OTHER == (int)LIMIT_WORDS, "the last reason is behind the words");

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

	if (!context || !cpus)
		return context_refuse(context, "there is nowhere to put the CPUs (NULL)");
	before = message_begin(&context->messages);
	*cpus = isst_cpuset_new();
	return call_end_cpus(context, before, cpus,
			     *cpus ? undisturbed_cpus(&context->files, *cpus) : -ENOMEM);
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

int isst_cpus_changed(struct isst_context *context)
{
	const char *before;
	int result;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	result = context_check_discovered(context);
	if (!result)
		result = differs(context, CPU_DIRECTORY "/online", isst_online_cpus(context));
	if (!result)
		result = differs(context, CPU_DIRECTORY "/present", isst_present_cpus(context));
	message_end(&context->messages, before, result < 0 ? result : 0);
	return result;
}
