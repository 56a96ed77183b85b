/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_CHANGE_H
#define ISST_CLI_CHANGE_H

#include "isst-journal.h"
#include "run.h"

/* ---- One change of the library ---- */

/** Begins a change, with the options of the command line and @flags, to be freed. Returns 0, or a
 * negative errno after reporting it. */
int change_begin(struct run *run, unsigned int flags, struct isst_change **change);

/** Makes the change, or lists it (--dry-run). Returns 0, or a negative errno after reporting it. */
int change_make(struct run *run, struct isst_change *change);

/** Adds a step of a change to those that are joined. */
void change_fold_step(const struct isst_context *context, struct folds *folds,
		      const struct isst_change_step *step);

/** Reports joined steps in the order of their first, and clears them. */
void change_report_steps(struct run *run, struct folds *folds,
			 void (*report)(struct run *run, const char *target, const char *old_text,
					const char *new_text));
void change_report_warnings(struct run *run, const struct isst_change *change, size_t from);

/** Reports that nothing had to be changed, unless all was left out, as is reported already. */
void change_note_unchanged(struct run *run, const struct isst_change *change);

/** Reports why a change, or its rollback, failed, and what it left behind. */
void change_report_failure(struct run *run, const struct isst_change *change, int error);

/** Reports that a change was made, or that it failed. */
void change_report_result(struct report_node *node, enum key_id result, int error);

/** A signal that arrived too late ends the program as one does after a rollback. */
void change_note_late_signal(struct run *run);

/** Names the parts of the machine that a change of all of it did not reach. */
void change_note_offline_parts(struct run *run);

/** Reports the steps of a dry run, or that there are none; called once, after all changes. */
void change_finish(struct run *run);

/* ---- Commands: planned, checked and made as a whole ---- */

/** A changing command: what it adds to the change, and how its result is called. */
struct change_command {
	int add;	    /* enum isst_setting */
	unsigned int flags; /* those of --auto and --online are added */
	bool for_cpus;	    /* of the run's units; else for its domains */
	/* The value of the request, by an option, where that is given. */
	int value;
	enum option_id option;
	/** Fills in further values; NULL: there are none. */
	void (*fill)(const struct run *run, struct isst_request *request);
	/** Checks the options first; NULL: nothing to check. Returns false if they are refused. */
	bool (*check)(struct run *run);
	/** Reports what is about to be done, once the plan has no objection; NULL: nothing. */
	void (*announce)(struct run *run);
	enum key_id feature, result; /* node and leaf of each unit's result */
	enum key_id extra_result; /* where not 0: a further node for each domain that was changed */
};

void change_machine(struct run *run, const struct change_command *command);

/** Does what --all-cpus-online asks for. Returns false after an error. */
bool change_all_online(struct run *run);

#endif
