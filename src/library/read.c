/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading for a set of targets, levels at last; and whether the CPUs changed since discovery. */
#include "base/cpuset.h"
#include "base/messages.h"
#include "features/features.h"
#include "features/snapshot.h"
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

/** Defines a reader of any structs. */
#define READER(reader) \
	static int reader##_any(struct isst_context *context, void *structs, size_t count) \
	{ \
		return reader(context, structs, count); \
	}

READER(perf_profile_read)
READER(core_power_read)
READER(clos_read)
READER(clos_association_read)
READER(turbo_ratio_limits_read)
READER(read_uncore)
READER(scaling_limits_read)
READER(frequencies_read)
READER(reasons_read)
READER(power_read)

#define KIND(reader, type, target, ...) \
	{ \
		.read = reader##_any, .size = sizeof(struct type), \
		.target_at = offsetof(struct type, target), \
		.failure_at = offsetof(struct type, failure), .carried = __VA_ARGS__, \
	}

/** What isst_read() reads, by enum isst_reading; levels have a function of their own. */
static const struct read_kind KINDS[] = {
	[ISST_READ_PERF_PROFILES] = KIND(
		perf_profile_read, isst_perf_profile, domain, CARRIES(PERF_PROFILE),
		.part = ISST_PART_PERF_PROFILE,
		.part_failure_at = offsetof(struct isst_perf_profile, failure)),
	[ISST_READ_CORE_POWER] = KIND(
		core_power_read, isst_core_power, domain, CARRIES(CORE_POWER) | CARRIES(CLOS_USE),
		.part = ISST_PART_CLOS,
		.part_failure_at = offsetof(struct isst_core_power, clos_failure)),
	[ISST_READ_CLOS] = KIND(clos_read, isst_clos, domain, CARRIES(CLOS) | CARRIES(CLOS_CONFIG),
				.of_clos = true),
	[ISST_READ_CLOS_ASSOCIATIONS] = KIND(clos_association_read, isst_clos_association, cpu,
					     CARRIES(ASSOCIATION), .of_cpus = true),
	[ISST_READ_TURBO_RATIO_LIMITS] = KIND(turbo_ratio_limits_read, isst_turbo_ratio_limits,
					      domain, CARRIES(LIMITS)),
	[ISST_READ_UNCORE_LIMITS] = KIND(read_uncore, uncore_values, domain, CARRIES(UNCORE)),
	[ISST_READ_SCALING_LIMITS] = KIND(scaling_limits_read, scaling_limits, cpu,
					  CARRIES(SCALING), .of_cpus = true, .needs_success = true),
	[ISST_READ_FREQUENCIES] = KIND(frequencies_read, cpu_running, cpu, CARRIES(RUNNING),
				       .of_cpus = true, .needs_success = true),
	[ISST_READ_LIMIT_REASONS] = KIND(reasons_read, cpu_running, cpu, CARRIES(REASONS),
					 .of_cpus = true, .needs_success = true),
	[ISST_READ_POWER] = KIND(power_read, domain_power, domain, CARRIES(POWER),
				 .needs_success = true),
};

_Static_assert(ISST_LIMIT_OTHER == (int)LIMIT_WORDS, "the last reason is behind the words");

const char *isst_limit_reason_name(int reason)
{
	if (reason == ISST_LIMIT_OTHER)
		return "OTHER";
	return reason >= 0 && reason < (int)LIMIT_WORDS ? limit_words[reason] : NULL;
}

/* ---- Levels: which ones are meant, and their results ---- */

/** A call at work. */
struct levels_call {
	struct isst_context *context;
	struct target_list list;
	unsigned int parts;
	bool one, current; /* what is meant: the level @level, the current one, or all */
	unsigned int level;
	struct domain_snapshot *read; /* one for each level that is read, or refused; by domains */
	size_t count;
};

/** Where SST-PP is not enabled only the base level counts. */
static unsigned int highest_level(const struct isst_perf_profile *profile)
{
	return profile->enabled ? profile->highest_level : 0;
}

/* ---- Levels that do not exist ---- */

static void refuse_level(const struct levels_call *levels, const struct isst_perf_profile *profile,
			 struct isst_result *result)
{
	struct messages *messages = &levels->context->messages;
	const char *name = profile->domain->name;
	struct isst_failure *failure = &result->parts[ISST_PART_RESULT];

	if (highest_level(profile) == 0)
		message_failure(messages, failure, of_domain(profile->domain), -EOPNOTSUPP,
				"Invalid level %u (%s): only level 0 exists", levels->level, name);
	else
		message_failure(messages, failure, of_domain(profile->domain), -EOPNOTSUPP,
				"Invalid level %u (%s): %s exist", levels->level, name,
				perf_profile_levels_text(messages, profile));
}

/** Whether a domain is without a level below its highest; the current one exists even if
 * unreadable. */
static bool is_missing(const struct isst_level *level)
{
	return level->failure.error == -EOPNOTSUPP &&
	       level->level != level->profile->current_level &&
	       level->turbo_freq == ISST_FEATURE_UNKNOWN &&
	       level->base_freq == ISST_FEATURE_UNKNOWN;
}

/* ---- Choosing and reading ---- */

static int read_all(struct levels_call *levels)
{
	const size_t domains = levels->list.domain_count;
	struct domain_snapshot *summaries = calloc(domains + 1, sizeof(*summaries)), *more;
	int error;

	if (!summaries)
		return call_no_memory(levels->context);
	for (size_t i = 0; i < domains; i++)
		summaries[i] = (struct domain_snapshot){ .domain = levels->list.domains[i],
							 .parts = SNAPSHOT_PROFILES };
	error = snapshot_read(levels->context, summaries, domains);
	for (size_t i = 0; i < domains && !error; i++) {
		const struct isst_perf_profile *profile = &summaries[i].profile;
		unsigned int first = 0, last = highest_level(profile);
		bool refused = profile->failure.error || (levels->one && levels->level > last);
		size_t count;

		if (levels->one || refused)
			first = last = levels->level;
		else if (levels->current)
			first = last = profile->current_level;
		count = levels->count + (last - first) + 1;
		more = reallocarray(levels->read, count, sizeof(*more));
		if (!more) {
			error = call_no_memory(levels->context);
			break;
		}
		levels->read = more;
		for (unsigned int level = first; levels->count < count; level++) {
			more[levels->count] = summaries[i];
			more[levels->count].parts |= refused ? 0 : SNAPSHOT_LEVEL;
			more[levels->count++].level.level = level;
		}
	}
	free(summaries);
	return error ? error
		     : snapshot_read_levels(levels->context, levels->read, levels->count,
					    levels->parts);
}

/* ---- Results ---- */

/** Levels that were found not to exist are left out, unless they were asked for, or are all. */
static bool is_shown(const struct levels_call *levels, const struct domain_snapshot *snapshot)
{
	if (levels->one || levels->current || !is_missing(&snapshot->level))
		return true;
	for (size_t i = 0; i < levels->count; i++)
		if (levels->read[i].domain == snapshot->domain &&
		    !is_missing(&levels->read[i].level))
			return false;
	return true;
}

/** A level without limits of a type has none in its buckets. */
static void clear_limits(struct isst_level *level)
{
	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++) {
		struct isst_turbo_limit *limit = &level->limit[type];

		for (unsigned int i = 0; i < ISST_BUCKETS && !limit->present; i++) {
			if (limit->mhz[0].state != ISST_UNREADABLE)
				limit->core_count[i].state = ISST_ABSENT;
			if (limit->mhz[i].state == ISST_KNOWN)
				limit->mhz[i].state = ISST_ABSENT;
		}
	}
}

/** The error of a domain of which no level was read is the summary's, or the level's. */
static void make_result(const struct levels_call *levels, struct domain_snapshot *snapshot,
			struct isst_result *result)
{
	const struct isst_perf_profile *profile = &snapshot->profile;
	struct isst_level *level = &snapshot->level;

	for (result->target = 0; levels->list.domains[result->target] != snapshot->domain;)
		result->target++;
	result->domain = snapshot->domain;
	result->sources[SOURCE_PERF_PROFILE] = profile;
	result->parts[ISST_PART_PERF_PROFILE] = profile->failure;
	if (profile->failure.error)
		return;
	if (!(snapshot->parts & SNAPSHOT_LEVEL)) {
		refuse_level(levels, profile, result);
		return;
	}
	result->parts[ISST_PART_RESULT] = level->failure;
	clear_limits(level);
	result->sources[SOURCE_LEVEL] = level;
	if (levels->parts & ISST_LEVELS_PROPERTIES)
		result->sources[SOURCE_PROPERTIES] = level;
	if (level->base_freq >= ISST_FEATURE_DISABLED)
		result->sources[SOURCE_BASE_FREQ] = &level->base_freq_info;
	if (level->turbo_freq >= ISST_FEATURE_DISABLED)
		result->sources[SOURCE_TURBO_FREQ] = &level->turbo_freq_info;
	result->parts[ISST_PART_BASE_FREQ] = level->base_freq_info.failure;
	result->parts[ISST_PART_TURBO_FREQ] = level->turbo_freq_info.failure;
}

static int read_levels(struct isst_context *context, const struct isst_targets *targets,
		       const struct isst_request *request, unsigned int flags,
		       struct isst_results **results)
{
	static const int VALUES[] = { ISST_VALUE_LEVEL, 0 };
	const struct call call = { .context = context,
				   .targets = targets,
				   .request = request,
				   .values = VALUES,
				   .flags = flags,
				   .known_flags = ISST_LEVELS_ALL | ISST_LEVELS_CURRENT };
	struct levels_call levels = { .context = context,
				      .parts = flags & ISST_LEVELS_ALL,
				      .current = flags & ISST_LEVELS_CURRENT };
	unsigned int carried = 1U << SOURCE_PERF_PROFILE | 1U << SOURCE_LEVEL;
	struct isst_results *made;
	size_t shown = 0;
	uint64_t level;
	int error;

	error = call_check(&call, &levels.list);
	if (error)
		return error;
	levels.one = request_get(request, ISST_VALUE_LEVEL, &level);
	levels.level = (unsigned int)level;
	error = read_all(&levels);
	if (flags & ISST_LEVELS_PROPERTIES)
		carried |= 1U << SOURCE_PROPERTIES;
	if (flags & ISST_LEVELS_BASE_FREQ)
		carried |= 1U << SOURCE_BASE_FREQ;
	if (flags & ISST_LEVELS_TURBO_FREQ)
		carried |= 1U << SOURCE_TURBO_FREQ;
	/* Each level is a result: make_result() names its target. */
	made = error ? NULL
		     : results_new(&call, &(struct target_list){ .domain_count = levels.count }, 1,
				   carried);
	if (!made) {
		snapshot_clear(levels.read, levels.count);
		free(levels.read);
		return error ? error : call_no_memory(context);
	}
	made->levels = levels.read;
	made->level_count = levels.count;
	for (size_t i = 0; i < levels.count; i++)
		if (is_shown(&levels, &levels.read[i]))
			make_result(&levels, &levels.read[i], &made->items[shown++]);
	made->count = shown;
	return results_finish(context, made, false, results);
}

int isst_read(struct isst_context *context, int what, const struct isst_targets *targets,
	      const struct isst_request *request, unsigned int flags, struct isst_results **results)
{
	size_t kind = what > 0 ? (size_t)what : 0;

	if (!context || !results)
		return context_refuse(context, "there is nowhere to put the results (NULL)");
	*results = NULL;
	if (kind == ISST_READ_LEVELS)
		return read_levels(context, targets, request, flags, results);
	if (kind >= sizeof(KINDS) / sizeof(KINDS[0]) || !KINDS[kind].read)
		return context_refuse(context,
				      "this version of the library does not know what to read");
	return read_results(&KINDS[kind], context, targets, request, flags, results);
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
	struct isst_cpuset *now;
	int result = kernel_files_new_cpulist(&context->files, path, &now);

	if (!result)
		result = !isst_cpuset_is_equal(now, than);
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
