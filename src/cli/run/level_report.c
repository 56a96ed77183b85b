/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of SST-BF and SST-TF at a performance level, as several commands show them.
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

const char *feature_state_word(unsigned int state)
{
	return state < sizeof(state_words) / sizeof(state_words[0]) ? state_words[state] : NULL;
}

int level_base_mhz(const struct isst_result *level, unsigned int *mhz)
{
	int error = isst_result_value(level, ISST_VALUE_BASE_MHZ, mhz);

	/* Power domains without cores report 0, which is none. */
	if (error != -ENODATA || value_of(level, ISST_VALUE_TDP_RATIO) == 0)
		return error;
	*mhz = value_of(level, ISST_VALUE_TDP_RATIO) * 100;
	return 0;
}

void report_base_frequency(struct report_node *node, const struct isst_result *level)
{
	unsigned int mhz;
	int error = level_base_mhz(level, &mhz);

	if (!error)
		report_number(node, KEY_BASE_FREQUENCY, mhz);
	else if (error == -EIO)
		report_unknown(node, KEY_BASE_FREQUENCY);
}

bool level_is_known(const struct isst_result *level)
{
	return !isst_result_error(level, ISST_PART_RESULT) ||
	       has_value(level, ISST_VALUE_TURBO_FREQ_STATE) ||
	       has_value(level, ISST_VALUE_BASE_FREQ_STATE);
}

bool level_is_missing(const struct isst_result *level)
{
	/* The current one is there, though the firmware may refuse to report it. */
	if (value_of(level, ISST_VALUE_LEVEL) == value_of(level, ISST_VALUE_CURRENT_LEVEL))
		return false;
	return isst_result_error(level, ISST_PART_RESULT) == -EOPNOTSUPP && !level_is_known(level);
}

/** Reports the failure of a part, unless the level's own is the same. */
static void report_part(struct run *run, const struct isst_result *level, int part)
{
	const char *own = isst_result_message(level, ISST_PART_RESULT);
	struct failure failure = failure_of(level, part);

	if (failure.error && own && strcmp(failure.message, own) == 0)
		return;
	run_failure(run, failure);
}

void level_failures(struct run *run, const struct isst_result *level)
{
	struct failure failure = failure_of(level, ISST_PART_RESULT);

	if (level_is_missing(level)) {
		if (request_has(run->request, OPTION_LEVEL))
			run_result(run, failure, true);
		return;
	}
	run_failure(run, failure);
	report_part(run, level, ISST_PART_BASE_FREQ);
	report_part(run, level, ISST_PART_TURBO_FREQ);
}

static bool has_any(const struct isst_result *level, const int *ids)
{
	while (*ids && !has_value(level, *ids))
		ids++;
	return *ids != 0;
}

bool base_freq_is_known(const struct isst_result *level)
{
	static const int VALUES[] = { ISST_VALUE_BASE_FREQ_HIGH_MHZ, ISST_VALUE_BASE_FREQ_LOW_MHZ,
				      ISST_VALUE_BASE_FREQ_TJUNCTION_C, ISST_VALUE_BASE_FREQ_TDP_W,
				      0 };

	if (value_of(level, ISST_VALUE_BASE_FREQ_STATE) < ISST_FEATURE_DISABLED)
		return false;
	return cpus_of(level, ISST_VALUE_BASE_FREQ_HIGH_CPUS) || has_any(level, VALUES);
}

bool turbo_freq_is_known(const struct isst_result *level)
{
	bool known = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS) > 0 ||
		     !isst_result_error(level, ISST_PART_TURBO_FREQ);
	unsigned int types, value;

	if (value_of(level, ISST_VALUE_TURBO_FREQ_STATE) < ISST_FEATURE_DISABLED)
		return false;
	isst_result_extent(level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ, &types, NULL);
	for (unsigned int type = 0; type < types && !known; type++)
		known = isst_result_value_at(level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ, type, 0,
					     &value) == 0;
	return known;
}

void base_freq_report(struct report_node *parent, const struct isst_result *level,
		      const struct isst_context *context)
{
	const struct isst_cpuset *cpus = cpus_of(level, ISST_VALUE_BASE_FREQ_HIGH_CPUS);
	struct report_node *node = report_branch(parent, KEY_BASE_FREQ_PROPERTIES, 0);

	report_value(node, KEY_HIGH_BASE_FREQUENCY, level, ISST_VALUE_BASE_FREQ_HIGH_MHZ);
	if (cpus) {
		report_cpu_mask(node, KEY_HIGH_CPU_MASK, cpus, isst_mask_bits(context));
		report_cpu_list(node, KEY_HIGH_CPU_LIST, cpus);
	}
	report_value(node, KEY_LOW_BASE_FREQUENCY, level, ISST_VALUE_BASE_FREQ_LOW_MHZ);
	report_value(node, KEY_TJUNCTION, level, ISST_VALUE_BASE_FREQ_TJUNCTION_C);
	report_value(node, KEY_POWER, level, ISST_VALUE_BASE_FREQ_TDP_W);
}

const char *trl_type_to_report(const struct run *run, unsigned int type)
{
	const char *name = isst_trl_type_name(run->context, type);
	bool known = !run->request->reference || request_format(run->request) == FORMAT_JSON_V2;

	return name && (known || strcmp(name, "amx") != 0) ? name : NULL;
}

const char *run_cores_word(const struct run *run)
{
	return isst_platform_fact(run->context, ISST_FACT_COUNTS_MODULES) > 0 ? "modules" : "cores";
}

void report_core_unit(const struct run *run, struct report_node *node)
{
	if (isst_platform_fact(run->context, ISST_FACT_COUNTS_MODULES) > 0)
		report_word(node, KEY_CORE_UNIT, run_cores_word(run));
}

void level_report_types(const struct run *run, struct report_node *parent, enum key_id key,
			const struct isst_result *level, int id, unsigned int bucket, int only_type)
{
	unsigned int types, value;

	isst_result_extent(level, id, &types, NULL);
	for (unsigned int type = 0; type < types; type++) {
		const char *name = only_type < 0 ? trl_type_to_report(run, type)
						 : isst_trl_type_name(run->context, type);

		if (only_type >= 0 && only_type != (int)type)
			continue;
		if (name && isst_result_value_at(level, id, type, bucket, &value) == 0)
			report_variant_number(parent, key, name, value);
	}
}

static void report_bucket(const struct run *run, struct report_node *parent,
			  const struct isst_result *level, unsigned int bucket, int only_type)
{
	struct report_node *node = report_branch(parent, KEY_BUCKET, bucket);

	report_value_at(node, KEY_HIGH_CORES_COUNT, level, ISST_VALUE_TURBO_FREQ_HIGH_CORES, 0,
			bucket);
	level_report_types(run, node, KEY_HIGH_MAX_FREQUENCY, level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ,
			   bucket, only_type);
}

void bucket_report(const struct run *run, struct report_node *node, const struct isst_result *level,
		   unsigned int bucket)
{
	report_value_at(node, KEY_CORES_PER_PACKAGE, level, ISST_VALUE_TURBO_FREQ_HIGH_CORES, 0,
			bucket);
	level_report_types(run, node, KEY_HIGH_MAX_FREQUENCY, level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ,
			   bucket, -1);
}

void buckets_report(const struct run *run, struct report_node *node,
		    const struct isst_result *level)
{
	unsigned int buckets;
	int error = isst_result_value(level, ISST_VALUE_TURBO_FREQ_BUCKETS, &buckets);

	if (error == -EIO)
		report_unknown(node, KEY_BUCKET);
	if (error || buckets == 0)
		return;
	report_core_unit(run, node);
	for (unsigned int i = 0; i < buckets; i++)
		bucket_report(run, report_branch(node, KEY_BUCKET, i), level, i);
}

void turbo_freq_report(const struct run *run, struct report_node *parent,
		       const struct isst_result *level, struct turbo_freq_filter filter)
{
	struct report_node *node = report_branch(parent, KEY_TURBO_FREQ_PROPERTIES, 0);
	unsigned int buckets = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS);

	for (unsigned int i = 0; i < buckets; i++) {
		if (filter.bucket < 0 || filter.bucket == (int)i)
			report_bucket(run, node, level, i, filter.trl_type);
	}
	level_report_types(run, report_branch(node, KEY_CLIP_FREQUENCIES, 0), KEY_LOW_MAX_FREQUENCY,
			   level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ, 0, -1);
}

/* ---- Turbo without SST-TF ---- */

/** Whether a level enables a core. */
static bool enables_core(const struct isst_result *level, const struct core *core)
{
	const struct isst_cpuset *cpus = cpus_of(level, ISST_VALUE_CPUS);
	unsigned int cpu;

	isst_cpuset_for_each (cpu, core->cpus)
		if (isst_cpuset_has(cpus, cpu))
			return true;
	return false;
}

bool level_count_cores(const struct cores *cores, const struct isst_result *level,
		       unsigned int *count, unsigned int *units)
{
	const struct isst_domain *domain = isst_result_domain(level);

	if (!cpus_of(level, ISST_VALUE_CPUS) || !isst_domain_is_complete(domain))
		return false;
	for (size_t i = 0; i < cores->count; i++) {
		const struct core *core = &cores->all[i];

		if (core->domain != domain || !enables_core(level, core))
			continue;
		(*count)++;
		*units += core->is_first;
	}
	return true;
}

void level_turbo_report(const struct cores *cores, struct report_node *node,
			const struct isst_result *level)
{
	unsigned int types, buckets, count = 0, units = 0, most, bucket = 0;
	bool known = level_count_cores(cores, level, &count, &units) && cores->complete;

	if (isst_result_value_at(level, ISST_VALUE_TURBO_LIMIT_MHZ, 0, 0, &most) == -ENODATA)
		return;
	report_value_at(node, KEY_MAX_TURBO_FREQUENCY, level, ISST_VALUE_TURBO_LIMIT_MHZ, 0, 0);
	isst_result_extent(level, ISST_VALUE_TURBO_LIMIT_MHZ, &types, &buckets);
	while (bucket < buckets &&
	       isst_result_value_at(level, ISST_VALUE_TURBO_LIMIT_CORES, 0, bucket, &most) == 0 &&
	       most < units)
		bucket++;
	if (known &&
	    isst_result_value_at(level, ISST_VALUE_TURBO_LIMIT_MHZ, 0, bucket, &most) == 0 &&
	    most > 0)
		report_number(node, KEY_ALL_CORE_TURBO, most);
	else
		report_unknown(node, KEY_ALL_CORE_TURBO);
}
