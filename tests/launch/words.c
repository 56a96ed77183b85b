/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that expands words as a shell does, by wordexp(3); to be run on the machine of
 * tests/platforms/tiny.platform by the preload library. Patterns match the names of that machine,
 * which has four CPUs.
 */
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

static const char *const cpus[] = { CPUS "/cpu0", CPUS "/cpu1", CPUS "/cpu2", CPUS "/cpu3" };

static void assert_words(const wordexp_t *found, size_t first, size_t count,
			 const char *const expected[])
{
	for (size_t i = 0; i < count; i++)
		assert_string_equal(found->we_wordv[found->we_offs + first + i], expected[i]);
}

static void assert_cpus(const char *words)
{
	wordexp_t found;

	assert_int_equal(wordexp(words, &found, 0), 0);
	assert_int_equal(found.we_wordc, 4);
	assert_words(&found, 0, 4, cpus);
	assert_null(found.we_wordv[4]);
	wordfree(&found);
}

static void assert_word(const char *words, const char *expected)
{
	wordexp_t found;

	assert_int_equal(wordexp(words, &found, 0), 0);
	assert_int_equal(found.we_wordc, 1);
	assert_words(&found, 0, 1, &expected);
	wordfree(&found);
}

static void patterns_match_names_of_the_machine(void **state)
{
	(void)state;
	assert_cpus(CPUS "/cpu[0-9]*");
	assert_cpus(CPUS "/cpu[0-9]");
	assert_cpus(CPUS "/cp'u'[!a-z]");
	/* What is above the machine's directories is the system's: nothing where /sys is not
	 * mounted. */
	if (access("/sys/devices/system", F_OK) == 0)
		assert_cpus("/sys/devices/sys*/cpu/cpu?");
	setenv("CPUS", CPUS, 1);
	assert_cpus("$CPUS/cpu[0-9]");
	assert_cpus("\"$CPUS\"/cpu[0-9]");
	assert_cpus("${CPUS}/cpu[0-9]");
	assert_cpus("$(echo '" CPUS "')/cpu[0-9]");
}

static void what_is_quoted_is_no_pattern(void **state)
{
	(void)state;
	assert_word("'" CPUS "/cpu[0-9]*'", CPUS "/cpu[0-9]*");
	assert_word("\"" CPUS "/cpu[0-9]*\"", CPUS "/cpu[0-9]*");
	assert_word(CPUS "/cpu\\[0-9]\\*", CPUS "/cpu[0-9]*");
	/* With a pattern beside it, which then matches nothing. */
	assert_word(CPUS "/cpu'[0-9]'*", CPUS "/cpu[0-9]*");
	assert_word(CPUS "/nonesuch\\\\*", CPUS "/nonesuch\\*");
}

static void what_matches_nothing_remains(void **state)
{
	(void)state;
	assert_word(CPUS "/nonesuch[0-9]*", CPUS "/nonesuch[0-9]*");
	assert_word("nonesuch?", "nonesuch?");
}

static void patterns_within_expansions_are_theirs(void **state)
{
	(void)state;
	setenv("HERE", "/a/b", 1);
	assert_word("${HERE#*/}", "a/b");
	assert_word("${HERE%/*}'?'", "/a?");
	assert_word("$((2*3))'*'", "6*");
	assert_word("$(echo \"$(echo ')*')\")/'?'", ")*/?");
	assert_word("`echo '*'x`y", "*xy");
}

static void words_are_appended(void **state)
{
	wordexp_t found = { .we_offs = 2 };
	const char *const others[] = { "first", "second" };

	(void)state;
	assert_int_equal(wordexp("first second", &found, WRDE_DOOFFS), 0);
	assert_int_equal(wordexp(CPUS "/cpu?", &found, WRDE_DOOFFS | WRDE_APPEND), 0);
	assert_int_equal(found.we_wordc, 6);
	assert_null(found.we_wordv[0]);
	assert_null(found.we_wordv[1]);
	assert_words(&found, 0, 2, others);
	assert_words(&found, 2, 4, cpus);
	assert_null(found.we_wordv[8]);
	assert_int_equal(wordexp(CPUS "/cpu? first", &found, WRDE_REUSE), 0);
	assert_int_equal(found.we_wordc, 5);
	found.we_offs = 0;
	assert_words(&found, 0, 4, cpus);
	assert_words(&found, 4, 1, others);
	wordfree(&found);
}

static void errors_are_those_of_words(void **state)
{
	wordexp_t found;

	(void)state;
	assert_int_equal(wordexp("a* | b", &found, 0), WRDE_BADCHAR);
	assert_int_equal(wordexp("a* \"b", &found, 0), WRDE_SYNTAX);
	assert_int_equal(wordexp("a* $(echo", &found, 0), WRDE_SYNTAX);
	assert_int_equal(wordexp("a* $(echo)", &found, WRDE_NOCMD), WRDE_CMDSUB);
	unsetenv("NONESUCH");
	assert_int_equal(wordexp("a*$NONESUCH", &found, WRDE_UNDEF), WRDE_BADVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_names_of_the_machine),
		cmocka_unit_test(what_is_quoted_is_no_pattern),
		cmocka_unit_test(what_matches_nothing_remains),
		cmocka_unit_test(patterns_within_expansions_are_theirs),
		cmocka_unit_test(words_are_appended),
		cmocka_unit_test(errors_are_those_of_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
