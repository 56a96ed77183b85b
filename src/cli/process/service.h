/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that goes on behind the program that started it, and what it sends to the service
 * manager: the protocol of sd_notify(3), without its library. */
#ifndef ISST_CLI_SERVICE_H
#define ISST_CLI_SERVICE_H

#include <stdbool.h>

struct daemon {
	int ready; /* where the parent waits; -1: this is no daemon */
};

/** Forks. Returns 0 in the child, or a negative errno without one. The parent does not return: it
 * ends with status 0 once the child is ready, or with the status that the child ends with before.
 */
int daemon_start(struct daemon *daemon);

/** Leaves session and standard streams of the caller and, unless it is NULL, goes to the working
 * directory @directory; then the parent ends. Returns 0 or a negative errno; -EPIPE: the parent was
 * ended, and so was not to go on. */
int daemon_ready(struct daemon *daemon, const char *directory);

/**
 * Sends assignments such as "READY=1\nSTATUS=..." to the socket that NOTIFY_SOCKET names: a path,
 * or an abstract name behind an @. Never waits.
 *
 * Returns 1, 0 (no manager has asked for it) or a negative errno.
 */
int notify_manager(const char *assignments);

/** Sends RELOADING=1 with the time that Type=notify-reload requires. READY=1 ends it. Returns the
 * same. */
int notify_reloading(void);

/** Sends STATUS=, a line that the manager shows. Returns the same. */
int notify_status(const char *line);

/** Whether what is written to a descriptor is in the journal: JOURNAL_STREAM names its file, which
 * is not that of everyone who inherits the variable. */
bool notify_is_journal(int descriptor);

#endif
