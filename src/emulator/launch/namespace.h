/* SPDX-License-Identifier: BSD-3-Clause */
/* The namespaces of a start, in the order in which they are entered; all but namespace_map() in the
 * process that becomes the program. Each returns 0, or a negative errno with *@error set. */
#ifndef EMULATOR_LAUNCH_NAMESPACE_H
#define EMULATOR_LAUNCH_NAMESPACE_H

#include "emulator/launch/launch.h"

/** Unless the caller is privileged: a user namespace in which it may mount. */
int namespace_enter_user(const struct launch *launch, char **error);
/** The mounts. @files: the socket of the server of files, which is told of its file system */
int namespace_mount(const struct launch *launch, int files, char **error);
/** The user namespace of the program, and a mount namespace of that, by which all mounts are
 * locked. It has no ids until namespace_map(). */
int namespace_enter_last(char **error);
/** In the server of calls: gives that namespace its ids. Returns 0 or a negative errno. */
int namespace_map(const struct launch *launch, pid_t program);

#endif
