/* SPDX-License-Identifier: BSD-3-Clause */
/* Before a configuration is applied: whether it is for this processor, and whether what it needs is
 * there. Must not know what it states. */
#ifndef ISST_CLI_CONFIG_WAIT_H
#define ISST_CLI_CONFIG_WAIT_H

#include "../run/run.h"

/**
 * Called before the lock is taken, which keeps the device open. Reports that the configuration is
 * skipped on this processor, also where it has no driver; or waits for what the configuration needs
 * as long as --wait allows: what is missing then is met and reported by the run itself. Returns
 * false where there is nothing to do.
 */
bool config_wait(struct run *run);

#endif
