/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command table, from which parsing, help and dispatch are made. A command is one row here and
 * one handler.
 */
#include "commands.h"

#include "handlers.h"

#include <limits.h>
#include <string.h>

/* Known before any machine is. */
enum { HIGHEST_BUCKET = 7, HIGHEST_CLOS = 3 };

static const char *const trl_types[] = { "sse",	    "avx2",    "avx512",  "level-0", "level-1",
					 "level-2", "level-3", "level-4", "level-5", NULL };

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
	  .help = "Only high priority frequencies of this type: sse, avx2, avx512, or\n"
		  "level-0 to level-5 where the machine has levels. Default: all types" },
	{ .name = NULL },
};

static const struct option_row get_config_options[] = {
	{ OPTION_CLOS, 'c', "clos", "CLOS", VALUE_NUMBER, 0, HIGHEST_CLOS, .required = true,
	  .help = "The class of service, from 0 to 3" },
	{ .name = NULL },
};

#define AUTO_ROW(text) \
	{ \
		OPTION_AUTO, 'a', "auto", .help = text \
	}
#define FREQUENCY_ROW(option, option_letter, option_name, text) \
	{ \
		option, option_letter, option_name, "MHZ", VALUE_FREQUENCY, 100, \
			ISST_NO_LIMIT_MHZ, .help = text \
	}

static const struct option_row set_level_options[] = {
	{ OPTION_LEVEL, 'l', "level", "LEVEL", VALUE_NUMBER, 0, UINT32_MAX, .required = true,
	  .help = "The performance level" },
	{ OPTION_ONLINE, 'o', "online",
	  .help = "Also take CPUs offline that the level does not enable, and the others\n"
		  "online" },
	{ .name = NULL },
};

static const struct option_row base_freq_enable_options[] = {
	AUTO_ROW("Also set up classes of service, associations and frequency limits\n"
		 "for it"),
	{ .name = NULL },
};

static const struct option_row base_freq_disable_options[] = {
	AUTO_ROW("Also take back what enable --auto set up, and core-power"),
	{ .name = NULL },
};

static const struct option_row turbo_freq_enable_options[] = {
	AUTO_ROW("Also give the cores of the CPUs that --cpu names high priority, and all\n"
		 "others in their packages low priority"),
	{ OPTION_LIMITS, 't', "trl", "0xHEX", VALUE_LIMITS,
	  .help = "Turbo ratio limits to write. Default, also for 0x0: all ones" },
	{ .name = NULL },
};

static const struct option_row turbo_freq_disable_options[] = {
	AUTO_ROW("Also take back what enable --auto set up, and core-power"),
	{ OPTION_LIMITS, 't', "trl", "0xHEX", VALUE_LIMITS,
	  .help = "Turbo ratio limits to write. Default, also for 0x0: those of the\n"
		  "current level" },
	{ .name = NULL },
};

static const char *const priority_words[] = { "proportional", "ordered", NULL };

static const struct option_row core_power_enable_options[] = {
	{ OPTION_PRIORITY, 'p', "priority", "TYPE", VALUE_NUMBER, 0, 1, .words = priority_words,
	  .help = "Priority type, 0: proportional, 1: ordered. Default: as it is" },
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
	{ OPTION_MAX, 'm', "max", "MHZ|none", VALUE_FREQUENCY, 100, ISST_NO_LIMIT_MHZ,
	  .words = no_limit_words,
	  .help = "Maximum frequency in MHz. Default: none, which is no limit (25500)" },
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
	{ OPTION_CLEAR, 0, "clear", .help = "Print them, and begin anew from zero" },
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
	{ "info", "Print all that performance levels specify",
	  "Cores, frequencies, power and temperature of each level, with its SST-BF and SST-TF.\n"
	  "Whether those two are on is told for each level by mailbox servers, and for the\n"
	  "current level by TPMI servers.",
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
	{ "set-config-level", "Make a performance level the current one",
	  "SST-BF and SST-TF are off afterwards. With --online CPUs are taken offline; hotplug has\n"
	  "limits, see the kernel's documentation, and --cgroupv2.",
	  set_level_options, COMMAND_CHANGES, perf_profile_set_config_level },
	{ .name = NULL },
};

static const struct command base_freq_commands[] = {
	{ "info", "Print which CPUs have which base frequency at a level", NULL, base_freq_options,
	  COMMAND_PRESET, base_freq_info },
	{ "enable", "Give high priority cores a higher base frequency", NULL,
	  base_freq_enable_options, COMMAND_CHANGES | COMMAND_PRESET, base_freq_enable },
	{ "disable", "Give all cores the same base frequency again", NULL,
	  base_freq_disable_options, COMMAND_CHANGES | COMMAND_PRESET, base_freq_disable },
	{ .name = NULL },
};

static const struct command turbo_freq_commands[] = {
	{ "info", "Print turbo frequencies of high and low priority cores at a level", NULL,
	  turbo_freq_options, .handler = turbo_freq_info },
	{ "enable", "Let high priority cores reach higher turbo frequencies",
	  "Switches core-power on, with ordered priority. The high priority cores are named before\n"
	  "the feature: --cpu 12,13 turbo-freq enable --auto",
	  turbo_freq_enable_options, COMMAND_CHANGES, turbo_freq_enable },
	{ "disable", "Give all cores the same turbo frequencies again", NULL,
	  turbo_freq_disable_options, COMMAND_CHANGES | COMMAND_SWITCHES_OFF, turbo_freq_disable },
	{ .name = NULL },
};

static const struct command core_power_commands[] = {
	{ "info", "Print whether core-power is supported and on, and its priority type",
	  .handler = core_power_info },
	{ "get-config", "Print the configuration of a class of service", NULL, get_config_options,
	  .handler = core_power_get_config },
	{ "get-assoc", "Print which class of service CPUs are in",
	  "The CPUs are named before the feature: --cpu 3,5 core-power get-assoc",
	  .flags = COMMAND_NEEDS_CPUS, .handler = core_power_get_assoc },
	{ "enable", "Switch core-power on", NULL, core_power_enable_options, COMMAND_CHANGES,
	  core_power_enable },
	{ "disable", "Switch core-power off",
	  "The priority type stays as it is. With a mailbox it is refused while turbo-freq is on.",
	  .flags = COMMAND_CHANGES | COMMAND_SWITCHES_OFF, .handler = core_power_disable },
	{ "config", "Configure a class of service",
	  "What is not given becomes the default. Frequencies between two multiples of 100 MHz are\n"
	  "rounded down.",
	  config_options, COMMAND_CHANGES | COMMAND_HAVING_CPUS, core_power_config },
	{ "assoc", "Put CPUs into a class of service",
	  "The CPUs are named before the feature: --cpu 3,5 core-power assoc --clos 1\n"
	  "A class of service holds for a whole core: the threads beside those CPUs follow.",
	  assoc_options, COMMAND_CHANGES | COMMAND_NEEDS_CPUS, core_power_assoc },
	{ .name = NULL },
};

static const struct command turbo_mode_commands[] = {
	{ "get-trl", "Print the turbo ratio limits in force",
	  "Eight ratios of 100 MHz, the first bucket in the lowest byte.",
	  .flags = COMMAND_HAVING_CPUS, .handler = turbo_mode_get_trl },
	{ "set-trl", "Write the turbo ratio limits", NULL, set_trl_options,
	  COMMAND_CHANGES | COMMAND_HAVING_CPUS, turbo_mode_set_trl },
	{ "enable", "Let CPUs use turbo frequencies again", "Takes back what disable did.",
	  .flags = COMMAND_CHANGES | COMMAND_ALL_CPUS, .handler = turbo_mode_enable },
	{ "disable", "Limit CPUs to their base frequency",
	  "By their highest scaling frequency (cpufreq). Default: every CPU that is online.",
	  .flags = COMMAND_CHANGES | COMMAND_ALL_CPUS, .handler = turbo_mode_disable },
	{ .name = NULL },
};

static const struct command platform_commands[] = {
	{ "list", "Name the built-in platforms", .flags = COMMAND_NO_MACHINE,
	  .handler = platform_list },
	{ "show", "Print a platform file", .flags = COMMAND_NO_MACHINE | COMMAND_HAS_OPERAND,
	  .handler = platform_show },
	{ "reset", "Put an emulated machine back into its first state",
	  .flags = COMMAND_NO_MACHINE | COMMAND_HAS_OPERAND | COMMAND_NO_DRY_RUN,
	  .handler = platform_reset },
	{ "statistics", "Print how often an emulated machine's driver and files were used", NULL,
	  statistics_options, COMMAND_NO_MACHINE | COMMAND_HAS_OPERAND, platform_statistics },
	{ "capture", "Write what this machine tells into DIR, to be emulated",
	  "Only reads. DIR has to be new or empty; --emulate DIR (with a slash in it) works on\n"
	  "the machine that was captured, as it was then. TPMI registers are read from debugfs.",
	  .flags = COMMAND_NO_MACHINE | COMMAND_HAS_DIRECTORY | COMMAND_NO_DRY_RUN,
	  .handler = platform_capture },
	{ .name = NULL },
};

#define JOURNAL_FLAGS COMMAND_JOURNAL | COMMAND_PRESET

static const struct command journal_commands[] = {
	{ "show", "Print what was written, what is there now, and what apply would do",
	  .flags = JOURNAL_FLAGS, .handler = journal_show },
	{ "apply", "Roll back what still has the value that the run left it with",
	  "Prints what was restored, and what was left because another process changed it since.",
	  .flags = JOURNAL_FLAGS | COMMAND_CHANGES | COMMAND_NO_DRY_RUN, .handler = journal_apply },
	{ "discard", "Forget the change, and leave the machine as it is",
	  .flags = JOURNAL_FLAGS | COMMAND_CHANGES | COMMAND_NO_DRY_RUN,
	  .handler = journal_discard },
	{ .name = NULL },
};

const struct feature features[] = {
	{ "perf-profile", "Performance levels of the machine (SST-PP)",
	  "Several performance profiles in one processor: each level has its own cores, base\n"
	  "frequency, turbo limits, power and temperature.",
	  perf_profile_commands, .in_reference = true },
	{ "base-freq", "A higher base frequency on some cores (SST-BF)",
	  "High priority cores get a higher guaranteed base frequency, all others a lower one.",
	  base_freq_commands, .in_reference = true },
	{ "turbo-freq", "Higher turbo frequencies on some cores (SST-TF)",
	  "Few high priority cores may reach higher turbo frequencies, low priority cores are\n"
	  "clipped to lower ones. A bucket is a number of high priority cores.",
	  turbo_freq_commands, .in_reference = true },
	{ "core-power", "Priorities of cores when power is short (SST-CP)",
	  "Each core is in one of four classes of service (CLOS), which have frequency limits and\n"
	  "priorities.",
	  core_power_commands, .in_reference = true },
	{ "turbo-mode", "Turbo, and turbo ratio limits",
	  "Reads and writes the turbo ratio limits (TRL), and keeps CPUs from turbo frequencies.",
	  turbo_mode_commands, .in_reference = true },
	{ "journal", "A change that is incomplete",
	  "A run that is killed in the middle of a change leaves a journal; so does one that could\n"
	  "not take its change back as a whole (status 5). The next changing run rolls the change\n"
	  "back, unless something was changed since, or cannot be reached: then it stops.",
	  journal_commands, .in_reference = false },
	{ "platform", "Emulated machines",
	  "Platforms of the emulator, for trying things without such a server. PLATFORM is the\n"
	  "name of a built-in one, or the path of a platform file or of a recorded machine;\n"
	  "without it, what --emulate or ISST_EMULATE names.",
	  platform_commands, .in_reference = false },
	{ .name = NULL },
};

const struct command info_command = { .name = "info", .handler = show_info };

static const struct option_row emulate_options[] = {
	{ OPTION_AS_USER, 0, "as-user", "ID", VALUE_NUMBER, 0, UINT_MAX - 1,
	  .help = "The effective user id that programs are to see, such as 0" },
	{ .name = NULL },
};

const struct command emulate_command = {
	"emulate",
	"Run a program on the emulated machine",
	"The program, and all that it starts, meets the device, the kernel's files, CPU hotplug and\n"
	"the processor's model of the emulated machine. It has to be dynamically linked.",
	emulate_options,
	COMMAND_NO_MACHINE | COMMAND_HAS_PROGRAM | COMMAND_NO_DRY_RUN,
	emulate_program,
};

bool command_available(const struct command *command, bool preset)
{
	return !preset || command->flags & (COMMAND_PRESET | COMMAND_NO_MACHINE);
}

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
