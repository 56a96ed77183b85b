/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command needs, and what it cannot be combined with, by the flags of its row. Must not know
 * machines. */
#include "request_check.h"

#include "arguments/choice_options.h"
#include "arguments/option_hints.h"
#include "format_check.h"
#include "text/json_path.h"

static int check_options(const struct request *request, char **problem)
{
	const struct command *command = request->command;

	for (const struct option_row *row = command->options; row && row->name; row++) {
		if (row->required && !request_has(request, row->id))
			return usage_problem(problem, "%s %s requires option --%s %s",
					     request->feature->name, command->name, row->name,
					     row->argument);
	}
	return 0;
}

/** What a command is to do may be in a file, on the command line, or in both. */
static int check_config(const struct request *request, char **problem)
{
	const struct command *command = request->command;

	if (!(command->flags & COMMAND_CONFIG) || request_config_file(request) ||
	    request_has(request, OPTION_SET))
		return 0;
	return usage_problem(problem, "%s%s%s requires %s, or option --set STATEMENT",
			     request->feature ? request->feature->name : "",
			     request->feature ? " " : "", command->name,
			     request->feature ? "a file" : "option --config FILE");
}

static int check_required(const struct request *request, char **problem)
{
	const struct command *command = request->command;
	int error;

	if ((command->flags & COMMAND_HAS_PROGRAM) && !request->program)
		return usage_problem(problem, "%s requires a program to run", command->name);
	error = check_options(request, problem);
	if (!error)
		error = check_config(request, problem);
	if (error)
		return error;
	if ((command->flags & COMMAND_HAS_DIRECTORY) && !request->operand)
		return usage_problem(problem, "%s %s requires a directory to write to",
				     request->feature->name, command->name);
	if ((command->flags & COMMAND_NEEDS_CPUS) && !request->options.cpus.numbers &&
	    !request_has(request, OPTION_BY_CLOS))
		/* Scripts know the beginning. */
		return usage_problem(problem,
				     "Invalid target cpu. Specify with [-c|--cpu] before the "
				     "feature; after the command -c is --clos");
	return 0;
}

static int refuse_together(const struct request *request, const char *option, const char *rest,
			   char **problem)
{
	const char *command = request->command->name;

	if (request_has(request, OPTION_OOB))
		return usage_problem(problem, "option %s cannot be combined with --oob", option);
	if (!request->feature)
		return usage_problem(problem, "option %s cannot be combined with '%s'%s", option,
				     command, rest);
	return usage_problem(problem, "option %s cannot be combined with %s %s%s", option,
			     request->feature->name, command, rest);
}

/** Whether an option before the feature has an effect where a program is run: those that choose the
 * machine and, where the machine is changed for it, those that choose how. */
static bool concerns_program(const struct command *command, enum option_id option)
{
	switch (option) {
	case OPTION_EMULATE:
	case OPTION_EMULATE_STATE:
	case OPTION_EMULATE_UNLOCK:
	case OPTION_REAL:
		return true;
	case OPTION_CPU0_WORKAROUND:
	case OPTION_DEBUG:
	case OPTION_LOCK_TIMEOUT:
	case OPTION_PAUSE:
	case OPTION_RETRY:
		return command->flags & COMMAND_CHANGES;
	default:
		return false;
	}
}

static int check_program(const struct request *request, char **problem)
{
	if (!(request->command->flags & COMMAND_HAS_PROGRAM))
		return 0;
	for (const struct option_row *row = global_options; row->name; row++) {
		if (request_has(request, row->id) && !concerns_program(request->command, row->id))
			return usage_problem(problem, "option --%s cannot be combined with '%s'",
					     row->name, request->command->name);
	}
	return 0;
}

static int check_cpus(const struct request *request, char **problem)
{
	if (!request->options.cpus.numbers)
		return 0;
	/* It is that of a whole change. */
	if (request->command->flags & COMMAND_JOURNAL)
		return refuse_together(request, "--cpu", "", problem);
	if (request->command->flags & COMMAND_WHOLE)
		return refuse_together(request, "--cpu",
				       request->command->flags & COMMAND_CONFIG
					       ? "; `package N:` in front of a statement makes it "
						 "one for a part of the machine"
					       : "",
				       problem);
	return 0;
}

/** Of commands for the machine as a whole: what would have no effect on them. */
static int check_idle(const struct request *request, char **problem)
{
	unsigned int flags = request->command->flags;

	if (!(flags & COMMAND_WHOLE))
		return 0;
	if (request_has(request, OPTION_CGROUP))
		return refuse_together(request, "--cgroupv2",
				       flags & COMMAND_CONFIG
					       ? "; the statement `cpus isolated` isolates CPUs"
					       : "",
				       problem);
	if (flags & COMMAND_CHANGES)
		return 0;
	if (request_has(request, OPTION_CPU0_WORKAROUND))
		return refuse_together(request, "--cpu0-workaround", ", which changes no CPU",
				       problem);
	/* CPUs that are brought online first are a change. */
	if (request_has(request, OPTION_LOCK_TIMEOUT) && !request_has(request, OPTION_ALL_ONLINE))
		return refuse_together(request, "--lock-timeout", ", which waits for no other run",
				       problem);
	return 0;
}

/** Checks what no single option of a command shows. */
static int check_together(const struct request *request, char **problem)
{
	if (request_has(request, OPTION_MIN) && request_has(request, OPTION_MAX) &&
	    request_number(request, OPTION_MIN) > request_number(request, OPTION_MAX))
		return usage_problem(problem, "option --min %s is above --max %s",
				     request_text(request, OPTION_MIN),
				     request_text(request, OPTION_MAX));
	if (request_has(request, OPTION_MAP) && request_has(request, OPTION_CONFIG))
		return usage_problem(problem, "option --map cannot be combined with --config");
	if (request_has(request, OPTION_BOOT) && request_has(request, OPTION_ONLY))
		return usage_problem(problem, "option --boot cannot be combined with --only");
	/* A change of its own: none is made while a journal is being looked at, nor one that stays
	 * where the other is rolled back. */
	if (request_has(request, OPTION_ALL_ONLINE) &&
	    (request->command->flags & (COMMAND_NO_MACHINE | COMMAND_JOURNAL | COMMAND_HOLDS)))
		return refuse_together(request, "--all-cpus-online", "", problem);
	return check_cpus(request, problem);
}

/** What is watched is shown to people, as it comes, and is no change. */
static int check_watch(const struct request *request, char **problem)
{
	static const struct {
		enum option_id id;
		const char *name;
	} OTHERS[] = { { OPTION_OUT, "out" },
		       { OPTION_GET, "get" },
		       { OPTION_ALL_ONLINE, "all-cpus-online" },
		       { OPTION_DEBUG, "debug" } };

	if (!request_has(request, OPTION_WATCH))
		return request_has(request, OPTION_INCLUDE_ISOLATED)
			       ? usage_problem(problem,
					       "option --include-isolated requires --watch")
			       : 0;
	if (request_number(request, OPTION_FORMAT) != FORMAT_TEXT)
		return usage_problem(problem, "option --watch cannot be combined with --format %s",
				     request_text(request, OPTION_FORMAT));
	for (size_t i = 0; i < sizeof(OTHERS) / sizeof(OTHERS[0]); i++)
		if (request_has(request, OTHERS[i].id))
			return usage_problem(problem, "option --watch cannot be combined with --%s",
					     OTHERS[i].name);
	return 0;
}

/** Of a command that watches: nothing is brought online first. */
static int check_watcher(const struct request *request, char **problem)
{
	if (!(request->command->flags & COMMAND_WATCHES))
		return 0;
	if (request_has(request, OPTION_APPLY) && !request_has(request, OPTION_CONFIG))
		return usage_problem(problem, "option --apply requires --config FILE");
	if (request_has(request, OPTION_GET))
		return refuse_together(request, "--get", "", problem);
	if (request_has(request, OPTION_ALL_ONLINE))
		return refuse_together(request, "--all-cpus-online", "", problem);
	if (request_has(request, OPTION_DRY_RUN))
		return refuse_together(request, "--dry-run", "", problem);
	if (request_has(request, OPTION_APPLY) && request_has(request, OPTION_CPU))
		return refuse_together(
			request, "--cpu",
			" --apply; `package N:` in front of a statement makes it one "
			"for a part of the machine",
			problem);
	if (request_has(request, OPTION_CGROUP) && !request_has(request, OPTION_FOLLOW))
		return refuse_together(request, "--cgroupv2", " without --follow", problem);
	return 0;
}

/** A path is one of json-v2. */
static int check_path(const struct request *request, char **problem)
{
	const char *path = request_text(request, OPTION_GET), *wrong;

	if (!path)
		return 0;
	if (request_has(request, OPTION_FORMAT) &&
	    request_number(request, OPTION_FORMAT) != FORMAT_JSON_V2)
		return usage_problem(problem, "option --get cannot be combined with --format %s",
				     request_text(request, OPTION_FORMAT));
	wrong = json_path_check(path);
	return wrong ? usage_problem(problem, "option --get: '%s': %s", path, wrong) : 0;
}

/** A dry run writes nothing: what can only write is refused, rather than done all the same. */
static int check_dry_run(const struct request *request, char **problem)
{
	bool clears = request_has(request, OPTION_CLEAR);
	bool saves = request->operand && request->command->flags & COMMAND_HAS_TARGET;

	if (!request_has(request, OPTION_DRY_RUN) ||
	    !(request->command->flags & COMMAND_NO_DRY_RUN || clears || saves))
		return 0;
	if (request->command->flags & COMMAND_JOURNAL)
		return refuse_together(request, "--dry-run",
				       "; `journal show` prints what `journal apply` would do",
				       problem);
	if (request->command->flags & COMMAND_HOLDS)
		return refuse_together(request, "--dry-run",
				       "; `config apply` with it lists what would be written",
				       problem);
	return refuse_together(request, "--dry-run",
			       clears  ? " --clear"
			       : saves ? " FILE"
				       : "",
			       problem);
}

int request_check(const struct request *request, char **problem)
{
	int error = check_required(request, problem);

	if (!error)
		error = choice_options_check(request, problem);
	if (!error)
		error = check_path(request, problem);
	if (!error)
		error = check_dry_run(request, problem);
	if (!error)
		error = check_watch(request, problem);
	if (!error)
		error = check_watcher(request, problem);
	if (!error)
		error = check_idle(request, problem);
	if (!error)
		error = check_program(request, problem);
	if (!error)
		error = format_check(request, problem);
	return error ? error : check_together(request, problem);
}
