/* SPDX-License-Identifier: BSD-3-Clause */
/* Misspelled words: the closest valid word is suggested, and none for a different word. */
#include "support/check.h"

#include "common/suggest.h"

static const char *const words[] = { "info",	   "enable",	"disable",
				     "get-config", "get-assoc", "get-config-levels" };

static const char *suggest(const char *word)
{
	struct suggestion suggestion = { .word = word };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		suggestion_consider(&suggestion, words[i]);
	return suggestion.best ? suggestion.best : "none";
}

static void a_slip_finds_its_word(void **state)
{
	(void)state;
	assert_string_equal(suggest("inof"), "info"); /* two letters swapped */
	assert_string_equal(suggest("inf"), "info");
	assert_string_equal(suggest("infoo"), "info");
	assert_string_equal(suggest("imfo"), "info");
	assert_string_equal(suggest("get-cnofig"), "get-config");
	assert_string_equal(suggest("get-conf"), "get-config"); /* only begun */
	assert_string_equal(suggest("get-config-level"), "get-config-levels");
	assert_string_equal(suggest("enabel"), "enable");
}

static void the_nearest_of_several_wins(void **state)
{
	(void)state;
	assert_string_equal(suggest("dsable"), "disable");
	assert_string_equal(suggest("eneble"), "enable");
}

static void another_word_finds_none(void **state)
{
	(void)state;
	assert_string_equal(suggest("bogus"), "none");
	assert_string_equal(suggest(""), "none");
	assert_string_equal(suggest("x"), "none");
	assert_string_equal(suggest("in"), "none");
}

static void a_word_of_any_length_is_compared(void **state)
{
	char word[5000];

	(void)state;
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_string_equal(suggest(word), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slip_finds_its_word),
		cmocka_unit_test(the_nearest_of_several_wins),
		cmocka_unit_test(another_word_finds_none),
		cmocka_unit_test(a_word_of_any_length_is_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
