/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory that a machine lives in, its lock, and its system log. */
#ifndef EMULATOR_STATE_DIRECTORY_H
#define EMULATOR_STATE_DIRECTORY_H

#include "emulator/model/machines.h"

/** Where the state of @platform is, and opens that directory. Returns a descriptor or -errno. */
int directory_open(const struct isst_emulator_target *target, const char *platform, bool make,
		   char **path, char **error);
/** Opens and locks the lock file of a state directory; the lock ends with the descriptor. */
int directory_lock(int directory, const char *path, char **error);
/** Removes @name below @directory with everything in it. A missing one is no error. */
int directory_remove(int directory, const char *name);

/** Locks what directory_lock() has opened. Returns 0; -ETIMEDOUT where another process keeps it
 * locked for long, with *@holder as a text that names that process; or another negative errno. */
int directory_wait_lock(int lock, char **holder);

/** Appends a line to the machine's system log. */
void directory_log(int directory, const char *line);

#endif
