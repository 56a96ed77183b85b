/* SPDX-License-Identifier: BSD-3-Clause */
/* Notifies the service manager of what this process does: the protocol of sd_notify(3), without its
 * library. */
#ifndef ISST_CLI_NOTIFY_H
#define ISST_CLI_NOTIFY_H

#include <stdbool.h>

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
