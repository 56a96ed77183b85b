/* SPDX-License-Identifier: BSD-3-Clause */
/* What a watcher does about a change: one change of the machine, made as `config apply` makes it.
 */
#ifndef ISST_CLI_WATCH_ACT_H
#define ISST_CLI_WATCH_ACT_H

#include "../run/run.h"

/** How it is made. */
struct actor {
	/** The run of the command: its request, signals and progress. */
	const struct run *run;
	/* By TPMI, a write of a feature requests the level once more that was requested last: not
	 * while it is another agent's. */
	bool foreign_level;
};

/**
 * Makes what a configuration states, under the lock, and in a context of its own.
 *
 * @context: belongs to the call
 * @cause: set to why it was not made, to be freed; else NULL
 * Returns 1 (something was written), 0 (nothing had to be), -EBUSY (another run is changing the
 * machine) or another negative errno; -ECANCELED: it must not be made.
 */
int act(const struct actor *actor, struct isst_context *context, struct isst_config *config,
	char **cause);

#endif
