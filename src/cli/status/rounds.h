/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Carries a reading command out again and again, and shows what it reports: on a terminal in place,
 * elsewhere one screen after the other. Must not know what the command does.
 */
#ifndef ISST_CLI_ROUNDS_H
#define ISST_CLI_ROUNDS_H

#include "../render/output.h"
#include "../run/run.h"

/**
 * Watches until the user or the terminal ends it. The machine is discovered, and again only where
 * other CPUs are online.
 *
 * @run: its report has what was reported before
 * @ask: carries the command out once
 * Returns the status that the program ends with; a signal that ended it arrives when those of the
 * run are released.
 */
enum exit_status rounds_run(struct run *run, struct output *output, void (*ask)(struct run *run));

#endif
