/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal: what a change is about to do, so that the next run can roll it back if this one
 * dies. Functions return 0 or a negative errno with a message, unless stated otherwise. */
#ifndef ISST_TRANSACTION_JOURNAL_H
#define ISST_TRANSACTION_JOURNAL_H

#include "transaction/change.h"
#include "transaction/item_lines.h"
#include <stdio.h>

/* ---- The journal ---- */

enum { JOURNAL_VERSION = 2 }; /* of the file's format */

/** The end of a message about a rollback that is not complete. */
#define JOURNAL_KEPT \
	"the journal was kept, and `isst journal apply` tries again; `isst journal discard` leaves " \
	"the machine as it is"

/** Notes what a step will write and may disturb, before it is made. */
int journal_step(struct isst_change *change, struct step *step);

/** Notes that a step's values were written, and may take their time to appear. */
int journal_written(struct isst_change *change, const struct step *step);

/** Notes that a step is complete: what its items became, where that is not what was to be written,
 * and what items that it may disturb are, as they were read back. */
int journal_verified(struct isst_change *change, const struct step *step,
		     const struct item_access *disturbed, size_t count);

/** Notes that the change is complete, and held by this process. */
int journal_held(struct isst_change *change);

/** Notes that the change is being rolled back. */
void journal_rollback(struct isst_change *change);

/** Notes that the change is complete: nothing rolls it back from here on. */
void journal_done(struct isst_change *change);

/** Removes the journal of a change that is complete, or rolled back. */
int journal_end(struct isst_change *change);

/** The same, for a change that ended as it did, whatever becomes of the file: what fails is a
 * warning. */
void change_end_journal(struct isst_change *change);

/** The role of an item in a line of a journal. */
enum journal_role {
	JOURNAL_ITEM,	   /* to be written; with the value before the change */
	JOURNAL_FOOTPRINT, /* may be disturbed; the same */
	JOURNAL_BECAME,	   /* was written, and became something else */
	JOURNAL_AFTER,	   /* what the step made of an item that it may disturb */
	JOURNAL_ROLES,
};

struct journal_line {
	unsigned int number; /* in the file, for messages */
	unsigned int step;   /* from 1 on */
	enum journal_role role;
	struct item_line saved;
};

/** The content of the file. */
struct journal_text {
	struct journal_line *lines;
	size_t count;
	size_t whole;	  /* bytes of whole lines */
	bool cut_off;	  /* there is part of a line behind them */
	char *command;	  /* that was at work, or NULL */
	uint64_t begun_s; /* by the clock of the time since boot; 0: not known */
	/* The last steps that were written and verified; steps follow each other. */
	unsigned int written, verified;
	bool held; /* the change is complete, and was held by this process: */
	unsigned int holder;
	bool rollback, done;
};

/** Reads the journal, to be cleared. -ENOENT: none, or another boot's; -ENOMEM has no message. */
int journal_text_read(struct isst_context *context, struct journal_text *text);
void journal_text_clear(struct journal_text *text);

/** Opens the journal that an interrupted run left, to go on with it. */
int journal_reopen(struct isst_change *change, const struct journal_text *text);

/** The name of the command of a journal, for messages. */
const char *journal_text_command(const struct journal_text *text);

/** The name of the change that a process holds, and since when, as a text of the context; NULL
 * where it holds none, or that cannot be read. Sets no message. */
const char *journal_held_by(struct isst_context *context, unsigned int process);

/** Whether there is surely none: cheaper than to read it. */
bool journal_is_missing(const struct isst_context *context);

/** Removes the file. */
int journal_remove(struct isst_context *context);

#endif
