/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of perf-profile: ask the library, fill the report. Must not know output formats. */
#include "change.h"
#include "handlers.h"
#include "levels.h"

#include <stdlib.h>

/** Reports one value of the level summary of each unit. */
static void show_summary(struct run *run, void (*show)(struct report_node *parent,
						       const struct isst_perf_profile *profile))
{
	struct isst_perf_profile *profiles = profiles_read(run);

	for (size_t i = 0; profiles && i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_perf_profile *profile = &profiles[unit->slot];

		if (run_result(run, &profile->failure, unit->first))
			show(unit_report(unit, run->context, run->report), profile);
	}
	free(profiles);
}

static void show_lock_status(struct report_node *parent, const struct isst_perf_profile *profile)
{
	report_state(parent, KEY_GET_LOCK_STATUS, profile->locked);
}

static void show_levels(struct report_node *parent, const struct isst_perf_profile *profile)
{
	report_number(parent, KEY_GET_CONFIG_LEVELS, profile->highest_level);
}

static void show_version(struct report_node *parent, const struct isst_perf_profile *profile)
{
	report_number(parent, KEY_GET_CONFIG_VERSION, profile->version);
}

static void show_enabled(struct report_node *parent, const struct isst_perf_profile *profile)
{
	report_state(parent, KEY_GET_CONFIG_ENABLED, profile->enabled);
}

static void show_current_level(struct report_node *parent, const struct isst_perf_profile *profile)
{
	report_number(parent, KEY_GET_CONFIG_CURRENT_LEVEL, profile->current_level);
}

void perf_profile_get_lock_status(struct run *run)
{
	show_summary(run, show_lock_status);
}

void perf_profile_get_config_levels(struct run *run)
{
	show_summary(run, show_levels);
}

void perf_profile_get_config_version(struct run *run)
{
	show_summary(run, show_version);
}

void perf_profile_get_config_enabled(struct run *run)
{
	show_summary(run, show_enabled);
}

void perf_profile_get_config_current_level(struct run *run)
{
	show_summary(run, show_current_level);
}

static void report_cpus(struct report_node *node, const struct isst_level *level,
			const struct isst_context *context)
{
	/* Where CPUs that may be of the domain are lost to the driver, a number would be too small.
	 */
	if (level->domain->has_cpu && (level->cpus || level->domain->cpus_known))
		report_number(node, KEY_CPU_COUNT, isst_cpuset_count(level->domain->present));
	if (!level->cpus)
		return;
	if (isst_cpuset_count(level->cpus) > 0)
		report_number(node, KEY_ENABLE_CPU_COUNT, isst_cpuset_count(level->cpus));
	report_cpu_mask(node, KEY_ENABLE_CPU_MASK, level->cpus, isst_mask_bits(context));
	report_cpu_list(node, KEY_ENABLE_CPU_LIST, level->cpus);
}

/** The base frequency; firmware that does not tell it by instruction class has it in the TDP ratio.
 */
static struct isst_value base_frequency(const struct isst_level *level)
{
	struct isst_value value = level->tdp_ratio;

	if (level->base_mhz.state != ISST_ABSENT)
		return level->base_mhz;
	value.value *= 100;
	return value;
}

static void report_frequencies(struct report_node *node, const struct isst_level *level)
{
	report_value(node, KEY_TDP_RATIO, level->tdp_ratio);
	report_value(node, KEY_BASE_FREQUENCY, base_frequency(level));
	report_value(node, KEY_BASE_FREQUENCY_AVX2, level->base_avx2_mhz);
	report_value(node, KEY_BASE_FREQUENCY_AVX512, level->base_avx512_mhz);
	report_value(node, KEY_UNCORE_MIN, level->fabric[0].min_mhz);
	report_value(node, KEY_UNCORE_MAX, level->fabric[0].max_mhz);
	report_value(node, KEY_BASE_FREQUENCY_AMX, level->base_amx_mhz);
	report_value(node, KEY_UNCORE_BASE, level->fabric[0].base_mhz);
	report_value(node, KEY_UNCORE_1_BASE, level->fabric[1].base_mhz);
	report_value(node, KEY_UNCORE_1_MIN, level->fabric[1].min_mhz);
	report_value(node, KEY_UNCORE_1_MAX, level->fabric[1].max_mhz);
	report_value(node, KEY_MEMORY_FREQUENCY, level->memory_mhz);
	report_value(node, KEY_COOLING_TYPE, level->cooling_type);
}

static void report_state_word(struct report_node *node, enum key_id key,
			      enum isst_feature_state state)
{
	if (feature_state_word(state))
		report_word(node, key, feature_state_word(state));
}

static void report_features(struct report_node *node, const struct isst_level *level)
{
	report_state_word(node, KEY_SST_TURBO_FREQ, level->turbo_freq);
	report_state_word(node, KEY_SST_BASE_FREQ, level->base_freq);
	report_state_word(node, KEY_SST_CORE_POWER, level->core_power);
	report_value(node, KEY_POWER, level->power_w);
	report_value(node, KEY_TJUNCTION_MAX, level->tjunction_c);
}

static void report_limits(struct report_node *parent, const struct isst_level *level,
			  const struct isst_context *context)
{
	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++) {
		const char *name = isst_trl_type_name(context, type);
		struct report_node *node;

		if (!name || !level->limit[type].present)
			continue;
		node = report_variant(parent, KEY_TURBO_LIMITS, name);
		for (unsigned int i = 0; i < ISST_BUCKETS; i++) {
			struct report_node *bucket = report_branch(node, KEY_BUCKET, i);

			report_value(bucket, KEY_CORE_COUNT, level->limit[type].core_count[i]);
			report_value(bucket, KEY_MAX_TURBO_FREQUENCY, level->limit[type].mhz[i]);
		}
	}
}

static void report_level(struct report_node *parent, const struct isst_level *level,
			 const struct isst_context *context)
{
	static const struct turbo_freq_filter all = { -1, -1 };
	struct report_node *node = report_branch(parent, KEY_LEVEL, level->level);

	report_cpus(node, level, context);
	report_frequencies(node, level);
	report_features(node, level);
	report_limits(node, level, context);
	if (level->base_freq >= ISST_FEATURE_DISABLED && base_freq_is_known(&level->base_freq_info))
		base_freq_report(node, &level->base_freq_info, context);
	if (level->turbo_freq >= ISST_FEATURE_DISABLED &&
	    turbo_freq_is_known(&level->turbo_freq_info))
		turbo_freq_report(node, &level->turbo_freq_info, context, all);
}

static void note_not_enabled(struct run *run, const struct isst_perf_profile *profile)
{
	report_message(run->report, ENTRY_NOTE,
		       "perf-profile feature is not supported, just base-config level 0 is valid"
		       " (%s)",
		       profile->domain->name);
}

static void show_unit(struct run *run, const struct levels *levels, const struct unit *unit)
{
	const struct isst_perf_profile *profile = &levels->profiles[unit->slot];
	struct report_node *node = NULL;
	size_t count;
	const struct isst_level *level = levels_of(levels, unit, &count);

	if (unit->first && !profile->failure.error && !profile->enabled &&
	    !isst_platform(run->context)->preset)
		note_not_enabled(run, profile);
	for (size_t i = 0; i < count; i++) {
		if (unit->first)
			level_failures(run, &level[i]);
		if (!level_is_known(&level[i]))
			continue;
		if (!node)
			node = unit_report(unit, run->context, run->report);
		report_level(node, &level[i], run->context);
	}
}

void perf_profile_info(struct run *run)
{
	struct levels levels;

	if (levels_read(run, LEVELS_ALL, ISST_LEVEL_ALL, &levels) == 0) {
		for (size_t i = 0; i < run->targets.unit_count; i++)
			show_unit(run, &levels, &run->targets.units[i]);
	}
	levels_clear(&levels);
}

static int plan_level(struct run *run, struct isst_change *change, struct domain_request *requests,
		      size_t count)
{
	return isst_plan_level(change, requests, count, request_number(run->request, OPTION_LEVEL),
			       request_has(run->request, OPTION_ONLINE));
}

/** What scripts are told before CPUs come and go. */
static void announce_hotplug(struct run *run)
{
	if (!request_has(run->request, OPTION_ONLINE))
		return;
	run_progress(run, "Option is set to online/offline");
	if (request_has(run->request, OPTION_CGROUP))
		run_progress(run, "Using cgroup v2 in lieu of online/offline");
}

void perf_profile_set_config_level(struct run *run)
{
	change_machine(run, &(struct change_command){ .plan_domains = plan_level,
						      .announce = announce_hotplug,
						      .feature = KEY_PERF_PROFILE,
						      .result = KEY_SET_TDP_LEVEL });
}
