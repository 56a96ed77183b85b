/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command that watches a machine, from its options to its lines. Waits for the time of the next
 * look, for signals, and for hints of the kernel.
 */
#ifndef ISST_CLI_WATCH_WATCH_H
#define ISST_CLI_WATCH_WATCH_H

#include "../render/output.h"
#include "../run/run.h"

/**
 * Watches until a signal ends it, or a difference where that is asked for.
 *
 * @run: the machine is open and discovered
 * Returns the status that the program ends with.
 */
enum exit_status watch_machine(struct run *run, struct output *output);

#endif
