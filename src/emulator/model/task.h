/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATOR_TASK_H
#define EMULATOR_TASK_H

#include <stdint.h>
#include <sys/types.h>

enum { TASK_FIELD = 64 };
/** Reads a line of /proc/TASK/status, such as "Tgid:", without its name. Returns 0 or -errno. */
int read_task_field(pid_t task, const char *name, char value[TASK_FIELD]);
/** A set of signals there, such as "SigBlk:", from bit 0 on; none where it cannot be read. */
uint64_t task_signals(pid_t task, const char *name);

#endif
