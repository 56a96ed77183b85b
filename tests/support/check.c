/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that many tests share. */
#include "support/check.h"

static struct test *first, **end = &first;

void test_register(struct test *test)
{
	*end = test;
	end = &test->next;
}

static struct CMUnitTest *add_test(struct CMUnitTest *list, size_t count, const struct test *test,
				   const char *state)
{
	char *name = NULL;

	list = realloc(list, (count + 1) * sizeof(*list));
	if (!list ||
	    asprintf(&name, "%s%s%s", state ? state : "", state ? ": " : "", test->name) < 0)
		abort();
	list[count] = (struct CMUnitTest){ name, test->function, test->setup, test->teardown,
					   (void *)(uintptr_t)state };
	return list;
}

int test_main(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	struct CMUnitTest *list = NULL;
	size_t count = 0;
	int failed;

	for (const struct test *test = first; test; test = test->next) {
		const char *const *state = test->states;

		do
			list = add_test(list, count++, test, *state);
		while (*state && *++state);
	}
	cmocka_set_test_filter(getenv("ISST_TEST"));
	failed = _cmocka_run_group_tests(program_invocation_short_name, list, count, setup,
					 teardown);
	for (size_t i = 0; i < count; i++)
		free((char *)(uintptr_t)list[i].name);
	free(list);
	return failed;
}

__attribute__((weak)) int main(void)
{
	return test_main(NULL, NULL);
}

void check_free(char **text)
{
	free(*text);
}

char *formatted(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	assert_true(vasprintf(&text, format, arguments) >= 0);
	va_end(arguments);
	return text;
}

void check_holds(const char *text, const char *part)
{
	assert_non_null(text);
	if (!strstr(text, part))
		fail_msg("'%s' does not hold '%s'", text, part);
}

struct isst_cpuset *check_set(const char *list)
{
	struct isst_cpuset *set = isst_cpuset_new();

	assert_non_null(set);
	assert_int_equal(isst_cpuset_add_list(set, list, NULL), 0);
	return set;
}

void check_cpus(const struct isst_cpuset *set, const char *ranges)
{
	char *text;

	assert_non_null(set);
	text = isst_cpuset_to_list(set);
	assert_non_null(text);
	assert_string_equal(text, ranges);
	free(text);
}
