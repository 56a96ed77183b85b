/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the changes of a run: plans them, checks their preconditions, runs them as a whole and
 * reports what came of it. Must not know output formats.
 */
#ifndef ISST_CLI_CHANGE_H
#define ISST_CLI_CHANGE_H

#include "run.h"

/** One of the library's functions that add a request to a change. */
typedef int (*adder)(struct isst_change *change, const struct isst_targets *targets,
		     const struct isst_request *request, unsigned int flags,
		     struct isst_results **results);

/** A changing command: what it adds to the change, and how its result is called. */
struct change_command {
	adder add;
	unsigned int flags;
	bool for_cpus; /* of the run's units; else for its domains */
	/** Fills in the request; NULL: nothing but the flags. Returns 0 or a negative errno. */
	int (*fill)(const struct run *run, struct isst_request *request);
	/** Reports what is about to be done, once the plan has no objection; NULL: nothing. */
	void (*announce)(struct run *run);
	enum key_id feature, result; /* node and leaf of each unit's result */
	enum key_id extra_result; /* where not 0: a further node for each domain that was changed */
};

/** Makes the change, or with --dry-run lists its steps, and reports. */
void change_machine(struct run *run, const struct change_command *command);

/** Does what --all-cpus-online asks for. Returns false after an error. */
bool change_all_online(struct run *run);

#endif
