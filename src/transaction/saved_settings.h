/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Saved settings: what `enable --auto` of a feature replaced, so that `disable --auto` can restore
 * it. One file a feature in the runtime directory, for this boot.
 */
#ifndef ISST_TRANSACTION_SAVED_SETTINGS_H
#define ISST_TRANSACTION_SAVED_SETTINGS_H

#include "transaction/change.h"
#include "transaction/item_index.h"
#include "transaction/item_lines.h"

/** What is to happen to saved settings once the change is made; a list, in the order of the
 * requests. */
struct settings_plan {
	struct settings_plan *next;
	enum { PLAN_KEEP, PLAN_FOLLOW, PLAN_FORGET, PLAN_RETAIN, PLAN_LEVEL } kind;
	const char *name;  /* of the feature; a constant */
	const char *other; /* a constant, or NULL */
	bool inherits;
	bool begun;	    /* PLAN_KEEP: the first of its steps was, or is about to be made */
	struct item domain; /* package, die and domain only; PLAN_RETAIN: the item */
	unsigned int level; /* not of PLAN_KEEP */
};

/**
 * Once the change is made, remembers what the steps of a request replaced: those from number @first
 * on that are there by now, in domains that are at the levels of settings_level(). What they
 * replace is what requests before this one leave. @other: another feature, or NULL: where this one
 * replaces again what that one replaced since, its file gets the value from before both. Returns
 * 0, -ENOMEM, or another negative errno with a message where there is a file that cannot be
 * followed.
 */
int settings_save(struct isst_change *change, const char *name, const char *other, size_t first);

/* The name of what groups of cgroup v1 cpusets have lost since boot, with CPUs that went offline.
 */
#define SETTINGS_CPUSET_GROUPS "cpuset-groups"

/** Once the change is made, remembers which CPUs groups of cgroup v1 cpusets had before it took
 * some from them, until they have them again. Returns 0 or -ENOMEM. */
int settings_follow_groups(struct isst_change *change);

/** To be called before a step is made: looks what the request that it begins will replace, where
 * steps of other requests were made. Returns 0 or -ENOMEM. */
int settings_begin(struct isst_change *change, const struct step *step);

/** Notes at which level a domain is, for the lines that are planned next. */
int settings_level(struct isst_change *change, const struct isst_domain *domain,
		   unsigned int level);

/**
 * Once the change is made, deletes what is saved of a domain at a level, except for a mark;
 * and for what the change could not restore, since it is absent for now.
 *
 * @other: another feature: where its file contains a value that this one had written, it gets the
 * value from before both in its place
 * @inherits: that feature is on, and also gets what was not restored because of it
 *
 * Returns as settings_save() does.
 */
int settings_forget(struct isst_change *change, const char *name, const char *other, bool inherits,
		    const struct isst_domain *domain, unsigned int level);

/** Whether settings_forget() was called for the domain of an item: its settings are being restored.
 */
bool settings_are_restored(const struct isst_change *change, const struct item *item);

/** Keeps a line that settings_forget() would drop: of an item that is absent for now. */
int settings_retain(struct isst_change *change, const char *name, const struct item_line *line);

/** Reads what is saved of a domain at a level. Returns 0, -ENOENT (nothing), -ENOMEM,
 * or another negative errno with a message: it cannot be read, or holds what cannot have been
 * saved on this machine. */
int settings_read(struct isst_context *context, const char *name, const struct isst_domain *domain,
		  unsigned int level, struct item_lines *saved);

/** Whether something is saved of a domain, at any level. Returns 0 or 1, or as above. */
int settings_exist(struct isst_context *context, const char *name,
		   const struct isst_domain *domain);

/** Finds another level than @level of which something is saved of a domain: the lowest one.
 * Returns as settings_exist() does. */
int settings_of_other_level(struct isst_context *context, const char *name,
			    const struct isst_domain *domain, unsigned int level,
			    unsigned int *other);

/** Whether something was saved of a domain at a level since boot, and was restored; @package: or
 * of another one of its package. Where nothing is saved of the domain any more: at any
 * level, or is saved of another domain. Returns as settings_exist() does. */
int settings_were_restored(struct isst_context *context, const char *name,
			   const struct isst_domain *domain, unsigned int level, bool package);

void settings_plans_free(struct settings_plan *plans);

/* ---- Their files (saved_settings_file.c) ---- */

enum { SETTINGS_FILES = 3 };

/** A file as a change leaves it; filled in by settings_stage(). */
struct settings_file {
	const char *name; /* NULL: nothing becomes of it */
	struct item_lines lines;
	struct item_index index; /* of these */
	int error;
	const char *unread; /* why it cannot be read */
	bool changed, staged;
	bool over; /* over the file that is there, where there is no space for a new one */
	struct settings_file *behind; /* to be written first */
	/* What its new contents are: settings that were replaced, those that another feature
	 * hands over, those that are left once others were restored. */
	bool keeps, forgets;
	const char *heir_of;
};

/**
 * Finds what becomes of the files, and writes that into files beside them, before the journal
 * states that the change is complete: from there on nothing rolls the change back, and a run that
 * is killed before its files are written leaves what the next run makes them of. Where there is
 * no space for that the change goes on without. To be ended with settings_apply().
 */
void settings_stage(struct isst_change *change, struct settings_file files[SETTINGS_FILES]);

/** Puts the files into their places. A failure is only warned of: the change itself stands. */
void settings_apply(struct isst_change *change, struct settings_file files[SETTINGS_FILES]);

/** Completes the files of a run that was killed after its change was complete. Returns 0,
 * also where that cannot be done, with a notice; or a negative errno with a message where memory or
 * descriptors are short: all is left to the next run. */
int settings_adopt(struct isst_context *context);

/** Removes it, as that change is none. */
void settings_unstage(struct isst_context *context);

/** Whether a line is without a value: the settings of its domain at a level were restored. */
bool settings_is_mark(const struct item_line *line);

/** Reads all lines of a file. Returns as settings_read() does. */
int settings_file_read(struct isst_context *context, const char *name, struct item_lines *saved);

/** Removes what runs that were killed have left of new files, for a run that has the lock. */
void settings_file_clean(struct isst_context *context);

/** Removes a file, or empties it where it cannot be removed; a missing one is no error. Returns 0
 * or a negative errno, without a message. */
int settings_file_discard(struct isst_context *context, const char *name, bool staged);

#endif
