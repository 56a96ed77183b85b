/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that goes on behind the program that started it; must not know what it does. */
#ifndef ISST_CLI_DAEMON_H
#define ISST_CLI_DAEMON_H

#include <sys/types.h>

struct daemon {
	int ready; /* where the parent waits; -1: this is no daemon */
};

/**
 * Forks. Returns 0 in the child, or a negative errno without one. The parent does not return: it
 * ends with status 0 once the child is ready, or with the status that the child ends with before.
 */
int daemon_start(struct daemon *daemon);

/**
 * Leaves session and standard streams of the caller and, unless it is NULL, goes to the working
 * directory @directory; then the parent ends. Returns 0 or a negative errno; -EPIPE: the parent was
 * ended, and so was not to go on.
 */
int daemon_ready(struct daemon *daemon, const char *directory);

#endif
