/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Saved settings: what `enable --auto` of a feature replaced, so that `disable --auto` can restore
 * it. A file of the runtime directory, for this boot.
 */
#ifndef ISST_TRANSACTION_SAVED_SETTINGS_H
#define ISST_TRANSACTION_SAVED_SETTINGS_H

#include "transaction/change.h"
#include "transaction/item_lines.h"

/* The name of what groups of cgroup v1 cpusets have lost since boot, with CPUs that went offline.
 */
#define SETTINGS_CPUSET_GROUPS "cpuset-groups"

/** What is to happen to saved settings once the change is made; a list, in the order of the
 * requests. */
struct settings_plan {
	struct settings_plan *next;
	enum { PLAN_KEEP, PLAN_FORGET } kind;
	const char *name; /* of the feature; a constant */
	bool inherits;
	/* Not of PLAN_KEEP. */
	struct item item;
	unsigned int level;
};

/** Once the change is made, remembers what the steps from number @first on replaced, that are there
 * by now, for the levels of their entries. Returns 0, -ENOMEM, or another negative errno with a
 * message: the file cannot be followed. */
int settings_save(struct isst_change *change, const char *name, size_t first);

/** Once the change is made, deletes what is saved of an item at a level, unless that is absent by
 * then. @inherits: the other feature is on, and gets what was not restored because of it.
 * ITEM_LEVEL: remembers that the settings of the domain were restored, so that a later `disable
 * --auto` does not take them for some that were not saved. Returns 0 or -ENOMEM. */
int settings_forget(struct isst_change *change, const char *name, bool inherits,
		    const struct item *item, unsigned int level);

/** Reads what is saved; mostly there is nothing. Returns 0, -ENOMEM, or another negative errno with
 * a message: it cannot be read, or is not possible on this machine. */
int settings_read(struct isst_context *context, struct item_lines *saved);

/** What is saved of a domain. */
struct settings_found {
	bool any;      /* at any level */
	bool other;    /* at other levels than that asked for: the lowest is @other_level */
	bool restored; /* at the level; where nothing is saved any more at any level */
	unsigned int other_level;
};

/** Finds out what is saved of a feature in a domain, or was since boot; with power domains settings
 * of another one of its package were restored as well. */
struct settings_found settings_find(const struct isst_context *context,
				    const struct item_lines *saved, const char *name,
				    const struct isst_domain *domain, unsigned int level);

/** Whether a line is without a value: the settings of its domain at a level were restored. */
bool settings_is_mark(const struct item_line *line);

/** Whether a line is a setting of a feature in a domain, or in its package, at a level. */
bool settings_is_of(const struct item_line *line, const char *name,
		    const struct isst_domain *domain, unsigned int level);

/** Deletes what is saved of features. Returns 0 or a negative errno, without a message. */
int settings_discard(struct isst_context *context);

/** Ends the journal of a change that is complete, and writes the file. It is staged before that:
 * the next run completes what a killed one leaves. A failure is only warned of. */
void settings_complete(struct isst_change *change);

/** Completes the file of a run that was killed after that. Returns 0, or a negative errno with a
 * message where memory or descriptors are short: all is left to the next run. */
int settings_adopt(struct isst_context *context);

/** Removes what is staged, as that change is none. */
void settings_unstage(struct isst_context *context);

#endif
