/* SPDX-License-Identifier: BSD-3-Clause */
#include "command_table.h"

#include "process/xalloc.h"
#include "text/wrap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct help {
	const char *program;
	unsigned int columns;
	FILE *stream;
};

/** Writes a text in lines of its own. @end: what it ends with. */
static void write_lines(const struct help *help, const char *text, const char *end)
{
	struct wrap wrap = { .stream = help->stream, .columns = help->columns };

	wrap_text(&wrap, text);
	fputs(end, help->stream);
}

static void write_beside(const struct help *help, int width, const char *text)
{
	enum { COLUMN = 29 };
	struct wrap wrap = { help->stream, help->columns, .indent = COLUMN };

	if (width > COLUMN - 2)
		fputc('\n', help->stream);
	else
		wrap.column = (size_t)width;
	wrap_text(&wrap, text);
	fputc('\n', help->stream);
}

static void write_options(const struct help *help, const struct option_row *row, bool preset)
{
	for (; row->name; row++) {
		int width;

		if (preset && row->idle_on_preset)
			continue;
		width = row->letter ? fprintf(help->stream, "  -%c, ", row->letter)
				    : fprintf(help->stream, "      ");
		width += fprintf(help->stream, "--%s%s%s", row->name, row->argument ? " " : "",
				 row->argument ? row->argument : "");
		write_beside(help, width, row->help);
	}
}

static void write_name(const struct help *help, const char *name, const char *text)
{
	write_beside(help, fprintf(help->stream, "  %s", name), text);
}

static bool feature_available(const struct feature *feature, bool preset)
{
	const struct command *command = feature->commands;

	while (command->name && !command_available(command, preset))
		command++;
	return command->name;
}

static void write_examples(const struct help *help, bool preset)
{
	enum { ON_MOST = 1, ON_PRESET = 2 };
	static const struct {
		unsigned int where;
		const char *words;
	} EXAMPLES[] = {
		{ ON_MOST, "--info" },
		{ ON_MOST | ON_PRESET, "status" },
		{ ON_MOST | ON_PRESET, "explain --cpu 3" },
		{ ON_MOST | ON_PRESET, "perf-profile info" },
		{ ON_PRESET, "base-freq info" },
		{ ON_MOST, "--cpu 3,5 --format json core-power get-assoc" },
		{ ON_MOST, "--dry-run perf-profile set-config-level --level 1 --online" },
		{ ON_MOST, "--cpu 12,13 turbo-freq enable --auto" },
		{ ON_MOST, "turbo-freq enable --auto --high-priority 8/package" },
		{ ON_MOST | ON_PRESET, "config reset --boot  # undo what isst changed since boot" },
		{ ON_PRESET, "--dry-run base-freq enable" },
	};

	fputs("\nExamples:\n", help->stream);
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++) {
		if (EXAMPLES[i].where & (preset ? ON_PRESET : ON_MOST))
			fprintf(help->stream, "  %s %s\n", help->program, EXAMPLES[i].words);
	}
}

/** Adds a word of the usage, or words that stay together. */
__attribute__((format(printf, 2, 3))) static void write_words(struct wrap *usage,
							      const char *format, ...)
{
	va_list arguments;
	char *words;

	va_start(arguments, format);
	words = xvasprintf(format, arguments);
	va_end(arguments);
	wrap_words(usage, words, strlen(words));
	free(words);
}

static struct wrap begin_usage(const struct help *help, const char *label)
{
	struct wrap usage = { help->stream, help->columns, .indent = strlen(label) + 5 };

	usage.column = (size_t)fprintf(help->stream, "%s %s", label, help->program);
	usage.begun = true;
	return usage;
}

/** Writes the usage of a command, with its options: required ones bare, others in brackets. */
static void write_usage(const struct help *help, const char *label, const struct feature *feature,
			const struct command *command)
{
	struct wrap usage = begin_usage(help, label);

	if (command->flags & COMMAND_NEEDS_CPUS)
		wrap_words(&usage, "--cpu LIST", strlen("--cpu LIST"));
	wrap_text(&usage, "[OPTIONS]");
	if (feature)
		wrap_text(&usage, feature->name);
	wrap_text(&usage, command->name);
	for (const struct option_row *row = command->options; row && row->id != OPTION_HELP; row++)
		write_words(&usage, "%s--%s%s%s%s", row->required ? "" : "[", row->name,
			    row->argument ? " " : "", row->argument ? row->argument : "",
			    row->required ? "" : "]");
	if (command->flags & COMMAND_HELPS)
		write_words(&usage, "[FEATURE [COMMAND]]");
	if (command->flags & COMMAND_HAS_OPERAND)
		write_words(&usage, "[PLATFORM]");
	if (command->flags & COMMAND_HAS_DIRECTORY)
		write_words(&usage, "DIR");
	if (command->flags & (COMMAND_CONFIG | COMMAND_HAS_TARGET) &&
	    !(command->flags & COMMAND_HAS_PROGRAM))
		write_words(&usage, "[FILE]");
	if (command->flags & COMMAND_HAS_PROGRAM)
		write_words(&usage, "-- PROGRAM [ARGUMENTS]");
	fputc('\n', help->stream);
}

static void write_plain_usage(const struct help *help, const char *label, const char *words)
{
	struct wrap usage = begin_usage(help, label);

	wrap_text(&usage, words);
	fputc('\n', help->stream);
}

#define USAGE "Usage:"
#define USAGE_MORE "      "

static void write_all(const struct help *help, bool preset)
{
	write_plain_usage(help, USAGE, "[OPTIONS] FEATURE COMMAND [ARGUMENTS]");
	if (!preset) {
		write_plain_usage(help, USAGE_MORE, "[OPTIONS] --info");
		write_plain_usage(help, USAGE_MORE,
				  "[OPTIONS] --oob [--no-daemon] [--poll-interval SECONDS]");
	}
	for (const struct command *command = single_commands; command->name; command++)
		if (command_available(command, preset))
			write_usage(help, USAGE_MORE, NULL, command);
	fputs("\nEnumerates and controls Intel Speed Select Technology.\n\nFeatures:\n",
	      help->stream);
	for (const struct feature *feature = features; feature->name; feature++) {
		if (feature_available(feature, preset))
			write_name(help, feature->name, feature->help);
	}
	fputs("\nCommands in the place of a feature:\n", help->stream);
	for (const struct command *command = single_commands; command->name; command++)
		if (command_available(command, preset))
			write_name(help, command->name, command->help);
	fputs("\nOptions, before the feature (--help and --version anywhere):\n", help->stream);
	write_options(help, global_options, preset);
	fprintf(help->stream,
		"\nHelp for a feature, and for a command:\n"
		"  %1$s help perf-profile\n"
		"  %1$s perf-profile info --help\n",
		help->program);
	write_examples(help, preset);
	fputc('\n', help->stream);
	write_lines(help,
		    "Exit status: 0 success, 1 failed, 2 wrong usage, 3 not supported here, "
		    "4 permission denied, 5 failed, rollback incomplete, 6 busy.",
		    "\n");
}

static void write_feature(const struct help *help, const struct feature *feature, bool preset)
{
	fprintf(help->stream, "Usage: %s [OPTIONS] %s COMMAND [ARGUMENTS]\n\n%s: %s.\n",
		help->program, feature->name, feature->name, feature->help);
	write_lines(help, feature->more, "\n");
	fputs("\nCommands:\n", help->stream);
	for (const struct command *command = feature->commands; command->name; command++) {
		if (command_available(command, preset))
			write_name(help, command->name, command->help);
	}
	if (!feature_available(feature, preset))
		fputs("  None on this platform.\n", help->stream);
}

static void write_command(const struct help *help, const struct feature *feature,
			  const struct command *command)
{
	write_usage(help, USAGE, feature, command);
	fputc('\n', help->stream);
	write_lines(help, command->help, ".\n");
	if (command->more)
		write_lines(help, command->more, "\n");
	fputs("\nArguments:\n", help->stream);
	write_options(help, command->options ? command->options : anywhere_options, false);
}

void help_write(const char *program, const struct feature *feature, const struct command *command,
		bool preset, unsigned int columns, FILE *stream)
{
	const struct help help = { program, columns, stream };

	if (command)
		write_command(&help, feature, command);
	else if (feature)
		write_feature(&help, feature, preset);
	else
		write_all(&help, preset);
	if (preset && !(command && command_available(command, preset))) {
		fputc('\n', help.stream);
		write_lines(
			&help,
			"There is limited support of Intel Speed Select features on this platform.\n"
			"Everything is pre-configured using BIOS options, this tool can't enable any "
			"feature in the hardware. base-freq enable and disable set and remove "
			"limits of cpufreq.",
			"\n");
	}
}
