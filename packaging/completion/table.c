/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what can be typed, from the tables of the command, for the scripts that make a shell's
 * completion of it. Must not call a handler: it is linked without them. A line is one of these,
 * with tabs between its fields, and `-` for a field that is empty:
 *
 * - feature FEATURE HELP
 * - command FEATURE COMMAND OPERAND HELP
 * - option FEATURE COMMAND LETTER NAME ARGUMENT USE VALUES HELP
 */
#include "cli/command_table.h"

#include <stdio.h>
#include <string.h>

/* Numbers are offered one by one as far as they are few. */
enum { MOST_NUMBERS = 16 };

/** The arguments of options that take any text, and what is offered for them. */
static const struct {
	const char *argument, *values;
} TEXTS[] = {
	{ "FILE", "files" },	       { "DIR", "directories" }, { "NAME|PATH", "platforms" },
	{ "STATEMENT", "statements" }, { "PATH", "any" },
};

static const char *operand_of(const struct command *command)
{
	static const struct {
		unsigned int flag;
		const char *name;
	} OPERANDS[] = {
		{ COMMAND_HAS_PROGRAM, "program" },
		{ COMMAND_HAS_OPERAND, "platforms" },
		{ COMMAND_HAS_DIRECTORY, "directories" },
		{ COMMAND_HAS_TARGET | COMMAND_CONFIG, "files" },
		{ COMMAND_HELPS, "features" },
	};

	for (size_t i = 0; i < sizeof(OPERANDS) / sizeof(OPERANDS[0]); i++)
		if (command->flags & OPERANDS[i].flag)
			return OPERANDS[i].name;
	return "-";
}

/** The first sentence of a help text. */
static void print_help(const char *help)
{
	size_t length = strlen(help);
	static const char *const ENDS[] = { "; ", ". " };

	for (size_t i = 0; i < sizeof(ENDS) / sizeof(ENDS[0]); i++) {
		const char *end = strstr(help, ENDS[i]);

		if (end && (size_t)(end - help) < length)
			length = (size_t)(end - help);
	}
	printf("%.*s\n", (int)length, help);
}

static void print_words(const char *kind, const char *const *words)
{
	printf("%s", kind);
	for (; *words; words++)
		printf(" %s", *words);
}

static void print_numbers(const struct option_row *row)
{
	unsigned int highest = row->highest;

	/* The firmware knows how many levels there are; the kernel's interface has five on all
	 * servers so far. */
	if (row->id == OPTION_LEVEL)
		highest = 4;
	if (highest - row->lowest >= MOST_NUMBERS) {
		printf("any");
		return;
	}
	printf("words");
	for (unsigned int number = row->lowest; number <= highest; number++)
		printf(" %u", number);
}

static const char *text_values(const struct option_row *row)
{
	for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
		if (strcmp(TEXTS[i].argument, row->argument) == 0)
			return TEXTS[i].values;
	return "unknown";
}

static void print_values(const struct option_row *row)
{
	switch (row->kind) {
	case VALUE_NONE:
		putchar('-');
		break;
	case VALUE_NUMBER:
		print_numbers(row);
		break;
	case VALUE_WORD:
		print_words("words", row->words);
		break;
	case VALUE_WORDS:
		print_words("list", row->words);
		break;
	case VALUE_CPU_LIST:
		printf("cpus");
		break;
	case VALUE_TEXT:
	case VALUE_TEXTS:
		printf("%s", text_values(row));
		break;
	case VALUE_FREQUENCY:
		if (row->words)
			print_words("words", row->words);
		else
			printf("any");
		break;
	case VALUE_LIMITS:
	case VALUE_CORES:
		printf("any");
		break;
	}
}

/** Whether a value may be missing, and whether the option may stand more than once. */
static const char *use_of(const struct option_row *row)
{
	if (row->otherwise)
		return "optional";
	return row->kind == VALUE_CPU_LIST || row->kind == VALUE_TEXTS ? "repeated" : "once";
}

static void print_options(const char *feature, const char *command, const struct option_row *row)
{
	for (; row && row->name; row++) {
		printf("option\t%s\t%s\t%c\t%s\t%s\t%s\t", feature, command,
		       row->letter ? row->letter : '-', row->name,
		       row->argument ? row->argument : "-", use_of(row));
		print_values(row);
		putchar('\t');
		print_help(row->help);
	}
}

static void print_commands(const char *feature, const struct command *command)
{
	for (; command->name; command++) {
		printf("command\t%s\t%s\t%s\t", feature, command->name, operand_of(command));
		print_help(command->help);
		print_options(feature, command->name, command->options);
	}
}

int main(void)
{
	print_options("-", "-", global_options);
	print_options("*", "*", anywhere_options);
	for (const struct feature *feature = features; feature->name; feature++) {
		printf("feature\t%s\t", feature->name);
		print_help(feature->help);
		print_commands(feature->name, feature->commands);
	}
	print_commands("-", single_commands);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
