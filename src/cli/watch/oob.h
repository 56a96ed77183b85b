/* SPDX-License-Identifier: BSD-3-Clause */
/* What --oob of the kernel tree's tool adds to `watch --follow`: its lines, and a daemon. Must not
 * know what is watched. */
#ifndef ISST_CLI_WATCH_OOB_H
#define ISST_CLI_WATCH_OOB_H

#include "../process/daemon.h"
#include "../render/output.h"
#include "../run/run.h"

struct oob {
	struct daemon daemon;
	bool events; /* are used */
	bool emulated;
};

/**
 * Prints how it runs and, unless options keep it in the foreground, goes on as a daemon, whose
 * parent ends with its status once it is ready. Nothing without --oob. Returns false after an
 * error.
 */
bool oob_begin(struct oob *oob, struct run *run, const struct output *output);

/** What changes from now on is noticed: prints that events are used, and the parent of a daemon
 * ends. Returns false after an error. */
bool oob_ready(struct oob *oob, struct run *run, const struct output *output);

#endif
