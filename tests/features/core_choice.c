/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores get high priority: spread over packages and power domains, lowest numbers first. */
#include "features/core_choice.h"
#include "support/check.h"

enum { MOST = 512 };

/** A machine of so many packages, domains in each, and cores in each of these. */
static size_t make_cores(struct core_candidate *cores, unsigned int packages, unsigned int domains,
			 unsigned int each)
{
	size_t count = 0;

	for (unsigned int package = packages; package-- > 0;)
		for (unsigned int domain = 0; domain < domains; domain++)
			for (unsigned int core = 0; core < each; core++)
				cores[count++] = (struct core_candidate){ .package = package,
									  .domain = domain,
									  .core = core };
	assert_true(count <= MOST);
	return count;
}

/** What was chosen, as `package.domain.core`. */
static void check_chosen(const struct core_candidate *cores, size_t count, const char *expected)
{
	char text[1024] = "";
	size_t length = 0;

	for (size_t i = 0; i < count; i++)
		if (cores[i].chosen)
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "%s%u.%u.%u", length ? " " : "",
						   cores[i].package, cores[i].domain,
						   cores[i].core);
	assert_string_equal(text, expected);
}

TEST(eight_of_each_package_are_four_of_each_domain)
{
	struct core_candidate cores[MOST];
	size_t count = make_cores(cores, 2, 2, 32);

	assert_int_equal(core_choice_make(cores, count, 8, true), 0);
	check_chosen(cores, count,
		     "0.0.0 0.0.1 0.0.2 0.0.3 0.1.0 0.1.1 0.1.2 0.1.3 "
		     "1.0.0 1.0.1 1.0.2 1.0.3 1.1.0 1.1.1 1.1.2 1.1.3");
}

TEST(what_cannot_be_spread_evenly_goes_to_the_first)
{
	struct core_candidate cores[MOST];
	size_t count = make_cores(cores, 2, 2, 4);

	assert_int_equal(core_choice_make(cores, count, 3, true), 0);
	check_chosen(cores, count, "0.0.0 0.0.1 0.1.0 1.0.0 1.0.1 1.1.0");
	assert_int_equal(core_choice_make(cores, count, 3, false), 0);
	check_chosen(cores, count, "0.0.0 0.1.0 1.0.0");
}

TEST(a_domain_with_too_few_leaves_the_rest_to_others)
{
	struct core_candidate cores[] = {
		{ .domain = 0, .core = 5 }, { .domain = 1, .core = 0 }, { .domain = 1, .core = 1 },
		{ .domain = 1, .core = 2 }, { .domain = 1, .core = 3 },
	};

	assert_int_equal(core_choice_make(cores, COUNT(cores), 4, true), 0);
	check_chosen(cores, COUNT(cores), "0.0.5 0.1.0 0.1.1 0.1.2");
}

TEST(the_fastest_cores_of_a_domain_come_first)
{
	struct core_candidate cores[] = {
		{ .core = 0, .rank = 3800000 },
		{ .core = 1, .rank = 3800000 },
		{ .core = 6, .rank = 3900000 },
		{ .core = 3, .rank = 3900000 },
		{ .core = 4 },
	};

	assert_int_equal(core_choice_make(cores, COUNT(cores), 3, false), 0);
	check_chosen(cores, COUNT(cores), "0.0.3 0.0.6 0.0.0");
}

TEST(what_is_missing_is_counted)
{
	struct core_candidate cores[MOST];
	size_t count = make_cores(cores, 2, 1, 2);

	assert_int_equal(core_choice_make(cores, count, 3, true), 2);
	check_chosen(cores, count, "0.0.0 0.0.1 1.0.0 1.0.1");
	assert_int_equal(core_choice_make(cores, count, 7, false), 3);
	assert_int_equal(core_choice_make(cores, 0, 7, false), 7);
	assert_int_equal(core_choice_make(cores, 0, 7, true), 0);
}
