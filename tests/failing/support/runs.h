/* SPDX-License-Identifier: BSD-3-Clause */
/* Single runs of the built command on an emulated machine, each with something that fails. */
#ifndef TESTS_FAILING_RUNS_H
#define TESTS_FAILING_RUNS_H

#include "transaction/support/machines.h"

#include <stdbool.h>

/** A command line, in which words in quotes may hold spaces, and the requests (machine_prepare)
 * that have been made before it; and one that was killed after its first change, so that the
 * command recovers first. */
struct command {
	const char *line, *before;
	bool changes;
	const char *killed;
};

/** How a run ended. */
struct end {
	int status;   /* of waitpid() */
	char *output; /* on standard output */
	/* Allocations or descriptors that were asked for, and blocks of memory that were not freed;
	 * 0 where the run was killed. */
	unsigned long count, blocks;
};

/** What a run is to be like. @what: "memory", "descriptors", or "reads" of the machine. @fail_at:
 * 0: undisturbed. */
struct disturbance {
	const char *what;
	bool on;
	unsigned long fail_at;
};

extern const struct disturbance undisturbed;

struct end run_command(const struct machine *machine, const struct command *command,
		       const struct disturbance *disturbance);

/** What the last run wrote to "stdout" or "stderr"; to be freed. */
char *stream_text(const struct machine *machine, const char *name);

#endif
