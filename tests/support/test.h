/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests as all programs have them; knows the public headers alone. */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <isst-config.h>
#include <isst-journal.h>
#include <isst.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** A test, as test_main() runs it: once with each of the states, or without one. */
struct test {
	const char *name;
	CMUnitTestFunction function;
	CMFixtureFunction setup, teardown;
	const char *const *states; /* ended by NULL */
	struct test *next;
};

void test_register(struct test *test);

/** Runs the tests of the program in their order in the file; the default of main(). */
int test_main(CMFixtureFunction setup, CMFixtureFunction teardown);

/** Registers a test; the states are names of platforms, or NULL. */
#define REGISTER_AS(name, label, function, setup, teardown, ...) \
	__attribute__((constructor)) static void register_##label(void) \
	{ \
		static const char *const STATES[] = { __VA_ARGS__, NULL }; \
		static struct test this = { name, function, setup, teardown, STATES, NULL }; \
		test_register(&this); \
	}
#define REGISTER(function, ...) REGISTER_AS(#function, function, function, __VA_ARGS__)
#define DEFINE_TEST(name, ...) \
	static void name(void **state); \
	REGISTER(name, __VA_ARGS__) \
	static void name(__attribute__((unused)) void **state)

/** A test, whose body follows. */
#define TEST(name) DEFINE_TEST(name, NULL, NULL, NULL)
#define TEST_WITH(name, setup, teardown) DEFINE_TEST(name, setup, teardown, NULL)
/** It runs on each of the platforms, whose name is *state. */
#define TEST_ON(name, ...) DEFINE_TEST(name, NULL, NULL, __VA_ARGS__)
/** So does a function that is defined elsewhere. */
#define RUN_ON(function, ...) REGISTER(function, NULL, NULL, __VA_ARGS__)

/** What is freed at the end of its block: a text, or what a function of the library frees. */
#define autofree __attribute__((cleanup(check_free)))
#define freed_by(end) __attribute__((cleanup(end##_at)))
void check_free(char **text);
#define CAN_BE_FREED_BY(end, type) \
	static inline void end##_at(type *freed) \
	{ \
		end(*freed); \
	}
CAN_BE_FREED_BY(isst_close, struct isst_context *)
CAN_BE_FREED_BY(isst_cpuset_free, struct isst_cpuset *)
CAN_BE_FREED_BY(isst_config_free, struct isst_config *)
CAN_BE_FREED_BY(isst_change_free, struct isst_change *)
CAN_BE_FREED_BY(isst_journal_free, struct isst_journal *)

#endif
