/* SPDX-License-Identifier: BSD-3-Clause */
#include "levels.h"

#include "../../common/numbered.h"
#include "../process/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int run_read_levels(struct run *run, enum level_choice choice, unsigned int parts,
		    struct levels *levels)
{
	const struct question question = {
		.read = ISST_READ_LEVELS,
		.flags = parts | (choice == LEVELS_CURRENT ? ISST_LEVELS_CURRENT : 0),
		.value = ISST_VALUE_LEVEL,
		.option = OPTION_LEVEL,
	};

	const struct isst_result *result;

	*levels = (struct levels){ .results = read_targets(run, domain_targets(run), &question) };
	if (!levels->results)
		return -EIO;
	levels->first = xcalloc(run->targets.domain_count + 1, sizeof(*levels->first));
	levels->count = xcalloc(run->targets.domain_count + 1, sizeof(*levels->count));
	for (size_t i = 0; (result = isst_results_at(levels->results, i)) != NULL; i++) {
		unsigned int highest = value_of(result, ISST_VALUE_ENABLED)
					       ? value_of(result, ISST_VALUE_HIGHEST_LEVEL)
					       : 0;
		size_t slot = isst_result_target(result);

		if (i == 0 || slot != isst_result_target(isst_results_at(levels->results, i - 1)))
			levels->first[slot] = i;
		/* One that the domain cannot have is no level. */
		if (!run_result(run, failure_of(result, ISST_PART_PERF_PROFILE), true))
			continue;
		if (!request_has(run->request, OPTION_LEVEL) ||
		    (has_value(result, ISST_VALUE_LEVEL) &&
		     value_of(result, ISST_VALUE_LEVEL) <= highest))
			levels->count[slot]++;
		else
			run_result(run, failure_of(result, ISST_PART_RESULT), true);
	}
	return 0;
}

void levels_clear(struct levels *levels)
{
	isst_results_free(levels->results);
	free(levels->first);
	free(levels->count);
	*levels = (struct levels){ 0 };
}

const struct isst_result *levels_get(const struct levels *levels, const struct unit *unit,
				     size_t index)
{
	if (index >= levels->count[unit->slot])
		return NULL;
	return isst_results_at(levels->results, levels->first[unit->slot] + index);
}

bool levels_may_have(const struct run *run, const struct levels *levels, int feature_state)
{
	for_each_unit (unit, &run->targets) {
		const struct isst_result *level = levels_get(levels, unit, 0);

		if (!isst_domain_is_io(unit->domain) &&
		    (!level || value_of(level, feature_state) != ISST_FEATURE_UNSUPPORTED))
			return true;
	}
	return false;
}

const struct isst_result *levels_summary(const struct levels *levels, const struct unit *unit)
{
	return isst_results_at(levels->results, levels->first[unit->slot]);
}

void level_choice_report(struct run *run, const struct levels *levels)
{
	struct report_node *top = report_at_top(run->report);
	bool known = true, any = false;

	for_each_unit (unit, &run->targets) {
		const struct isst_result *summary = levels_summary(levels, unit);
		bool failed = !summary || isst_result_error(summary, ISST_PART_PERF_PROFILE);

		known &= !failed;
		any |= !failed && value_of(summary, ISST_VALUE_ENABLED) &&
		       value_of(summary, ISST_VALUE_HIGHEST_LEVEL) > 0;
	}
	if (known && !any)
		report_state(top, KEY_LEVEL_CHOICE, false);
	else if (any)
		report_state(report_v2(top), KEY_LEVEL_CHOICE, true);
	else
		report_unknown(report_v2(top), KEY_LEVEL_CHOICE);
}

/* ---- The CPUs of a level ---- */

int levels_compare_cpus(struct isst_context *context, const struct isst_targets *targets,
			const char *statements, unsigned int flags, struct isst_config **compared)
{
	struct isst_config *config = xcheck(isst_config_new());
	int error;

	xcall(isst_config_add_text(config, "", statements, strlen(statements), 0));
	isst_config_set_targets(config, targets);
	error = isst_config_check(config, context, flags);
	isst_config_set_targets(config, NULL);
	if (error)
		isst_config_free(config);
	*compared = error ? NULL : config;
	return error;
}

void levels_note_cpus(struct run *run, const char *statements, unsigned int flags,
		      const char *remedy)
{
	enum { ON, OFF, UNSEEN, KINDS };
	const char *const states[KINDS][2] = {
		[ON] = { "online, though not enabled by the level", remedy },
		[OFF] = { "offline, though enabled by the level", remedy },
		[UNSEEN] = { "offline, and not seen online since boot",
			     "whether a level enables such CPUs is unknown" },
	};
	struct isst_cpuset *cpus[KINDS] = { xcheck(isst_cpuset_new()), xcheck(isst_cpuset_new()),
					    xcheck(isst_cpuset_new()) };
	struct isst_targets *targets = domain_targets(run);
	const struct isst_config_difference *difference;
	struct isst_config *compared = NULL;
	struct isst_cpuset *isolated = NULL;
	unsigned int cpu;
	int error = 0;

	if (targets)
		error = levels_compare_cpus(run->context, targets, statements, flags, &compared);
	/* Those of --cgroupv2 are as good as offline; without partitions there are none. */
	if (isst_config_difference_at(compared, 0))
		error = isst_cpus_by_name(run->context, "isolated", 0, &isolated);
	for (size_t i = 0; (difference = isst_config_difference_at(compared, i)) != NULL; i++)
		isst_cpuset_for_each (cpu, isst_config_difference_cpus(difference)) {
			bool online = isst_cpuset_has(isst_online_cpus(run->context), cpu);
			bool seen = isst_cpu_by_number(run->context, cpu);

			if (!isst_cpuset_has(isolated, cpu))
				xcall(isst_cpuset_add(cpus[online ? ON
							   : seen ? OFF
								  : UNSEEN],
						      cpu, cpu));
		}
	if (error && (run_is_change(run) || request_has(run->request, OPTION_DRY_RUN)))
		report_message(run->report, ENTRY_NOTE,
			       "which CPUs the level has otherwise is not known: %s",
			       run_cause(run, error));
	else if (error)
		run_not_asked(run, error);
	for (size_t i = 0; i < KINDS; i++) {
		size_t count = error ? 0 : isst_cpuset_count(cpus[i]);

		if (count > 0) {
			char *names = xcheck(name_numbers("CPU", cpus[i]));

			report_message(run->report, ENTRY_NOTE, "%s %s %s: %s", names,
				       count == 1 ? "is" : "are", states[i][0], states[i][1]);
			report_code(run->report,
				    isst_message_code_name(ISST_MESSAGE_CPUS_LEFT_OUT));
			free(names);
		}
		isst_cpuset_free(cpus[i]);
	}
	isst_cpuset_free(isolated);
	isst_config_free(compared);
	isst_targets_free(targets);
}

/* ---- Reports of levels, and of SST-BF and SST-TF at one ---- */

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

void level_failures(struct run *run, const struct isst_result *level)
{
	static const int PARTS[] = { ISST_PART_BASE_FREQ, ISST_PART_TURBO_FREQ };
	struct failure failure = failure_of(level, ISST_PART_RESULT);

	if (level_is_missing(level)) {
		if (request_has(run->request, OPTION_LEVEL))
			run_result(run, failure, true);
		return;
	}
	run_failure(run, failure);
	for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++) {
		struct failure part = failure_of(level, PARTS[i]);

		if (!part.error || !failure.message || strcmp(part.message, failure.message) != 0)
			run_failure(run, part);
	}
}

bool base_freq_is_known(const struct isst_result *level)
{
	static const int VALUES[] = { ISST_VALUE_BASE_FREQ_HIGH_MHZ, ISST_VALUE_BASE_FREQ_LOW_MHZ,
				      ISST_VALUE_BASE_FREQ_TJUNCTION_C,
				      ISST_VALUE_BASE_FREQ_TDP_W };

	if (value_of(level, ISST_VALUE_BASE_FREQ_STATE) < ISST_FEATURE_DISABLED)
		return false;
	for (size_t i = 0; i < sizeof(VALUES) / sizeof(VALUES[0]); i++)
		if (has_value(level, VALUES[i]))
			return true;
	return cpus_of(level, ISST_VALUE_BASE_FREQ_HIGH_CPUS);
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

void levels_note_offline_parts(struct run *run)
{
	const struct isst_message *part;

	for (size_t i = 0; (part = isst_offline_part_at(run->context, i)) && !run->targets.named;
	     i++)
		run_message(run, ENTRY_NOTE, part, "; not shown");
}

void base_freq_report(struct report_node *parent, const struct isst_result *level,
		      struct isst_context *context)
{
	const struct isst_cpuset *cpus = cpus_of(level, ISST_VALUE_BASE_FREQ_HIGH_CPUS);
	struct report_node *node = report_branch(parent, KEY_BASE_FREQ_PROPERTIES, 0);

	report_value(node, KEY_HIGH_BASE_FREQUENCY, level, ISST_VALUE_BASE_FREQ_HIGH_MHZ);
	if (cpus) {
		report_cpu_mask(node, KEY_HIGH_CPU_MASK, cpus,
				(unsigned int)isst_platform_fact(context, ISST_FACT_MASK_BITS));
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

void bucket_report(const struct run *run, struct report_node *node, const struct isst_result *level,
		   unsigned int bucket)
{
	report_value_at(node, KEY_CORES_PER_PACKAGE, level, ISST_VALUE_TURBO_FREQ_HIGH_CORES, 0,
			bucket);
	level_report_types(run, node, KEY_HIGH_MAX_FREQUENCY, level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ,
			   bucket, -1);
}

unsigned int bucket_cores(const struct isst_result *level, unsigned int bucket)
{
	unsigned int cores;

	return isst_result_value_at(level, ISST_VALUE_TURBO_FREQ_HIGH_CORES, 0, bucket, &cores) == 0
		       ? cores
		       : 0;
}

unsigned int bucket_of(const struct isst_result *level, unsigned int cores)
{
	unsigned int buckets = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS), bucket = 0;

	while (bucket < buckets && bucket_cores(level, bucket) < cores)
		bucket++;
	return bucket;
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
		struct report_node *bucket;

		if (filter.bucket >= 0 && filter.bucket != (int)i)
			continue;
		bucket = report_branch(node, KEY_BUCKET, i);
		report_value_at(bucket, KEY_HIGH_CORES_COUNT, level,
				ISST_VALUE_TURBO_FREQ_HIGH_CORES, 0, i);
		level_report_types(run, bucket, KEY_HIGH_MAX_FREQUENCY, level,
				   ISST_VALUE_TURBO_FREQ_HIGH_MHZ, i, filter.trl_type);
	}
	level_report_types(run, report_branch(node, KEY_CLIP_FREQUENCIES, 0), KEY_LOW_MAX_FREQUENCY,
			   level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ, 0, -1);
}

/* ---- Turbo without SST-TF ---- */

bool level_count_cores(const struct cores *cores, const struct isst_result *level,
		       unsigned int *count, unsigned int *units)
{
	const struct isst_cpuset *enabled = cpus_of(level, ISST_VALUE_CPUS);
	const struct isst_domain *domain = isst_result_domain(level);

	if (!enabled || !isst_domain_is_complete(domain))
		return false;
	for_each_core (core, cores, domain) {
		bool enables = false;
		unsigned int cpu;

		isst_cpuset_for_each (cpu, core->cpus)
			enables = enables || isst_cpuset_has(enabled, cpu);
		*count += enables;
		*units += enables && core->is_first;
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
