/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of CPU numbers: adding, lists, output formats. */
#include "base/cpuset.h"
#include "common/numbered.h"
#include "support/check.h"

static void add(struct isst_cpuset *set, unsigned int first, unsigned int last)
{
	assert_int_equal(isst_cpuset_add(set, first, last), 0);
}

static void check_list(const char *list, const char *ranges)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set(list);

	check_cpus(set, ranges);
}

static void check_bad_list(const char *list, int error, size_t bad_at)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("5");
	const char *bad = NULL;
	int result = isst_cpuset_add_list(set, list, &bad);

	if (result != error || bad != list + bad_at)
		fail_msg("'%s' gives %d at '%s'", list, result, bad ? bad : "(null)");
	check_cpus(set, "5");
}

TEST(sets_are_cut)
{
	struct isst_cpuset *set = isst_cpuset_new(), *other = isst_cpuset_new();
	autofree char *list = NULL, *common = NULL;

	assert_int_equal(isst_cpuset_add_list(set, "0-9,20-29", NULL), 0);
	assert_int_equal(isst_cpuset_remove(set, 8, 21), 0);
	assert_int_equal(isst_cpuset_remove(set, 3, 2), -EINVAL);
	assert_int_equal(isst_cpuset_add_list(other, "5,25-40", NULL), 0);
	assert_int_equal(isst_cpuset_remove_set(set, other), 0);
	list = isst_cpuset_to_list(set);
	assert_string_equal(list, "0-4,6-7,22-24");
	assert_int_equal(isst_cpuset_add_list(other, "7,0", NULL), 0);
	assert_int_equal(isst_cpuset_intersect(set, other), 0);
	common = isst_cpuset_to_list(set);
	assert_string_equal(common, "0,7");
	assert_false(isst_cpuset_is_equal(set, other));
	assert_int_equal(isst_cpuset_intersect(other, set), 0);
	assert_true(isst_cpuset_is_equal(set, other));
	isst_cpuset_free(set);
	isst_cpuset_free(other);
}

TEST(a_new_set_is_empty)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = isst_cpuset_new();
	unsigned int cpu = 77;

	assert_int_equal(isst_cpuset_count(set), 0);
	assert_false(isst_cpuset_has(set, 0));
	assert_false(isst_cpuset_next(set, 0, &cpu));
	assert_int_equal(cpu, 77);
	check_cpus(set, "");
	autofree char *text = numbers_enumeration(set);
	assert_string_equal(text, "");
}

TEST(a_cpu_is_taken_out_wherever_it_is_in_a_range)
{
	static const struct {
		const char *before;
		unsigned int cpu;
		const char *after;
	} CASES[] = {
		{ "", 3, "" },
		{ "3", 3, "" },
		{ "3-5", 3, "4-5" },
		{ "3-5", 4, "3,5" },
		{ "3-5", 5, "3-4" },
		{ "3-5", 6, "3-5" },
		{ "0-2,4-6", 3, "0-2,4-6" },
		{ "0-2,4-6", 5, "0-2,4,6" },
		{ "0,2,4,6", 0, "2,4,6" },
		{ "0,2,4,6-8", 7, "0,2,4,6,8" },
	};

	for (size_t i = 0; i < COUNT(CASES); i++) {
		freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set(CASES[i].before);

		assert_int_equal(isst_cpuset_remove(set, CASES[i].cpu, CASES[i].cpu), 0);
		check_cpus(set, CASES[i].after);
	}
}

TEST(freeing_no_set_does_nothing)
{
	isst_cpuset_free(NULL);
}

TEST(adjacent_and_overlapping_ranges_become_one)
{
	static const struct {
		const char *before;
		unsigned int first, last;
		const char *after;
	} CASES[] = {
		{ "4-6", 7, 9, "4-9" },
		{ "4-6", 1, 3, "1-6" },
		{ "4-6", 8, 9, "4-6,8-9" },
		{ "4-6", 1, 2, "1-2,4-6" },
		{ "4-6", 5, 5, "4-6" },
		{ "4-6", 4, 6, "4-6" },
		{ "4-6", 2, 9, "2-9" },
		{ "4-6", 6, 8, "4-8" },
		{ "4-6", 3, 4, "3-6" },
		{ "1,3,5,7", 2, 6, "1-7" },
		{ "1,3,5,7", 4, 4, "1,3-5,7" },
		{ "1,3,5,7", 0, 9, "0-9" },
		{ "1,5,9", 3, 3, "1,3,5,9" },
		{ "0", 1, 1, "0-1" },
		{ "1", 0, 0, "0-1" },
		{ "2", 0, 0, "0,2" },
		{ "1-3,10-12,20-22", 4, 19, "1-22" },
		{ "1-3,10-12,20-22", 5, 8, "1-3,5-8,10-12,20-22" },
		{ "1-3,10-12,20-22", 11, 30, "1-3,10-30" },
		{ "1048574", 1048575, 1048575, "1048574-1048575" },
		{ "1048575", 0, 4294967294, "0-4294967294" },
	};

	for (size_t i = 0; i < COUNT(CASES); i++) {
		freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set(CASES[i].before);

		add(set, CASES[i].first, CASES[i].last);
		check_cpus(set, CASES[i].after);
	}
}

/** Adds numbers in a scrambled order and compares with a plain table after each. */
TEST(any_order_of_adding_gives_the_same_set)
{
	enum { SPACE = 257 };
	bool expected[SPACE] = { false };
	freed_by(isst_cpuset_free) struct isst_cpuset *set = isst_cpuset_new();
	unsigned int number = 1, count = 0;

	for (unsigned int step = 0; step < 200; step++) {
		unsigned int last, cpu;

		number = number * 75 % SPACE;
		last = number + step % 3 < SPACE ? number + step % 3 : number;
		add(set, number, last);
		for (cpu = number; cpu <= last; cpu++) {
			count += !expected[cpu];
			expected[cpu] = true;
		}
		assert_int_equal(isst_cpuset_count(set), count);
		for (cpu = 0; cpu < SPACE; cpu++)
			assert_int_equal(isst_cpuset_has(set, cpu), expected[cpu]);
	}
}

TEST(a_set_is_added_to_another)
{
	struct isst_cpuset *set = check_set("0-3,8"), *other = check_set("2,4,10-11");

	assert_int_equal(isst_cpuset_add_set(set, other), 0);
	check_cpus(set, "0-4,8,10-11");
	check_cpus(other, "2,4,10-11");
	isst_cpuset_free(set);
	isst_cpuset_free(other);
}

TEST(lists_name_numbers_and_ranges_in_both_notations)
{
	check_list("", "");
	check_list("0", "0");
	check_list("1,3-5,8..10", "1,3-5,8-10");
	check_list("8..10", "8-10");
	check_list("5-5", "5");
	check_list("7..7", "7");
	check_list("3,2,1", "1-3");
	check_list("1,1,1", "1");
	check_list("0-63,128-191", "0-63,128-191");
	check_list("0007,010", "7,10");
	check_list("0000000000000000000000000000000000000004", "4");
	check_list("1048575", "1048575");
	check_list("0-1048575", "0-1048575");
	/* Files of the kernel end with a newline. */
	check_list("1,3-5\n", "1,3-5");
	check_list("\n", "");
}

TEST(an_invalid_list_changes_nothing_and_reports_the_position)
{
	check_bad_list("a", -EINVAL, 0);
	check_bad_list("-1", -EINVAL, 0);
	check_bad_list("+1", -EINVAL, 0);
	check_bad_list(",", -EINVAL, 0);
	check_bad_list(",1", -EINVAL, 0);
	check_bad_list("1,", -EINVAL, 2);
	check_bad_list("1,,2", -EINVAL, 2);
	check_bad_list("1, 2", -EINVAL, 2);
	check_bad_list(" 1", -EINVAL, 0);
	check_bad_list("1 ", -EINVAL, 1);
	check_bad_list("1\n\n", -EINVAL, 1);
	check_bad_list("1\n2", -EINVAL, 1);
	check_bad_list("\n1", -EINVAL, 0);
	check_bad_list("1,\n", -EINVAL, 2);
	check_bad_list("1-", -EINVAL, 2);
	check_bad_list("1..", -EINVAL, 3);
	check_bad_list("1.2", -EINVAL, 1);
	check_bad_list("1...2", -EINVAL, 3);
	check_bad_list("1--2", -EINVAL, 2);
	check_bad_list("1-2-3", -EINVAL, 3);
	check_bad_list("1;2", -EINVAL, 1);
	check_bad_list("0x10", -EINVAL, 1);
	check_bad_list("1,2,x,4", -EINVAL, 4);
	check_bad_list("all", -EINVAL, 0);
}

TEST(a_range_that_runs_backwards_is_refused)
{
	check_bad_list("5-4", -EINVAL, 2);
	check_bad_list("5..4", -EINVAL, 3);
	check_bad_list("1,10-2,3", -EINVAL, 5);
}

TEST(D14_a_number_too_large_for_a_cpu_is_out_of_range)
{
	check_bad_list("1048576", -ERANGE, 0);
	check_bad_list("0-1048576", -ERANGE, 2);
	check_bad_list("4294967295", -ERANGE, 0);
	check_bad_list("4294967296", -ERANGE, 0);
	check_bad_list("1,4294967295", -ERANGE, 2);
	check_bad_list("0-4294967295", -ERANGE, 2);
	check_bad_list("18446744073709551616", -ERANGE, 0);
	check_bad_list("18446744073709551617", -ERANGE, 0);
	check_bad_list("99999999999999999999999999999999999999", -ERANGE, 0);
}

TEST(D14_a_number_above_16_bits_is_not_another_cpu)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("65537");

	assert_false(isst_cpuset_has(set, 1));
	assert_true(isst_cpuset_has(set, 65537));
	check_cpus(set, "65537");
}

TEST(the_position_of_a_bad_list_is_optional)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = isst_cpuset_new();

	assert_int_equal(isst_cpuset_add_list(set, "x", NULL), -EINVAL);
}

TEST(D15_lists_of_thousands_are_complete)
{
	enum { CPUS = 5000 };
	struct isst_cpuset *set = isst_cpuset_new(), *again;
	char *at;

	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		add(set, 2 * (CPUS - 1 - cpu), 2 * (CPUS - 1 - cpu));
	assert_int_equal(isst_cpuset_count(set), CPUS);
	autofree char *list = at = numbers_enumeration(set);
	for (unsigned long cpu = 0; cpu < CPUS; cpu++) {
		assert_int_equal(strtoul(at, &at, 10), 2 * cpu);
		assert_int_equal(*at, cpu == CPUS - 1 ? '\0' : ',');
		at++;
	}
	autofree char *ranges = isst_cpuset_to_list(set);
	assert_string_equal(ranges, list);
	again = check_set(list);
	assert_int_equal(isst_cpuset_count(again), CPUS);
	isst_cpuset_free(again);
	isst_cpuset_free(set);
}

TEST(walking_goes_up_through_every_cpu_once)
{
	static const unsigned int EXPECTED[] = { 0, 3, 4, 5, 4097, 1048575 };
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("0,3-5,4097,1048575");
	unsigned int cpu;
	size_t at = 0;

	isst_cpuset_for_each (cpu, set)
		assert_int_equal(cpu, EXPECTED[at++]);
	assert_int_equal(at, COUNT(EXPECTED));
}

TEST(the_walk_ends_after_the_highest_number)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = isst_cpuset_new();
	unsigned int cpu, steps = 0;

	add(set, UINT32_MAX - 2, UINT32_MAX - 1);
	isst_cpuset_for_each (cpu, set)
		steps++;
	assert_int_equal(steps, 2);
	assert_int_equal(isst_cpuset_count(set), 2);
}

/** After it a walk could not end. */
TEST(the_largest_number_is_no_cpu)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("1");

	assert_int_equal(isst_cpuset_add(set, 7, UINT32_MAX), -ERANGE);
	assert_int_equal(isst_cpuset_add(set, UINT32_MAX, UINT32_MAX), -ERANGE);
	check_cpus(set, "1");
}

TEST(walks_can_be_nested)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("1,3-4");
	unsigned int outer, inner, pairs = 0;

	isst_cpuset_for_each (outer, set)
		isst_cpuset_for_each (inner, set)
			pairs += outer < inner;
	assert_int_equal(pairs, 3);
}

TEST(the_next_cpu_is_found_from_anywhere)
{
	static const struct {
		unsigned int from, next;
	} CASES[] = { { 0, 2 }, { 2, 2 }, { 3, 3 }, { 4, 4 }, { 5, 9 }, { 9, 9 } };
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("2-4,9");
	unsigned int cpu;

	for (size_t i = 0; i < COUNT(CASES); i++) {
		assert_true(isst_cpuset_next(set, CASES[i].from, &cpu));
		assert_int_equal(cpu, CASES[i].next);
	}
	assert_false(isst_cpuset_next(set, 10, &cpu));
}

TEST(a_list_writes_every_cpu_out)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("0-2,5");
	autofree char *list = numbers_enumeration(set);

	assert_string_equal(list, "0,1,2,5");
}

static void check_mask(const char *cpus, unsigned int bits, const char *expected)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set(cpus);
	autofree char *mask = numbers_mask(set, bits);

	assert_string_equal(mask, expected);
}

TEST(masks_are_whole_words_most_significant_first)
{
	check_mask("", 0, "");
	check_mask("", 32, "00000000");
	check_mask("0", 32, "00000001");
	check_mask("31", 32, "80000000");
	check_mask("0-31", 32, "ffffffff");
	check_mask("0", 1, "00000001");
	check_mask("0,32", 33, "00000001,00000001");
	check_mask("0,32", 64, "00000001,00000001");
	check_mask("4-7,36-39", 96, "00000000,000000f0,000000f0");
	check_mask("63", 64, "80000000,00000000");
}

TEST(cpus_beyond_a_mask_are_left_out_of_it)
{
	check_mask("0,32,64", 32, "00000001");
	check_mask("0,32,64", 64, "00000001,00000001");
	check_mask("100", 64, "00000000,00000000");
	check_mask("1048575", 32, "00000000");
}

TEST(D15_a_mask_of_thousands_of_cpus_is_complete)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("0-4095");
	autofree char *mask = numbers_mask(set, 4096);

	assert_int_equal(strlen(mask), 128 * 9 - 1);
	assert_int_equal(strspn(mask, "f,"), 128 * 9 - 1);
}

TEST(C5_a_range_that_runs_backwards_cannot_be_added)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("1,5");

	assert_int_equal(isst_cpuset_add(set, 9, 3), -EINVAL);
	check_cpus(set, "1,5");
	assert_int_equal(isst_cpuset_count(set), 2);
}

TEST(C5_no_set_is_an_empty_one)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("1");
	unsigned int cpu, walked = 0;
	char *text;

	isst_cpuset_for_each (cpu, NULL)
		walked++;
	assert_int_equal(walked, 0);
	assert_int_equal(isst_cpuset_count(NULL), 0);
	assert_false(isst_cpuset_has(NULL, 0));
	assert_int_equal(isst_cpuset_add_set(set, NULL), 0);
	check_cpus(set, "1");
	text = numbers_enumeration(NULL);
	assert_string_equal(text, "");
	free(text);
	text = isst_cpuset_to_list(NULL);
	assert_string_equal(text, "");
	free(text);
	text = numbers_mask(NULL, 32);
	assert_string_equal(text, "00000000");
	free(text);
}

TEST(what_two_sets_have_in_common_is_added_to_a_third)
{
	struct isst_cpuset *one = check_set("0-5,9"), *other = check_set("4-9");
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("1");

	assert_int_equal(cpuset_add_common(set, one, other), 0);
	check_cpus(set, "1,4-5,9");
	assert_int_equal(cpuset_add_except(set, one, other), 0);
	check_cpus(set, "0-5,9");
	assert_int_equal(cpuset_add_common(set, NULL, other), 0);
	assert_int_equal(cpuset_add_except(set, other, NULL), 0);
	check_cpus(set, "0-9");
	assert_int_equal(cpuset_add_common(NULL, one, other), -ENOMEM);
	isst_cpuset_free(other);
	isst_cpuset_free(one);
}
