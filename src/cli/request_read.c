/* SPDX-License-Identifier: BSD-3-Clause */
#include "request_read.h"

#include "command_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Options of a command, and those that work anywhere behind them; to be freed. */
static struct option_row *rows_of(const struct command *command)
{
	size_t count = 0, anywhere = 0;
	struct option_row *rows;

	while (command->options && command->options[count].name)
		count++;
	while (anywhere_options[anywhere].name)
		anywhere++;
	rows = calloc(count + anywhere + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	for (size_t i = 0; i < count; i++)
		rows[i] = command->options[i];
	for (size_t i = 0; i < anywhere; i++)
		rows[count + i] = anywhere_options[i];
	return rows;
}

static int read_arguments(struct request *request, const struct option_place *place, int argc,
			  char **argv, char **problem)
{
	bool operand = request->command->flags & COMMAND_TAKES_WORD;
	int error = 0, end = 0;

	while (!error && argc > 1) {
		error = options_read(argc, argv, place, &request->options, &end, problem);
		if (error || end >= argc || request_has(request, OPTION_HELP))
			break;
		if (!operand || request->operand)
			error = problem_unexpected_word(request, place, argv[end - 1], argv[end],
							problem);
		request->operand = argv[end];
		argc -= end;
		argv += end;
	}
	return error;
}

static int read_behind_command(struct request *request, int argc, char **argv, char **problem)
{
	const struct feature *feature = request->feature;
	const struct command *command = request->command;
	struct option_row *rows = rows_of(command);
	struct option_place place = {
		.rows = rows,
		.before = global_options,
		.behind = argument_options,
		.of = command,
		.find_elsewhere = problem_find_elsewhere,
		.reference = feature && request->reference && feature->in_reference,
	};
	int error = -ENOMEM, end = argc;
	char *name;

	if (asprintf(&name, "%s%s%s", feature ? feature->name : "", feature ? " " : "",
		     command->name) < 0)
		name = NULL;
	place.command = name;
	if (rows && name && command->flags & COMMAND_HAS_PROGRAM) {
		error = options_read(argc, argv, &place, &request->options, &end, problem);
		if (!error && end < argc)
			request->program = argv + end;
	} else if (rows && name) {
		error = read_arguments(request, &place, argc, argv, problem);
	}
	/* Of commands that write to a file: standard output, as without one. */
	if (!error && command->flags & COMMAND_HAS_TARGET && request->operand &&
	    strcmp(request->operand, "-") == 0)
		request->operand = NULL;
	free(name);
	free(rows);
	return error;
}

/** Behind --help may stand a command. The reference tool ignores unknown words there. */
static int read_helped_command(struct request *request, int argc, char **argv, char **problem)
{
	if (argc < 1 || argv[0][0] == '-')
		return 0;
	request->command = command_find(request->feature, argv[0]);
	return request->command || request->reference
		       ? 0
		       : problem_unknown_command(request->feature, argv[0], problem);
}

/** The same of a feature, and of a command behind it. */
static int read_helped(struct request *request, int argc, char **argv, char **problem)
{
	if (argc < 1 || argv[0][0] == '-')
		return 0;
	request->command = single_command_find(argv[0]);
	if (request->command)
		return 0;
	request->feature = feature_find(argv[0]);
	if (request->feature)
		return read_helped_command(request, argc - 1, argv + 1, problem);
	return request->reference ? 0 : problem_unknown_feature(request, argv[0], problem);
}

static int read_command(struct request *request, int argc, char **argv, char **problem)
{
	/* Only help and version can stand between feature and command. */
	const struct option_place place = { .rows = anywhere_options,
					    .before = global_options,
					    .behind = argument_options,
					    .find_elsewhere = problem_find_elsewhere };
	int end, error = options_read(argc, argv, &place, &request->options, &end, problem);

	if (error)
		return error;
	if (request_has(request, OPTION_HELP))
		return read_helped_command(request, argc - end, argv + end, problem);
	if (end >= argc) {
		request->action = ACTION_NO_COMMAND;
		return 0;
	}
	request->command = command_find(request->feature, argv[end]);
	if (!request->command)
		return problem_unknown_command(request->feature, argv[end], problem);
	return read_behind_command(request, argc - end, argv + end, problem);
}

/** Reads what stands behind `help`: options, or what help is asked for. */
static int read_help(struct request *request, int argc, char **argv, char **problem)
{
	int error;

	if (argc > 1 && argv[1][0] == '-') {
		error = read_behind_command(request, argc, argv, problem);
	} else {
		request->command = NULL;
		error = read_helped(request, argc - 1, argv + 1, problem);
	}
	request->options.value[OPTION_HELP].given = !request_has(request, OPTION_VERSION);
	return error;
}

static int read_feature(struct request *request, int argc, char **argv, char **problem)
{
	const char *alone = request_has(request, OPTION_INFO)  ? "info"
			    : request_has(request, OPTION_OOB) ? "oob"
							       : NULL;

	if (argc < 1)
		return 0;
	/* The reference tool looks at nothing behind them. */
	if (alone && request->reference)
		return option_values_note(&request->options,
					  "'%s' has no effect: --%s takes no feature", argv[0],
					  alone);
	if (alone)
		return usage_problem(problem, "unexpected word '%s': --%s takes no feature",
				     argv[0], alone);
	request->command = single_command_find(argv[0]);
	if (request->command && request->command->flags & COMMAND_HELPS)
		return read_help(request, argc, argv, problem);
	if (request->command)
		return read_behind_command(request, argc, argv, problem);
	request->feature = feature_find(argv[0]);
	if (!request->feature)
		return problem_unknown_feature(request, argv[0], problem);
	return read_command(request, argc, argv, problem);
}

/** The options of --oob mean nothing without it; to the reference tool they are idle. */
static int check_without_oob(struct request *request, char **problem)
{
	static const enum option_id ids[] = { OPTION_NO_DAEMON, OPTION_POLL_INTERVAL };
	int error = 0;

	for (size_t i = 0; !error && i < sizeof(ids) / sizeof(ids[0]); i++) {
		const char *name = request_option_name(request, ids[i]);

		if (!request_has(request, ids[i]))
			continue;
		error = request->reference
				? option_values_note(&request->options,
						     "option --%s has no effect without --oob",
						     name)
				: usage_problem(problem, "option --%s requires --oob", name);
	}
	return error;
}

/** --oob is `watch --follow`, as an option. */
static int use_oob(struct request *request, char **problem)
{
	struct option_value *values = request->options.value;

	if (request_has(request, OPTION_INFO))
		return usage_problem(problem, "option --oob cannot be combined with --info");
	if (request_has(request, OPTION_FORMAT) &&
	    request_number(request, OPTION_FORMAT) != FORMAT_TEXT)
		return usage_problem(problem, "option --oob cannot be combined with --format %s",
				     request_text(request, OPTION_FORMAT));
	request->command = single_command_find("watch");
	values[OPTION_FOLLOW].given = true;
	values[OPTION_INTERVAL] = values[OPTION_POLL_INTERVAL];
	values[OPTION_NO_EVENTS].given = request_has(request, OPTION_POLL_INTERVAL);
	return 0;
}

static int check_whole(struct request *request, char **problem)
{
	static const enum option_id emulation[] = { OPTION_EMULATE, OPTION_EMULATE_STATE,
						    OPTION_EMULATE_UNLOCK };
	const struct option_row *greedy;
	int error;

	for (size_t i = 0; i < sizeof(emulation) / sizeof(emulation[0]); i++)
		if (request_has(request, OPTION_REAL) && request_has(request, emulation[i]))
			return usage_problem(problem, "option --real cannot be combined with --%s",
					     request_option_name(request, emulation[i]));
	if (request_has(request, OPTION_VERSION)) {
		request->action = ACTION_VERSION;
		return request_check_format(request, problem);
	}
	if (request->action == ACTION_NO_COMMAND)
		return usage_problem(problem, "%s requires a command; %s --help lists its commands",
				     request->feature->name, request->feature->name);
	error = (request_has(request, OPTION_OOB) ? use_oob : check_without_oob)(request, problem);
	if (error)
		return error;
	if (request_has(request, OPTION_INFO))
		request->command = &info_command;
	if (request->command)
		return request_check(request, problem);
	greedy = request_greedy_option(request);
	if (greedy)
		return usage_problem(problem,
				     "no feature given; option --%s took '%s' for its value",
				     greedy->name, request_text(request, greedy->id));
	return usage_problem(problem, "no feature given; --help lists the features");
}

/** Finds the format of the message about a wrong command line: tries each word before the feature.
 */
static void find_format(struct request *request, const struct option_place *place, int argc,
			char **argv)
{
	struct option_value *format = &request->options.value[OPTION_FORMAT];

	for (; argc > 1 && !format->given && !feature_find(argv[1]); argc--, argv++) {
		struct option_values values = { 0 };
		char *problem = NULL;
		int end;

		if (options_read(argc, argv, place, &values, &end, &problem) != -ENOMEM)
			*format = values.value[OPTION_FORMAT];
		free(problem);
		option_values_clear(&values);
	}
}

int request_read(struct request *request, bool reference, int argc, char **argv, char **problem)
{
	const struct option_place place = { .rows = global_options,
					    .behind = argument_options,
					    .find_elsewhere = problem_find_elsewhere,
					    .reference = reference };
	int error, end;

	*request = (struct request){ .action = ACTION_RUN, .reference = reference };
	*problem = NULL;
	if (argc <= 1) {
		request->action = ACTION_HELP;
		return 0;
	}
	error = options_read(argc, argv, &place, &request->options, &end, problem);
	if (!error)
		error = (request_has(request, OPTION_HELP) ? read_helped : read_feature)(
			request, argc - end, argv + end, problem);
	/* A program may be run by it: then the statuses are those of env(1). */
	else if (end < argc)
		request->command = single_command_find(argv[end]);
	if (error) {
		find_format(request, &place, argc, argv);
		return error;
	}
	if (request_has(request, OPTION_HELP)) {
		request->action = ACTION_HELP;
		return 0;
	}
	return check_whole(request, problem);
}

void request_clear(struct request *request)
{
	option_values_clear(&request->options);
}
