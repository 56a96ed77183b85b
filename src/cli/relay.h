/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines for a stream that may stall: a terminal that is stopped, a pipe whose reader sleeps.
 * Another process writes them, so that this one never waits for the reader. Must not know what the
 * lines are about.
 */
#ifndef ISST_CLI_RELAY_H
#define ISST_CLI_RELAY_H

#include <stdio.h>

struct relay;

/**
 * Forks the process that writes to @descriptor. It keeps what is open at that time open as well:
 * so before a lock is taken. Returns 0 or a negative errno.
 */
int relay_open(int descriptor, struct relay **relay);

/** Where the lines are printed to: writing to it never waits. It is the relay's. */
FILE *relay_stream(const struct relay *relay);

/** Waits until everything is written, as long as that may take. NULL: there is nothing to do. */
void relay_close(struct relay *relay);

#endif
