/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of exported values. Programs rely on the names: they never change. */
#include "exports.h"

#include "isst.h"

#include <string.h>

enum { MHZ = 1000000 };

#define MACHINE EXPORT_MACHINE, KEYS
#define LAST_APPLY EXPORT_MACHINE, KEY_LAST_APPLY
#define PACKAGE(branch) EXPORT_PACKAGE, branch
#define DOMAIN EXPORT_DOMAIN, KEYS
#define BRANCH(branch) EXPORT_DOMAIN, branch
#define FEATURE(word) .label = "feature", .label_text = (word)

const struct export_row export_rows[] = {
	{ MACHINE, KEY_STATUS_PROCESSOR, EXPORT_WORD, .fact = "processor",
	  .feature = "isst.processor" },
	{ MACHINE, KEY_STATUS_INTERFACE, EXPORT_WORD, .fact = "firmware_interface",
	  .feature = "isst.firmware-interface" },
	{ MACHINE, KEY_STATUS_NO_DRIVER, EXPORT_WORD, .fact = "firmware_interface",
	  .feature = "isst.firmware-interface" },
	{ MACHINE, KEY_API_VERSION, EXPORT_VALUE, .fact = "api_version" },
	{ MACHINE, KEY_DRIVER_VERSION, EXPORT_VALUE, .fact = "driver_version" },
	{ MACHINE, KEY_STATUS_PACKAGES, EXPORT_VALUE, .fact = "package_count",
	  .metric = "isst_packages", .help = "Packages." },
	{ MACHINE, KEY_STATUS_CORES, EXPORT_VALUE, .fact = "core_count", .metric = "isst_cores",
	  .help = "Cores." },
	{ MACHINE, KEY_STATUS_ONLINE_CPUS, EXPORT_VALUE, .fact = "online_cpu_count",
	  .metric = "isst_online_cpus", .help = "CPUs that are online." },
	{ MACHINE, KEY_STATUS_PRESENT_CPUS, EXPORT_VALUE, .fact = "present_cpu_count",
	  .metric = "isst_present_cpus", .help = "CPUs, with those that are offline." },
	{ MACHINE, KEY_STATUS_NOT_READ, EXPORT_CPUS, .fact = "isolated_cpus_not_read" },
	{ EXPORT_MACHINE, KEY_CONFIGURATION, KEY_CONFIG_CHECK, EXPORT_VALUE, .fact = "equal",
	  .feature = "isst.config.equal" },
	{ EXPORT_MACHINE, KEY_CONFIGURATION, KEY_CONFIG_DIFFERENCE, EXPORT_COUNT,
	  .fact = "difference_count", .metric = "isst_config_differences",
	  .help = "Differences from the configuration, as isst config check lists them.",
	  .of = KEY_CONFIG_CHECK },
	{ LAST_APPLY, KEY_LAST_APPLY_TIMESTAMP, EXPORT_VALUE, .fact = "timestamp_seconds",
	  .metric = "isst_config_last_apply_timestamp", .unit = "seconds",
	  .help = "When config apply ended last; absent where it did not run since boot." },
	{ LAST_APPLY, KEY_LAST_APPLY_RESULT, EXPORT_VALUE, .fact = "succeeded",
	  .metric = "isst_config_last_apply_success", .feature = "isst.config.last-apply-succeeded",
	  .help = "Whether the machine was then as configured." },
	{ LAST_APPLY, KEY_LAST_APPLY_SOURCE, EXPORT_WORD, .fact = "source" },
	{ LAST_APPLY, KEY_LAST_APPLY_SHA256, EXPORT_WORD, .fact = "sha256" },

	{ PACKAGE(KEYS), KEY_STATUS_HIGHEST_LEVEL, EXPORT_VALUE, .fact = "highest_level",
	  .metric = "isst_perf_profile_highest_level", .feature = "isst.perf-profile.highest-level",
	  .help = "Highest performance level." },
	{ PACKAGE(KEYS), KEY_STATUS_LOCK, EXPORT_VALUE, .fact = "level_locked",
	  .metric = "isst_perf_profile_locked", .feature = "isst.perf-profile.locked",
	  .help = "Whether the performance level cannot be changed." },
	{ PACKAGE(KEYS), KEY_POWER, EXPORT_VALUE, .fact = "tdp_watts",
	  .metric = "isst_thermal_design_power", .unit = "watts",
	  .feature = "isst.thermal-design-power-watts",
	  .help = "Thermal design power of the performance level in force." },
	{ PACKAGE(KEYS), KEY_TJUNCTION_MAX, EXPORT_VALUE, .fact = "tjunction_max_celsius",
	  .metric = "isst_junction_temperature_max", .unit = "celsius",
	  .help = "Highest junction temperature of the performance level in force." },

	{ DOMAIN, KEY_STATUS_LEVEL, EXPORT_VALUE, .fact = "current_level",
	  .metric = "isst_perf_profile_level", .feature = "isst.perf-profile.level",
	  .help = "Performance level in force." },
	{ DOMAIN, KEY_BASE_FREQUENCY, EXPORT_VALUE, .fact = "base_mhz",
	  .metric = "isst_base_frequency", .unit = "hertz", .factor = MHZ,
	  .feature = "isst.base-frequency-mhz",
	  .help = "Base frequency of the performance level in force." },
	{ DOMAIN, KEY_SST_BASE_FREQ, EXPORT_WORD, .fact = "base_freq",
	  .feature = "isst.base-freq" },
	{ DOMAIN, KEY_SST_TURBO_FREQ, EXPORT_WORD, .fact = "turbo_freq",
	  .feature = "isst.turbo-freq" },
	{ DOMAIN, KEY_SST_CORE_POWER, EXPORT_WORD, .fact = "core_power",
	  .feature = "isst.core-power" },
	{ DOMAIN, KEY_PRIORITY_TYPE, EXPORT_WORD, .fact = "priority_type",
	  .feature = "isst.priority-type" },
	{ DOMAIN, KEY_SST_BASE_FREQ, EXPORT_VALUE, .metric = "isst_feature_enabled",
	  FEATURE("base-freq"), .help = "Whether a feature is on; absent where not supported." },
	{ DOMAIN, KEY_SST_TURBO_FREQ, EXPORT_VALUE, .metric = "isst_feature_enabled",
	  FEATURE("turbo-freq") },
	{ DOMAIN, KEY_SST_CORE_POWER, EXPORT_VALUE, .metric = "isst_feature_enabled",
	  FEATURE("core-power") },

	{ BRANCH(KEY_STATUS_CLOS), KEY_STATUS_MIN, EXPORT_VALUE, .fact = "min_mhz",
	  .metric = "isst_clos_min_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "Minimum frequency of a class of service." },
	{ BRANCH(KEY_STATUS_CLOS), KEY_STATUS_MAX, EXPORT_VALUE, .fact = "max_mhz",
	  .metric = "isst_clos_max_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "Maximum frequency of a class of service; +Inf: no limit." },
	{ BRANCH(KEY_STATUS_CLOS), KEY_STATUS_WEIGHT, EXPORT_VALUE, .fact = "weight",
	  .metric = "isst_clos_weight",
	  .help = "Proportional priority of a class of service, 0 is the highest." },
	{ BRANCH(KEY_STATUS_CLOS), KEY_CORE_COUNT, EXPORT_VALUE, .fact = "core_count",
	  .metric = "isst_clos_cores", .help = "Cores of a class of service that are online." },
	{ BRANCH(KEY_STATUS_CLOS), KEY_STATUS_CPUS, EXPORT_CPUS, .fact = "cpus" },
	{ BRANCH(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_CPUS, EXPORT_CPUS, .fact = "cpus" },
	{ BRANCH(KEY_STATUS_UNCORE), KEY_STATUS_MIN, EXPORT_VALUE, .fact = "min_mhz",
	  .metric = "isst_uncore_min_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "Minimum frequency of a fabric of the uncore, where limits were set." },
	{ BRANCH(KEY_STATUS_UNCORE), KEY_STATUS_MAX, EXPORT_VALUE, .fact = "max_mhz",
	  .metric = "isst_uncore_max_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "Maximum frequency of a fabric of the uncore, where limits were set." },
	{ BRANCH(KEY_STATUS_SCALING), KEY_STATUS_MIN, EXPORT_VALUE, .fact = "min_mhz" },
	{ BRANCH(KEY_STATUS_SCALING), KEY_STATUS_MAX, EXPORT_VALUE, .fact = "max_mhz" },
	{ BRANCH(KEY_STATUS_SCALING), KEY_STATUS_CPUS, EXPORT_CPUS, .fact = "cpus",
	  .metric = "isst_cpufreq_limited_cpus",
	  .help = "CPUs with a limit of cpufreq; absent where there are none." },

	{ PACKAGE(KEY_BUCKET), KEY_HIGH_CORES_COUNT, EXPORT_VALUE, .fact = "core_count",
	  .metric = "isst_bucket_cores",
	  .help = "High priority cores that a bucket holds, or modules of cores (core_unit).",
	  .label = "core_unit", .of = KEY_CORE_UNIT },
	{ PACKAGE(KEY_BUCKET), KEY_CORE_UNIT, EXPORT_WORD, .fact = "core_unit" },
	{ PACKAGE(KEY_BUCKET), KEY_STATUS_HIGH_MAX, EXPORT_VALUE, .fact = "max_mhz",
	  .metric = "isst_bucket_max_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "What the high priority cores of a bucket reach." },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_CORE_COUNT, EXPORT_VALUE,
	  .fact = "core_count", .metric = "isst_high_priority_cores",
	  .help = "High priority cores, or modules of cores (core_unit).", .label = "core_unit",
	  .of = KEY_CORE_UNIT },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_CORE_UNIT, EXPORT_WORD, .fact = "core_unit" },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_BUCKET, EXPORT_VALUE, .fact = "used_bucket",
	  .metric = "isst_used_bucket",
	  .help = "The bucket that holds the high priority cores; absent where none does." },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_HIGH_MAX, EXPORT_VALUE, .fact = "max_mhz" },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_LOW_MAX, EXPORT_VALUE,
	  .fact = "max_of_others_mhz", .metric = "isst_low_priority_max_frequency", .unit = "hertz",
	  .factor = MHZ, .help = "What low priority cores reach while turbo-freq is on." },
	{ PACKAGE(KEY_FINDING), KEY_FINDING_CODE, EXPORT_WORD, .fact = "code" },
	{ PACKAGE(KEY_FINDING), KEY_FINDING_CODE, EXPORT_PRESENT, .metric = "isst_limit_reason",
	  .label = "code",
	  .help = "What held frequencies back since the reasons were last cleared; absent where "
		  "nothing did or it cannot be read." },
	{ 0 },
};

const struct export_branch export_branches[] = {
	{ KEY_CONFIGURATION, "config", NULL, .single = true },
	{ KEY_LAST_APPLY, "last_config_apply", NULL, .single = true },
	{ KEY_STATUS_CLOS, "clos", "clos", .single = false },
	{ KEY_STATUS_HIGH_PRIORITY, "high_priority", NULL, .single = true },
	{ KEY_STATUS_UNCORE, "uncore_limits", "fabric", .single = false },
	{ KEY_STATUS_SCALING, "cpufreq_limits", NULL, .single = false },
	{ KEY_BUCKET, "buckets", "bucket", .single = false },
	{ KEY_FINDING, "limit_reasons", NULL, .single = false },
	{ KEYS, NULL, NULL, .single = false },
};

bool export_row_ends(const struct export_row *row)
{
	return !row->fact && !row->metric && !row->feature;
}

const struct export_branch *export_branch_find(const struct key *key)
{
	for (const struct export_branch *branch = export_branches; branch->fact; branch++)
		if (key == &keys[branch->key])
			return branch;
	return NULL;
}

enum export_place export_place_of(const struct report_entry *entry)
{
	return entry->steps == 0   ? EXPORT_MACHINE
	       : entry->steps == 1 ? EXPORT_PACKAGE
				   : EXPORT_DOMAIN;
}

bool export_row_matches(const struct export_row *row, const struct report_entry *entry,
			const struct report_node *branch, const struct report_node *node)
{
	const struct key *in = branch ? branch->key : NULL;

	return entry->kind == ENTRY_UNIT && row->place == export_place_of(entry) &&
	       in == (row->branch == KEYS ? NULL : &keys[row->branch]) &&
	       node->key == &keys[row->kind == EXPORT_COUNT ? row->of : row->key] &&
	       node->kind != NODE_UNKNOWN;
}

static bool number_of_word(const char *word, uint64_t *number)
{
	*number = strcmp(word, "enabled") == 0;
	return *number || strcmp(word, "disabled") == 0;
}

/** How many nodes are behind one that have the key of a row. */
static uint64_t count_behind(const struct export_row *row, const struct report_node *node)
{
	uint64_t count = 0;

	while ((node = node->next) != NULL)
		count += node->key == &keys[row->key];
	return count;
}

bool export_is_unsupported(const struct report_node *node)
{
	return strcmp(node->text, "unsupported") == 0;
}

bool export_number(const struct export_row *row, const struct report_node *node, uint64_t *number,
		   bool *unlimited)
{
	*unlimited = false;
	*number = 1;
	if (row->kind == EXPORT_PRESENT)
		return true;
	if (row->kind == EXPORT_COUNT) {
		*number = count_behind(row, node);
		/* What could be compared only in part has a word, and may differ elsewhere. */
		return node->kind != NODE_WORD;
	}
	if (node->kind == NODE_WORD)
		return number_of_word(node->text, number);
	if (row->kind == EXPORT_CPUS) {
		*number = isst_cpuset_count(node->cpus);
		return true;
	}
	*number = node->number;
	if (node->kind != NODE_NUMBER || !node->key->special_text ||
	    node->number != node->key->special)
		return true;
	/* The word for no limit, and that for no bucket. */
	*unlimited = node->key == &keys[KEY_STATUS_MAX];
	return *unlimited;
}
