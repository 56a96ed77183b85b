/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over commands in which one allocation after the other, or one file descriptor after the
 * other, is not to be had. Each is a test whose *state is the name of the platform.
 *
 * A command that then succeeds has done all and printed the right thing. One that fails has changed
 * nothing, or ends with the corresponding status (5), and the next run completes it. Where the
 * command itself has no memory it ends at once, with status 3 and one message, and the next run
 * makes the change as if it had been killed. None crashes, and none else leaves memory that it has
 * not freed.
 */
#ifndef TESTS_FAILING_FAILING_H
#define TESTS_FAILING_FAILING_H

#include <stdbool.h>
#include <stddef.h>

/** @what: "memory" or "descriptors". @on: what follows fails as well. */
void each_fails(const char *platform, const char *what, bool on);

/** Each @stride-th allocation of commands that change nothing: what was had is freed, and none is
 * taken for a wrong request. */
void allocations_fail(const char *platform, const char *const *lines, size_t count,
		      unsigned long stride);

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
