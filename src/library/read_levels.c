/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading performance levels: which ones are meant, and their results. */
#include "features/snapshot.h"
#include "library/results.h"
#include "library/targets.h"

#include <errno.h>
#include <stdlib.h>

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
		message_failure(messages, failure, -EOPNOTSUPP,
				"Invalid level %u (%s): only level 0 exists", levels->level, name);
	else
		message_failure(messages, failure, -EOPNOTSUPP, "Invalid level %u (%s): %s exist",
				levels->level, name, perf_profile_levels_text(messages, profile));
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
	if (levels->parts & ISST_READ_LEVELS_PROPERTIES)
		result->sources[SOURCE_PROPERTIES] = level;
	if (level->base_freq >= ISST_FEATURE_DISABLED)
		result->sources[SOURCE_BASE_FREQ] = &level->base_freq_info;
	if (level->turbo_freq >= ISST_FEATURE_DISABLED)
		result->sources[SOURCE_TURBO_FREQ] = &level->turbo_freq_info;
	result->parts[ISST_PART_BASE_FREQ] = level->base_freq_info.failure;
	result->parts[ISST_PART_TURBO_FREQ] = level->turbo_freq_info.failure;
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
	struct levels_call levels = { .context = context,
				      .parts = flags & ISST_READ_LEVELS_ALL,
				      .current = flags & ISST_READ_LEVELS_CURRENT };
	unsigned int carried = 1U << SOURCE_PERF_PROFILE | 1U << SOURCE_LEVEL;
	struct isst_results *made;
	size_t shown = 0;
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
	error = read_all(&levels);
	if (flags & ISST_READ_LEVELS_PROPERTIES)
		carried |= 1U << SOURCE_PROPERTIES;
	if (flags & ISST_READ_LEVELS_BASE_FREQ)
		carried |= 1U << SOURCE_BASE_FREQ;
	if (flags & ISST_READ_LEVELS_TURBO_FREQ)
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
