/* SPDX-License-Identifier: BSD-3-Clause */
/* The privileges that a run works with. */
#ifndef ISST_CLI_PRIVILEGES_H
#define ISST_CLI_PRIVILEGES_H

#include <stdbool.h>

/** True if the program has privileges that its caller does not have: set-uid, set-gid, or file
 * capabilities. It must not lend them to what the caller names. */
bool privileges_borrowed(void);

/** Opens files with the rights of the caller alone, until privileges_again(). Where the caller is
 * root nothing changes. Returns 0 or a negative errno: then nothing may be opened for the caller.
 */
int privileges_as_caller(void);

/** Ends that. Returns @error or, where that is 0, a negative errno of its own. */
int privileges_again(int error);

/**
 * Nothing that this process might execute gains privileges: no_new_privs sees to that. With
 * borrowed privileges the bounding set goes as well, a system call or two for each capability.
 *
 * Returns 0 or a negative errno.
 */
int privileges_gain_none(void);

/** What a run is going to do with the machine: read, change it, or read registers of CPUs. */
enum privileges_use { PRIVILEGES_READ, PRIVILEGES_CHANGE, PRIVILEGES_REGISTERS };

/**
 * Gives up the capabilities that are not needed any more, for this process and all that it might
 * become, as privileges_gain_none() does it.
 *
 * Returns 0 or a negative errno: then all of them are still there.
 */
int privileges_drop(enum privileges_use use);

/**
 * From here on the process, and what it might fork, can execute no program, connect to nothing but
 * local sockets, load no module or kernel, and change no mount or namespace. Such calls fail with
 * EPERM, and clone3() with ENOSYS.
 *
 * Needs no_new_privs. Returns 0 or a negative errno: not every kernel, architecture or tracer has
 * filters, and nothing depends on them.
 */
int privileges_deny_calls(void);

#endif
