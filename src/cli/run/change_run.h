/* SPDX-License-Identifier: BSD-3-Clause */
/* One change of the library, from its options to what is reported of it. Must not know what it
 * consists of. */
#ifndef ISST_CLI_CHANGE_RUN_H
#define ISST_CLI_CHANGE_RUN_H

#include "run.h"

/**
 * Begins a change, with the options of the command line.
 *
 * @flags: ISST_CHANGE_... that are added to them
 * @change: set to the change, which the caller frees
 * Returns 0, or a negative errno after reporting it.
 */
int change_begin(struct run *run, unsigned int flags, struct isst_change **change);

/** Makes what was planned, or with --dry-run lists it. Returns 0, or a negative errno after
 * reporting it. */
int change_make(struct run *run, struct isst_change *change);

/** The texts of a step of a change. */
enum step_text { STEP_OLD, STEP_NEW };

/** Adds a step of a change with both. Returns 0 or -ENOMEM. */
int change_fold_step(struct step_folds *folds, const struct isst_change_step *step);

/** Reports the warnings of a change, from the one at @from on. */
void change_report_warnings(struct run *run, const struct isst_change *change, size_t from);

/** Reports that nothing had to be changed; not of a change of which all was left out, since its
 * warnings, and what is optional of its configuration, are reported as skipped already. */
void change_note_unchanged(struct run *run, const struct isst_change *change);

/** Reports why a change, or its rollback, failed, and what it left behind. */
void change_report_failure(struct run *run, const struct isst_change *change, int error);

/** A signal that arrived too late ends the program as one does after a rollback. */
void change_note_late_signal(struct run *run);

/** A change that is for the whole machine, and was made, names the parts that it was not made for.
 */
void change_note_offline_parts(struct run *run);

/** Reports if a dry run found nothing to change; called once, after all changes. */
void change_finish(struct run *run);

#endif
