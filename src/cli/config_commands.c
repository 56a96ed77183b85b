/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the command table with the commands of config. */
#include "command_table.h"
#include "run/handlers.h"

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
	{ .name = NULL },
};

static const struct option_row wait_options[] = {
	SET_ROW,
	WAIT_ROW,
	{ .name = NULL },
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
	{ .name = NULL },
};

static const struct option_row try_options[] = {
	SET_ROW,
	{ OPTION_TIMEOUT, 0, "timeout", "SECONDS", VALUE_NUMBER, 1, 86400,
	  .help = "Time after which the change is rolled back. Default: 120" },
	{ .name = NULL },
};

const struct command config_commands[] = {
	{ "save", "Write the state of this machine as a configuration",
	  "To FILE, which is written completely or not at all, or to standard output. The "
	  "configuration applies to this machine only, unless its line `machine` is removed. "
	  "Without --all it contains only what was changed since boot, and is no backup: what it "
	  "leaves out stays as it is when the configuration is applied.",
	  save_options, COMMAND_HAS_TARGET | COMMAND_WHOLE | COMMAND_PRESET, config_save },
	{ "check", "Compare the machine with a configuration",
	  "Lists each difference, and ends with status 1 if there is one. Writes nothing." FILE_TEXT,
	  wait_options, COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_PRESET, config_check },
	{ "apply", "Change the machine to the configured state",
	  "As one change, which is made completely or not at all. --dry-run before config lists "
	  "what it would write." FILE_TEXT,
	  wait_options, COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_CHANGES | COMMAND_PRESET,
	  config_apply },
	{ "reset", "Reset the machine to its defaults",
	  "CLOS without limits and all cores in CLOS 0; turbo-freq, base-freq and core-power off; "
	  "turbo ratio limits of the level; no scaling limits, uncore limits of boot; the level "
	  "after boot, where it is known; all CPUs online. Lists what was different.",
	  reset_options, COMMAND_WHOLE | COMMAND_CHANGES | COMMAND_PRESET, config_reset },
	{ "try", "Apply a configuration, and roll it back unless it is confirmed",
	  "Makes the change, lists it, and waits: Enter or SIGUSR1 keeps the change; after the "
	  "time, and on SIGHUP, SIGTERM and other signals that end a program, it is rolled back." FILE_TEXT,
	  try_options,
	  COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_CHANGES | COMMAND_HOLDS | COMMAND_NO_DRY_RUN |
		  COMMAND_PRESET,
	  config_try },
	{ .name = NULL },
};
