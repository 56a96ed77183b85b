/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A change: steps, each of which writes items of one kind and may disturb others. Features plan
 * steps; the change is then made as a whole (docs/internals/transactions.md). Knows nothing of what
 * the items mean to each other.
 */
#ifndef ISST_TRANSACTION_CHANGE_H
#define ISST_TRANSACTION_CHANGE_H

#include "isst-journal.h"
#include "sysfs/cpufreq.h"
#include "sysfs/system.h"
#include "transaction/baseline.h"

/** Which targets of its requests a change may leave out. */
enum target_policy {
	/** None: what stands against one of them stands against the change. */
	ISST_ALL_TARGETS,
	/** Those that lack what is asked for (-EOPNOTSUPP), unless none remains. */
	ISST_SKIP_UNSUPPORTED,
	/** All against which something stands, unless none remains. */
	ISST_SKIP_FAILED,
};

struct isst_change_options {
	/** Everything is checked and every step listed, nothing written; needs neither lock nor
	 * privileges. */
	bool dry_run;
	/** Domains without CPUs (of I/O dies) are left out in any case, beside others. */
	enum target_policy targets;
	/** What the change is for, as the system log shall name it (`core-power enable`), or NULL.
	 * Copied. */
	const char *command;
	/** Use a cgroup partition in place of CPU hotplug; for CPU 0 only. */
	bool partitions, partition_for_cpu0;
	/** Take CPUs offline after all where there can be no partitions. */
	bool partitions_optional;
	/** A level change leaves CPUs offline, with a warning, that have not been seen online since
	 * the machine was started; one for all domains would bring them online to look. */
	bool leave_unknown_cpus;
	/** Once made, the change can still be rolled back, until it is released (run.h). */
	bool hold;
	/** Refused before anything is written if a rollback could not restore all of it. */
	bool reversible;
	/** Where not NULL, called when a CPU goes on- or offline, the @done-th of @count. */
	void (*progress)(void *data, unsigned int cpu, int online, unsigned int done,
			 unsigned int count);
	void *progress_data;
};

/** One write of a change. */
struct isst_change_step {
	const char *target; /* what is written: `package 0, die 0: CLOS 2` */
	/* The old value is "unknown" where the machine does not show it. */
	const char *old_value, *new_value;
	struct isst_item item;
	struct item_number old_number, new_number;
	bool written; /* or would be, of a dry run; false where the value was there already */
	struct item_field fields[ITEM_FIELDS];
	size_t field_count;
};

/** How far an entry got; each state includes those above it. */
enum entry_state {
	ENTRY_UNKNOWN,	 /* its old value is not known, or the machine has no such item */
	ENTRY_KNOWN,	 /* it is as wanted, or of a footprint */
	ENTRY_NEEDED,	 /* it is to be written */
	ENTRY_WRITTEN,	 /* it was asked for, and may appear yet */
	ENTRY_MISSED,	 /* it was accepted at once, had the time of its kind, and is not there */
	ENTRY_CONFIRMED, /* it was read back as wanted */
};

/** An item of a step: to be written, or (in a footprint) only saved and restored. Planning sets the
 * members down to @provisional; @hidden once more, right before the step is made (turbo.c). Of the
 * others prepare.c sets those down to @refused, making.c those down to @held, undo.c the rest. */
struct entry {
	struct item item;
	/* Bits to change (@mask) and their new value (@bits); with @at_least: @raised where it is
	 * less than @bits; or @text. */
	uint64_t mask, bits, raised;
	bool at_least;
	/* A field that is not lowered: what is there stays where it is more. 0: none. */
	uint64_t not_lowered;
	/* Neither the old nor the new value can be seen: both read as @shown. It is written anyway.
	 */
	bool hidden;
	uint64_t shown;
	bool restores;	    /* it becomes what was there before `enable --auto` */
	unsigned int level; /* that what it replaces is saved for */
	const char *text;
	bool resets;   /* in a footprint: the step makes it @bits */
	bool keep;     /* in a footprint: where firmware moves it, it is written back */
	bool optional; /* the change goes on where it cannot be read or written */
	/* Bits wanted only where the machine has them; if all are, the item may be missing
	 * (-EOPNOTSUPP). */
	uint64_t if_supported;
	bool required;	  /* the change does not go on, even for a domain without CPUs */
	bool provisional; /* what it becomes now is not yet what counts: a later step looks to that
			   */
	struct item_value old;	      /* before the change's first write */
	struct item_value now;	      /* right before it is written */
	struct item_value wanted;     /* right after */
	struct item_value journalled; /* what @wanted was before it was written */
	enum entry_state state;
	bool appeared;	  /* it was not there before the first write */
	bool refused;	  /* the change goes on without it */
	bool others;	  /* another agent has set it right before: it was not written */
	bool timed_out;	  /* of those written: the request did, and was not waited for yet */
	bool other_owner; /* a limit that was written, and reads as @shown: that of another owner */
	bool overwritten; /* the rollback wrote the old value over it */
	bool asked_back;  /* an earlier rollback may have asked for the old value */
};

struct step {
	struct isst_change *change;
	enum item_kind kind;
	size_t position; /* among the steps of the change */
	struct entry *entries;
	size_t count;
	struct entry *footprint;
	size_t footprint_count;
	bool expected; /* to write something */
	bool begun;
	/* A clipped value is not good enough. */
	bool exact;
	bool repeats; /* an earlier step, which had moved what is kept */
	/* It moves the range of the processors, and what limits of cpufreq read as. */
	bool moves_range;
	const struct settings_plan
		*settings; /* where not NULL, the saved settings that its values go to */
	/* Called right before the step is made, and after that; or NULL. */
	int (*before)(struct step *step);
	int (*after)(struct step *step);
	struct step *companion; /* for these: the step that goes with this one, or NULL */
};

/** Where an entry is: entries move when others are added. */
struct entry_place {
	struct step *step;
	size_t at;
	bool footprint;
};

/** Cores that are enabled in a domain, kept for CPUs that are found only when they come online. */
struct enabled_cores {
	struct item domain;
	uint64_t cores;
	bool all;      /* whatever their numbers */
	bool isolated; /* other cores are isolated in a partition, and do not go offline */
};

struct isst_change {
	struct isst_context *context;
	struct isst_change_options options;
	struct step **steps;
	size_t count;
	struct item_index index;	 /* of all entries and footprints of its steps */
	struct entry_place *places;	 /* by the numbers of the index */
	struct isst_change_step *listed; /* for change_listed_step() */
	size_t listed_count;
	/* Its own: a program that makes change after change does not grow. */
	struct messages texts;
	struct message_list warnings, differences; /* the latter after a rollback */
	const char *irreversible; /* where not NULL, why a rollback could not restore all of it */
	struct isst_failure objection; /* of planning: why the change is not to be made */
	struct baseline baseline;
	int journal; /* descriptor, -1 while nothing was written */
	/* A value that was written made a difference, or may yet do so; of a dry run, would. */
	bool effective;
	bool broken; /* a step could not be added for lack of memory */
	bool quiet;  /* only CPUs that go on- or offline are progress, not those that are so already
		      */
	/* What was found of turbo, and whether it was switched since (turbo.h). */
	bool turbo_known, turbo_switched;
	enum turbo_state turbo;
	bool ran;  /* isst_change_run() was called: its old values are of then */
	bool made; /* and succeeded */
	/* It was looked whether the state after boot is kept, before the first write. */
	bool boot_state_checked;
	/* Of the context: when the change was begun, and when its first step was planned. */
	unsigned long long unlocks, runs;
	bool overtaken; /* all steps were made, and another agent has changed an item since */
	bool held;	/* it was made, and is neither released nor rolled back yet */
	struct suspend_mark held_since;
	bool left_out; /* planning found targets that the change is made without */
	struct enabled_cores *enabled;
	size_t enabled_count;
	/* All CPUs shall be online, wherever those that were not seen turn out to be. */
	bool unseen_stay_online;
	/* Those of packages and dies that are offline as a whole come online, too. */
	bool unreachable_come_online;
	/* What becomes of saved settings (saved_settings.h). */
	struct settings_plan *settings;
};

/** Frees a change, whatever became of it. */
void change_free(struct isst_change *change);

/** Makes the change: isst_change_run() that does not report targets that were left out. */
int change_run(struct isst_change *change);

/** The writes of a change that was run, those included that were not needed. NULL past the last
 * one; unless it was a dry run there are none where memory was short. */
const struct isst_change_step *change_listed_step(const struct isst_change *change, size_t index);

/** All bits of a value. */
#define WHOLE_VALUE UINT64_MAX

#endif
