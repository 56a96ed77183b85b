/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libisst: what changes write, and how it is rolled back.
 *
 * The writes of a change, changes that are held, and the journal of a change that was interrupted.
 * The conventions are those of isst.h; what is declared here may still change until version 1.0 of
 * the library.
 */
#ifndef ISST_JOURNAL_H
#define ISST_JOURNAL_H

#include "isst.h"

#ifdef __cplusplus
extern "C" {
#endif

struct isst_item;
struct isst_change_step;
struct isst_journal;
struct isst_journal_entry;

/* ---- Items of changes and journals ---- */

/*
 * An item is one value of the machine that a change writes, or that a write affects. Items belong
 * to the step or the journal that they were obtained from.
 */

/** Kinds of items, and the meaning of their index and number. */
enum isst_kind {
	ISST_ITEM_LEVEL = 1,		 /* the current performance level */
	ISST_ITEM_FEATURES = 2,		 /* bit 0: SST-TF is on, bit 1: SST-BF is on */
	ISST_ITEM_CORE_POWER = 3,	 /* 1: core-power is on */
	ISST_ITEM_CLOS_AND_PRIORITY = 4, /* bit 1: CLOS in use, bit 2: ordered priority */
	/* Index: CLOS. Bits 0-3 EPP, 4-7 weight; ratios of 100 MHz: 8-15 minimum, 16-23 maximum,
	 * 24-31 desired */
	ISST_ITEM_CLOS = 5,
	ISST_ITEM_CLOS_ASSOCIATION = 6,	  /* index: core, as the firmware counts; the CLOS */
	ISST_ITEM_TURBO_RATIO_LIMITS = 7, /* as ISST_VALUE_TURBO_RATIO_LIMITS */
	ISST_ITEM_CPU_ONLINE = 8,	  /* index: CPU; 0 or 1 */
	ISST_ITEM_SCALING_MAX = 9,	  /* index: CPU; kHz, 2147483647: no limit */
	ISST_ITEM_SCALING_MIN = 10,	  /* index: CPU; kHz, 0: no limit */
	ISST_ITEM_UNCORE_MAX = 11,	  /* index: fabric; kHz */
	ISST_ITEM_UNCORE_MIN = 12,	  /* index: fabric; kHz */
	ISST_ITEM_PARTITION = 13,	  /* a cgroup v2 partition; text only */
	ISST_ITEM_CPUSET_CONTROLLER = 14, /* 1: groups have the cpuset controller */
	ISST_ITEM_RCU_EXPEDITED = 15, /* 1: grace periods are expedited, while CPUs go and come */
	ISST_ITEM_CPUSET_GROUPS = 16  /* CPUs of the groups of cgroup v1; text only */
};

/** The kind of an item, enum isst_kind. */
ISST_API int isst_item_kind(const struct isst_item *item);

/** The domain of an item, or of its CPU; NULL for an item of the whole machine, and if the domain
 * is not known at present. */
ISST_API const struct isst_domain *isst_item_domain(const struct isst_item *item);

/** The index of an item, see enum isst_kind. Returns 0, or -ENODATA with *index 0 if the kind
 * has none, and for an uncore limit of a whole package (of any of its domains). */
ISST_API int isst_item_index(const struct isst_item *item, unsigned int *index);

/** The unit of the item's numbers: `kHz`, or "" for none. */
ISST_API const char *isst_item_unit(const struct isst_item *item);

/* ---- What a change wrote ---- */

/** A write of a change that was run, in order, including those that were not necessary; NULL past
 * the last one. If memory was short after a change that was made, there are none. */
ISST_API const struct isst_change_step *isst_change_step_at(const struct isst_change *change,
							    size_t index);

/** The target of a step, as text (`package 0, die 0: CLOS 2`) and as item. */
ISST_API const char *isst_change_step_target(const struct isst_change_step *step);
ISST_API const struct isst_item *isst_change_step_item(const struct isst_change_step *step);

/** The old and the new value of a step as text; `unknown` if the machine does not show it. */
ISST_API const char *isst_change_step_old_text(const struct isst_change_step *step);
ISST_API const char *isst_change_step_new_text(const struct isst_change_step *step);

/**
 * A part of the value that a step changes, in the terms of configurations: returns what it is
 * (`package 0, die 0: CLOS 2 weight`), and sets its old and new text (`0`, `15`; frequencies with
 * `MHz`). A value that has no parts, or of which none changes, is one part. NULL past the last one,
 * with NULL texts. Since 0.1.
 */
ISST_API const char *isst_change_step_field_at(const struct isst_change_step *step, size_t index,
					       const char **old_text, const char **new_text);

/** The same as numbers, see enum isst_kind. Returns 0, or -ENODATA with *number 0 (the value
 * is unknown, or text). */
ISST_API int isst_change_step_old_number(const struct isst_change_step *step, uint64_t *number);
ISST_API int isst_change_step_new_number(const struct isst_change_step *step, uint64_t *number);

/** Whether the value was written, or in a dry run, would be: not if the item had this value
 * already, as far as that can be seen. */
ISST_API bool isst_change_step_is_written(const struct isst_change_step *step);

/* ---- Changes that are held ---- */

/*
 * A change with ISST_CHANGE_HOLD that isst_change_run() has made is held, also if nothing had to be
 * written: the machine has the new state, and the journal what is needed to roll the change back.
 *
 *	isst_change_options_set_flags(options, ISST_CHANGE_HOLD | ISST_CHANGE_REVERSIBLE);
 *	...
 *	isst_change_run(change);
 *	... work in the new state, for as long as necessary ...
 *	isst_change_roll_back(change);	  or isst_change_release(change);
 *
 * Meanwhile the context keeps the lock: isst_unlock() and other changes of the context are refused
 * with -EINVAL, and isst_lock() of other processes with -EBUSY. They may read, and so may this one.
 * Without a decision the change does not last: isst_change_free() and isst_close() roll it back,
 * and if the process dies, the next one that discovers the machine under the lock does so. A forked
 * child can do neither. Settings that ISST_ADD_AUTO saves are saved on release.
 */

/**
 * Makes a held change stand: nothing rolls it back from here on.
 *
 * Returns 0 or -EINVAL (the change is not held, or is held by the parent of this process).
 */
ISST_API int isst_change_release(struct isst_change *change);

/**
 * Rolls a held change back: all items that it wrote or affected get their old values. The machine
 * is discovered again before and afterwards, as by isst_discover().
 *
 * An item to which another process gave another value since is left unchanged, and so are the
 * cpufreq limits of a CPU that went offline since. A warning names each of them
 * (isst_change_warning_at()).
 *
 * Returns 0. -ISST_ERR_ROLLBACK: some items could not be rolled back, or cannot be accessed for
 * now; the message and isst_change_difference_at() list them, and the journal is kept, as it is by
 * isst_change_run(). In both cases the change is no longer held. -EINVAL: it was not held, or is
 * held by the parent of this process. Other errors, as isst_discover() returns them: the rollback
 * was not begun (the journal or the machine could not be read), and the change is still held.
 */
ISST_API int isst_change_roll_back(struct isst_change *change);

/**
 * Rolls a change back if it is held, and no longer holds it, whatever the result: the last attempt
 * of a program that cannot wait. isst_change_free() and isst_close() do the same, without returning
 * the error.
 *
 * Returns as isst_change_roll_back(), and 0 if the change was not held; one that the parent of this
 * process holds is left to that. After any other error than -ISST_ERR_ROLLBACK the machine has the
 * new state; while the journal is there (isst_journal_open()), the next process that discovers the
 * machine under the lock rolls the change back.
 */
ISST_API int isst_change_abandon(struct isst_change *change);

/** Whether a change was made and is held. */
ISST_API bool isst_change_is_held(const struct isst_change *change);

/**
 * The process that holds a change now, which makes the machine's state temporary: `process 4711
 * holds a change (with, since 2026-11-26T10:05:00Z)`. NULL: none does, or the parent of this
 * process holds it for this one. The text lives as long as the context.
 */
ISST_API const char *isst_change_holder(struct isst_context *context);

/* ---- The journal of an interrupted change ---- */

/**
 * Keeps discovery under the lock from rolling back the change of an interrupted process, so that
 * its journal can be examined. Called before that discovery; the context cannot make changes from
 * then on, whatever becomes of the journal: they need another context.
 * Discovery does not roll back, and fails with -ISST_ERR_JOURNAL, if another process changed one of
 * the values since: isst_journal_open() shows which. Returns 0 or -EINVAL (already discovered under
 * the lock).
 */
ISST_API int isst_journal_keep(struct isst_context *context);

/**
 * Reads the journal, and compares it with the machine.
 *
 * @flags: 0
 * @journal: set to the journal, which must be freed before the context is closed; NULL on error,
 * and if no change was interrupted
 * Returns 0, -EPERM, -EIO (the journal cannot be read, or is
 * damaged: it can only be discarded), -EMFILE or -ENFILE (too few descriptors to read it), -EINVAL
 * or -EBUSY (another process holds the lock: the journal is or may be that of its change; if it
 * holds one, see ISST_CHANGE_HOLD, the message names process and command).
 */
ISST_API int isst_journal_open(struct isst_context *context, unsigned int flags,
			       struct isst_journal **journal);
ISST_API void isst_journal_free(struct isst_journal *journal);

/** The name of the interrupted change, see isst_change_options_set_command(); "" if unknown. */
ISST_API const char *isst_journal_command(const struct isst_journal *journal);

/** Whether the change was complete, and was held by its process (ISST_CHANGE_HOLD). */
ISST_API bool isst_journal_is_held(const struct isst_journal *journal);

/** Seconds since the change began; -1 if unknown. */
ISST_API int64_t isst_journal_age_s(const struct isst_journal *journal);

/* ---- Entries of a journal ---- */

/** An item that the interrupted process wrote or affected, as isst_journal_open() found it; NULL
 * past the last one. Its texts belong to the context. */
ISST_API const struct isst_journal_entry *isst_journal_entry_at(const struct isst_journal *journal,
								size_t index);

/** The target of the entry, as text (`package 0, die 0: CLOS 2`) and as item. */
ISST_API const char *isst_journal_entry_target(const struct isst_journal_entry *entry);
ISST_API const struct isst_item *isst_journal_entry_item(const struct isst_journal_entry *entry);

/** The value before the change, as text. */
ISST_API const char *isst_journal_entry_old_text(const struct isst_journal_entry *entry);
/** The value that was written, as text; NULL if the item was only affected. */
ISST_API const char *isst_journal_entry_written_text(const struct isst_journal_entry *entry);
/** The present value, as text; `unknown` if it cannot be read. */
ISST_API const char *isst_journal_entry_present_text(const struct isst_journal_entry *entry);

/** The same as numbers, see enum isst_kind. Returns 0, or with *number 0 -ENODATA (the item
 * was only affected, or the value is text) or -EIO (it cannot be read). */
ISST_API int isst_journal_entry_old_number(const struct isst_journal_entry *entry,
					   uint64_t *number);
ISST_API int isst_journal_entry_written_number(const struct isst_journal_entry *entry,
					       uint64_t *number);
ISST_API int isst_journal_entry_present_number(const struct isst_journal_entry *entry,
					       uint64_t *number);

/** The process that set the present value, as text for users. */
ISST_API const char *isst_journal_entry_finding(const struct isst_journal_entry *entry);

/** isst_journal_apply() restores the old value. The item may have that value now, but still change.
 */
#define ISST_JOURNAL_ENTRY_RESTORED 1U
/** Another process changed the item since; isst_journal_apply() does not write it. */
#define ISST_JOURNAL_ENTRY_MOVED 2U
/** The item cannot be accessed for now: its CPUs are offline, the driver does not provide its power
 * domain, or it could not be read. */
#define ISST_JOURNAL_ENTRY_KEPT 4U

/** ISST_JOURNAL_ENTRY_... combined; 0: the item has its old value. Newer versions may have more. */
ISST_API unsigned int isst_journal_entry_flags(const struct isst_journal_entry *entry);

/* ---- Applying and discarding a journal ---- */

/**
 * Restores the old values of all items that no other process changed since, and removes the
 * journal.
 *
 * @flags: 0
 * Returns 0 or -ENOENT (the journal was applied or discarded since it was opened). With other
 * errors the journal is kept: -EAGAIN (part of it was rolled back; the message contains what the
 * rest is waiting for), -ISST_ERR_ROLLBACK (the message lists what differs), -EINVAL (the lock is
 * not held, was released since the journal was opened, or the context holds the change), -EPERM or
 * -EIO (all was rolled back, but
 * the file cannot be removed; or it cannot be written).
 */
ISST_API int isst_journal_apply(struct isst_journal *journal, unsigned int flags);

/**
 * Removes the journal without changing the machine. Works before discovery.
 *
 * @flags: 0
 * Returns 0, -EINVAL (the lock is not held, or the context holds a change), -EPERM, -EIO, or
 * -EMFILE or -ENFILE (too few descriptors to read it; it is kept, because its change may be
 * complete).
 */
ISST_API int isst_journal_discard(struct isst_context *context, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
