/* SPDX-License-Identifier: BSD-3-Clause */
#include "command_table.h"

#include "run/handlers.h"

#include <string.h>

/* Known before any machine is. */
enum { HIGHEST_BUCKET = 7, HIGHEST_CLOS = 3 };

static const char *const trl_types[] = { "sse",	    "avx2",    "avx512",  "amx",
					 "level-0", "level-1", "level-2", "level-3",
					 "level-4", "level-5", NULL };

#define LEVEL_ROW(text) \
	{ \
		OPTION_LEVEL, 'l', "level", "LEVEL", VALUE_NUMBER, 0, UINT32_MAX, .help = text \
	}

static const struct option_row level_options[] = {
	LEVEL_ROW("Only this performance level. Default: all levels"),
	{ .name = NULL },
};

static const struct option_row base_freq_options[] = {
	LEVEL_ROW("Performance level. Default: the current one"),
	{ .name = NULL },
};

static const struct option_row turbo_freq_options[] = {
	LEVEL_ROW("Performance level. Default: the current one"),
	{ OPTION_BUCKET, 'b', "bucket", "BUCKET", VALUE_NUMBER, 0, HIGHEST_BUCKET,
	  .help = "Only this bucket, from 0 to 7. Default: all buckets" },
	{ OPTION_TRL_TYPE, 'r', "trl-type", "TYPE", VALUE_WORD, .words = trl_types,
	  .help = "Only high priority frequencies of this type: sse, avx2, avx512, amx, or "
		  "level-0 to level-5, as far as the machine has them. Default: all types" },
	{ .name = NULL },
};

static const struct option_row get_config_options[] = {
	{ OPTION_CLOS, 'c', "clos", "CLOS", VALUE_NUMBER, 0, HIGHEST_CLOS, .required = true,
	  .help = "The class of service, from 0 to 3" },
	{ .name = NULL },
};

static const struct option_row get_assoc_options[] = {
	{ OPTION_BY_CLOS, 0, "by-clos", .own = true,
	  .help = "Print the CPUs of each class instead, for each power domain" },
	{ .name = NULL },
};

#define AUTO_ROW(text) \
	{ \
		OPTION_AUTO, 'a', "auto", .help = text \
	}
#define FREQUENCY_ROW(option, option_letter, option_name, text) \
	{ \
		option, option_letter, option_name, "MHZ", VALUE_FREQUENCY, 100, \
			ISST_CLOS_NO_LIMIT_MHZ, .help = text \
	}

static const struct option_row set_level_options[] = {
	{ OPTION_LEVEL, 'l', "level", "LEVEL", VALUE_NUMBER, 0, UINT32_MAX, .required = true,
	  .help = "The performance level" },
	{ OPTION_ONLINE, 'o', "online",
	  .help = "Also bring the CPUs online that the level enables, take the others offline, and "
		  "set the uncore limits of the level" },
	{ .name = NULL },
};

static const struct option_row base_freq_enable_options[] = {
	AUTO_ROW("Also configure classes of service, associations and frequency limits"),
	{ .name = NULL },
};

static const struct option_row base_freq_disable_options[] = {
	AUTO_ROW("Also restore the settings that enable --auto replaced, and core-power"),
	{ .name = NULL },
};

#define HIGH_PRIORITY_ROW(text) \
	{ \
		OPTION_HIGH_PRIORITY, 0, "high-priority", "CORES", VALUE_CORES, 0, HIGHEST_BUCKET, \
			.own = true, .help = text \
	}
#define CHOICE_ROW(option, option_name, text) \
	{ \
		option, 0, option_name, "LIST", VALUE_CPU_LIST, .own = true, .help = text \
	}
#define WITHIN_ROW \
	CHOICE_ROW(OPTION_WITHIN, "within", "Choose only cores with all their CPUs in this list")
#define AVOID_ROW \
	CHOICE_ROW(OPTION_AVOID, "avoid", "Choose only cores with none of their CPUs in this list")
#define LOWER_TURBO_ROW \
	{ \
		OPTION_ALLOW_LOWER_TURBO, 0, "allow-lower-turbo", \
			.own = true, .help = "Also choose more cores than the last bucket holds" \
	}

static const struct option_row turbo_freq_enable_options[] = {
	AUTO_ROW("Also assign high priority to the cores of the CPUs named by --cpu, or chosen by "
		 "--high-priority, and low priority to all others in their packages"),
	{ OPTION_LIMITS, 't', "trl", "0xHEX", VALUE_LIMITS,
	  .help = "Turbo ratio limits to write. Default, also for 0x0: all ones" },
	HIGH_PRIORITY_ROW(
		"Choose cores for high priority: N in all, N/package, or 'bucket B', as many as "
		"that bucket holds in each package"),
	WITHIN_ROW,
	AVOID_ROW,
	LOWER_TURBO_ROW,
	{ .name = NULL },
};

static const struct option_row turbo_freq_plan_options[] = {
	LEVEL_ROW("Performance level. Default: the current one"),
	HIGH_PRIORITY_ROW(
		"Choose cores: N in all, N/package, or 'bucket B', as many as that bucket holds "
		"in each package. Default: none, print the buckets only"),
	WITHIN_ROW,
	AVOID_ROW,
	LOWER_TURBO_ROW,
	{ .name = NULL },
};

static const struct option_row turbo_freq_disable_options[] = {
	AUTO_ROW("Also restore the settings that enable --auto replaced, and core-power"),
	{ OPTION_LIMITS, 't', "trl", "0xHEX", VALUE_LIMITS,
	  .help = "Turbo ratio limits to write. Default, also for 0x0: those of the current "
		  "level" },
	{ .name = NULL },
};

static const char *const priority_words[] = { "proportional", "ordered", NULL };

static const struct option_row core_power_enable_options[] = {
	{ OPTION_PRIORITY, 'p', "priority", "TYPE", VALUE_NUMBER, 0, 1, .words = priority_words,
	  .help = "Priority type, 0: proportional, 1: ordered. Default: unchanged" },
	{ .name = NULL },
};

static const char *const no_limit_words[] = { "none", NULL };

static const struct option_row config_options[] = {
	{ OPTION_CLOS, 'c', "clos", "CLOS", VALUE_NUMBER, 0, HIGHEST_CLOS, .required = true,
	  .help = "The class of service, from 0 to 3" },
	{ OPTION_EPP, 'e', "epp", "EPP", VALUE_NUMBER, 0, 15,
	  .help = "Energy performance preference, from 0 to 15. Default: 0" },
	{ OPTION_WEIGHT, 'w', "weight", "WEIGHT", VALUE_NUMBER, 0, 15,
	  .help = "Proportional priority, from 0 (the highest) to 15. Default: 0" },
	FREQUENCY_ROW(OPTION_MIN, 'n', "min", "Minimum frequency in MHz. Default: 0"),
	{ OPTION_MAX, 'm', "max", "MHZ|none", VALUE_FREQUENCY, 100, ISST_CLOS_NO_LIMIT_MHZ,
	  .words = no_limit_words,
	  .help = "Maximum frequency in MHz. Default: none, no limit (25500)" },
	/* The reference tool ignores it, too: no number can be wrong. */
	{ OPTION_DESIRED, 'd', "desired", "MHZ", VALUE_NUMBER, 0, UINT32_MAX,
	  .help = "Desired frequency in MHz: not supported, ignored" },
	{ .name = NULL },
};

static const struct option_row assoc_options[] = {
	{ OPTION_CLOS, 'c', "clos", "CLOS", VALUE_NUMBER, 0, HIGHEST_CLOS, .required = true,
	  .help = "The class of service, from 0 to 3" },
	{ .name = NULL },
};

static const struct option_row set_trl_options[] = {
	{ OPTION_LIMITS, 't', "trl", "0xHEX", VALUE_LIMITS, 1, .required = true,
	  .help = "Eight ratios of 100 MHz, the first bucket in the lowest byte" },
	{ .name = NULL },
};

static const struct option_row statistics_options[] = {
	{ OPTION_CLEAR, 0, "clear", .help = "Print the numbers, then reset them to zero" },
	{ .name = NULL },
};

const struct option_row argument_options[] = {
	{ OPTION_LEVEL, 'l', "level", .kind = VALUE_NUMBER },
	{ OPTION_ONLINE, 'o', "online", .kind = VALUE_NONE },
	{ OPTION_BUCKET, 'b', "bucket", .kind = VALUE_NUMBER },
	{ OPTION_TRL_TYPE, 'r', "trl-type", .kind = VALUE_WORD },
	{ OPTION_LIMITS, 't', "trl", .kind = VALUE_LIMITS },
	{ OPTION_CLOS, 'c', "clos", .kind = VALUE_NUMBER },
	{ OPTION_EPP, 'e', "epp", .kind = VALUE_NUMBER },
	{ OPTION_WEIGHT, 'w', "weight", .kind = VALUE_NUMBER },
	{ OPTION_MIN, 'n', "min", .kind = VALUE_FREQUENCY },
	{ OPTION_MAX, 'm', "max", .kind = VALUE_FREQUENCY },
	{ OPTION_DESIRED, 'd', "desired", .kind = VALUE_FREQUENCY },
	{ OPTION_PRIORITY, 'p', "priority", .kind = VALUE_NUMBER },
	{ OPTION_AUTO, 'a', "auto", .kind = VALUE_NONE },
	{ .name = NULL },
};

static const struct command perf_profile_commands[] = {
	{ "info", "Print the properties of performance levels",
	  "Cores, frequencies, power and temperature of each level, with its SST-BF and SST-TF. "
	  "Mailbox servers report the state of these two for each level, TPMI servers for the "
	  "current level.",
	  level_options, COMMAND_PRESET, perf_profile_info },
	{ "get-lock-status", "Print whether the level is locked",
	  .handler = perf_profile_get_lock_status },
	{ "get-config-levels", "Print the highest level",
	  .handler = perf_profile_get_config_levels },
	{ "get-config-version", "Print the version of the feature",
	  .handler = perf_profile_get_config_version },
	{ "get-config-enabled", "Print whether the feature is enabled",
	  .handler = perf_profile_get_config_enabled },
	{ "get-config-current-level", "Print the current level",
	  .handler = perf_profile_get_config_current_level },
	{ "set-config-level", "Select a performance level",
	  "Disables SST-BF and SST-TF. Without --online also those CPUs stay online that the level "
	  "does not enable; for the limitations of hotplug see the kernel's documentation, and "
	  "--cgroupv2.",
	  set_level_options, COMMAND_CHANGES | COMMAND_EVERYWHERE, perf_profile_set_config_level },
	{ .name = NULL },
};

static const struct command base_freq_commands[] = {
	{ "info", "Print both base frequencies and their CPUs at a level", NULL, base_freq_options,
	  COMMAND_PRESET, base_freq_info },
	{ "enable", "Raise the base frequency of high priority cores", NULL,
	  base_freq_enable_options, COMMAND_CHANGES | COMMAND_PRESET, base_freq_enable },
	{ "disable", "Restore the same base frequency on all cores", NULL,
	  base_freq_disable_options, COMMAND_CHANGES | COMMAND_PRESET, base_freq_disable },
	{ .name = NULL },
};

static const struct command turbo_freq_commands[] = {
	{ "info", "Print turbo frequencies of high and low priority cores at a level", NULL,
	  turbo_freq_options, .handler = turbo_freq_info },
	{ "plan", "Print the buckets, and which cores --high-priority would choose",
	  "Changes nothing. A bucket is a number of high priority cores of a package, and the "
	  "turbo frequencies that they can reach.\n"
	  "turbo-freq plan --high-priority 8/package prints the cores that enable with the same "
	  "options would raise.",
	  turbo_freq_plan_options, .handler = turbo_freq_plan },
	{ "enable", "Raise the turbo frequencies of high priority cores",
	  "Enables core-power with ordered priority. Specify high priority cores before the "
	  "feature, or have them chosen; packages without a chosen core are not changed:\n"
	  "--cpu 12,13 turbo-freq enable --auto\n"
	  "turbo-freq enable --auto --high-priority 8/package",
	  turbo_freq_enable_options, COMMAND_CHANGES, turbo_freq_enable },
	{ "disable", "Restore the same turbo frequencies on all cores", NULL,
	  turbo_freq_disable_options, COMMAND_CHANGES | COMMAND_SWITCHES_OFF, turbo_freq_disable },
	{ .name = NULL },
};

static const struct command core_power_commands[] = {
	{ "info", "Print support and state of core-power, and its priority type",
	  .handler = core_power_info },
	{ "get-config", "Print the configuration of a class of service", NULL, get_config_options,
	  .handler = core_power_get_config },
	{ "get-assoc", "Print the class of service of CPUs",
	  "Specify the CPUs before the feature: --cpu 3,5 core-power get-assoc\n"
	  "Without them --by-clos prints all CPUs.",
	  get_assoc_options, COMMAND_NEEDS_CPUS, core_power_get_assoc },
	{ "enable", "Enable core-power", NULL, core_power_enable_options, COMMAND_CHANGES,
	  core_power_enable },
	{ "disable", "Disable core-power",
	  "The priority type is unchanged. Refused on mailbox machines while turbo-freq is "
	  "enabled.",
	  .flags = COMMAND_CHANGES | COMMAND_SWITCHES_OFF, .handler = core_power_disable },
	{ "config", "Configure a class of service",
	  "Options that are not given are set to their defaults. Frequencies between two "
	  "multiples of 100 MHz are rounded down.",
	  config_options, COMMAND_CHANGES | COMMAND_HAVING_CPUS, core_power_config },
	{ "assoc", "Assign CPUs to a class of service",
	  "Specify the CPUs before the feature: --cpu 3,5 core-power assoc --clos 1\n"
	  "A class of service applies to a whole core, including the sibling threads of those "
	  "CPUs.",
	  assoc_options, COMMAND_CHANGES | COMMAND_NEEDS_CPUS, core_power_assoc },
	{ .name = NULL },
};

static const struct command turbo_mode_commands[] = {
	{ "get-trl", "Print the current turbo ratio limits",
	  "Eight ratios of 100 MHz, the first bucket in the lowest byte.",
	  .flags = COMMAND_HAVING_CPUS, .handler = turbo_mode_get_trl },
	{ "set-trl", "Write the turbo ratio limits", NULL, set_trl_options,
	  COMMAND_CHANGES | COMMAND_HAVING_CPUS, turbo_mode_set_trl },
	{ "enable", "Allow CPUs to use turbo frequencies", "Reverts disable.",
	  .flags = COMMAND_CHANGES | COMMAND_ALL_CPUS, .handler = turbo_mode_enable },
	{ "disable", "Limit CPUs to their base frequency",
	  "Sets their upper scaling limit (cpufreq). Default: all online CPUs.",
	  .flags = COMMAND_CHANGES | COMMAND_ALL_CPUS, .handler = turbo_mode_disable },
	{ .name = NULL },
};

static const struct command platform_commands[] = {
	{ "list", "List the built-in platforms", .flags = COMMAND_NO_MACHINE,
	  .handler = platform_list },
	{ "show", "Print a platform file", .flags = COMMAND_NO_MACHINE | COMMAND_HAS_OPERAND,
	  .handler = platform_show },
	{ "reset", "Reset an emulated machine to its initial state",
	  .flags = COMMAND_NO_MACHINE | COMMAND_HAS_OPERAND | COMMAND_NO_DRY_RUN,
	  .handler = platform_reset },
	{ "statistics", "Print the numbers of driver and file accesses of an emulated machine",
	  NULL, statistics_options, COMMAND_NO_MACHINE | COMMAND_HAS_OPERAND, platform_statistics },
	{ "capture", "Capture this machine in DIR, to emulate it",
	  "Only reads. DIR must be new or empty; --emulate DIR (with a slash in it) then emulates "
	  "the captured machine. TPMI registers are read from debugfs.",
	  .flags = COMMAND_NO_MACHINE | COMMAND_HAS_DIRECTORY | COMMAND_NO_DRY_RUN,
	  .handler = platform_capture },
	{ .name = NULL },
};

#define JOURNAL_FLAGS COMMAND_JOURNAL | COMMAND_PRESET

static const struct option_row journal_show_options[] = {
	{ OPTION_ALL, 0, "all", .help = "Print each item" },
	{ .name = NULL },
};

static const struct command journal_commands[] = {
	{ "show", "Print the values written, the current values, and what apply would do",
	  "Items that differ only in their CPU, core or domain are printed together.",
	  journal_show_options, JOURNAL_FLAGS, journal_show },
	{ "apply", "Roll back items that still have the value that the run left",
	  "Prints the items restored, and the items left because another process changed them "
	  "since.",
	  .flags = JOURNAL_FLAGS | COMMAND_CHANGES | COMMAND_NO_DRY_RUN, .handler = journal_apply },
	{ "discard", "Delete the journal, and leave the machine as it is",
	  .flags = JOURNAL_FLAGS | COMMAND_CHANGES | COMMAND_NO_DRY_RUN,
	  .handler = journal_discard },
	{ .name = NULL },
};

const struct feature features[] = {
	{ "perf-profile", "Performance levels of the machine (SST-PP)",
	  "Several performance profiles of one processor: each level has its own set of cores, "
	  "base frequency, turbo limits, power and temperature.",
	  perf_profile_commands, .in_reference = true },
	{ "base-freq", "A higher base frequency on some cores (SST-BF)",
	  "Raises the guaranteed base frequency of high priority cores, and lowers that of all "
	  "others.",
	  base_freq_commands, .in_reference = true },
	{ "turbo-freq", "Higher turbo frequencies on some cores (SST-TF)",
	  "A few high priority cores can reach higher turbo frequencies; low priority cores are "
	  "clipped to lower ones. A bucket is a number of high priority cores.",
	  turbo_freq_commands, .in_reference = true },
	{ "core-power", "Priorities of cores when power is short (SST-CP)",
	  "Each core belongs to one of four classes of service (CLOS), which have frequency "
	  "limits and priorities.",
	  core_power_commands, .in_reference = true },
	{ "turbo-mode", "Turbo, and turbo ratio limits",
	  "Reads and writes the turbo ratio limits (TRL), and disables turbo frequencies of CPUs.",
	  turbo_mode_commands, .in_reference = true },
	{ "config", "Desired state of the machine, in configuration files",
	  "A configuration states levels, features, classes of service, limits and CPUs: see "
	  "isst-config(5). What it does not mention is neither compared nor changed. At each boot "
	  "isst-config.service applies /etc/isst/isst.conf: `systemctl enable --now isst-config`. "
	  "Where isst is installed below neither /usr nor /usr/local, systemd needs the path of "
	  "the unit: `systemctl enable --now PREFIX/lib/systemd/system/isst-config.service`",
	  config_commands, .in_reference = false },
	{ "journal", "Incomplete changes of interrupted runs",
	  "A run that is killed during a change, or whose rollback is incomplete (status 5), "
	  "leaves a journal. The next run that changes the machine rolls the change back, unless "
	  "an item was changed since or is unreachable: then it stops.",
	  journal_commands, .in_reference = false },
	{ "platform", "Emulated machines",
	  "Platforms of the emulator, for tests without such a server. PLATFORM is the name of a "
	  "built-in platform, or the path of a platform file or of a captured machine. Default: "
	  "the machine selected by --emulate or ISST_EMULATE.",
	  platform_commands, .in_reference = false },
	{ .name = NULL },
};

const struct command info_command = { .name = "info", .handler = show_info };

const struct feature *feature_find(const char *name)
{
	for (const struct feature *feature = features; feature->name; feature++) {
		if (strcmp(feature->name, name) == 0)
			return feature;
	}
	return NULL;
}

const struct command *command_find(const struct feature *feature, const char *name)
{
	for (const struct command *command = feature->commands; command->name; command++) {
		if (strcmp(command->name, name) == 0)
			return command;
	}
	return NULL;
}
