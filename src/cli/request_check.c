/* SPDX-License-Identifier: BSD-3-Clause */
#include "../common/memory_stream.h"
#include "command_table.h"
#include "process/xalloc.h"
#include "render/output.h"
#include "request_read.h"
#include "text/json.h"

const struct option_row *request_option_row(const struct request *request, enum option_id id)
{
	const struct option_row *row = global_options;

	while (row->name && row->id != id)
		row++;
	if (!row->name)
		for (row = request->command->options; row->id != id;)
			row++;
	return row;
}

static char *check_required(const struct request *request)
{
	const struct command *command = request->command;
	const char *feature = request->feature ? request->feature->name : "";

	if ((command->flags & COMMAND_HAS_PROGRAM) && !request->program)
		return xasprintf("%s requires a program to run", command->name);
	for (const struct option_row *row = command->options; row && row->name; row++)
		if (row->required && !request_has(request, row->id))
			return xasprintf("%s %s requires option --%s %s", feature, command->name,
					 row->name, row->argument);
	/* What a command is to do may be in a file, on the command line, or in both. */
	if ((command->flags & COMMAND_CONFIG) && !request_config_file(request) &&
	    !request_has(request, OPTION_SET))
		return xasprintf("%s%s%s requires %s, or option --set STATEMENT", feature,
				 *feature ? " " : "", command->name,
				 *feature ? "a file" : "option --config FILE");
	if ((command->flags & COMMAND_HAS_DIRECTORY) && !request->operand)
		return xasprintf("%s %s requires a directory to write to", feature, command->name);
	if ((command->flags & COMMAND_NEEDS_CPUS) && !request->options.cpus.numbers &&
	    !request_has(request, OPTION_BY_CLOS))
		/* Scripts know the beginning. */
		return xasprintf("Invalid target cpu. Specify with [-c|--cpu] before the "
				 "feature; after the command -c is --clos");
	return NULL;
}

static char *refuse_option(const struct request *request, enum option_id option, const char *rest)
{
	const char *name = request_option_row(request, option)->name,
		   *command = request->command->name;

	if (request_has(request, OPTION_OOB))
		return xasprintf("option --%s cannot be combined with --oob", name);
	if (!request->feature)
		return xasprintf("option --%s cannot be combined with '%s'%s", name, command, rest);
	return xasprintf("option --%s cannot be combined with %s %s%s", name,
			 request->feature->name, command, rest);
}

#define PART "; `package N:` in front of a statement makes it one for a part of the machine"

/** What cannot be combined with commands that have all @flags and none of @except, or with another
 * option: in this order, since one message is printed. */
static const struct rule {
	enum option_id option;
	unsigned int flags, except;
	enum option_id with, without; /* only with, and without another option; 0: always */
	enum option_id needs;	      /* another option, which is not given */
	const char *rest;	      /* of the message, behind the command */
} rules[] = {
	{ OPTION_REAL, .with = OPTION_EMULATE },
	{ OPTION_REAL, .with = OPTION_EMULATE_STATE },
	{ OPTION_REAL, .with = OPTION_EMULATE_UNLOCK },
	{ OPTION_OOB, .with = OPTION_INFO },
	{ OPTION_WRITABLE, .needs = OPTION_READ_ONLY },
	{ OPTION_WITHIN, .needs = OPTION_HIGH_PRIORITY },
	{ OPTION_AVOID, .needs = OPTION_HIGH_PRIORITY },
	{ OPTION_ALLOW_LOWER_TURBO, .needs = OPTION_HIGH_PRIORITY },
	{ OPTION_CPU, .with = OPTION_HIGH_PRIORITY,
	  .rest = " --high-priority, which chooses CPUs; --within LIST limits the choice" },
	{ OPTION_HIGH_PRIORITY, .flags = COMMAND_CHANGES, .needs = OPTION_AUTO },
	/* Commands that can only write refuse a dry run. */
	{ OPTION_DRY_RUN, .flags = COMMAND_NO_DRY_RUN | COMMAND_JOURNAL,
	  .rest = "; `journal show` prints what `journal apply` would do" },
	{ OPTION_DRY_RUN, .flags = COMMAND_NO_DRY_RUN | COMMAND_HOLDS,
	  .rest = "; `config apply` with it lists what would be written" },
	{ OPTION_DRY_RUN, .with = OPTION_CLEAR, .rest = " --clear" },
	{ OPTION_DRY_RUN, .flags = COMMAND_NO_DRY_RUN },
	/* What is watched is shown to people, as it comes, and is no change. */
	{ OPTION_INCLUDE_ISOLATED, .needs = OPTION_WATCH },
	{ OPTION_WATCH, .with = OPTION_OUT },
	{ OPTION_WATCH, .with = OPTION_GET },
	{ OPTION_WATCH, .with = OPTION_ALL_ONLINE },
	{ OPTION_WATCH, .with = OPTION_DEBUG },
	{ OPTION_APPLY, .flags = COMMAND_WATCHES, .needs = OPTION_CONFIG },
	{ OPTION_GET, .flags = COMMAND_WATCHES },
	{ OPTION_ALL_ONLINE, .flags = COMMAND_WATCHES },
	{ OPTION_DRY_RUN, .flags = COMMAND_WATCHES },
	{ OPTION_CPU, .flags = COMMAND_WATCHES, .with = OPTION_APPLY, .rest = " --apply" PART },
	{ OPTION_CGROUP, .flags = COMMAND_WATCHES, .without = OPTION_FOLLOW,
	  .rest = " without --follow" },
	/* Those on the whole machine lack some options. */
	{ OPTION_CGROUP, .flags = COMMAND_WHOLE | COMMAND_CONFIG,
	  .rest = "; the statement `cpus isolated` isolates CPUs" },
	{ OPTION_CGROUP, .flags = COMMAND_WHOLE },
	{ OPTION_CPU0_WORKAROUND, .flags = COMMAND_WHOLE, .except = COMMAND_CHANGES,
	  .rest = ", which changes no CPU" },
	/* CPUs that are brought online first are a change. */
	{ OPTION_LOCK_TIMEOUT, .flags = COMMAND_WHOLE, .except = COMMAND_CHANGES,
	  .without = OPTION_ALL_ONLINE, .rest = ", which waits for no other run" },
	{ OPTION_MAP, .with = OPTION_CONFIG },
	{ OPTION_BOOT, .with = OPTION_ONLY },
	/* --all-cpus-online is a change of its own, which journals and rollbacks do not know. */
	{ OPTION_ALL_ONLINE, .flags = COMMAND_NO_MACHINE },
	{ OPTION_ALL_ONLINE, .flags = COMMAND_JOURNAL },
	{ OPTION_ALL_ONLINE, .flags = COMMAND_HOLDS },
	{ OPTION_CPU, .flags = COMMAND_JOURNAL }, /* it is that of a whole change */
	{ OPTION_CPU, .flags = COMMAND_WHOLE | COMMAND_CONFIG, .rest = PART },
	{ OPTION_CPU, .flags = COMMAND_WHOLE },
};

static char *check_rules(const struct request *request)
{
	const unsigned int flags = request->command->flags;

	for (const struct rule *rule = rules; rule < rules + sizeof(rules) / sizeof(rules[0]);
	     rule++) {
		const enum option_id other = rule->needs ? rule->needs : rule->with;

		if (!request_has(request, rule->option) || (flags & rule->flags) != rule->flags ||
		    flags & rule->except || (rule->with && !request_has(request, rule->with)) ||
		    (rule->without && request_has(request, rule->without)) ||
		    (rule->needs && request_has(request, rule->needs)))
			continue;
		if (other && !rule->rest) {
			const struct option_row *row = request_option_row(request, other);
			const char *argument = rule->needs ? row->argument : NULL;

			return xasprintf("option --%s %s --%s%s%s",
					 request_option_row(request, rule->option)->name,
					 rule->needs ? "requires" : "cannot be combined with",
					 row->name, argument ? " " : "", argument ? argument : "");
		}
		return refuse_option(request, rule->option, rule->rest ? rule->rest : "");
	}
	return NULL;
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

static bool has_format(const struct request *request, size_t format)
{
	bool command = request->action != ACTION_VERSION && request->command;
	unsigned int flags = command ? request->command->flags : 0;

	if (request_has(request, OPTION_WATCH) || request_has(request, OPTION_OOB))
		return format == FORMAT_TEXT;
	/* Of what is printed until it is ended, each document is a line. */
	if (flags & COMMAND_WATCHES)
		return format == FORMAT_TEXT || format == FORMAT_JSON_V2;
	return !renderers[format].commands ||
	       (flags & renderers[format].commands && !request_has(request, OPTION_MAP));
}

/** Refuses a format, and names those there are: `text, json, json-v2 and nfd`. */
static char *refuse_format(const struct request *request)
{
	const char *before = NULL, *separator = "";
	struct memory_stream memory;

	xcall(memory_stream_open(&memory));
	if (request->action == ACTION_VERSION)
		fputs("--version", memory.stream);
	else if (request->command == &info_command || request_has(request, OPTION_OOB))
		fprintf(memory.stream, "--%s", request_has(request, OPTION_OOB) ? "oob" : "info");
	else
		fprintf(memory.stream, "%s%s%s%s", request->feature ? request->feature->name : "",
			request->feature ? " " : "", request->command->name,
			request_has(request, OPTION_MAP)     ? " --map"
			: request_has(request, OPTION_WATCH) ? " --watch"
							     : "");
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
	return xcheck(memory_stream_text(&memory));
}

char *request_check_format(const struct request *request)
{
	return has_format(request, request_format(request)) ? NULL : refuse_format(request);
}

char *request_check(const struct request *request)
{
	const bool program = request->command->flags & COMMAND_HAS_PROGRAM;
	const char *path = request_text(request, OPTION_GET);
	const char *wrong = path ? json_path_check(path) : NULL;
	char *problem = check_required(request);

	if (!problem && request_has(request, OPTION_DRY_RUN) && request->operand &&
	    request->command->flags & COMMAND_HAS_TARGET)
		return refuse_option(request, OPTION_DRY_RUN, " FILE");
	if (!problem)
		problem = check_rules(request);
	if (!problem && path && request_has(request, OPTION_FORMAT) &&
	    request_number(request, OPTION_FORMAT) != FORMAT_JSON_V2)
		return xasprintf("option --get cannot be combined with --format %s",
				 request_text(request, OPTION_FORMAT));
	if (!problem && wrong)
		return xasprintf("option --get: '%s': %s", path, wrong);
	for (const struct option_row *row = global_options; program && !problem && row->name; row++)
		if (request_has(request, row->id) && !concerns_program(request->command, row->id))
			problem = refuse_option(request, row->id, "");
	if (!problem)
		problem = request_check_format(request);
	if (!problem && request_has(request, OPTION_MIN) && request_has(request, OPTION_MAX) &&
	    request_number(request, OPTION_MIN) > request_number(request, OPTION_MAX))
		return xasprintf("option --min %s is above --max %s",
				 request_text(request, OPTION_MIN),
				 request_text(request, OPTION_MAX));
	return problem;
}
