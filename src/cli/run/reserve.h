/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock, signals and privileges of a run; must not know what the command does. */
#ifndef ISST_CLI_RESERVE_H
#define ISST_CLI_RESERVE_H

#include "../render/output.h"
#include "run.h"

/** Makes sure that no other process changes the machine, and nothing ends this run halfway. Returns
 * false after an error. */
bool reserve_machine(struct run *run);

/** The same without the lock, for a run that takes it later. */
bool reserve_process(struct run *run);

/** Drops the capabilities and system calls that the rest of the run does not need. */
void reserve_drop_privileges(struct run *run, struct output *output);

#endif
