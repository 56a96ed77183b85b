/* SPDX-License-Identifier: BSD-3-Clause */
/* Notifies the service manager of what this process does: the protocol of sd_notify(3), without its
 * library. */
#ifndef ISST_CLI_NOTIFY_H
#define ISST_CLI_NOTIFY_H

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

#endif
