/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_SERVICE_H
#define ISST_CLI_SERVICE_H

#include <stdbool.h>

struct daemon {
	int ready; /* where the parent waits; -1: this is no daemon */
};

/** Forks. Returns 0 in the child, or a negative errno. The parent ends once the child is ready, or
 * as it ends. */
int daemon_start(struct daemon *daemon);

/** Leaves session, streams and directory (NULL: not), and ends the parent. Returns 0 or a negative
 * errno; -EPIPE: the parent is gone. */
int daemon_ready(struct daemon *daemon, const char *directory);

/** Sends "READY=1\nSTATUS=..." to NOTIFY_SOCKET, without waiting. Returns 1, 0: there is none, or
 * a negative errno. */
int notify_manager(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Sends RELOADING=1, which READY=1 ends. Returns the same. */
int notify_reloading(void);

/** Whether a descriptor is the journal's, by JOURNAL_STREAM, which others may have inherited. */
bool notify_is_journal(int descriptor);

#endif
