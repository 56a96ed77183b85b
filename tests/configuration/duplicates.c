/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of the same thing, in random configurations, against a look at each pair of them; and
 * in long ones. */
#include "base/cpuset.h"
#include "configuration/statements.h"

#include <errno.h>

enum { NUMBERS = 6, LINES = 12, ROUNDS = 3000 };

/* ---- Random statements ---- */

/** Some of the first numbers, in runs. */
static void put_list(FILE *text, unsigned int *seed)
{
	unsigned int first = random_below(seed, NUMBERS);
	unsigned int last = first + random_below(seed, NUMBERS - first);

	fprintf(text, "%u-%u", first, last);
	if (last + 2 < NUMBERS && random_below(seed, 2))
		fprintf(text, ",%u", last + 2);
}

static void put_statement(FILE *text, unsigned int *seed)
{
	unsigned int kind = random_below(seed, 4);

	char own[16] = "";

	if (kind == 1)
		snprintf(own, sizeof(own), "fabric %u", random_below(seed, 2));
	put_places(text, seed, kind == 3 && random_below(seed, 3) ? "cpu" : own, put_list);
	if (kind == 0) {
		fprintf(text, "level %u\n", random_below(seed, 2));
	} else if (kind == 1) {
		fprintf(text, "uncore-max %u\n", 1000 + 100 * random_below(seed, 2));
	} else if (kind == 2) {
		fprintf(text, "high-priority 4 within %u\n", random_below(seed, 2));
	} else {
		fprintf(text, "scaling-max %u\n", 1000 + 100 * random_below(seed, 3));
	}
}

static char *random_text(unsigned int *seed)
{
	unsigned int lines = 2 + random_below(seed, LINES - 1);
	size_t size;
	char *text;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	for (unsigned int i = 0; i < lines; i++)
		put_statement(stream, seed);
	fclose(stream);
	return text;
}

/* ---- What contradicts, pair by pair ---- */

static bool overlap(const struct isst_cpuset *one, const struct isst_cpuset *other)
{
	return !one || !other || cpuset_overlaps(one, other);
}

static bool is_precise(const struct setting *one, const struct setting *other)
{
	return !one->scope.packages == !other->scope.packages &&
	       !one->scope.power_domains == !other->scope.power_domains &&
	       !one->cpus == !other->cpus && one->index == other->index;
}

static bool contradict(const struct setting *one, const struct setting *other)
{
	return one->subject == other->subject && is_precise(one, other) &&
	       overlap(one->scope.packages, other->scope.packages) &&
	       overlap(one->scope.power_domains, other->scope.power_domains) &&
	       overlap(one->cpus, other->cpus) &&
	       (one->number != other->number ||
		!isst_cpuset_is_equal(one->choice.within, other->choice.within));
}

/** The problems of a text, whose settings are those of @unchecked. */
static char *expected_problems(const struct configuration *unchecked)
{
	size_t size;
	char *text;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	for (size_t later = 0; later < unchecked->setting_count; later++)
		for (size_t earlier = 0; earlier < later; earlier++) {
			if (!contradict(&unchecked->settings[earlier], &unchecked->settings[later]))
				continue;
			fprintf(stream, "%u: contradicts line %u\n",
				unchecked->settings[later].origin.line,
				unchecked->settings[earlier].origin.line);
			break;
		}
	fclose(stream);
	return text;
}

/** Adds statements that are parsed one by one, so that none is held against another one. */
static void add_unchecked(struct configuration *configuration, const char *text)
{
	for (unsigned int line = 2; *text; line++) {
		struct configuration one = { 0 };
		size_t length = strcspn(text, "\n");

		assert_int_equal(configuration_add_text(&one, "test", text, length, TEXT_STATEMENT),
				 0);
		for (size_t i = 0; i < one.setting_count; i++) {
			one.settings[i].origin = (struct origin){ .line = line };
			assert_int_equal(configuration_add(configuration, &one.settings[i]), 0);
		}
		configuration_clear(&one);
		text += length + 1;
	}
}

/** Returns whether lines of a text contradict each other. */
static bool check_text(const char *text)
{
	struct configuration unchecked = { 0 }, checked = { 0 };
	char *whole, *expected, *problems;
	bool found;

	add_unchecked(&unchecked, text);
	expected = expected_problems(&unchecked);
	found = *expected;
	assert_true(asprintf(&whole, CONFIGURATION_HEADER " 1\n%s", text) > 0);
	assert_int_equal(configuration_add_text(&checked, "test", whole, strlen(whole), TEXT_FILE),
			 found ? -EINVAL : 0);
	problems = problems_text(&checked);
	if (strcmp(problems, expected) != 0)
		fail_msg("%sis to be\n%sand not\n%s", text, expected, problems);
	free(whole);
	free(expected);
	free(problems);
	configuration_clear(&unchecked);
	configuration_clear(&checked);
	return found;
}

static void each_line_contradicts_the_first_of_all_that_it_may(void **state)
{
	unsigned int found = 0;

	(void)state;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int seed = round;
		char *text = random_text(&seed);

		found += check_text(text);
		free(text);
	}
	/* Texts of both kinds are among them. */
	assert_true(found > ROUNDS / 4);
	assert_true(found < ROUNDS - ROUNDS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_contradicts_the_first_of_all_that_it_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
