/* SPDX-License-Identifier: BSD-3-Clause */
#include "../run/change.h"
#include "../run/handlers.h"
#include "../run/levels.h"
#include "../status/machine_status.h"

#include <errno.h>

/* ---- levels ---- */

/** The same level of the other domains of a package has cores, too. */
static void report_level_cores(const struct run *run, const struct levels *levels,
			       const struct cores *cores, struct report_node *node,
			       const struct isst_result *level)
{
	unsigned int package = isst_domain_package(isst_result_domain(level));
	unsigned int count = 0, units = 0;
	bool known = cores->complete;

	for_each_unit (unit, &run->targets) {
		const struct isst_result *other;

		for (size_t j = 0; (other = levels_get(levels, unit, j)) != NULL; j++)
			if (unit->place.package == package && !isst_domain_is_io(unit->domain) &&
			    value_of(other, ISST_VALUE_LEVEL) == value_of(level, ISST_VALUE_LEVEL))
				known = level_count_cores(cores, other, &count, &units) && known;
	}
	if (known)
		report_number(node, KEY_LEVEL_CORES, count);
	else
		report_unknown(node, KEY_LEVEL_CORES);
}

static void report_row(const struct run *run, const struct levels *levels,
		       const struct cores *cores, struct report_node *unit,
		       const struct isst_result *level)
{
	static const struct shown_value SHOWN[] = {
		{ KEY_BASE_FREQUENCY, 0, SHOW_BASE, 0 },
		{ KEY_BASE_FREQUENCY_AVX512, ISST_VALUE_BASE_AVX512_MHZ, SHOW_NUMBER, 0 },
		{ KEY_BASE_FREQUENCY_AMX, ISST_VALUE_BASE_AMX_MHZ, SHOW_NUMBER, 0 },
		{ KEY_POWER, ISST_VALUE_TDP_W, SHOW_NUMBER, 0 },
		{ KEY_TJUNCTION_MAX, ISST_VALUE_TJUNCTION_C, SHOW_NUMBER, 0 },
		{ .key = KEYS },
	};
	static const char *const STATES[2][2] = { { "allowed", "locked" },
						  { "current", "current, locked" } };
	struct report_node *node = report_branch(unit, KEY_LEVEL,
						 value_of(level, ISST_VALUE_LEVEL));
	bool current = value_of(level, ISST_VALUE_LEVEL) ==
		       value_of(level, ISST_VALUE_CURRENT_LEVEL);

	if (!has_value(level, ISST_VALUE_CURRENT_LEVEL) || !has_value(level, ISST_VALUE_LOCKED)) {
		report_unknown(node, KEY_LEVEL_STATE);
	} else {
		node->standing = current ? STANDING_CURRENT : STANDING_OTHER;
		report_word(node, KEY_LEVEL_STATE,
			    STATES[current][value_of(level, ISST_VALUE_LOCKED)]);
	}
	report_level_cores(run, levels, cores, node, level);
	report_values(node, level, SHOWN);
	level_turbo_report(cores, node, level);
	if (value_of(level, ISST_VALUE_BASE_FREQ_STATE) != ISST_FEATURE_UNSUPPORTED) {
		report_value(node, KEY_HIGH_BASE_FREQUENCY, level, ISST_VALUE_BASE_FREQ_HIGH_MHZ);
		report_value(node, KEY_LOW_BASE_FREQUENCY, level, ISST_VALUE_BASE_FREQ_LOW_MHZ);
	}
	if (value_of(level, ISST_VALUE_TURBO_FREQ_STATE) != ISST_FEATURE_UNSUPPORTED)
		buckets_report(run, node, level);
}

void machine_levels(struct run *run)
{
	bool whole = !run->targets.named;
	struct levels levels;
	struct cores cores;

	machine_status_find(run);
	cores_find(run, &cores);
	if (run_read_levels(run, LEVELS_ALL, ISST_LEVELS_ALL, &levels) == 0) {
		level_choice_report(run, &levels);
		for_each_unit (unit, &run->targets) {
			const struct isst_result *level;
			struct report_node *node = NULL;

			for (size_t i = 0; (level = levels_get(&levels, unit, i)) != NULL; i++) {
				level_failures(run, level);
				if (isst_domain_is_io(unit->domain) || !level_is_known(level))
					continue;
				if (!node)
					node = unit_report(run, unit);
				report_row(run, &levels, &cores, node, level);
			}
			whole &= node || isst_domain_is_io(unit->domain);
		}
	}
	levels_note_offline_parts(run);
	report_make_screen(run->report, whole);
	levels_clear(&levels);
	cores_clear(&cores);
}

/* ---- perf-profile ---- */

/** What discovery left out is reported as such. */
static void report_cpus(struct run *run, struct report_node *node, const struct isst_result *level)
{
	const struct isst_domain *domain = isst_result_domain(level);
	const struct isst_cpuset *cpus = cpus_of(level, ISST_VALUE_CPUS);
	bool known = cpus || isst_domain_is_complete(domain);
	unsigned int cpu;

	if (isst_cpuset_next(isst_domain_online_cpus(domain), 0, &cpu) && known)
		report_number(node, KEY_CPU_COUNT,
			      isst_cpuset_count(isst_domain_present_cpus(domain)));
	else if (isst_cpuset_next(isst_domain_online_cpus(domain), 0, &cpu) &&
		 !isst_left_out_at(run->context, 0))
		run_error(
			run, STATUS_FAILED,
			"%s: the number of its CPUs is unknown: some CPUs have been offline since "
			"before isst first looked (--all-cpus-online brings them online)",
			isst_domain_name(domain));
	if (!cpus)
		return;
	if (isst_cpuset_count(cpus) > 0)
		report_number(node, KEY_ENABLE_CPU_COUNT, isst_cpuset_count(cpus));
	report_cpu_mask(node, KEY_ENABLE_CPU_MASK, cpus,
			(unsigned int)isst_platform_fact(run->context, ISST_FACT_MASK_BITS));
	report_cpu_list(node, KEY_ENABLE_CPU_LIST, cpus);
}

/** Whether a limit is a number, or could not be read. */
static bool has_number(const struct isst_result *level, int id, unsigned int type,
		       unsigned int bucket)
{
	unsigned int value;
	int error = isst_result_value_at(level, id, type, bucket, &value);

	return error == -EIO || (!error && value > 0);
}

static void report_limits(const struct run *run, struct report_node *parent,
			  const struct isst_result *level)
{
	unsigned int types, buckets, first;

	isst_result_extent(level, ISST_VALUE_TURBO_LIMIT_MHZ, &types, &buckets);
	for (unsigned int type = 0; type < types; type++) {
		const char *name = trl_type_to_report(run, type);
		struct report_node *node;

		if (!name ||
		    isst_result_value_at(level, ISST_VALUE_TURBO_LIMIT_MHZ, type, 0, &first) != 0)
			continue;
		node = report_variant(parent, KEY_TURBO_LIMITS, name);
		for (unsigned int i = 0; i < buckets; i++) {
			struct report_node *bucket;

			/* Scripts know 0 for what there is none of. */
			if (report_v2(node) &&
			    !has_number(level, ISST_VALUE_TURBO_LIMIT_CORES, type, i) &&
			    !has_number(level, ISST_VALUE_TURBO_LIMIT_MHZ, type, i))
				continue;
			bucket = report_branch(node, KEY_BUCKET, i);

			report_value_at(bucket, KEY_CORE_COUNT, level, ISST_VALUE_TURBO_LIMIT_CORES,
					type, i);
			if (!report_v2(node) ||
			    has_number(level, ISST_VALUE_TURBO_LIMIT_MHZ, type, i))
				report_value_at(bucket, KEY_MAX_TURBO_FREQUENCY, level,
						ISST_VALUE_TURBO_LIMIT_MHZ, type, i);
		}
	}
}

static void report_level(struct run *run, struct report_node *parent,
			 const struct isst_result *level)
{
	static const struct shown_value SHOWN[] = {
		{ KEY_TDP_RATIO, ISST_VALUE_TDP_RATIO, SHOW_NUMBER, 0 },
		{ KEY_BASE_FREQUENCY, 0, SHOW_BASE, 0 },
		{ KEY_BASE_FREQUENCY_AVX2, ISST_VALUE_BASE_AVX2_MHZ, SHOW_NUMBER, 0 },
		{ KEY_BASE_FREQUENCY_AVX512, ISST_VALUE_BASE_AVX512_MHZ, SHOW_NUMBER, 0 },
		{ KEY_UNCORE_MIN, ISST_VALUE_FABRIC_MIN_MHZ, SHOW_NUMBER, 0 },
		{ KEY_UNCORE_MAX, ISST_VALUE_FABRIC_MAX_MHZ, SHOW_NUMBER, 0 },
		{ KEY_BASE_FREQUENCY_AMX, ISST_VALUE_BASE_AMX_MHZ, SHOW_NUMBER, 0 },
		{ KEY_UNCORE_BASE, ISST_VALUE_FABRIC_BASE_MHZ, SHOW_NUMBER, 0 },
		{ KEY_UNCORE_1_BASE, ISST_VALUE_FABRIC_BASE_MHZ, SHOW_NUMBER, 1 },
		{ KEY_UNCORE_1_MIN, ISST_VALUE_FABRIC_MIN_MHZ, SHOW_NUMBER, 1 },
		{ KEY_UNCORE_1_MAX, ISST_VALUE_FABRIC_MAX_MHZ, SHOW_NUMBER, 1 },
		{ KEY_MEMORY_FREQUENCY, ISST_VALUE_MEMORY_MHZ, SHOW_NUMBER, 0 },
		{ KEY_COOLING_TYPE, ISST_VALUE_COOLING_TYPE, SHOW_NUMBER, 0 },
		{ KEY_SST_TURBO_FREQ, ISST_VALUE_TURBO_FREQ_STATE, SHOW_FEATURE, 0 },
		{ KEY_SST_BASE_FREQ, ISST_VALUE_BASE_FREQ_STATE, SHOW_FEATURE, 0 },
		{ KEY_SST_CORE_POWER, ISST_VALUE_CORE_POWER_STATE, SHOW_FEATURE, 0 },
		{ KEY_POWER, ISST_VALUE_TDP_W, SHOW_NUMBER, 0 },
		{ KEY_TJUNCTION_MAX, ISST_VALUE_TJUNCTION_C, SHOW_NUMBER, 0 },
		{ .key = KEYS },
	};
	static const struct turbo_freq_filter all = { -1, -1 };
	struct report_node *node = report_branch(parent, KEY_LEVEL,
						 value_of(level, ISST_VALUE_LEVEL));
	bool current = value_of(level, ISST_VALUE_LEVEL) ==
		       value_of(level, ISST_VALUE_CURRENT_LEVEL);

	if (has_value(level, ISST_VALUE_CURRENT_LEVEL)) {
		node->standing = current ? STANDING_CURRENT : STANDING_OTHER;
		/* Scripts of the reference tool do not know the mark. */
		if (current && !run->request->reference)
			node->marked = true;
	}
	report_cpus(run, node, level);
	report_values(node, level, SHOWN);
	report_limits(run, node, level);
	if (base_freq_is_known(level))
		base_freq_report(node, level, run->context);
	if (turbo_freq_is_known(level))
		turbo_freq_report(run, node, level, all);
}

/** A level that could not be read, in json-v2. */
static void report_unread_level(struct report_node *unit, const struct isst_result *level)
{
	/* What each machine has of a level. */
	static const enum key_id EVERYWHERE[] = {
		KEY_ENABLE_CPU_LIST, KEY_TDP_RATIO,	 KEY_BASE_FREQUENCY, KEY_SST_TURBO_FREQ,
		KEY_SST_BASE_FREQ,   KEY_SST_CORE_POWER, KEY_POWER,
	};
	struct report_node *node = report_branch(unit, KEY_LEVEL,
						 value_of(level, ISST_VALUE_LEVEL));

	for (size_t i = 0; i < sizeof(EVERYWHERE) / sizeof(EVERYWHERE[0]); i++)
		report_unknown(node, EVERYWHERE[i]);
}

static void show_unit(struct run *run, const struct levels *levels, const struct unit *unit)
{
	const struct isst_result *summary = levels_summary(levels, unit), *level;
	struct report_node *node = NULL;

	if (unit->first && has_value(summary, ISST_VALUE_ENABLED) &&
	    !value_of(summary, ISST_VALUE_ENABLED) &&
	    isst_platform_fact(run->context, ISST_FACT_PRESET) == 0)
		report_message(run->report, ENTRY_NOTE,
			       "perf-profile feature is not supported, just base-config level 0 "
			       "is valid (%s)",
			       isst_domain_name(unit->domain));
	for (size_t i = 0; (level = levels_get(levels, unit, i)) != NULL; i++) {
		if (unit->first)
			level_failures(run, level);
		if (!level_is_known(level) && (level_is_missing(level) || !run->report->v2))
			continue;
		if (!node) {
			node = unit_report(run, unit);
			node->hidden = true;
		}
		if (!level_is_known(level)) {
			report_unread_level(node, level);
			continue;
		}
		node->hidden = false;
		report_level(run, node, level);
	}
	if (!node)
		report_unread(run, unit, failure_of(summary, ISST_PART_PERF_PROFILE), KEY_LEVEL,
			      NULL);
}

void perf_profile_info(struct run *run)
{
	struct levels levels;

	if (run_read_levels(run, LEVELS_ALL, ISST_LEVELS_ALL, &levels) == 0) {
		for (size_t i = 0; i < run->targets.unit_count; i++)
			show_unit(run, &levels, &run->targets.units[i]);
	}
	levels_clear(&levels);
}

/** What scripts of the reference tool are shown before CPUs come and go. */
static void announce_hotplug(struct run *run)
{
	if (!run->request->reference || !request_has(run->request, OPTION_ONLINE) ||
	    !run_is_change(run))
		return;
	run_progress(run, "Option is set to online/offline");
	if (request_has(run->request, OPTION_CGROUP))
		run_progress(run, "Using cgroup v2 in lieu of online/offline");
}

void perf_profile_set_config_level(struct run *run)
{
	char statements[48];

	change_machine(run, &(struct change_command){ .add = ISST_SET_LEVEL,
						      .value = ISST_VALUE_LEVEL,
						      .option = OPTION_LEVEL,
						      .announce = announce_hotplug,
						      .feature = KEY_PERF_PROFILE,
						      .result = KEY_SET_TDP_LEVEL });
	/* In a dry run, of the level to come. */
	snprintf(statements, sizeof(statements), "level %u\n" CPUS_BY_LEVEL,
		 request_number(run->request, OPTION_LEVEL));
	if (run->status == STATUS_DONE && !request_has(run->request, OPTION_ONLINE))
		levels_note_cpus(run, run_is_change(run) ? CPUS_BY_LEVEL : statements, 0,
				 "set-config-level with --online (-o) changes that");
}
