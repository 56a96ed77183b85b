/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the levels that high priority cores are chosen for. Buckets hold cores of a package, which
 * its power domains report one by one: where these are at different levels, each of them must hold
 * the cores for all to have the frequency of the bucket.
 */
#include "common/memory_stream.h"
#include "features/high_priority.h"
#include "features/perf_profile.h"
#include "features/planning.h"
#include "firmware/platform.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>

static const struct isst_turbo_freq *info_of(const struct choice_levels *levels, size_t i)
{
	return &levels->domains[i].level.turbo_freq_info;
}

static bool is_of_package(const struct choice_levels *levels, size_t i, unsigned int package)
{
	return levels->domains[i].domain->package == package && info_of(levels, i)->buckets > 0;
}

/** Power domains share the buckets of their package: one may leave them to the others. */
bool choice_levels_has_turbo_freq(const struct choice_levels *levels, size_t i)
{
	bool buckets = info_of(levels, i)->buckets > 0;

	for (size_t j = 0; j < levels->count && context_has_power_domains(levels->context); j++)
		buckets |= is_of_package(levels, j, levels->domains[i].domain->package);
	return levels->domains[i].level.turbo_freq >= ISST_FEATURE_DISABLED && buckets;
}

/* ---- Buckets ---- */

int choice_levels_bucket(const struct choice_levels *levels, unsigned int package,
			 unsigned int bucket, unsigned int *cores)
{
	bool found = false;

	for (size_t i = 0; i < levels->count; i++) {
		const struct isst_turbo_freq *info = info_of(levels, i);

		if (!is_of_package(levels, i, package))
			continue;
		if (bucket >= info->buckets)
			return message_error(&levels->context->messages, -EOPNOTSUPP,
					     "Invalid bucket %u at level %u (%s): %s%u exist%s",
					     bucket, levels->domains[i].level.level,
					     levels->domains[i].domain->name,
					     info->buckets > 1 ? "buckets 0 to " : "only bucket ",
					     info->buckets - 1, info->buckets > 1 ? "" : "s");
		if (!found || info->high_priority_cores[bucket] < *cores)
			*cores = info->high_priority_cores[bucket];
		found = true;
	}
	return 0;
}

char *turbo_freq_buckets_text(const struct isst_platform *platform,
			      const struct isst_turbo_freq *info)
{
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	for (unsigned int i = 0; i < info->buckets; i++)
		fprintf(text.stream, "%sup to %u %s at %u MHz", i ? ", " : "",
			info->high_priority_cores[i],
			platform_cores_word(platform, info->high_priority_cores[i]),
			info->mhz[0][i].value);
	return memory_stream_text(&text);
}

/** The most cores of a package that gain, and what @cores would get beside it. Those that no bucket
 * holds reach no more than the cores of the last one. NULL: out of memory. */
static char *gain_text(const struct isst_level *level, unsigned int cores)
{
	const struct isst_turbo_freq *info = &level->turbo_freq_info;
	unsigned int gaining = level_gaining_buckets(level), bucket = 0;
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	while (bucket + 1 < info->buckets && info->high_priority_cores[bucket] < cores)
		bucket++;
	if (gaining == 0)
		fputs("no number gains", text.stream);
	else
		fprintf(text.stream, "%u/package is the most%s",
			info->high_priority_cores[gaining - 1],
			gaining < info->buckets ? " that gains" : "");
	fprintf(text.stream, ": with %u, these reach up to %u MHz", cores,
		info->mhz[0][bucket].value);
	if (info->clip_mhz[0].state == ISST_KNOWN)
		fprintf(text.stream, " and all others %u MHz", info->clip_mhz[0].value);
	if (level_all_cores_mhz(level) > 0)
		fprintf(text.stream, ", without turbo-freq all up to %u MHz",
			level_all_cores_mhz(level));
	return memory_stream_text(&text);
}

/** Notes where the cores of a bucket are no faster than all cores without turbo-freq. */
static void note_no_gain(const struct choice_levels *levels, unsigned int package,
			 unsigned int cores, const struct isst_level *level, const char *gain)
{
	const struct isst_turbo_freq *info = &level->turbo_freq_info;
	unsigned int gaining = level_gaining_buckets(level);

	if (gaining < info->buckets &&
	    (gaining == 0 || info->high_priority_cores[gaining - 1] < cores))
		message_notice(&levels->context->messages,
			       "package %u: turbo-freq gains nothing for %u high priority %s: %s",
			       package, cores,
			       platform_cores_word(&levels->context->platform, cores), gain);
}

int choice_levels_check(const struct choice_levels *levels, unsigned int package,
			unsigned int cores, const struct core_choice *choice)
{
	const struct isst_turbo_freq *info = NULL;
	const struct isst_level *smallest = NULL;
	unsigned int last = cores;
	char *buckets, *gain;
	int error = 0;

	/* The domain with the smallest number of cores in its last bucket. */
	for (size_t i = 0; i < levels->count; i++) {
		const struct isst_turbo_freq *own = info_of(levels, i);

		if (!is_of_package(levels, i, package) ||
		    (info && own->high_priority_cores[own->buckets - 1] >= last))
			continue;
		info = own;
		smallest = &levels->domains[i].level;
		last = own->high_priority_cores[own->buckets - 1];
	}
	/* A configuration may be checked every minute. */
	if (!info ||
	    ((cores <= last || choice->allow_lower_turbo) && (cores == 0 || choice->otherwise)))
		return 0;
	buckets = turbo_freq_buckets_text(&levels->context->platform, info);
	gain = gain_text(smallest, cores);
	if (!buckets || !gain)
		error = -ENOMEM;
	else if (cores <= last || choice->allow_lower_turbo)
		note_no_gain(levels, package, cores, smallest, gain);
	else
		error = message_error(
			&levels->context->messages, -EINVAL,
			"package %u: %u high priority %s are %u more than the last bucket of level "
			"%u holds in a package (%s); %s; %s",
			package, cores, platform_cores_word(&levels->context->platform, cores),
			cores - last, smallest->level, buckets, gain,
			choice->otherwise
				? choice->otherwise
				: "they are chosen only if lower turbo frequencies are allowed");
	free(buckets);
	free(gain);
	return error;
}

/* ---- Reading ---- */

/** What a choice depends on has to be known of each domain. */
static int check_level(const struct choice_levels *levels, size_t i)
{
	const struct isst_level *level = &levels->domains[i].level;
	const struct isst_failure *failure = &level->turbo_freq_info.failure;

	if (level->features_assumed)
		return message_error(
			&levels->context->messages, -EIO,
			"%s: the driver reports turbo-freq of the current level only "
			"(API version 2): cores can be chosen for level %u once it is set",
			level->domain->name, level->level);
	if (level->turbo_freq == ISST_FEATURE_UNKNOWN)
		failure = &level->failure;
	else if (level->turbo_freq == ISST_FEATURE_UNSUPPORTED)
		return 0;
	if (!failure->error)
		return 0;
	return message_error(&levels->context->messages, failure->error, "%s", failure->message);
}

/** Refuses where no domain has cores that could get a higher turbo frequency. */
static int check_any(const struct choice_levels *levels)
{
	bool feature = false;

	for (size_t i = 0; i < levels->count; i++) {
		if (choice_levels_has_turbo_freq(levels, i))
			return 0;
		feature |= levels->domains[i].level.turbo_freq >= ISST_FEATURE_DISABLED;
	}
	if (levels->count == 0)
		return message_error(&levels->context->messages, -EOPNOTSUPP,
				     "there are no cores to choose from");
	if (feature)
		return message_error(&levels->context->messages, -EOPNOTSUPP,
				     "the firmware reports no bucket of turbo-freq at level %u",
				     levels->domains[0].level.level);
	return message_error(&levels->context->messages, -EOPNOTSUPP,
			     "turbo-freq feature is not present at level %u%s",
			     levels->domains[0].level.level,
			     feature_levels_text(levels->context, levels->domains, levels->count,
						 FEATURE_TURBO_FREQ));
}

int choice_levels_read(struct isst_context *context, const struct choice_scope *scope,
		       struct choice_levels *levels)
{
	/* Properties: which cores the level enables. */
	unsigned int parts = ISST_READ_LEVELS_TURBO_FREQ | ISST_READ_LEVELS_PROPERTIES;
	int error = 0;

	*levels = (struct choice_levels){
		.context = context,
		.domains = calloc(scope->count + 1, sizeof(*levels->domains)),
	};
	if (!levels->domains)
		return -ENOMEM;
	/* There are no cores in domains without CPUs, whatever they report. */
	for (size_t i = 0; i < scope->count && !error; i++) {
		struct domain_snapshot *domain = &levels->domains[levels->count];

		error = context_check_domain(context, scope->domains[i]);
		if (error || isst_cpuset_count(scope->domains[i]->present) == 0)
			continue;
		domain->domain = scope->domains[i];
		domain->parts = SNAPSHOT_PROFILES | SNAPSHOT_LEVEL;
		domain->level.level = scope->levels ? scope->levels[i] : 0;
		levels->count++;
	}
	if (!error)
		error = snapshot_read(context, levels->domains, levels->count);
	for (size_t i = 0; i < levels->count && !error; i++) {
		const struct isst_perf_profile *profile = &levels->domains[i].profile;

		if (profile->failure.error)
			error = message_error(&context->messages, profile->failure.error, "%s",
					      profile->failure.message);
		else if (!scope->levels)
			levels->domains[i].level.level = profile->current_level;
	}
	if (!error)
		error = snapshot_read_levels(context, levels->domains, levels->count, parts);
	for (size_t i = 0; i < levels->count && !error; i++)
		error = check_level(levels, i);
	return error ? error : check_any(levels);
}

void choice_levels_clear(struct choice_levels *levels)
{
	snapshot_clear(levels->domains, levels->count);
	free(levels->domains);
	*levels = (struct choice_levels){ 0 };
}
