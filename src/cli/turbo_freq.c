/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of turbo-freq: ask the library, fill the report. Must not know output formats. */
#include "change.h"
#include "handlers.h"
#include "levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The words that name a type on every machine, by its number. */
static const char *const common_types[] = { "sse", "avx2", "avx512" };

enum { COMMON_TYPES = sizeof(common_types) / sizeof(common_types[0]) };

/** The number of the TRL type of that name, or -1. */
static int find_type(const struct isst_context *context, const char *name)
{
	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++) {
		const char *here = isst_trl_type_name(context, type);

		if (!here)
			continue;
		if (strcmp(here, name) == 0)
			return (int)type;
		if (type < COMMON_TYPES && strcmp(common_types[type], name) == 0)
			return (int)type;
	}
	return -1;
}

static void refuse_type(struct run *run, const char *name)
{
	char *known = NULL;
	size_t size;
	FILE *stream = open_memstream(&known, &size);

	for (unsigned int type = 0; stream && type < ISST_TRL_TYPES; type++) {
		const char *here = isst_trl_type_name(run->context, type);

		if (here)
			fprintf(stream, "%s%s", type > 0 ? ", " : "", here);
	}
	if (stream && fclose(stream) == 0 && known)
		run_error(run, STATUS_UNSUPPORTED,
			  "option --trl-type: this machine has no type '%s', only %s", name, known);
	else
		run_error(run, STATUS_FAILED, "out of memory");
	free(known);
}

/** What the options ask to be shown. Returns false after an error. */
static bool read_filter(struct run *run, struct turbo_freq_filter *filter)
{
	const char *type = request_text(run->request, OPTION_TRL_TYPE);

	*filter = (struct turbo_freq_filter){ -1, -1 };
	if (request_has(run->request, OPTION_BUCKET))
		filter->bucket = (int)request_number(run->request, OPTION_BUCKET);
	if (!type)
		return true;
	filter->trl_type = find_type(run->context, type);
	if (filter->trl_type < 0)
		refuse_type(run, type);
	return filter->trl_type >= 0;
}

static void report_not_present(struct run *run, const struct isst_level *level)
{
	run_unsupported(
		run,
		"turbo-freq feature is not present at this level %u (%s). Failed to get turbo-freq info",
		level->level, level->domain->name);
}

static void report_no_bucket(struct run *run, const struct isst_level *level, int bucket)
{
	unsigned int buckets = level->turbo_freq_info.buckets;
	const char *name = level->domain->name;

	if (buckets == 0)
		run_unsupported(run, "Invalid bucket %d at level %u (%s): no buckets exist", bucket,
				level->level, name);
	else
		run_unsupported(run, "Invalid bucket %d at level %u (%s): buckets 0 to %u exist",
				bucket, level->level, name, buckets - 1);
}

/** A domain without CPUs has clip frequencies, which are of no bucket. */
static bool has_only_clips(const struct isst_level *level)
{
	return level->turbo_freq_info.buckets == 0 && !level->domain->has_cpu;
}

static void show_level(struct run *run, const struct unit *unit, const struct isst_level *level,
		       struct turbo_freq_filter filter)
{
	const struct isst_turbo_freq *info = &level->turbo_freq_info;

	if (level->turbo_freq == ISST_FEATURE_UNSUPPORTED && unit->first)
		report_not_present(run, level);
	if (unit->first)
		level_failures(run, level);
	if (level->turbo_freq < ISST_FEATURE_DISABLED || !turbo_freq_is_known(info))
		return;
	if (filter.bucket >= (int)info->buckets && !has_only_clips(level)) {
		if (unit->first && !info->failure.error)
			report_no_bucket(run, level, filter.bucket);
		return;
	}
	turbo_freq_report(unit_report(unit, run->context, run->report), info, run->context, filter);
}

/** Whether a unit has that bucket; -1: all. */
static bool has_bucket(const struct run *run, const struct levels *levels, int bucket)
{
	bool any = bucket < 0;

	for (size_t i = 0; i < run->targets.unit_count && !any; i++) {
		size_t count;
		const struct isst_level *level = levels_of(levels, &run->targets.units[i], &count);

		any = count > 0 && bucket < (int)level->turbo_freq_info.buckets;
	}
	return any;
}

void turbo_freq_info(struct run *run)
{
	struct turbo_freq_filter filter;
	struct levels levels;

	if (!read_filter(run, &filter))
		return;
	if (levels_read(run, LEVELS_CURRENT, ISST_LEVEL_TURBO_FREQ, &levels) == 0) {
		bool bucket = has_bucket(run, &levels, filter.bucket);

		for (size_t i = 0; i < run->targets.unit_count; i++) {
			const struct unit *unit = &run->targets.units[i];
			size_t count;
			const struct isst_level *level = levels_of(&levels, unit, &count);

			/* Frequencies beside a bucket that is nowhere would be no answer. */
			if (count > 0 && (bucket || !has_only_clips(level)))
				show_level(run, unit, level, filter);
		}
	}
	levels_clear(&levels);
}

/** Limits of zero stand for the default, as in the kernel tree's tool. */
static int plan_turbo_freq(struct run *run, struct isst_change *change,
			   struct domain_request *requests, size_t count, bool enable)
{
	const struct turbo_freq_request request = {
		.enable = enable,
		.automatic = request_has(run->request, OPTION_AUTO),
		.high_priority = run->request->options.cpus,
		.limits_given = run->request->options.value[OPTION_LIMITS].number != 0,
		.limits = run->request->options.value[OPTION_LIMITS].number,
	};

	return isst_plan_turbo_freq(change, requests, count, &request);
}

static int plan_enable(struct run *run, struct isst_change *change, struct domain_request *requests,
		       size_t count)
{
	return plan_turbo_freq(run, change, requests, count, true);
}

static int plan_disable(struct run *run, struct isst_change *change,
			struct domain_request *requests, size_t count)
{
	return plan_turbo_freq(run, change, requests, count, false);
}

/** Without --cpu no core gets high priority: the library warns of that. */
void turbo_freq_enable(struct run *run)
{
	bool automatic = request_has(run->request, OPTION_AUTO);

	change_machine(run, &(struct change_command){
				    .plan_domains = plan_enable,
				    .feature = KEY_TURBO_FREQ,
				    .result = KEY_ENABLE,
				    .extra_result = automatic ? KEY_TURBO_FREQ_AUTO : 0 });
}

void turbo_freq_disable(struct run *run)
{
	change_machine(run, &(struct change_command){ .plan_domains = plan_disable,
						      .feature = KEY_TURBO_FREQ,
						      .result = KEY_DISABLE });
}
