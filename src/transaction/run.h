/* SPDX-License-Identifier: BSD-3-Clause */
/* How a change is made: prepared, written, read back, finished or rolled back. Functions return 0
 * or a negative errno with a message, unless stated otherwise. */
#ifndef ISST_TRANSACTION_RUN_H
#define ISST_TRANSACTION_RUN_H

#include "transaction/change.h"

/* ---- Before a write (prepare.c) ---- */

/**
 * Reads all that the change may write or disturb, before the first write: what an earlier step
 * makes of an item is not what a rollback is to restore. What steps that do not write would disturb
 * is not read.
 */
int change_read_baseline(struct isst_change *change);

/** Works out what the steps would write, for a change that is not made. */
int change_plan_only(struct isst_change *change);

/** Works out what a step has to write. */
int step_prepare(struct isst_change *change, struct step *step, bool *needed);

/** Notes what a step moves, for the steps behind it. */
void change_note_moved(struct isst_change *change, const struct step *step);

/** Whether a value does what an entry was to do: bits that it does not write are not looked at. */
bool entry_served(const struct entry *entry, struct item_value now);

/** Goes on without an entry that failed, where that is possible, with a warning; else returns
 * @error with a message. */
int entry_skip(struct isst_change *change, struct entry *entry, int error, const char *why);

/* ---- A step (making.c, write_back.c) ---- */

/** Writes the needed entries of a step, and reads them back. */
int step_write(struct isst_change *change, struct step *step);

/** Adds steps right behind a step that was made: they write back what it moved, with a warning.
 * Behind a level that is written back the step itself is repeated. Returns -EIO where a repeated
 * step moved something once more. */
int step_write_back(struct step *step);

/** Whether a step may move a level that it is not to change; and whether one that was made has
 * moved that of an item's domain: then what it wrote may not be there, and is written again. */
bool step_keeps_level(const struct step *step);
bool step_has_moved_level(const struct step *step, const struct item *item);

/** Warns of what firmware would change with the steps of a change that is not made: levels, as far
 * as it can be read which were requested last, and classes. Returns 0 or -ENOMEM. */
int change_warn_of_side_effects(struct isst_change *change);

/** Reports what is being done to the CPUs of entries, those included that are as they shall be:
 * scripts wait for their lines. @done: of @count that are not, counted on */
void step_report_progress(struct isst_change *change, const struct step *step, size_t from,
			  size_t end, unsigned int *done, unsigned int count);

/** -EINTR where the caller wants the change to end. */
int change_check_interrupted(struct isst_change *change);

/* ---- The last look (prepare.c) ---- */

/** Ends a change in which another agent has changed an item: sets isst_change.overtaken, and
 * returns -EIO. */
int change_fail_overtaken(struct isst_change *change, const struct item *item,
			  struct item_value before, struct item_value now);

/**
 * Reads all items of the firmware, and online states of CPUs, that the steps are about, and those
 * that planning relied on, once more, in one batch. Of a change that wrote nothing, nothing is
 * read. @relied_only: only what planning relied on, as far as no step writes it. Returns as
 * change_fail_overtaken() where one is not what the change left.
 */
int change_look_again(struct isst_change *change, bool relied_only);

/* ---- Rolling back (undo.c) ----
 *
 * change_undo() is for the change that failed, or was held. A recovery (recovery.c) examines the
 * items of a dead run's journal, and rolls back a change that it makes up of them. Writing back
 * (write_back.c) is part of a change that goes on: firmware moved more than it was asked to. */

/**
 * Notes in the journal that the change is rolled back, and rolls back what entries of steps that
 * were begun wrote, in reverse order, and what they disturbed; afterwards compares all with the
 * baseline and lists differences. Returns 0 if nothing differs, else -ENOTRECOVERABLE, or -ENOMEM.
 */
int change_undo(struct isst_change *change);

/** Warns that a rollback would leave @what, or the item that @why names, as it is then; @why: it
 * cannot be read. Of a change that has to be reversible that is the end. */
void change_note_irreversible(struct isst_change *change, const char *why, const char *what);

/* ---- Changes that are held (held.c): the next run rolls back that of a process that died ---- */

/** Holds a change of which all steps are made. Returns 0 or a negative errno with a message. */
int change_hold(struct isst_change *change);

/** Makes a held change stand. Returns 0 or -EINVAL with a message. */
int change_release(struct isst_change *change);

/** Rolls a held change back; returns as isst_change_roll_back() does. */
int change_roll_back(struct isst_change *change);

/** The same of a change of which all steps are made, and that is not held: another agent has
 * changed an item since, which stays as it is and is named. */
int change_roll_back_overtaken(struct isst_change *change);

/** For a change, or NULL, that nothing more can become of: rolls it back if it is held. One of the
 * parent of this process is left to that. It is no longer held in any case: what fails, which is
 * logged, is left to the next run. Returns as isst_change_roll_back() does. */
int change_abandon(struct isst_change *change);

/* ---- The state after boot ---- */

/** Keeps a text, which is lines, in place of what was kept. Returns 0, -ENOMEM, or an error with a
 * message. */
int boot_state_write(struct isst_context *context, const char *text);

/** Reads what is kept; *@text is to be freed. Returns 0, -ENOENT (nothing was changed in this
 * boot), -ENOMEM, or another negative errno with a message. */
int boot_state_read(struct isst_context *context, char **text);

/** Called before the first write: keeps the state, unless that was done. A failure is a warning,
 * and noted. Returns 0, or a negative errno with a message where that cannot be noted either. */
int boot_state_keep(struct isst_change *change);

#endif
