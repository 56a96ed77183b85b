/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of features, commands and options, which help is generated from. */
#include "check.h"

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
