/* SPDX-License-Identifier: BSD-3-Clause */
/* Help: generated from the tables, at three levels, complete. */
#include "check.h"

#include "cli/help.h"

enum { COLUMNS = 80 };

static char *help_on(const struct feature *feature, const struct command *command, bool preset)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	help_write("isst", feature, command, preset, COLUMNS, stream);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static char *help(const struct feature *feature, const struct command *command)
{
	return help_on(feature, command, false);
}

static void assert_line(const char *text, const char *beginning)
{
	size_t length = strlen(beginning);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, beginning, length) == 0 && strchr(" \n", line[length]))
			return;
	}
	fail_msg("no line '%s' in:\n%s", beginning, text);
}

static void assert_option(const char *text, const struct option_row *row)
{
	char line[100];

	if (row->letter)
		snprintf(line, sizeof(line), "  -%c, --%s%s%s", row->letter, row->name,
			 row->argument ? " " : "", row->argument ? row->argument : "");
	else
		snprintf(line, sizeof(line), "      --%s%s%s", row->name, row->argument ? " " : "",
			 row->argument ? row->argument : "");
	assert_line(text, line);
}

static void assert_options(const char *text, const struct option_row *rows)
{
	for (; rows && rows->name; rows++)
		assert_option(text, rows);
}

static void assert_narrow(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n");

		if (length > COLUMNS || (length > 0 && line[length - 1] == ' '))
			fail_msg("too wide, or a blank at the end: %.*s", (int)length, line);
	}
}

TEST(help_of_all_names_every_feature_and_global_option)
{
	char *text = help(NULL, NULL);

	for (const struct feature *feature = features; feature->name; feature++) {
		char line[100];

		snprintf(line, sizeof(line), "  %s", feature->name);
		assert_line(text, line);
	}
	assert_options(text, global_options);
	assert_narrow(text);
	free(text);
}

TEST(help_of_a_feature_names_its_commands)
{
	for (const struct feature *feature = features; feature->name; feature++) {
		char *text = help(feature, NULL);

		for (const struct command *command = feature->commands; command->name; command++) {
			char line[100];

			snprintf(line, sizeof(line), "  %s", command->name);
			assert_line(text, line);
		}
		assert_narrow(text);
		free(text);
	}
}

TEST(help_of_a_command_names_its_options)
{
	for (const struct feature *feature = features; feature->name; feature++) {
		for (const struct command *command = feature->commands; command->name; command++) {
			char *text = help(feature, command);

			assert_options(text, command->options);
			assert_options(text, anywhere_options);
			assert_narrow(text);
			free(text);
		}
	}
}

TEST(help_of_a_command_is_this)
{
	const struct feature *feature = feature_find("core-power");
	char *text = help(feature, command_find(feature->commands, "get-config"));

	assert_string_equal(
		text,
		"Usage: isst [OPTIONS] core-power get-config --clos CLOS\n"
		"\n"
		"Print the configuration of a class of service.\n"
		"\n"
		"Arguments:\n"
		"  -c, --clos CLOS            The class of service, from 0 to 3\n"
		"  -h, --help                 Print help for the program, FEATURE or COMMAND\n"
		"  -v, --version              Print the version\n");
	free(text);
}

static void assert_no_line(const char *text, const char *beginning)
{
	size_t length = strlen(beginning);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, beginning, length) == 0)
			fail_msg("a line '%s' in:\n%s", beginning, text);
	}
}

TEST(help_on_a_preset_platform_shows_what_works_there)
{
	static const char LIMITS[] =
		"There is limited support of Intel Speed Select features on this "
		"platform.";
	const struct feature *perf_profile = feature_find("perf-profile");
	const struct feature *core_power = feature_find("core-power");
	const struct {
		const struct feature *feature;
		const struct command *command;
		const char *shown[10], *hidden[10];
	} cases[] = {
		{ NULL,
		  NULL,
		  { "  perf-profile", "  base-freq", "  config", "  platform", LIMITS,
		    "  -c, --cpu", "  -a, --all-cpus-online" },
		  { "  turbo-freq", "  core-power", "  turbo-mode", "       isst [OPTIONS] --info",
		    "  isst --info", "  -i, --info", "  -g, --cgroupv2", "  -u, --cpu0-workaround",
		    "  -p, --pause", "  -r, --retry" } },
		{ perf_profile, NULL, { "  info", LIMITS }, { "  get-", "  set-" } },
		{ feature_find("base-freq"),
		  NULL,
		  { "  info", "  enable", "  disable" },
		  { NULL } },
		{ core_power, NULL, { "  None on this platform.", LIMITS }, { "  info" } },
		{ core_power, command_find(core_power->commands, "info"), { LIMITS }, { NULL } },
		{ perf_profile,
		  command_find(perf_profile->commands, "info"),
		  { NULL },
		  { LIMITS } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = help_on(cases[i].feature, cases[i].command, true);

		for (size_t j = 0; j < 10 && cases[i].shown[j]; j++)
			assert_line(text, cases[i].shown[j]);
		for (size_t j = 0; j < 10 && cases[i].hidden[j]; j++)
			assert_no_line(text, cases[i].hidden[j]);
		assert_narrow(text);
		free(text);
	}
}

static unsigned long count_words(const char *const *words)
{
	unsigned long count = 0;

	while (words[count])
		count++;
	return count;
}

/** Within one table no letter and no name may mean two things. */
static void assert_unambiguous(const struct option_row *rows)
{
	for (const struct option_row *one = rows; one && one->name; one++) {
		for (const struct option_row *other = one + 1; other->name; other++) {
			assert_string_not_equal(one->name, other->name);
			assert_true(!one->letter || one->letter != other->letter);
		}
		assert_true((one->kind == VALUE_NONE) == (one->argument == NULL));
		/* A frequency may have a word, too, which help names as it is typed. */
		if (one->kind == VALUE_FREQUENCY && one->words)
			assert_non_null(strstr(one->argument, one->words[0]));
		/* The numbers of a range may have a meaning each. */
		if (one->kind == VALUE_NUMBER && one->words)
			assert_int_equal(count_words(one->words), one->highest - one->lowest + 1);
		else if (one->kind != VALUE_FREQUENCY)
			assert_true((one->kind == VALUE_WORD || one->kind == VALUE_WORDS) ==
				    (one->words != NULL));
	}
}

TEST(tables_make_sense)
{
	assert_unambiguous(global_options);
	for (const struct command *command = single_commands; command->name; command++) {
		assert_true(command->handler || command->flags & (COMMAND_WATCHES | COMMAND_HELPS));
		assert_non_null(command->help);
		assert_unambiguous(command->options);
	}
	for (const struct feature *feature = features; feature->name; feature++) {
		assert_non_null(feature->more);
		for (const struct command *command = feature->commands; command->name; command++) {
			assert_true(command->handler || command->change || command->question);
			assert_non_null(command->help);
			assert_unambiguous(command->options);
		}
	}
}
