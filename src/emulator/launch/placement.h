/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPUs and memory nodes of tasks, for the server of system calls. */
#ifndef EMULATOR_LAUNCH_PLACEMENT_H
#define EMULATOR_LAUNCH_PLACEMENT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct isst_machine;

/** Returns false without memory. */
bool placements_begin(const struct isst_machine *machine);

/* The system calls of these names, made by a task. Return as those, errors as -errno. */
long get_affinity(pid_t caller, const __u64 *arguments);
long set_affinity(pid_t caller, const __u64 *arguments);
long get_memory_policy(pid_t caller, const __u64 *arguments);
long set_memory_policy(pid_t caller, const __u64 *arguments);
long bind_memory(pid_t caller, const __u64 *arguments);

/** Prints the lines of /proc/PID/status on CPUs and memory nodes. */
void print_placement(pid_t task, FILE *stream);

#endif
