/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATOR_TASK_H
#define EMULATOR_TASK_H

#include <stdint.h>
#include <sys/types.h>

enum { TASK_FIELD = 64 };
/** Reads a line of /proc/TASK/status, such as "Tgid:", without its name. Returns 0 or -errno. */
int read_task_field(pid_t task, const char *name, char value[TASK_FIELD]);
/** A mask there, such as "SigBlk:" or "CapEff:"; 0 where it cannot be read. */
uint64_t task_mask(pid_t task, const char *name);

#endif
