/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the command table with the commands of config. */
#include "commands.h"

#include "handlers.h"

#define SET_ROW \
	{ \
		OPTION_SET, 0, "set", "STATEMENT", VALUE_TEXTS, \
			.help = "A statement, such as 'turbo-freq on', which wins over those of " \
				"FILE;\n" \
				"may be repeated" \
	}

#define FILE_TEXT \
	"\nFILE contains the statements, see isst-config(5); -: standard input. Instead of it, or " \
	"with\nit, --set gives single ones."

static const struct option_row save_options[] = {
	{ OPTION_ALL, 0, "all",
	  .help = "Save everything. Default: what differs from the state after boot" },
	{ .name = NULL },
};

static const struct option_row set_options[] = {
	SET_ROW,
	{ .name = NULL },
};

/* In the order of ISST_CONFIG_CLOS to ISST_CONFIG_CPUS. */
static const char *const parts[] = { "clos",  "associations", "features", "limits",
				     "level", "cpus",	      NULL };

static const struct option_row reset_options[] = {
	{ OPTION_ONLY, 0, "only", "LIST", VALUE_WORDS, .words = parts,
	  .help = "Only these: clos, associations, features, limits, level, cpus. Default:\n"
		  "all of them" },
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
	  "To FILE, which is written completely or not at all, or to standard output. It is for\n"
	  "this machine only. Without --all it is no backup: it leaves out what is as after boot,\n"
	  "which another configuration may have changed by the time it is applied.",
	  save_options, COMMAND_HAS_TARGET | COMMAND_WHOLE | COMMAND_PRESET, config_save },
	{ "check", "Compare the machine with a configuration",
	  "Lists each difference, and ends with status 1 if there is one. Writes nothing." FILE_TEXT,
	  set_options, COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_PRESET, config_check },
	{ "apply", "Make the machine as configured",
	  "As one change, which is made completely or not at all." FILE_TEXT, set_options,
	  COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_CHANGES | COMMAND_PRESET, config_apply },
	{ "reset", "Make the machine as it is without configuration",
	  "CLOS without limits and all cores in CLOS 0; turbo-freq, base-freq and core-power off;\n"
	  "turbo ratio limits of the level; no scaling limits, uncore limits of boot;\n"
	  "the level after boot, where it is known; all CPUs online. Lists what was different.",
	  reset_options, COMMAND_WHOLE | COMMAND_CHANGES | COMMAND_PRESET, config_reset },
	{ "try", "Make the machine as configured until it is confirmed",
	  "Keeps the change if Enter is pressed or SIGUSR1 arrives in time; otherwise rolls it back,\n"
	  "also on SIGHUP, SIGTERM and SIGINT." FILE_TEXT,
	  try_options,
	  COMMAND_CONFIG | COMMAND_WHOLE | COMMAND_CHANGES | COMMAND_HOLDS | COMMAND_NO_DRY_RUN |
		  COMMAND_PRESET,
	  config_try },
	{ .name = NULL },
};
