/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that are alike stand in one line. */
#include "check.h"

#include "cli/report/folds.h"

static char lines[1000];

static void add_line(void *data, const struct step_group *group)
{
	size_t length = strlen(lines);

	(void)data;
	snprintf(lines + length, sizeof(lines) - length, "%u %s: %s -> %s\n", group->count,
		 group->target, group->texts.text[0], group->texts.text[1]);
}

struct step {
	const char *target, *old_value, *new_value;
};

static void assert_folded(const struct step *steps, size_t count, const char *expected)
{
	struct step_folds *folds = step_folds_new();

	assert_non_null(folds);
	for (size_t i = 0; i < count; i++) {
		struct step_texts texts = { { steps[i].old_value, steps[i].new_value } };

		assert_int_equal(step_folds_add(folds, steps[i].target, &texts), 0);
	}
	lines[0] = '\0';
	assert_int_equal(step_folds_visit(folds, NULL, add_line, NULL), 0);
	assert_string_equal(lines, expected);
	step_folds_free(folds);
}

#define ASSERT_FOLDED(steps, expected) \
	assert_folded(steps, sizeof(steps) / sizeof((steps)[0]), expected)

static void cpus_stand_together_in_the_order_of_the_first(void **state)
{
	static const struct step steps[] = {
		{ "CPU 7: online", "0", "1" },
		{ "CPU 0: scaling_max_freq", "no limit", "2000000 kHz" },
		{ "CPU 1: scaling_max_freq", "no limit", "2000000 kHz" },
		{ "CPU 5: online", "0", "1" },
		{ "CPU 6: online", "0", "1" },
		{ "CPU 2: scaling_max_freq", "1000000 kHz", "2000000 kHz" },
	};

	(void)state;
	ASSERT_FOLDED(steps, "3 CPUs 5-7: online: 0 -> 1\n"
			     "2 CPUs 0-1: scaling_max_freq: no limit -> 2000000 kHz\n"
			     "1 CPU 2: scaling_max_freq: 1000000 kHz -> 2000000 kHz\n");
}

static void a_step_that_is_listed_twice_stands_once(void **state)
{
	static const struct step steps[] = {
		{ "CPU 3: online", "0", "1" }, { "package 0, die 0: core-power", "0", "1" },
		{ "CPU 3: online", "0", "1" }, { "package 0, die 0: core-power", "0", "1" },
		{ "CPU 3: online", "1", "0" },
	};

	(void)state;
	ASSERT_FOLDED(steps, "1 CPU 3: online: 0 -> 1\n"
			     "1 package 0, die 0: core-power: 0 -> 1\n"
			     "1 CPU 3: online: 1 -> 0\n");
}

/** Only where the cores are the same. */
static void domains_stand_together(void **state)
{
	static const struct step steps[] = {
		{ "package 0, die 0: CLOS of core 0", "0", "3" },
		{ "package 0, die 0: CLOS of core 1", "0", "3" },
		{ "package 0, die 1: CLOS of core 1", "0", "3" },
		{ "package 1, die 0: CLOS of core 0", "0", "3" },
		{ "package 1, die 0: CLOS of core 1", "0", "3" },
		{ "package 0, die 0: CLOS 1", "0xff0000", "0x140000" },
		{ "package 0, die 0: CLOS 2", "0xff0000", "0x140000" },
	};

	(void)state;
	ASSERT_FOLDED(steps, "4 packages 0-1, die 0: CLOS of cores 0-1: 0 -> 3\n"
			     "1 package 0, die 1: CLOS of core 1: 0 -> 3\n"
			     "2 package 0, die 0: CLOS 1-2: 0xff0000 -> 0x140000\n");
}

static void packages_with_the_same_numbers_stand_together(void **state)
{
	static const struct step steps[] = {
		{ "package 0, power domain 0: performance level", "0", "1" },
		{ "package 0, power domain 1: performance level", "0", "1" },
		{ "package 1, power domain 3: performance level", "0", "1" },
		{ "package 2, power domain 0: performance level", "0", "1" },
		{ "package 2, power domain 1: performance level", "0", "1" },
		{ "package 2, die 0: cpuset partition", "absent", "isolated" },
	};

	(void)state;
	ASSERT_FOLDED(steps,
		      "5 packages 0,2, power domains 0-1; package 1, power domain 3: performance "
		      "level: 0 -> 1\n"
		      "1 package 2, die 0: cpuset partition: absent -> isolated\n");
}

/** Those of the same field. */
static void classes_and_whole_packages_stand_together(void **state)
{
	static const struct step steps[] = {
		{ "package 0, die 0: CLOS 1 weight", "0", "15" },
		{ "package 0, die 0: CLOS 2 weight", "0", "15" },
		{ "package 0, die 0: CLOS 2 epp", "0", "15" },
		{ "package 1, die 0: CLOS 1 weight", "0", "15" },
		{ "package 1, die 0: CLOS 2 weight", "0", "15" },
		{ "package 0: turbo ratio limits", "3200 MHz", "x" },
		{ "package 1: turbo ratio limits", "3200 MHz", "x" },
	};

	(void)state;
	ASSERT_FOLDED(steps, "4 packages 0-1, die 0: CLOS 1-2 weight: 0 -> 15\n"
			     "1 package 0, die 0: CLOS 2 epp: 0 -> 15\n"
			     "2 packages 0-1: turbo ratio limits: 3200 MHz -> x\n");
}

static void what_is_no_part_of_the_machine_stays(void **state)
{
	static const struct step steps[] = {
		{ "cpuset controller of /sys/fs/cgroup", "0", "1" },
		{ "package 0: something", "0", "1" },
	};

	(void)state;
	ASSERT_FOLDED(steps, "1 cpuset controller of /sys/fs/cgroup: 0 -> 1\n"
			     "1 package 0: something: 0 -> 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_stand_together_in_the_order_of_the_first),
		cmocka_unit_test(a_step_that_is_listed_twice_stands_once),
		cmocka_unit_test(domains_stand_together),
		cmocka_unit_test(packages_with_the_same_numbers_stand_together),
		cmocka_unit_test(classes_and_whole_packages_stand_together),
		cmocka_unit_test(what_is_no_part_of_the_machine_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
