/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that many tests share. */
#include "support/check.h"

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
