/* SPDX-License-Identifier: BSD-3-Clause */
/* The capabilities that a run goes on with; must not know what it does. */
#ifndef ISST_CLI_PRIVILEGES_H
#define ISST_CLI_PRIVILEGES_H

#include <stdbool.h>

/**
 * Gives up the capabilities that are not needed any more.
 *
 * @changing: the run is going to change the machine
 * Returns 0 or a negative errno: then all of them are still there.
 */
int privileges_drop(bool changing);

#endif
