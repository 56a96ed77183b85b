/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_PRIVILEGES_H
#define ISST_CLI_PRIVILEGES_H

#include <stdbool.h>

/** True for set-uid, set-gid or file capabilities, which must not serve what the caller names. */
bool privileges_borrowed(void);

/** Opens files with the caller's rights until privileges_again(). Returns 0 or a negative errno. */
int privileges_as_caller(void);

/** Ends that. Returns @error or, where that is 0, a negative errno of its own. */
int privileges_again(int error);

/** Sets no_new_privs, with borrowed privileges also the bounding set. Returns 0 or a negative
 * errno. */
int privileges_gain_none(void);

/** What a run is going to do with the machine: read, change it, or read registers of CPUs. */
enum privileges_use { PRIVILEGES_READ, PRIVILEGES_CHANGE, PRIVILEGES_REGISTERS };

/** Drops the capabilities that the use does not need. Returns 0 or a negative errno. */
int privileges_drop(enum privileges_use use);

/** Denies programs, sockets other than local ones, modules, mounts and namespaces from here on:
 * EPERM, of clone3() ENOSYS. Needs no_new_privs. Returns 0 or a negative errno, which does not
 * matter. */
int privileges_deny_calls(void);

#endif
