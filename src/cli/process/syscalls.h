/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls that a run needs no more; must not know what it does. */
#ifndef ISST_CLI_SYSCALLS_H
#define ISST_CLI_SYSCALLS_H

/**
 * From here on the process, and what it might fork, can execute no program, connect to nothing but
 * local sockets, load no module or kernel, and change no mount or namespace. Such calls fail with
 * EPERM, and clone3() with ENOSYS.
 *
 * Needs no_new_privs. Returns 0 or a negative errno: not every kernel, architecture or tracer has
 * filters, and nothing depends on them.
 */
int syscalls_deny(void);

#endif
