/* SPDX-License-Identifier: BSD-3-Clause */
#include "../common/memory_stream.h"
#include "command_table.h"
#include "render/render.h"
#include "request_read.h"
#include "text/json.h"

#include <errno.h>
#include <stdlib.h>

const char *request_option_name(const struct request *request, enum option_id id)
{
	const struct option_row *row = global_options;

	while (row->name && row->id != id)
		row++;
	if (!row->name)
		for (row = request->command->options; row->id != id;)
			row++;
	return row->name;
}

static int check_required(const struct request *request, char **problem)
{
	const struct command *command = request->command;
	const char *feature = request->feature ? request->feature->name : "";

	if ((command->flags & COMMAND_HAS_PROGRAM) && !request->program)
		return usage_problem(problem, "%s requires a program to run", command->name);
	for (const struct option_row *row = command->options; row && row->name; row++)
		if (row->required && !request_has(request, row->id))
			return usage_problem(problem, "%s %s requires option --%s %s", feature,
					     command->name, row->name, row->argument);
	/* What a command is to do may be in a file, on the command line, or in both. */
	if ((command->flags & COMMAND_CONFIG) && !request_config_file(request) &&
	    !request_has(request, OPTION_SET))
		return usage_problem(problem, "%s%s%s requires %s, or option --set STATEMENT",
				     feature, *feature ? " " : "", command->name,
				     *feature ? "a file" : "option --config FILE");
	if ((command->flags & COMMAND_HAS_DIRECTORY) && !request->operand)
		return usage_problem(problem, "%s %s requires a directory to write to", feature,
				     command->name);
	if ((command->flags & COMMAND_NEEDS_CPUS) && !request->options.cpus.numbers &&
	    !request_has(request, OPTION_BY_CLOS))
		/* Scripts know the beginning. */
		return usage_problem(problem,
				     "Invalid target cpu. Specify with [-c|--cpu] before the "
				     "feature; after the command -c is --clos");
	return 0;
}

/** What the options of a choice of cores (--high-priority) mean only together. */
static int check_choice(const struct request *request, char **problem)
{
	static const enum option_id further[] = { OPTION_WITHIN, OPTION_AVOID,
						  OPTION_ALLOW_LOWER_TURBO };

	for (size_t i = 0; i < sizeof(further) / sizeof(further[0]); i++)
		if (request_has(request, further[i]) && !request_has(request, OPTION_HIGH_PRIORITY))
			return usage_problem(problem, "option --%s requires option --high-priority",
					     request_option_name(request, further[i]));
	if (!request_has(request, OPTION_HIGH_PRIORITY))
		return 0;
	if (request->options.cpus.numbers)
		return usage_problem(problem,
				     "option --high-priority chooses CPUs, --cpu names them: they "
				     "cannot be combined; --within LIST limits the choice");
	if (request->command->flags & COMMAND_CHANGES && !request_has(request, OPTION_AUTO))
		return usage_problem(problem, "option --high-priority requires option --auto");
	return 0;
}

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

/** What is watched is shown to people, as it comes, and is no change. */
static int check_watch(const struct request *request, char **problem)
{
	static const enum option_id others[] = { OPTION_OUT, OPTION_GET, OPTION_ALL_ONLINE,
						 OPTION_DEBUG };

	if (!request_has(request, OPTION_WATCH))
		return request_has(request, OPTION_INCLUDE_ISOLATED)
			       ? usage_problem(problem,
					       "option --include-isolated requires --watch")
			       : 0;
	if (request_number(request, OPTION_FORMAT) != FORMAT_TEXT)
		return usage_problem(problem, "option --watch cannot be combined with --format %s",
				     request_text(request, OPTION_FORMAT));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (request_has(request, others[i]))
			return usage_problem(problem, "option --watch cannot be combined with --%s",
					     request_option_name(request, others[i]));
	return 0;
}

static int refuse_option(const struct request *request, enum option_id option, const char *rest,
			 char **problem)
{
	const char *name = request_option_name(request, option), *command = request->command->name;

	if (request_has(request, OPTION_OOB))
		return usage_problem(problem, "option --%s cannot be combined with --oob", name);
	if (!request->feature)
		return usage_problem(problem, "option --%s cannot be combined with '%s'%s", name,
				     command, rest);
	return usage_problem(problem, "option --%s cannot be combined with %s %s%s", name,
			     request->feature->name, command, rest);
}

/** An option that cannot be combined with commands that have all @flags and none of @not. */
struct conflict {
	enum option_id option;
	unsigned int flags, not ;
	enum option_id with, without; /* only with, and without another option; 0: always */
	const char *rest;	      /* of the message */
};

#define PART "; `package N:` in front of a statement makes it one for a part of the machine"

/* Commands that can only write refuse a dry run; others on the whole machine lack some options. */
static const struct conflict dry_run_conflicts[] = {
	{ OPTION_DRY_RUN, COMMAND_NO_DRY_RUN | COMMAND_JOURNAL,
	  .rest = "; `journal show` prints what `journal apply` would do" },
	{ OPTION_DRY_RUN, COMMAND_NO_DRY_RUN | COMMAND_HOLDS,
	  .rest = "; `config apply` with it lists what would be written" },
	{ OPTION_DRY_RUN, .with = OPTION_CLEAR, .rest = " --clear" },
	{ OPTION_DRY_RUN, COMMAND_NO_DRY_RUN, .rest = "" },
	{ .rest = NULL },
};

static const struct conflict conflicts[] = {
	{ OPTION_GET, COMMAND_WATCHES, .rest = "" },
	{ OPTION_ALL_ONLINE, COMMAND_WATCHES, .rest = "" },
	{ OPTION_DRY_RUN, COMMAND_WATCHES, .rest = "" },
	{ OPTION_CPU, COMMAND_WATCHES, .with = OPTION_APPLY, .rest = " --apply" PART },
	{ OPTION_CGROUP, COMMAND_WATCHES, .without = OPTION_FOLLOW, .rest = " without --follow" },
	{ OPTION_CGROUP, COMMAND_WHOLE | COMMAND_CONFIG,
	  .rest = "; the statement `cpus isolated` isolates CPUs" },
	{ OPTION_CGROUP, COMMAND_WHOLE, .rest = "" },
	{ OPTION_CPU0_WORKAROUND, COMMAND_WHOLE, COMMAND_CHANGES,
	  .rest = ", which changes no CPU" },
	/* CPUs that are brought online first are a change. */
	{ OPTION_LOCK_TIMEOUT, COMMAND_WHOLE, COMMAND_CHANGES, .without = OPTION_ALL_ONLINE,
	  .rest = ", which waits for no other run" },
	{ .rest = NULL },
};

/* --all-cpus-online is a change of its own, which journals and rollbacks do not know. */
static const struct conflict last_conflicts[] = {
	{ OPTION_ALL_ONLINE, COMMAND_NO_MACHINE, .rest = "" },
	{ OPTION_ALL_ONLINE, COMMAND_JOURNAL, .rest = "" },
	{ OPTION_ALL_ONLINE, COMMAND_HOLDS, .rest = "" },
	{ OPTION_CPU, COMMAND_JOURNAL, .rest = "" }, /* it is that of a whole change */
	{ OPTION_CPU, COMMAND_WHOLE | COMMAND_CONFIG, .rest = PART },
	{ OPTION_CPU, COMMAND_WHOLE, .rest = "" },
	{ .rest = NULL },
};

static int check_conflicts(const struct request *request, const struct conflict *row,
			   char **problem)
{
	const unsigned int flags = request->command->flags;

	for (; row->rest; row++)
		if (request_has(request, row->option) && (flags & row->flags) == row->flags &&
		    !(flags & row->not ) && (!row->with || request_has(request, row->with)) &&
		    !(row->without && request_has(request, row->without)))
			return refuse_option(request, row->option, row->rest, problem);
	return 0;
}

/** Whether an option concerns a program: the choice of the machine, and how it is changed. */
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
	if (request->command->flags & COMMAND_HAS_PROGRAM)
		for (const struct option_row *row = global_options; row->name; row++)
			if (request_has(request, row->id) &&
			    !concerns_program(request->command, row->id))
				return refuse_option(request, row->id, "", problem);
	return 0;
}

static bool has_format(const struct request *request, size_t format)
{
	bool command = request->action != ACTION_VERSION && request->command;
	unsigned int commands = renderers[format].commands;
	unsigned int flags = command ? request->command->flags : 0;

	/* Of what is printed until it is ended, each document is a line. */
	if (flags & COMMAND_WATCHES)
		return format == FORMAT_TEXT || format == FORMAT_JSON_V2;
	return !commands || flags & commands;
}

/** Refuses a format, and names those there are: `text, json, json-v2 and nfd`. */
static int refuse_format(const struct request *request, char **problem)
{
	const char *before = NULL, *separator = "";
	struct memory_stream memory;
	char *text;
	int error;

	if (memory_stream_open(&memory) != 0)
		return -ENOMEM;
	if (request->action == ACTION_VERSION)
		fputs("--version", memory.stream);
	else if (request->command == &info_command)
		fputs("--info", memory.stream);
	else
		fprintf(memory.stream, "%s%s%s", request->feature ? request->feature->name : "",
			request->feature ? " " : "", request->command->name);
	fprintf(memory.stream, " has no format '%s'; it has ",
		renderers[request_format(request)].name);
	for (size_t i = 0; i < FORMATS; i++) {
		if (!has_format(request, i))
			continue;
		if (before) {
			fprintf(memory.stream, "%s%s", separator, before);
			separator = ", ";
		}
		before = renderers[i].name;
	}
	fprintf(memory.stream, "%s%s", *separator ? " and " : "", before ? before : "");
	text = memory_stream_text(&memory);
	error = text ? usage_problem(problem, "%s", text) : -ENOMEM;
	free(text);
	return error;
}

int request_check_format(const struct request *request, char **problem)
{
	enum output_format format = request_format(request);

	if (!has_format(request, format))
		return refuse_format(request, problem);
	if (renderers[format].commands && request_has(request, OPTION_MAP))
		return usage_problem(problem, "option --map cannot be combined with format '%s'",
				     renderers[format].name);
	return 0;
}

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
	return check_conflicts(request, last_conflicts, problem);
}

int request_check(const struct request *request, char **problem)
{
	int error = check_required(request, problem);

	if (!error)
		error = check_choice(request, problem);
	if (!error)
		error = check_path(request, problem);
	if (!error && request_has(request, OPTION_DRY_RUN) && request->operand &&
	    request->command->flags & COMMAND_HAS_TARGET)
		return refuse_option(request, OPTION_DRY_RUN, " FILE", problem);
	if (!error)
		error = check_conflicts(request, dry_run_conflicts, problem);
	if (!error)
		error = check_watch(request, problem);
	if (!error && request->command->flags & COMMAND_WATCHES &&
	    request_has(request, OPTION_APPLY) && !request_has(request, OPTION_CONFIG))
		return usage_problem(problem, "option --apply requires --config FILE");
	if (!error)
		error = check_conflicts(request, conflicts, problem);
	if (!error)
		error = check_program(request, problem);
	if (!error)
		error = request_check_format(request, problem);
	return error ? error : check_together(request, problem);
}
