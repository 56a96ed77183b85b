/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the command table with the commands that stand in the place of a feature: the state
 * of the whole machine, and programs that are run. */
#include "command_table.h"
#include "run/handlers.h"

#include <limits.h>
#include <string.h>

static const struct option_row emulate_options[] = {
	{ OPTION_AS_USER, 0, "as-user", "ID", VALUE_NUMBER, 0, UINT_MAX - 1,
	  .help = "User id that programs see, such as 0" },
	{ .name = NULL },
};

static const struct option_row with_options[] = {
	{ OPTION_CONFIG, 0, "config", "FILE", VALUE_TEXT,
	  .help = "The configuration. -: standard input" },
	{ OPTION_SET, 0, "set", "STATEMENT", VALUE_TEXTS,
	  .help = "A statement, such as 'high-priority 4/package', which wins over those of FILE; "
		  "may be repeated" },
	{ OPTION_NO_AFFINITY, 0, "no-affinity",
	  .help = "Leave the affinity of the program as it is. Default: the CPUs that "
		  "`high-priority` chose, if the configuration states it" },
	{ .name = NULL },
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
	{ .name = NULL },
};

static const struct option_row levels_options[] = {
	{ OPTION_LEVEL, 'l', "level", "LEVEL", VALUE_NUMBER, 0, UINT_MAX,
	  .help = "Only this performance level. Default: all levels" },
	{ .name = NULL },
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
	{ .name = NULL },
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
	{ .name = NULL },
};

const struct command single_commands[] = {
	{ "status", "Print the state of the machine on one screen",
	  "The processor; of each power domain level, lock, base frequency, SST-BF, SST-TF and "
	  "SST-CP; classes of service in use, high priority cores, and limits that were set. -: "
	  "not supported. ?: could not be read. For other programs: --format openmetrics, nfd or "
	  "facts before it.",
	  status_options, COMMAND_PRESET | COMMAND_EXPORTS | COMMAND_COMPARES, machine_status },
	{ "levels", "Print what each performance level has, as one table",
	  "A row for each level; packages that are alike stand together. Cores are those of a "
	  "package.\n"
	  "perf-profile info prints everything of a level; perf-profile set-config-level selects "
	  "one.",
	  levels_options, COMMAND_PRESET, machine_levels },
	{ "with", "Run a program while a configuration is applied",
	  "Applies a configuration, runs the program, and rolls the change back when it ends. "
	  "Other runs that change the machine have to wait. The exit status is that of the "
	  "program; 125 if the change or its rollback fails, 126 or 127 if the program cannot be "
	  "run.",
	  with_options,
	  COMMAND_HAS_PROGRAM | COMMAND_CHANGES | COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_HOLDS |
		  COMMAND_NO_DRY_RUN | COMMAND_PRESET,
	  with_program },
	{ "emulate", "Run a program on the emulated machine",
	  "The program, and every program that it starts, sees the device, the kernel's files, "
	  "CPU hotplug and the processor's model of the emulated machine. It must be dynamically "
	  "linked. The machine is chosen in front, or by ISST_EMULATE: `isst --emulate guide "
	  "emulate -- PROGRAM`. Its state is kept between runs: `isst --emulate guide platform "
	  "reset` begins afresh.",
	  emulate_options, COMMAND_NO_MACHINE | COMMAND_HAS_PROGRAM | COMMAND_NO_DRY_RUN,
	  emulate_program },
	{ "explain", "Print why CPUs run as they do, the most important reason first",
	  "Reads levels, features, classes of service and files of the kernel, and compares them. "
	  "Each finding has what was read, what it means, and the command that fixes it. "
	  "Advisories are known defects of such kernels. Exit status 0: nothing, or only notes; "
	  "1: findings.",
	  explain_options, COMMAND_PRESET | COMMAND_REGISTERS, explain },
	{ "watch", "Report what changes, as it changes, until it is ended",
	  "Looks at the machine every few seconds, and prints a line for each value that another "
	  "program, a management controller or firmware has changed. With a configuration: for "
	  "each that differs from it. Exit status 0 when ended by SIGTERM or SIGINT; 1: it "
	  "failed, or with --until-different something differs.",
	  watch_options, COMMAND_COMPARES | COMMAND_WATCHES | COMMAND_EVERYWHERE, NULL },
	{ "help", "Print help for the program, a feature or a command",
	  .flags = COMMAND_NO_MACHINE | COMMAND_HELPS },
	{ .name = NULL },
};

const struct command *single_command_find(const char *name)
{
	for (const struct command *command = single_commands; command->name; command++) {
		if (strcmp(command->name, name) == 0)
			return command;
	}
	return NULL;
}
