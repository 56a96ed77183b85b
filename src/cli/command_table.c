/* SPDX-License-Identifier: BSD-3-Clause */
#include "command_table.h"

#include "run/change.h"
#include "run/handlers.h"
#include "run/reading.h"

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
	ANYWHERE_ROWS,
};

static const struct option_row base_freq_options[] = {
	LEVEL_ROW("Performance level. Default: the current one"),
	ANYWHERE_ROWS,
};

static const struct option_row turbo_freq_options[] = {
	LEVEL_ROW("Performance level. Default: the current one"),
	{ OPTION_BUCKET, 'b', "bucket", "BUCKET", VALUE_NUMBER, 0, HIGHEST_BUCKET,
	  .help = "Only this bucket, from 0 to 7. Default: all buckets" },
	{ OPTION_TRL_TYPE, 'r', "trl-type", "TYPE", VALUE_WORD, .words = trl_types,
	  .help = "Only high priority frequencies of this type: sse, avx2, avx512, amx, or "
		  "level-0 to level-5, as far as the machine has them. Default: all types" },
	ANYWHERE_ROWS,
};

static const struct option_row clos_options[] = {
	{ OPTION_CLOS, 'c', "clos", "CLOS", VALUE_NUMBER, 0, HIGHEST_CLOS, .required = true,
	  .help = "The class of service, from 0 to 3" },
	ANYWHERE_ROWS,
};

static const struct option_row get_assoc_options[] = {
	{ OPTION_BY_CLOS, 0, "by-clos", .own = true,
	  .help = "Print the CPUs of each class instead, for each power domain" },
	ANYWHERE_ROWS,
};

#define AUTO_ROW(text) \
	{ \
		OPTION_AUTO, 'a', "auto", .help = text \
	}

static const struct option_row set_level_options[] = {
	{ OPTION_LEVEL, 'l', "level", "LEVEL", VALUE_NUMBER, 0, UINT32_MAX, .required = true,
	  .help = "The performance level" },
	{ OPTION_ONLINE, 'o', "online",
	  .help = "Also bring the CPUs online that the level enables, take the others offline, and "
		  "set the uncore limits of the level" },
	ANYWHERE_ROWS,
};

static const struct option_row base_freq_enable_options[] = {
	AUTO_ROW("Also configure classes of service, associations and frequency limits; on "
		 "Cascade Lake-N save the limits for disable --auto"),
	ANYWHERE_ROWS,
};

static const struct option_row base_freq_disable_options[] = {
	AUTO_ROW("Also restore the settings that enable --auto replaced, and core-power"),
	ANYWHERE_ROWS,
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
		 "--high-priority, and low priority to all others in their packages. SST-TF is "
		 "enabled in the power domains of these CPUs only"),
	{ OPTION_LIMITS, 't', "trl", "0xHEX", VALUE_LIMITS,
	  .help = "Turbo ratio limits to write. Default, also for 0x0: all ones" },
	HIGH_PRIORITY_ROW(
		"Choose cores for high priority: N in all, N/package, or 'bucket B', as many as "
		"that bucket holds in each package"),
	WITHIN_ROW,
	AVOID_ROW,
	LOWER_TURBO_ROW,
	ANYWHERE_ROWS,
};

static const struct option_row turbo_freq_plan_options[] = {
	LEVEL_ROW("Performance level. Default: the current one"),
	HIGH_PRIORITY_ROW(
		"Choose cores: N in all, N/package, or 'bucket B', as many as that bucket holds "
		"in each package. Default: none, print the buckets only"),
	WITHIN_ROW,
	AVOID_ROW,
	LOWER_TURBO_ROW,
	ANYWHERE_ROWS,
};

static const struct option_row turbo_freq_disable_options[] = {
	AUTO_ROW("Also restore the settings that enable --auto replaced, and core-power"),
	{ OPTION_LIMITS, 't', "trl", "0xHEX", VALUE_LIMITS,
	  .help = "Turbo ratio limits to write. Default, also for 0x0: those of the current "
		  "level" },
	ANYWHERE_ROWS,
};

static const char *const priority_words[] = { "proportional", "ordered", NULL };

static const struct option_row core_power_enable_options[] = {
	{ OPTION_PRIORITY, 'p', "priority", "TYPE", VALUE_NUMBER, 0, 1, .words = priority_words,
	  .help = "Priority type, 0: proportional, 1: ordered. Default: unchanged" },
	ANYWHERE_ROWS,
};

static const char *const no_limit_words[] = { "none", NULL };

static const struct option_row config_options[] = {
	{ OPTION_CLOS, 'c', "clos", "CLOS", VALUE_NUMBER, 0, HIGHEST_CLOS, .required = true,
	  .help = "The class of service, from 0 to 3" },
	{ OPTION_EPP, 'e', "epp", "EPP", VALUE_NUMBER, 0, 15,
	  .help = "Energy performance preference, from 0 to 15. Default: 0" },
	{ OPTION_WEIGHT, 'w', "weight", "WEIGHT", VALUE_NUMBER, 0, 15,
	  .help = "Proportional priority, from 0 (the highest) to 15. Default: 0" },
	{ OPTION_MIN, 'n', "min", "MHZ", VALUE_FREQUENCY, 100, ISST_CLOS_NO_LIMIT_MHZ,
	  .help = "Minimum frequency in MHz. Default: 0" },
	{ OPTION_MAX, 'm', "max", "MHZ|none", VALUE_FREQUENCY, 100, ISST_CLOS_NO_LIMIT_MHZ,
	  .words = no_limit_words,
	  .help = "Maximum frequency in MHz. Default: none, no limit (25500)" },
	/* The reference tool ignores it, too: no number can be wrong. */
	{ OPTION_DESIRED, 'd', "desired", "MHZ", VALUE_NUMBER, 0, UINT32_MAX,
	  .help = "Desired frequency in MHz: not supported, ignored" },
	ANYWHERE_ROWS,
};

static const struct option_row set_trl_options[] = {
	{ OPTION_LIMITS, 't', "trl", "0xHEX", VALUE_LIMITS, 1, .required = true,
	  .help = "Eight ratios of 100 MHz, the first bucket in the lowest byte" },
	ANYWHERE_ROWS,
};

static const struct option_row statistics_options[] = {
	{ OPTION_CLEAR, 0, "clear", .help = "Print the numbers, then reset them to zero" },
	ANYWHERE_ROWS,
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

#define SHOWN(...) \
	.shown = (const struct shown_value[]) \
	{ \
		__VA_ARGS__, \
		{ \
			.key = KEYS \
		} \
	}
#define PROFILE(...) \
	&(const struct question) \
	{ \
		ISST_READ_PERF_PROFILES, .branch = KEYS, SHOWN({ __VA_ARGS__, 0 }) \
	}
#define CHANGE(...) \
	&(const struct change_command) \
	{ \
		__VA_ARGS__ \
	}

static const struct command perf_profile_commands[] = {
	{ "info", "Print the properties of performance levels",
	  "Cores, frequencies, power and temperature of each level, with its SST-BF and SST-TF. "
	  "Mailbox servers report the state of these two for each level, TPMI servers for the "
	  "current level.",
	  level_options, COMMAND_PRESET, .handler = perf_profile_info },
	{ "get-lock-status", "Print whether the level is locked",
	  .question = PROFILE(KEY_GET_LOCK_STATUS, ISST_VALUE_LOCKED, SHOW_STATE) },
	{ "get-config-levels", "Print the highest level",
	  .question = PROFILE(KEY_GET_CONFIG_LEVELS, ISST_VALUE_HIGHEST_LEVEL, SHOW_NUMBER) },
	{ "get-config-version", "Print the version of the feature",
	  .question = PROFILE(KEY_GET_CONFIG_VERSION, ISST_VALUE_VERSION, SHOW_NUMBER) },
	{ "get-config-enabled", "Print whether the feature is enabled",
	  .question = PROFILE(KEY_GET_CONFIG_ENABLED, ISST_VALUE_ENABLED, SHOW_STATE) },
	{ "get-config-current-level", "Print the current level",
	  .question = PROFILE(KEY_GET_CONFIG_CURRENT_LEVEL, ISST_VALUE_CURRENT_LEVEL,
			      SHOW_NUMBER) },
	{ "set-config-level", "Select a performance level",
	  "Disables SST-BF and SST-TF. Without --online also those CPUs stay online that the level "
	  "does not enable; for the limitations of hotplug see the kernel's documentation, and "
	  "--cgroupv2.",
	  set_level_options, COMMAND_CHANGES | COMMAND_EVERYWHERE,
	  .handler = perf_profile_set_config_level },
	{ .name = NULL },
};

static const struct command base_freq_commands[] = {
	{ "info", "Print both base frequencies and their CPUs at a level", NULL, base_freq_options,
	  COMMAND_PRESET, .handler = base_freq_info },
	{ "enable", "Raise the base frequency of high priority cores",
	  "On Cascade Lake-N, where the BIOS has done so, set both limits of cpufreq of each CPU to "
	  "its base frequency: none reaches turbo.",
	  base_freq_enable_options, COMMAND_CHANGES | COMMAND_PRESET,
	  .change = CHANGE(ISST_SET_BASE_FREQ, ISST_ADD_ENABLE, .announce = base_freq_announce,
			   .feature = KEY_BASE_FREQ, .result = KEY_ENABLE) },
	{ "disable", "Restore the same base frequency on all cores",
	  "On Cascade Lake-N only remove the limits of cpufreq: the base frequencies are those of "
	  "the BIOS.",
	  base_freq_disable_options, COMMAND_CHANGES | COMMAND_PRESET,
	  .change = CHANGE(ISST_SET_BASE_FREQ, ISST_ADD_DISABLE, .feature = KEY_BASE_FREQ,
			   .result = KEY_DISABLE) },
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
	  "turbo-freq enable --auto --high-priority 8/package\n"
	  "Nothing moves a program to these cores: run it with taskset -c LIST, or by "
	  "`isst with`.",
	  turbo_freq_enable_options, COMMAND_CHANGES, .handler = turbo_freq_enable },
	{ "disable", "Restore the same turbo frequencies on all cores", NULL,
	  turbo_freq_disable_options, COMMAND_CHANGES | COMMAND_SWITCHES_OFF,
	  .change = CHANGE(ISST_SET_TURBO_FREQ, ISST_ADD_DISABLE,
			   .value = ISST_VALUE_TURBO_RATIO_LIMITS, .option = OPTION_LIMITS,
			   .feature = KEY_TURBO_FREQ, .result = KEY_DISABLE) },
	{ .name = NULL },
};

static const struct command core_power_commands[] = {
	{ "info", "Print support and state of core-power, and its priority type",
	  .question =
		  &(const struct question){
			  ISST_READ_CORE_POWER, .branch = KEY_CORE_POWER,
			  SHOWN({ KEY_SUPPORT_STATUS, ISST_VALUE_CORE_POWER_SUPPORTED, SHOW_STATE,
				  0 },
				{ KEY_ENABLE_STATUS, ISST_VALUE_CORE_POWER_ENABLED, SHOW_STATE, 0 },
				{ KEY_CLOS_ENABLE_STATUS, ISST_VALUE_CLOS_ENABLED, SHOW_STATE, 0 },
				{ KEY_PRIORITY_TYPE, ISST_VALUE_PRIORITY, SHOW_PRIORITY, 0 }) } },
	{ "get-config", "Print the configuration of a class of service", NULL, clos_options,
	  .question =
		  &(const struct question){
			  ISST_READ_CLOS, .value = ISST_VALUE_CLOS, .option = OPTION_CLOS,
			  .branch = KEY_CORE_POWER,
			  SHOWN({ KEY_CLOS, ISST_VALUE_CLOS, SHOW_NUMBER, 0 },
				{ KEY_EPP, ISST_VALUE_CLOS_EPP, SHOW_NUMBER, 0 },
				{ KEY_CLOS_WEIGHT, ISST_VALUE_CLOS_WEIGHT, SHOW_NUMBER, 0 },
				{ KEY_CLOS_MIN, ISST_VALUE_CLOS_MIN_MHZ, SHOW_NUMBER, 0 },
				{ KEY_CLOS_MAX, ISST_VALUE_CLOS_MAX_MHZ, SHOW_NUMBER, 0 },
				{ KEY_CLOS_DESIRED, ISST_VALUE_CLOS_DESIRED_MHZ, SHOW_NUMBER,
				  0 }) } },
	{ "get-assoc", "Print the class of service of CPUs",
	  "Specify the CPUs before the feature: --cpu 3,5 core-power get-assoc\n"
	  "Without them --by-clos prints all CPUs.",
	  get_assoc_options, COMMAND_NEEDS_CPUS, .handler = core_power_get_assoc },
	{ "enable", "Enable core-power", NULL, core_power_enable_options, COMMAND_CHANGES,
	  .change = CHANGE(ISST_SET_CORE_POWER, ISST_ADD_ENABLE, .value = ISST_VALUE_PRIORITY,
			   .option = OPTION_PRIORITY, .check = core_power_check_enable,
			   .feature = KEY_CORE_POWER, .result = KEY_ENABLE) },
	{ "disable", "Disable core-power",
	  "The priority type is unchanged. Refused on mailbox machines while turbo-freq is "
	  "enabled.",
	  .flags = COMMAND_CHANGES | COMMAND_SWITCHES_OFF,
	  .change = CHANGE(ISST_SET_CORE_POWER, ISST_ADD_DISABLE, .feature = KEY_CORE_POWER,
			   .result = KEY_DISABLE) },
	{ "config", "Configure a class of service",
	  "Options that are not given are set to their defaults. Frequencies between two "
	  "multiples of 100 MHz are rounded down.",
	  config_options, COMMAND_CHANGES | COMMAND_HAVING_CPUS,
	  .change = CHANGE(ISST_SET_CLOS, .value = ISST_VALUE_CLOS, .option = OPTION_CLOS,
			   .fill = core_power_fill_config, .check = core_power_check_config,
			   .feature = KEY_CORE_POWER, .result = KEY_CONFIG) },
	{ "assoc", "Assign CPUs to a class of service",
	  "Specify the CPUs before the feature: --cpu 3,5 core-power assoc --clos 1\n"
	  "A class of service applies to a whole core, including the sibling threads of those "
	  "CPUs.",
	  clos_options, COMMAND_CHANGES | COMMAND_NEEDS_CPUS,
	  .change = CHANGE(ISST_SET_CLOS_ASSOCIATIONS, .for_cpus = true, .value = ISST_VALUE_CLOS,
			   .option = OPTION_CLOS, .feature = KEY_CORE_POWER, .result = KEY_ASSOC) },
	{ .name = NULL },
};

static const struct command turbo_mode_commands[] = {
	{ "get-trl", "Print the current turbo ratio limits",
	  "Eight ratios of 100 MHz, the first bucket in the lowest byte.",
	  .flags = COMMAND_HAVING_CPUS,
	  .question = &(const struct question){ ISST_READ_TURBO_RATIO_LIMITS, .branch = KEY_GET_TRL,
						SHOWN({ KEY_TRL, ISST_VALUE_TURBO_RATIO_LIMITS,
							SHOW_HEX, 0 }) } },
	{ "set-trl", "Write the turbo ratio limits", NULL, set_trl_options,
	  COMMAND_CHANGES | COMMAND_HAVING_CPUS,
	  .change = CHANGE(ISST_SET_TURBO_RATIO_LIMITS, .value = ISST_VALUE_TURBO_RATIO_LIMITS,
			   .option = OPTION_LIMITS, .feature = KEY_TURBO_MODE,
			   .result = KEY_SET_TRL) },
	{ "enable", "Allow CPUs to use turbo frequencies", "Reverts disable.",
	  .flags = COMMAND_CHANGES | COMMAND_ALL_CPUS,
	  .change = CHANGE(ISST_SET_TURBO_MODE, ISST_ADD_ENABLE, .for_cpus = true,
			   .check = turbo_mode_check, .feature = KEY_TURBO_MODE,
			   .result = KEY_ENABLE) },
	{ "disable", "Limit CPUs to their base frequency",
	  "Sets their upper scaling limit (cpufreq). Default: all online CPUs.",
	  .flags = COMMAND_CHANGES | COMMAND_ALL_CPUS,
	  .change = CHANGE(ISST_SET_TURBO_MODE, ISST_ADD_DISABLE, .for_cpus = true,
			   .check = turbo_mode_check, .feature = KEY_TURBO_MODE,
			   .result = KEY_DISABLE) },
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
	  NULL, statistics_options, COMMAND_NO_MACHINE | COMMAND_HAS_OPERAND,
	  .handler = platform_statistics },
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
	ANYWHERE_ROWS,
};

static const struct command journal_commands[] = {
	{ "show", "Print the values written, the current values, and what apply would do",
	  "Items that differ only in their CPU, core or domain are printed together.",
	  journal_show_options, JOURNAL_FLAGS, .handler = journal_show },
	{ "apply", "Roll back items that still have the value that the run left",
	  "Prints the items restored, and the items left because another process changed them "
	  "since.",
	  .flags = JOURNAL_FLAGS | COMMAND_CHANGES | COMMAND_NO_DRY_RUN, .handler = journal_apply },
	{ "discard", "Delete the journal, and leave the machine as it is",
	  .flags = JOURNAL_FLAGS | COMMAND_CHANGES | COMMAND_NO_DRY_RUN,
	  .handler = journal_discard },
	{ .name = NULL },
};

/* ---- config ---- */

#define SET_ROW \
	{ \
		OPTION_SET, 0, "set", "STATEMENT", VALUE_TEXTS, \
			.help = "A statement, such as 'high-priority 4/package', which wins over " \
				"those of FILE; may be repeated" \
	}

#define WAIT_ROW \
	{ \
		OPTION_WAIT, 0, "wait", "SECONDS", VALUE_NUMBER, 1, 3600, \
			.help = "Wait for the driver, its modules, and what the configuration needs, " \
				"if they come late at boot. Default: do not wait" \
	}

#define FILE_TEXT \
	"\nFILE contains statements, see isst-config(5); - is standard input. --set adds single " \
	"ones, or replaces the file."

static const struct option_row save_options[] = {
	{ OPTION_ALL, 0, "all", .help = "Save everything. Default: what was changed since boot" },
	ANYWHERE_ROWS,
};

static const struct option_row wait_options[] = {
	SET_ROW,
	WAIT_ROW,
	ANYWHERE_ROWS,
};

/* In the order of ISST_CONFIG_CLOS to ISST_CONFIG_CPUS. */
static const char *const parts[] = { "clos",  "associations", "features", "limits",
				     "level", "cpus",	      NULL };

static const struct option_row reset_options[] = {
	{ OPTION_ONLY, 0, "only", "LIST", VALUE_WORDS, .words = parts,
	  .help = "Only these: clos, associations, features, limits, level, cpus. Default: all of "
		  "them" },
	{ OPTION_BOOT, 0, "boot",
	  .help = "Return to the state that the first change since boot found" },
	ANYWHERE_ROWS,
};

static const struct option_row try_options[] = {
	SET_ROW,
	{ OPTION_TIMEOUT, 0, "timeout", "SECONDS", VALUE_NUMBER, 1, 86400,
	  .help = "Time after which the change is rolled back. Default: 120" },
	ANYWHERE_ROWS,
};

static const struct command config_commands[] = {
	{ "save", "Write the state of this machine as a configuration",
	  "To FILE, which is written completely or not at all, or to standard output. The "
	  "configuration applies to this machine only, unless its line `match` is removed. "
	  "Without --all it contains only what was changed since boot, and is no backup: what it "
	  "leaves out stays as it is when the configuration is applied.",
	  save_options, COMMAND_HAS_TARGET | COMMAND_WHOLE | COMMAND_PRESET,
	  .handler = config_save },
	{ "check", "Compare the machine with a configuration",
	  "Lists each difference, and ends with status 1 if there is one. Writes nothing." FILE_TEXT,
	  wait_options, COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_PRESET, .handler = config_check },
	{ "apply", "Change the machine to the configured state",
	  "As one change, which is made completely or not at all. --dry-run before config lists "
	  "what it would write." FILE_TEXT,
	  wait_options, COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_CHANGES | COMMAND_PRESET,
	  .handler = config_apply },
	{ "reset", "Reset the machine to its defaults",
	  "CLOS without limits and all cores in CLOS 0; turbo-freq, base-freq and core-power off; "
	  "turbo ratio limits of the level; no scaling limits, uncore limits of boot; the level "
	  "after boot, where it is known; all CPUs online. Lists what was different.",
	  reset_options, COMMAND_WHOLE | COMMAND_CHANGES | COMMAND_PRESET,
	  .handler = config_reset },
	{ "try", "Apply a configuration, and roll it back unless it is confirmed",
	  "Makes the change, lists it, and waits: Enter or SIGUSR1 keeps the change; after the "
	  "time, and on SIGHUP, SIGTERM and other signals that end a program, it is rolled back." FILE_TEXT,
	  try_options,
	  COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_CHANGES | COMMAND_HOLDS | COMMAND_NO_DRY_RUN |
		  COMMAND_PRESET,
	  .handler = config_try },
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

/* ---- In the place of a feature: the state of the whole machine, and programs that are run ---- */

static const struct option_row emulate_options[] = {
	{ OPTION_AS_USER, 0, "as-user", "ID", VALUE_NUMBER, 0, UINT32_MAX - 1,
	  .help = "User id that programs see, such as 0" },
	{ OPTION_READ_ONLY, 0, "read-only",
	  .help = "Programs write only to the emulated machine, the working directory and the "
		  "directory of TMPDIR" },
	{ OPTION_WRITABLE, 0, "writable", "PATH", VALUE_TEXTS,
	  .help = "With --read-only: also to PATH; may be repeated" },
	ANYWHERE_ROWS,
};

static const struct option_row with_options[] = {
	{ OPTION_CONFIG, 0, "config", "FILE", VALUE_TEXT,
	  .help = "The configuration. -: standard input" },
	SET_ROW,
	{ OPTION_NO_AFFINITY, 0, "no-affinity",
	  .help = "Leave the affinity of the program as it is. Default: the CPUs that "
		  "`high-priority` chose, if the configuration states it" },
	ANYWHERE_ROWS,
};

static const char *const colour_words[] = { "auto", "always", "never", NULL };

static const struct option_row status_options[] = {
	{ OPTION_MAP, 0, "map",
	  .help = "Print a map of the cores instead: their CLOS, or with turbo-freq their "
		  "priority" },
	{ OPTION_COLOR, 0, "color", "WHEN", VALUE_WORD, .words = colour_words,
	  .help = "Colours and bold headings: auto (on terminals), always or never. "
		  "Default: auto" },
	{ OPTION_WATCH, 0, "watch", "[SECONDS]", VALUE_NUMBER, 1, 3600, .otherwise = "2",
	  .help = "Repeat every SECONDS (default 2), in place on a terminal; q quits. Marks what "
		  "changed; also prints what the CPUs run at, and what the hardware limits them "
		  "for" },
	{ OPTION_INCLUDE_ISOLATED, 0, "include-isolated",
	  .help = "With --watch: read the frequency of isolated and nohz_full CPUs as well, which "
		  "may disturb them" },
	{ OPTION_CONFIG, 0, "config", "FILE", VALUE_TEXT,
	  .help = "Also print how the machine differs from this configuration. -: standard input" },
	ANYWHERE_ROWS,
};

/* The same option as before the command. */
static const struct option_row explain_options[] = {
	{ OPTION_CPU, 'c', "cpu", "LIST", VALUE_CPU_LIST,
	  .help = "Only these CPUs, and what concerns them. Default: the whole machine" },
	{ OPTION_ADVISORIES, 0, "advisories",
	  .help = "Also print the known defects of this kernel. Default: their number" },
	{ OPTION_MEASURE, 0, "measure",
	  .help = "Keep each CPU busy for 0.3 seconds, one after the other, and compare what it "
		  "reaches with its base frequency. Isolated and nohz_full CPUs only if named" },
	ANYWHERE_ROWS,
};

static const struct option_row watch_options[] = {
	{ OPTION_CONFIG, 0, "config", "FILE", VALUE_TEXT,
	  .help = "Watch what this configuration states, and compare with it. -: standard input" },
	{ OPTION_APPLY, 0, "apply",
	  .help = "With --config: apply the configuration when something differs from it" },
	{ OPTION_FOLLOW, 0, "follow",
	  .help = "After a change of a level, take CPUs on- and offline as the level wants it; "
		  "with --cgroupv2 isolate them" },
	{ OPTION_UNTIL_DIFFERENT, 0, "until-different",
	  .help = "End with status 1 as soon as something differs" },
	{ OPTION_INTERVAL, 0, "interval", "SECONDS", VALUE_NUMBER, 1, 3600,
	  .help = "Time between looks. Default: 2; 10 where the kernel has events" },
	{ OPTION_NO_EVENTS, 0, "no-events",
	  .help = "Do not wait for events of the kernel: listening to them can turn on the "
		  "hardware feedback interface of the processor" },
	ANYWHERE_ROWS,
};

const struct command single_commands[] = {
	{ "status", "Print the state of the machine on one screen",
	  "The processor; of each power domain level, lock, base frequency, SST-BF, SST-TF and "
	  "SST-CP; classes of service in use, high priority cores, and limits that were set. -: "
	  "not supported. ?: could not be read. For other programs: --format openmetrics, nfd or "
	  "facts before it.",
	  status_options, COMMAND_PRESET | COMMAND_EXPORTS | COMMAND_COMPARES,
	  .handler = machine_status },
	{ "levels", "Print what each performance level has, as one table",
	  "A row for each level; packages that are alike stand together. Cores are those of a "
	  "package.\n"
	  "perf-profile info prints everything of a level; perf-profile set-config-level selects "
	  "one.",
	  level_options, COMMAND_PRESET, .handler = machine_levels },
	{ "with", "Run a program while a configuration is applied",
	  "Applies a configuration, runs the program, and rolls the change back when it ends. "
	  "Other runs that change the machine have to wait. The exit status is that of the "
	  "program; 125 if the change or its rollback fails, 126 or 127 if the program cannot be "
	  "run.",
	  with_options,
	  COMMAND_HAS_PROGRAM | COMMAND_CHANGES | COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_HOLDS |
		  COMMAND_NO_DRY_RUN | COMMAND_PRESET,
	  .handler = with_program },
	{ "emulate", "Run a program on the emulated machine",
	  "The program, and every program that it starts, sees the device, the kernel's files, "
	  "CPU hotplug and the processor's model of the emulated machine. All other files are those "
	  "of the system. The machine is chosen in front, or by ISST_EMULATE: `isst --emulate guide "
	  "emulate -- PROGRAM`. Its state is kept between runs: `isst --emulate guide platform "
	  "reset` begins afresh.",
	  emulate_options, COMMAND_NO_MACHINE | COMMAND_HAS_PROGRAM | COMMAND_NO_DRY_RUN,
	  .handler = emulate_program },
	{ "explain", "Print why CPUs run as they do, the most important reason first",
	  "Reads levels, features, classes of service and files of the kernel, and compares them. "
	  "Each finding has what was read, what it means, and the command that fixes it. "
	  "Advisories are known defects of such kernels. Exit status 0: nothing, or only notes; "
	  "1: findings.",
	  explain_options, COMMAND_PRESET | COMMAND_REGISTERS | COMMAND_OFFLINE,
	  .handler = explain },
	{ "watch", "Report what changes, as it changes, until it is ended",
	  "Looks at the machine every few seconds, and prints a line for each value that another "
	  "program, a management controller or firmware has changed. With a configuration: for "
	  "each that differs from it. Exit status 0 when ended by SIGTERM or SIGINT; 1: it "
	  "failed, or with --until-different something differs.",
	  watch_options, .flags = COMMAND_COMPARES | COMMAND_WATCHES | COMMAND_EVERYWHERE },
	{ "help", "Print help for the program, a feature or a command",
	  .flags = COMMAND_NO_MACHINE | COMMAND_HELPS },
	{ .name = NULL },
};

const struct feature *feature_find(const char *name)
{
	const struct feature *feature = features;

	while (feature->name && strcmp(feature->name, name) != 0)
		feature++;
	return feature->name ? feature : NULL;
}

const struct command *command_find(const struct command *command, const char *name)
{
	while (command->name && strcmp(command->name, name) != 0)
		command++;
	return command->name ? command : NULL;
}
