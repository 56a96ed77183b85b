/* SPDX-License-Identifier: BSD-3-Clause */
/* What every test includes: cmocka with the headers that it wants before it, and a few checks. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include "support/test.h"
#include "topology/context.h"

/** A text, to be freed. */
__attribute__((format(printf, 1, 2))) char *formatted(const char *format, ...);

/** Fails unless @text holds @part; prints both. */
void check_holds(const char *text, const char *part);

/** The set that a list names; to be freed. */
struct isst_cpuset *check_set(const char *list);

/** Fails unless the set is what a list with ranges says; prints both. */
void check_cpus(const struct isst_cpuset *set, const char *ranges);

/** Fails unless the value is known and is @number. */
#define check_known(result, number) \
	do { \
		assert_int_equal((result).state, ISST_KNOWN); \
		assert_int_equal((result).value, (number)); \
	} while (0)

#define check_absent(result) assert_int_equal((result).state, ISST_ABSENT)
#define check_unreadable(result) assert_int_equal((result).state, ISST_UNREADABLE)

#endif
