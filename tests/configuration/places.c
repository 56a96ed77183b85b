/* SPDX-License-Identifier: BSD-3-Clause */
/* Contradictions of random configurations, against a look at every place of a small universe. */
#include "base/cpuset.h"
#include "configuration/statements.h"

#include <errno.h>

/* The number behind those that statements name stands for all others. */
enum { NUMBERS = 4, OTHER = NUMBERS, FABRICS = 2, LINES = 7, ROUNDS = 1500 };

/* ---- Random statements ---- */

/** Writes a list of some of the first numbers. */
static void put_list(FILE *text, unsigned int *seed)
{
	unsigned int mask = 1 + random_below(seed, (1U << NUMBERS) - 1);
	const char *separator = "";

	for (unsigned int i = 0; i < NUMBERS; i++)
		if (mask & 1U << i) {
			fprintf(text, "%s%u", separator, i);
			separator = ",";
		}
}

/** Of these subjects everything that rules decide by occurs. */
static void put_statement(FILE *text, unsigned int *seed, unsigned int family)
{
	static const char *const CORES[] = { "high-priority 4", "high-priority unmanaged",
					     "turbo-freq off",	"turbo-freq on",
					     "association 0",	"core-power on proportional" };
	unsigned int kind = random_below(seed, family == 2 ? COUNT(CORES) : 2);
	unsigned int mhz = 1000 + 100 * random_below(seed, 3);

	char own[16] = "";

	if (family == 1 && random_below(seed, 2))
		snprintf(own, sizeof(own), "fabric %u", random_below(seed, FABRICS));
	if ((family == 0 || (family == 2 && kind == 4)) && random_below(seed, 2))
		snprintf(own, sizeof(own), "cpu");
	put_places(text, seed, own, put_list);
	if (family == 0)
		fprintf(text, "scaling-%s %u", kind ? "max" : "min", mhz);
	else if (family == 1)
		fprintf(text, "uncore-%s %u", kind ? "max" : "min", mhz);
	else
		fputs(CORES[kind], text);
	fputc('\n', text);
}

static char *random_text(unsigned int *seed)
{
	unsigned int family = random_below(seed, 3), lines = 2 + random_below(seed, LINES - 1);
	size_t size;
	char *text;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	for (unsigned int i = 0; i < lines; i++)
		put_statement(stream, seed, family);
	fclose(stream);
	return text;
}

/* ---- What contradicts, by looking everywhere ---- */

static bool names(const struct isst_cpuset *set, unsigned int number)
{
	return !set || isst_cpuset_has(set, number);
}

/** Whether the CPUs that @named names are in the scope of @general, wherever their packages and
 * power domains are. */
static bool is_certain(const struct setting *general, const struct setting *named)
{
	for (unsigned int i = 0; i <= OTHER; i++)
		if ((names(named->scope.packages, i) && !names(general->scope.packages, i)) ||
		    (names(named->scope.power_domains, i) &&
		     !names(general->scope.power_domains, i)))
			return false;
	return true;
}

static bool are_together(const struct setting *one, const struct setting *other)
{
	const struct isst_cpuset *cpus = subject_is_of_cpus(one->subject) ? one->cpus : NULL;
	const struct isst_cpuset *others = subject_is_of_cpus(other->subject) ? other->cpus : NULL;

	if (!cpus == !others)
		return true;
	return cpus ? is_certain(other, one) : is_certain(one, other);
}

/** Whether lines contradict each other: the later one by number, then the earlier one. */
struct lines {
	bool contradict[LINES + 2][LINES + 2];
};

static void note(struct lines *lines, const struct setting *one, const struct setting *other)
{
	unsigned int first = one->origin.line, second = other->origin.line;

	lines->contradict[first > second ? first : second][first > second ? second : first] = true;
}

static void look_for_limits(const struct configuration *configuration, struct lines *lines,
			    const struct place *place, enum subject min, enum subject max)
{
	const struct setting *one = configuration_find(configuration, min, place);
	const struct setting *other = configuration_find(configuration, max, place);

	if (one && other && one->number > other->number && are_together(one, other))
		note(lines, one, other);
}

static void look_for_cores(const struct configuration *configuration, struct lines *lines,
			   const struct place *place)
{
	const struct setting *cores = configuration_find(configuration, SUBJECT_HIGH_PRIORITY,
							 place);
	const struct setting *turbo = configuration_find(configuration, SUBJECT_TURBO_FREQ, place);
	const struct setting *priority = configuration_find(configuration, SUBJECT_PRIORITY, place);
	const struct setting *association = configuration_find(configuration, SUBJECT_ASSOCIATION,
							       place);

	if (!cores || cores->wanted != WANTED_CORES)
		return;
	if (turbo && turbo->number == 0)
		note(lines, cores, turbo);
	if (priority)
		note(lines, cores, priority);
	if (association && are_together(cores, association))
		note(lines, cores, association);
}

static void look_everywhere(const struct configuration *configuration, struct lines *lines)
{
	struct place place;

	for (place.package = 0; place.package <= OTHER; place.package++)
		for (place.power_domain = 0; place.power_domain <= OTHER; place.power_domain++)
			for (place.cpu = 0; place.cpu <= OTHER; place.cpu++)
				for (place.index = 0; place.index <= FABRICS; place.index++) {
					look_for_limits(configuration, lines, &place,
							SUBJECT_SCALING_MIN, SUBJECT_SCALING_MAX);
					look_for_limits(configuration, lines, &place,
							SUBJECT_UNCORE_MIN, SUBJECT_UNCORE_MAX);
					look_for_cores(configuration, lines, &place);
				}
}

/** The problem that two lines have, if any. */
static bool is_reported(const struct configuration *configuration, unsigned int later,
			unsigned int earlier)
{
	unsigned int found = 0;
	char end[32];

	snprintf(end, sizeof(end), " (line %u)", earlier);
	for (size_t i = 0; i < configuration->problem_count; i++) {
		const struct problem *problem = &configuration->problems[i];
		size_t length = strlen(problem->text);

		found += problem->origin.line == later && length > strlen(end) &&
			 strcmp(problem->text + length - strlen(end), end) == 0;
	}
	assert_true(found <= 1);
	return found == 1;
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

/** Fails unless the lines of a text contradict each other where they do at some place. */
static unsigned int check_text(const char *text)
{
	struct configuration unchecked = { 0 }, checked = { 0 };
	struct lines lines = { 0 };
	unsigned int found = 0;
	char *whole;

	add_unchecked(&unchecked, text);
	look_everywhere(&unchecked, &lines);
	assert_true(asprintf(&whole, CONFIGURATION_HEADER " 1\n%s", text) > 0);
	configuration_add_text(&checked, "test", whole, strlen(whole), TEXT_FILE);
	for (unsigned int later = 2; later < COUNT(lines.contradict); later++)
		for (unsigned int earlier = 2; earlier < later; earlier++) {
			bool expected = lines.contradict[later][earlier];

			found += expected;
			if (is_reported(&checked, later, earlier) == expected)
				continue;
			fail_msg("%slines %u and %u %s", text, earlier, later,
				 expected ? "contradict each other" : "do not");
		}
	free(whole);
	configuration_clear(&unchecked);
	configuration_clear(&checked);
	return found;
}

static void contradictions_are_those_of_some_place(void **state)
{
	unsigned int found = 0, without = 0;

	(void)state;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int seed = round, count;
		char *text = random_text(&seed);

		count = check_text(text);
		found += count > 0;
		without += count == 0;
		free(text);
	}
	/* Texts of both kinds are among them. */
	assert_true(found > ROUNDS / 4);
	assert_true(without > ROUNDS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contradictions_are_those_of_some_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
