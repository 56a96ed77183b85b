/* SPDX-License-Identifier: BSD-3-Clause */
/* An interrupted change, item by item: what its journal notes of each, and what each is now. */
#ifndef ISST_TRANSACTION_TRACKED_H
#define ISST_TRANSACTION_TRACKED_H

#include "transaction/item_index.h"
#include "transaction/journal.h"

/* ---- Items of a journal ---- */

/** An item that the interrupted run wrote or disturbed. */
struct isst_journal_entry {
	const char *target;	   /* `package 0, die 0: CLOS 2` */
	const char *old_value;	   /* before the change */
	const char *written_value; /* NULL where it was only disturbed */
	const char *present_value; /* `unknown` where it cannot be read */
	struct isst_item item;
	struct item_number old_number, written_number, present_number;
	const char *finding; /* in words, who gave it its present value */
	/* isst_journal_apply() gives it its old value; one that has it, and may change yet, too. */
	bool restored;
	bool moved; /* another process changed it since: it stays */
	/* It has to wait: its CPUs are offline, its power domain not served, or it is unreadable.
	 */
	bool kept;
};

/** An item, as isst_journal_open() found it; NULL past the last one. */
const struct isst_journal_entry *journal_item(const struct isst_journal *journal, size_t index);

/** Whether an item was or may have been changed by another process since, or cannot be accessed:
 * discovery does not roll back then. */
bool journal_is_moved(const struct isst_journal *journal);

/** What an item of a journal is now. Those from FOUND_OFFLINE on cannot be restored. */
enum finding {
	FOUND_OLD,	 /* as before the change */
	FOUND_PENDING,	 /* the same, and what the run asked for may appear yet */
	FOUND_WRITTEN,	 /* as the interrupted run left it */
	FOUND_UNCERTAIN, /* by that run or by another process: the journal does not show which */
	FOUND_MOVED,	 /* changed since, by another process */
	FOUND_OFFLINE,	 /* it cannot be reached while its CPUs are offline */
	FOUND_UNSERVED,	 /* nor while the driver does not offer its power domain */
	FOUND_UNREAD,	 /* it, or what shows its origin, cannot be read for now */
	FOUND_SMT_OFF,	 /* of a CPU that is offline as SMT was disabled since: it stays */
};

/** An item, with all that the journal notes of it. */
struct tracked {
	struct item item;
	struct item_value old;	/* before the change */
	struct item_value last; /* as the run left it, as far as that is known */
	struct item_value previous;
	struct item_value now;
	bool other_owner;  /* another owner held @last tighter: it read as @shown */
	uint64_t shown;	   /* of those */
	bool concealed;	   /* a limit that is @last, and reads as @now */
	unsigned int line; /* of the file, that named it first */
	bool written;	   /* the run wrote it, and did not only disturb it */
	bool unverified;   /* it may have @previous as well */
	bool known;	   /* @last is what the run left, or was about to write */
	bool pending;	   /* it was written, and may appear yet */
	bool unreadable;
	bool failed;	     /* of those unreadable: reading it failed */
	bool of_other_level; /* of features: their level is no longer the present one */
	bool appeared;	     /* of a CPU that was offline before: it goes away with it again */
	enum item_place place;
	enum finding finding;
	/* Of a level: what firmware set with the present one, once that was asked for. */
	struct level_effects effects;
	bool effects_asked;
};

/** The bits of an item that the run has to do with: it wrote others as they were. */
uint64_t tracked_bits(const struct tracked *tracked);

/** Whether an item cannot be restored before it can be reached. */
bool tracked_waits(const struct tracked *tracked);

struct isst_journal {
	struct isst_context *context;
	unsigned long long unlocks; /* of the context, when it was opened */
	struct journal_text text;
	struct tracked *tracked; /* in the order in which the file names them first */
	size_t count;
	struct tracked **of_line; /* of each line of the text */
	struct item_index index;  /* of @tracked */
	bool smt_off;
	struct isst_cpuset *offline; /* CPUs that items of FOUND_OFFLINE are waiting for */
	struct isst_journal_entry *listed;
	bool broken; /* judging it ended without memory */
	bool blind;  /* something could not be read that the item which is judged depends on */
	const char *why_unread; /* the first such failure, or that of an item */
};

/* ---- Items of a journal, as findings.c judges them (tracked.c) ---- */

/** The item of a journal, or NULL. */
struct tracked *tracked_find(const struct isst_journal *journal, const struct item *item);

/** Works out what the lines mean for each item. Returns 0 or -ENOMEM. */
int tracked_fill(struct isst_journal *journal);

/** Before anything is written: what no run can have noted was put there by others. Returns 0, -EIO
 * with a message, or -ENOMEM. */
int tracked_check(struct isst_journal *journal);

/** Reads what each item is now, and whether features are of the present level. Returns 0 or
 * -ENOMEM. */
int tracked_read(struct isst_journal *journal);

/** Opens the journal of an interrupted run: isst_journal_open(), for calls that log their errors.
 */
int journal_open(struct isst_context *context, struct isst_journal **result);

/** Judges items as those of a run that wrote and verified them. Returns 0, to be freed; -ENOMEM; or
 * another negative errno with a message, where one cannot be read. */
int journal_judge(struct isst_context *context, const struct item_lines *lines,
		  struct isst_journal **result);

/* ---- Recovery (recovery.c) ---- */

/** Rolls back what an interrupted run left, with a notice, unless something was changed since. The
 * lock is held and the machine discovered. Returns 0, -EIO (the message names what was changed),
 * -ENOTRECOVERABLE (it lists what differs), or another negative errno. */
int journal_recover(struct isst_context *context);

/** Reports in a notice that a run was interrupted, for one that does not roll it back. */
void journal_report(struct isst_context *context);

/** Gives items of a journal their old values, as far as they can be reached and are not another
 * process's. @change: an empty one. Returns 0, -ENOTRECOVERABLE without a message (see its
 * differences), or another negative errno with one, before anything was written. */
int journal_restore(const struct isst_journal *journal, struct isst_change *change);

/* ---- What a recovery reports: texts to be freed, NULL without memory ---- */

/** Which items a message is about. */
typedef bool (*tracked_test)(const struct tracked *tracked);

/** Texts of a list as one, for a message: not more of them than can be read. */
char *recovery_join(const struct message_list *list);

/** What cannot be reached, and what helps; "" where all can be. */
char *recovery_describe_waiting(const struct isst_journal *journal);

/** The items that a test is about, with their values unless they are many; "" for none. */
char *recovery_list(const struct isst_journal *journal, tracked_test test);
/** The same by kinds, without values. */
char *recovery_list_kinds(const struct isst_journal *journal, tracked_test test);

#endif
