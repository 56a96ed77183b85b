/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over commands in which one allocation after the other, or one file descriptor after the
 * other, is not to be had. Each is a test whose *state is the name of the platform.
 *
 * A command that then succeeds has done all and printed the right thing. One that fails has changed
 * nothing, or ends with the corresponding status (5), and the next run completes it. None crashes,
 * and none leaves memory that it has not freed.
 */
#ifndef TESTS_FAILING_FAILING_H
#define TESTS_FAILING_FAILING_H

#include <stdbool.h>

/** @what: "memory" or "descriptors". @on: what follows fails as well. */
void each_fails(const char *platform, const char *what, bool on);

/** Every single allocation of commands that only plan a change. */
void each_plan_is_freed(const char *platform);

/** Every single allocation of a comparison of CPUs: none is taken for a wrong request. */
void each_comparison_fails(const char *platform);

/**
 * Every single read of the machine fails for good (`make check`: some of them): a request to the
 * driver, a register or a file. The command fails, and has changed nothing, or does and prints the
 * same; but for notices of what its answer does not depend on.
 */
void each_read_fails(const char *platform);

/** Whether programs can be run with the library that makes things fail; else the test is skipped.
 */
void skip_where_impossible(void);

#endif
