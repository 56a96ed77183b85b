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
	enum { PLAN_KEEP, PLAN_FOLLOW, PLAN_FORGET, PLAN_RETAIN, PLAN_LEVEL } kind;
	const char *name;  /* of the feature; a constant */
	const char *other; /* a constant, or NULL */
	bool inherits;
	struct item domain; /* package, die and domain only; PLAN_RETAIN: the item */
	unsigned int level; /* not of PLAN_KEEP */
};

/** Once the change is made, remembers what the steps from number @first on replaced, that are there
 * by now, in domains at the levels of settings_level(). @other: another feature, or NULL: where
 * this one replaces again what that one replaced since, it gets the value from before both. Returns
 * 0, -ENOMEM, or another negative errno with a message: the file cannot be followed. */
int settings_save(struct isst_change *change, const char *name, const char *other, size_t first);

/** Notes at which level a domain is, for the lines that are planned next. */
int settings_level(struct isst_change *change, const struct isst_domain *domain,
		   unsigned int level);

/** Once the change is made, remembers which CPUs groups of cgroup v1 cpusets had before it took
 * some from them, until they have them again. Returns 0 or -ENOMEM. */
int settings_follow_groups(struct isst_change *change);

/** Once the change is made, deletes what is saved of a domain at a level, except for a mark and for
 * what is absent for now. @other: a feature, which gets the value from before both where it has
 * saved one that this one had written; @inherits: that is on, and gets what was not restored
 * because of it. Returns 0 or -ENOMEM. */
int settings_forget(struct isst_change *change, const char *name, const char *other, bool inherits,
		    const struct isst_domain *domain, unsigned int level);

/** Whether settings_forget() was called for the domain of an item: its settings are being restored.
 */
bool settings_are_restored(const struct isst_change *change, const struct item *item);

/** Keeps a line that settings_forget() would drop: of an item that is absent for now. */
int settings_retain(struct isst_change *change, const char *name, const struct item_line *line);

/** Reads what is saved of a domain at a level. Returns 0, -ENOENT (nothing), -ENOMEM, or another
 * negative errno with a message: it cannot be read, or is not possible on this machine. */
int settings_read(struct isst_context *context, const char *name, const struct isst_domain *domain,
		  unsigned int level, struct item_lines *saved);

/** What is saved of a domain. */
struct settings_found {
	bool any;      /* at any level */
	bool other;    /* at other levels than that asked for: the lowest is @other_level */
	bool restored; /* at the level; where nothing is saved any more at any level */
	unsigned int other_level;
};

/** Finds out what is saved of a domain, or was since boot; with power domains settings of another
 * one of its package were restored as well. Returns 0, or a negative errno as settings_read(). */
int settings_find(struct isst_context *context, const char *name, const struct isst_domain *domain,
		  unsigned int level, struct settings_found *found);

/** Whether a line is without a value: the settings of its domain at a level were restored. */
bool settings_is_mark(const struct item_line *line);

/** Whether a line is a setting of a domain, or of its package, at a level. */
bool settings_is_of(const struct item_line *line, const struct isst_domain *domain,
		    unsigned int level);

/** Reads all lines of a feature, or of SETTINGS_CPUSET_GROUPS. Returns as settings_read() does. */
int settings_read_all(struct isst_context *context, const char *owner, struct item_lines *saved);

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
