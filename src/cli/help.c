/* SPDX-License-Identifier: BSD-3-Clause */
/* Help texts at three levels, made from the tables; must touch nothing of a machine. */
#include "help.h"

#include "command_table.h"

#include <stdarg.h>
#include <string.h>

/* Where descriptions begin. */
enum { COLUMN = 29 };

/** Writes the lines of @text in a column beside what @width characters were written of. */
static void write_beside(int width, const char *text, FILE *stream)
{
	if (width > COLUMN - 2) {
		fputc('\n', stream);
		width = 0;
	}
	while (*text) {
		int length = (int)strcspn(text, "\n");

		fprintf(stream, "%*s%.*s\n", COLUMN - width, "", length, text);
		width = 0;
		text += length;
		text += *text == '\n';
	}
}

static void write_option(const struct option_row *row, FILE *stream)
{
	int width = row->letter ? fprintf(stream, "  -%c, ", row->letter)
				: fprintf(stream, "      ");

	width += fprintf(stream, "--%s%s%s", row->name, row->argument ? " " : "",
			 row->argument ? row->argument : "");
	write_beside(width, row->help, stream);
}

static void write_options(const struct option_row *rows, bool preset, FILE *stream)
{
	for (; rows->name; rows++) {
		if (!(preset && rows->idle_on_preset))
			write_option(rows, stream);
	}
}

static void write_name(const char *name, const char *help, FILE *stream)
{
	write_beside(fprintf(stream, "  %s", name), help, stream);
}

/** Whether any command of a feature works. */
static bool feature_available(const struct feature *feature, bool preset)
{
	const struct command *command = feature->commands;

	while (command->name && !command_available(command, preset))
		command++;
	return command->name;
}

static void write_examples(const char *program, bool preset, FILE *stream)
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
		{ ON_PRESET, "--dry-run base-freq enable" },
	};

	fputs("\nExamples:\n", stream);
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++) {
		if (EXAMPLES[i].where & (preset ? ON_PRESET : ON_MOST))
			fprintf(stream, "  %s %s\n", program, EXAMPLES[i].words);
	}
}

static void write_limits(FILE *stream)
{
	fputs("\nThere is limited support of Intel Speed Select features on this platform.\n"
	      "Everything is pre-configured using BIOS options, this tool can't enable any feature in\n"
	      "the hardware.\n",
	      stream);
}

/* A line of the usage, which goes on in the next one where it would become too long. */
struct usage {
	FILE *stream;
	int width;
};

enum { USAGE_COLUMN = 7, USAGE_WIDTH = 80 };

/** Adds a word, or words that stay together. */
__attribute__((format(printf, 2, 3))) static void write_words(struct usage *usage,
							      const char *format, ...)
{
	va_list arguments;
	int width;

	va_start(arguments, format);
	width = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (usage->width + 1 + width > USAGE_WIDTH)
		usage->width = fprintf(usage->stream, "\n%*s", USAGE_COLUMN - 1, "") - 1;
	fputc(' ', usage->stream);
	va_start(arguments, format);
	vfprintf(usage->stream, format, arguments);
	va_end(arguments);
	usage->width += 1 + width;
}

/** The command's options: required ones bare, others in brackets. @width: of what stands before. */
static void write_synopsis(const struct command *command, int width, FILE *stream)
{
	struct usage usage = { stream, width };

	for (const struct option_row *row = command->options; row && row->name; row++)
		write_words(&usage, "%s--%s%s%s%s", row->required ? "" : "[", row->name,
			    row->argument ? " " : "", row->argument ? row->argument : "",
			    row->required ? "" : "]");
	if (command->flags & COMMAND_HAS_OPERAND)
		write_words(&usage, "[PLATFORM]");
	if (command->flags & COMMAND_HAS_DIRECTORY)
		write_words(&usage, "DIR");
	if (command->flags & (COMMAND_CONFIG | COMMAND_HAS_TARGET) &&
	    !(command->flags & COMMAND_HAS_PROGRAM))
		write_words(&usage, "[FILE]");
	if (command->flags & COMMAND_HAS_PROGRAM)
		write_words(&usage, "-- PROGRAM [ARGUMENTS]");
	fputc('\n', stream);
}

static void write_all(const char *program, bool preset, FILE *stream)
{
	fprintf(stream, "Usage: %s [OPTIONS] FEATURE COMMAND [ARGUMENTS]\n", program);
	if (!preset)
		fprintf(stream,
			"       %1$s [OPTIONS] --info\n"
			"       %1$s [OPTIONS] --oob [--no-daemon] [--poll-interval SECONDS]\n",
			program);
	for (const struct command *command = single_commands; command->name; command++)
		if (command_available(command, preset))
			write_synopsis(
				command,
				fprintf(stream, "       %s [OPTIONS] %s", program, command->name),
				stream);
	fputs("\nEnumerates and controls Intel Speed Select Technology.\n\nFeatures:\n", stream);
	for (const struct feature *feature = features; feature->name; feature++) {
		if (feature_available(feature, preset))
			write_name(feature->name, feature->help, stream);
	}
	fputs("\nCommands in the place of a feature:\n", stream);
	for (const struct command *command = single_commands; command->name; command++)
		if (command_available(command, preset))
			write_name(command->name, command->help, stream);
	fputs("\nOptions, before the feature (--help and --version anywhere):\n", stream);
	write_options(global_options, preset, stream);
	fprintf(stream,
		"\nHelp for a feature, and for a command:\n"
		"  %s perf-profile --help\n"
		"  %s perf-profile info --help\n",
		program, program);
	write_examples(program, preset, stream);
	fputs("\nExit status: 0 success, 1 failed, 2 wrong usage, 3 not supported here,\n"
	      "4 permission denied, 5 failed, rollback incomplete, 6 busy.\n",
	      stream);
}

static void write_feature(const char *program, const struct feature *feature, bool preset,
			  FILE *stream)
{
	fprintf(stream, "Usage: %s [OPTIONS] %s COMMAND [ARGUMENTS]\n\n%s: %s.\n%s\n\nCommands:\n",
		program, feature->name, feature->name, feature->help, feature->more);
	for (const struct command *command = feature->commands; command->name; command++) {
		if (command_available(command, preset))
			write_name(command->name, command->help, stream);
	}
	if (!feature_available(feature, preset))
		fputs("  None on this platform.\n", stream);
}

static void write_command(const char *program, const struct feature *feature,
			  const struct command *command, FILE *stream)
{
	int width = fprintf(stream, "Usage: %s %s%s%s%s", program,
			    command->flags & COMMAND_NEEDS_CPUS ? "--cpu LIST [OPTIONS] "
								: "[OPTIONS] ",
			    feature ? feature->name : "", feature ? " " : "", command->name);

	write_synopsis(command, width, stream);
	fprintf(stream, "\n%s.\n", command->help);
	if (command->more)
		fprintf(stream, "%s\n", command->more);
	fputs("\nArguments:\n", stream);
	if (command->options)
		write_options(command->options, false, stream);
	write_options(anywhere_options, false, stream);
}

void help_write(const char *program, const struct feature *feature, const struct command *command,
		bool preset, FILE *stream)
{
	if (command)
		write_command(program, feature, command, stream);
	else if (feature)
		write_feature(program, feature, preset, stream);
	else
		write_all(program, preset, stream);
	if (preset && !(command && command_available(command, preset)))
		write_limits(stream);
}
