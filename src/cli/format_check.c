/* SPDX-License-Identifier: BSD-3-Clause */
/* Refuses formats that a command does not have, and names those that it has. */
#include "format_check.h"

#include "../common/memory_stream.h"
#include "arguments/option_hints.h"
#include "command_table.h"
#include "render/render.h"

#include <errno.h>
#include <stdlib.h>

/** The flags of what is printed; --version is no command. */
static unsigned int flags_of(const struct request *request)
{
	return request->action == ACTION_VERSION || !request->command ? 0 : request->command->flags;
}

static bool has_format(const struct request *request, size_t format)
{
	unsigned int commands = renderers[format].commands, flags = flags_of(request);

	/* Of what is printed until it is ended, each document is a line. */
	if (flags & COMMAND_WATCHES)
		return format == FORMAT_TEXT || format == FORMAT_JSON_V2;
	return !commands || flags & commands;
}

/** Writes the formats as words of a sentence: `text, json, json-v2 and nfd`. */
static void write_formats(const struct request *request, FILE *stream)
{
	const char *before = NULL;
	bool begun = false;

	for (size_t i = 0; i < FORMATS; i++) {
		if (!has_format(request, i))
			continue;
		if (before)
			fprintf(stream, "%s%s", begun ? ", " : "", before);
		begun = begun || before;
		before = renderers[i].name;
	}
	fprintf(stream, "%s%s", begun ? " and " : "", before ? before : "");
}

static void write_name(const struct request *request, FILE *stream)
{
	if (request->action == ACTION_VERSION)
		fputs("--version", stream);
	else if (request->command == &info_command)
		fputs("--info", stream);
	else
		fprintf(stream, "%s%s%s", request->feature ? request->feature->name : "",
			request->feature ? " " : "", request->command->name);
}

static int refuse(const struct request *request, char **problem)
{
	struct memory_stream memory;
	char *text;
	int error;

	if (memory_stream_open(&memory) != 0)
		return -ENOMEM;
	write_name(request, memory.stream);
	fprintf(memory.stream, " has no format '%s'; it has ",
		renderers[request_format(request)].name);
	write_formats(request, memory.stream);
	text = memory_stream_text(&memory);
	error = text ? usage_problem(problem, "%s", text) : -ENOMEM;
	free(text);
	return error;
}

int format_check(const struct request *request, char **problem)
{
	enum output_format format = request_format(request);

	if (!has_format(request, format))
		return refuse(request, problem);
	if (renderers[format].commands && request_has(request, OPTION_MAP))
		return usage_problem(problem, "option --map cannot be combined with format '%s'",
				     renderers[format].name);
	return 0;
}
