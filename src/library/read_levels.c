/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading performance levels: which ones are meant, and their results. */
#include "features/features.h"
#include "library/results.h"
#include "library/targets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/** A call at work. */
struct levels_call {
	const struct call *call;
	struct target_list list;
	unsigned int parts;
	bool one, current; /* what is meant: the level @level, the current one, or all */
	unsigned int level;
	struct isst_perf_profile *profiles; /* of each domain */
	struct isst_level *levels;	    /* that are read; by domains */
	size_t count;
	size_t *first; /* of each domain: its first one; its last is before the next domain's first
			*/
};

/** Where SST-PP is not enabled only the base level counts. */
static unsigned int highest_level(const struct isst_perf_profile *profile)
{
	return profile->enabled ? profile->highest_level : 0;
}

/* ---- Levels that do not exist ---- */

enum { MASK_BITS = 32, LIST_SPACE = MASK_BITS * sizeof("31, ") };

/** Levels that have gaps between them, as words: `0, 1, 3`. Returns false where they have none. */
static bool list_levels(const struct isst_perf_profile *profile, unsigned int highest,
			char list[LIST_SPACE])
{
	unsigned int mask = profile->level_mask;

	/* The mask describes no more levels than it has bits. */
	if (highest >= MASK_BITS)
		highest = MASK_BITS - 1;
	if (mask == 0 || mask == (2U << highest) - 1)
		return false;
	for (unsigned int level = 0, length = 0; level <= highest; level++)
		if (mask >> level & 1)
			length += (unsigned int)snprintf(list + length, LIST_SPACE - length, "%s%u",
							 length ? ", " : "", level);
	return true;
}

/** Refuses a level above the highest one. Returns 0 or -ENOMEM. */
static int refuse_level(const struct levels_call *levels, const struct isst_perf_profile *profile,
			struct isst_result *result)
{
	struct isst_failure failure = { .error = -EOPNOTSUPP };
	const char *name = profile->domain->name;
	unsigned int highest = highest_level(profile);
	char list[LIST_SPACE] = "", *message;
	bool gaps = list_levels(profile, highest, list);
	int error;

	if (highest == 0)
		error = asprintf(&message, "Invalid level %u (%s): only level 0 exists",
				 levels->level, name);
	else if (gaps)
		error = asprintf(&message, "Invalid level %u (%s): levels %s exist", levels->level,
				 name, list);
	else
		error = asprintf(&message, "Invalid level %u (%s): levels 0 to %u exist",
				 levels->level, name, highest);
	if (error < 0)
		return -ENOMEM;
	failure.message = message;
	error = result_fail(result, ISST_PART_RESULT, &failure);
	free(message);
	return error;
}

/**
 * Whether a domain has no such level, though it has a higher one. The current one is there, though
 * the firmware may refuse to report it.
 */
static bool is_missing(const struct isst_level *level)
{
	return level->failure.error == -EOPNOTSUPP &&
	       level->level != level->profile->current_level &&
	       level->turbo_freq == ISST_FEATURE_UNKNOWN &&
	       level->base_freq == ISST_FEATURE_UNKNOWN;
}

/* ---- Choosing and reading ---- */

/** Which levels of a domain are to be read. Returns false if none is. */
static bool choose(const struct levels_call *levels, const struct isst_perf_profile *profile,
		   unsigned int *first, unsigned int *last)
{
	*first = 0;
	*last = highest_level(profile);
	if (levels->one)
		*first = *last = levels->level;
	else if (levels->current)
		*first = *last = profile->current_level;
	return !profile->failure.error && (!levels->one || levels->level <= highest_level(profile));
}

static int add_levels(struct levels_call *levels, const struct isst_perf_profile *profile,
		      unsigned int first, unsigned int last)
{
	size_t count = levels->count + (last - first) + 1;
	struct isst_level *more = reallocarray(levels->levels, count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	levels->levels = more;
	for (unsigned int level = first; levels->count < count; level++)
		more[levels->count++] = (struct isst_level){ .domain = profile->domain,
							     .profile = profile,
							     .level = level };
	return 0;
}

/** Lists the levels to be read, by domains. Returns 0 or -ENOMEM. */
static int choose_all(struct levels_call *levels)
{
	for (size_t i = 0; i < levels->list.domain_count; i++) {
		unsigned int first, last;

		if (choose(levels, &levels->profiles[i], &first, &last) &&
		    add_levels(levels, &levels->profiles[i], first, last))
			return -ENOMEM;
		levels->first[i + 1] = levels->count;
	}
	return 0;
}

static int read_all(struct levels_call *levels)
{
	struct isst_context *context = levels->call->context;
	size_t domains = levels->list.domain_count;
	int error;

	levels->profiles = calloc(domains + 1, sizeof(*levels->profiles));
	levels->first = calloc(domains + 1, sizeof(*levels->first));
	if (!levels->profiles || !levels->first)
		return call_no_memory(context);
	for (size_t i = 0; i < domains; i++)
		levels->profiles[i].domain = levels->list.domains[i];
	error = perf_profile_read(context, levels->profiles, domains);
	if (error)
		return error;
	if (choose_all(levels))
		return call_no_memory(context);
	if (levels->count == 0)
		return 0;
	return level_read_parts(context, levels->levels, levels->count, levels->parts);
}

/* ---- Results ---- */

/** Levels that were found not to exist are left out, unless they were asked for, or are all. */
static bool is_shown(const struct levels_call *levels, size_t domain, size_t i)
{
	if (levels->one || levels->current || !is_missing(&levels->levels[i]))
		return true;
	for (size_t other = levels->first[domain]; other < levels->first[domain + 1]; other++)
		if (!is_missing(&levels->levels[other]))
			return false;
	return true;
}

static size_t count_results(const struct levels_call *levels)
{
	size_t count = 0;

	for (size_t domain = 0; domain < levels->list.domain_count; domain++) {
		size_t first = levels->first[domain], end = levels->first[domain + 1];

		count += first == end;
		for (size_t i = first; i < end; i++)
			count += is_shown(levels, domain, i);
	}
	return count;
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

/** Points a result to what was read of a level. Returns 0 or -ENOMEM. */
static int take_level(const struct levels_call *levels, struct isst_level *level,
		      struct isst_result *result)
{
	int error = result_fail(result, ISST_PART_RESULT, &level->failure);

	clear_limits(level);
	result->sources[SOURCE_LEVEL] = level;
	if (levels->parts & ISST_READ_LEVELS_PROPERTIES)
		result->sources[SOURCE_PROPERTIES] = level;
	if (level->base_freq >= ISST_FEATURE_DISABLED)
		result->sources[SOURCE_BASE_FREQ] = &level->base_freq_info;
	if (level->turbo_freq >= ISST_FEATURE_DISABLED)
		result->sources[SOURCE_TURBO_FREQ] = &level->turbo_freq_info;
	if (!error)
		error = result_fail(result, ISST_PART_BASE_FREQ, &level->base_freq_info.failure);
	if (!error)
		error = result_fail(result, ISST_PART_TURBO_FREQ, &level->turbo_freq_info.failure);
	return error;
}

/** Fills in what all results of a domain have. */
static int begin_result(const struct levels_call *levels, size_t domain, struct isst_result *result)
{
	const struct isst_perf_profile *profile = &levels->profiles[domain];

	result->target = domain;
	result->domain = profile->domain;
	result->sources[SOURCE_PERF_PROFILE] = profile;
	return result_fail(result, ISST_PART_PERF_PROFILE, &profile->failure);
}

/** The result of a domain of which no level was read: its error is the summary's, or the level's.
 */
static int make_refusal(const struct levels_call *levels, size_t domain, struct isst_result *result)
{
	const struct isst_perf_profile *profile = &levels->profiles[domain];
	int error = begin_result(levels, domain, result);

	return error || profile->failure.error ? error : refuse_level(levels, profile, result);
}

static int make_results(const struct levels_call *levels, struct isst_results *results)
{
	struct isst_result *result = results->items;
	int error = 0;

	for (size_t domain = 0; domain < levels->list.domain_count && !error; domain++) {
		size_t first = levels->first[domain], end = levels->first[domain + 1];

		if (first == end)
			error = make_refusal(levels, domain, result++);
		for (size_t i = first; i < end && !error; i++) {
			if (!is_shown(levels, domain, i))
				continue;
			error = begin_result(levels, domain, result);
			if (!error)
				error = take_level(levels, &levels->levels[i], result);
			result++;
		}
	}
	return error;
}

/** The sources that the call asks for. */
static unsigned int carried(unsigned int parts)
{
	unsigned int sources = 1U << SOURCE_PERF_PROFILE | 1U << SOURCE_LEVEL;

	if (parts & ISST_READ_LEVELS_PROPERTIES)
		sources |= 1U << SOURCE_PROPERTIES;
	if (parts & ISST_READ_LEVELS_BASE_FREQ)
		sources |= 1U << SOURCE_BASE_FREQ;
	if (parts & ISST_READ_LEVELS_TURBO_FREQ)
		sources |= 1U << SOURCE_TURBO_FREQ;
	return sources;
}

/** Reads, and hands everything that was read to the results. */
static int read_levels(struct levels_call *levels, struct isst_results **out)
{
	struct isst_context *context = levels->call->context;
	struct isst_results *results;
	int error = read_all(levels);

	if (error)
		return error;
	results = results_new(count_results(levels), carried(levels->parts));
	if (!results)
		return call_no_memory(context);
	error = make_results(levels, results);
	results->profiles = levels->profiles;
	results->levels = levels->levels;
	results->level_count = levels->count;
	levels->profiles = NULL;
	levels->levels = NULL;
	levels->count = 0;
	if (error) {
		isst_results_free(results);
		return call_no_memory(context);
	}
	*out = results;
	return results_conclude(context, results, NULL);
}

int isst_read_levels(struct isst_context *context, const struct isst_targets *targets,
		     const struct isst_request *request, unsigned int flags,
		     struct isst_results **results)
{
	static const int VALUES[] = { ISST_VALUE_LEVEL, 0 };
	const struct call call = { .context = context,
				   .targets = targets,
				   .request = request,
				   .values = VALUES,
				   .flags = flags,
				   .known_flags = ISST_READ_LEVELS_ALL | ISST_READ_LEVELS_CURRENT };
	struct levels_call levels = { .call = &call,
				      .parts = flags & ISST_READ_LEVELS_ALL,
				      .current = flags & ISST_READ_LEVELS_CURRENT };
	uint64_t level;
	int error;

	if (!context || !results)
		return context_refuse(context, "there is nowhere to put the results (NULL)");
	*results = NULL;
	error = call_check(&call, &levels.list);
	if (error)
		return error;
	levels.one = request_get(request, ISST_VALUE_LEVEL, &level);
	levels.level = (unsigned int)level;
	error = read_levels(&levels, results);
	for (size_t i = 0; i < levels.count; i++)
		level_clear(&levels.levels[i]);
	free(levels.levels);
	free(levels.profiles);
	free(levels.first);
	return error;
}
