/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of what a performance level says of SST-BF and SST-TF, as several commands show them.
 * Must not know output formats.
 */
#include "levels.h"

#include <errno.h>
#include <string.h>

static const char *const state_words[] = {
	[ISST_FEATURE_UNKNOWN] = NULL,
	[ISST_FEATURE_UNSUPPORTED] = "unsupported",
	[ISST_FEATURE_DISABLED] = "disabled",
	[ISST_FEATURE_ENABLED] = "enabled",
};

const char *feature_state_word(enum isst_feature_state state)
{
	return state_words[state];
}

bool level_is_known(const struct isst_level *level)
{
	return !level->failure.error || level->turbo_freq != ISST_FEATURE_UNKNOWN ||
	       level->base_freq != ISST_FEATURE_UNKNOWN;
}

bool level_is_missing(const struct isst_level *level)
{
	/* The current one is there, though the firmware may refuse to tell of it. */
	if (level->profile && level->level == level->profile->current_level)
		return false;
	return level->failure.error == -EOPNOTSUPP && !level_is_known(level);
}

static bool same_message(const struct isst_failure *one, const struct isst_failure *other)
{
	return one->message && other->message && strcmp(one->message, other->message) == 0;
}

void level_failures(struct run *run, const struct isst_level *level)
{
	const struct isst_failure *base_freq = &level->base_freq_info.failure;
	const struct isst_failure *turbo_freq = &level->turbo_freq_info.failure;

	if (level_is_missing(level)) {
		if (request_has(run->request, OPTION_LEVEL))
			run_result(run, &level->failure, true);
		return;
	}
	run_failure(run, &level->failure);
	if (!same_message(base_freq, &level->failure))
		run_failure(run, base_freq);
	if (!same_message(turbo_freq, &level->failure))
		run_failure(run, turbo_freq);
}

bool base_freq_is_known(const struct isst_base_freq *info)
{
	return info->high_priority || info->high_mhz.state == ISST_KNOWN ||
	       info->low_mhz.state == ISST_KNOWN || info->tjunction_c.state == ISST_KNOWN ||
	       info->power_w.state == ISST_KNOWN;
}

bool turbo_freq_is_known(const struct isst_turbo_freq *info)
{
	bool known = info->buckets > 0 || !info->failure.error;

	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++)
		known = known || info->clip_mhz[type].state == ISST_KNOWN;
	return known;
}

void base_freq_report(struct report_node *parent, const struct isst_base_freq *info,
		      const struct isst_context *context)
{
	struct report_node *node = report_branch(parent, KEY_BASE_FREQ_PROPERTIES, 0);

	report_value(node, KEY_HIGH_BASE_FREQUENCY, info->high_mhz);
	if (info->high_priority) {
		report_cpu_mask(node, KEY_HIGH_CPU_MASK, info->high_priority,
				isst_mask_bits(context));
		report_cpu_list(node, KEY_HIGH_CPU_LIST, info->high_priority);
	}
	report_value(node, KEY_LOW_BASE_FREQUENCY, info->low_mhz);
	report_value(node, KEY_TJUNCTION, info->tjunction_c);
	report_value(node, KEY_POWER, info->power_w);
}

/** Reports one frequency of a TRL type; what the hardware lacks is left out. */
static void report_of_type(struct report_node *parent, enum key_id key, unsigned int type,
			   struct isst_value value, const struct isst_context *context)
{
	const char *name = isst_trl_type_name(context, type);

	if (name && value.state == ISST_KNOWN)
		report_variant_number(parent, key, name, value.value);
}

static void report_bucket(struct report_node *parent, const struct isst_turbo_freq *info,
			  unsigned int bucket, int only_type, const struct isst_context *context)
{
	struct report_node *node = report_branch(parent, KEY_BUCKET, bucket);

	report_number(node, KEY_HIGH_CORES_COUNT, info->high_priority_cores[bucket]);
	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++) {
		if (only_type < 0 || only_type == (int)type)
			report_of_type(node, KEY_HIGH_MAX_FREQUENCY, type, info->mhz[type][bucket],
				       context);
	}
}

void turbo_freq_report(struct report_node *parent, const struct isst_turbo_freq *info,
		       const struct isst_context *context, struct turbo_freq_filter filter)
{
	struct report_node *node = report_branch(parent, KEY_TURBO_FREQ_PROPERTIES, 0);
	struct report_node *clip;

	for (unsigned int i = 0; i < info->buckets && i < ISST_BUCKETS; i++) {
		if (filter.bucket < 0 || filter.bucket == (int)i)
			report_bucket(node, info, i, filter.trl_type, context);
	}
	clip = report_branch(node, KEY_CLIP_FREQUENCIES, 0);
	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++)
		report_of_type(clip, KEY_LOW_MAX_FREQUENCY, type, info->clip_mhz[type], context);
}
