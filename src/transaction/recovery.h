/* SPDX-License-Identifier: BSD-3-Clause */
/* What a change that was interrupted left behind, compared with what is there now. */
#ifndef ISST_TRANSACTION_RECOVERY_H
#define ISST_TRANSACTION_RECOVERY_H

#include "transaction/journal.h"

/** What an item of a journal is now. Those from FOUND_OFFLINE on cannot be restored. */
enum finding {
	FOUND_OLD,	 /* as before the change */
	FOUND_PENDING,	 /* likewise, and the interrupted run may have asked for what may appear yet
			  */
	FOUND_WRITTEN,	 /* as the interrupted run left it */
	FOUND_UNCERTAIN, /* by that run or by another process: the journal does not say which */
	FOUND_MOVED,	 /* changed since, by another process */
	FOUND_OFFLINE,	 /* it cannot be reached while its CPUs are offline */
	FOUND_UNSERVED,	 /* nor while the driver does not offer its power domain */
	FOUND_UNREAD,	 /* it, or what tells whose it is, cannot be read for now */
	FOUND_SMT_OFF,	 /* of a CPU that is offline as SMT was switched off since: it stays */
};

/** Where an item is. */
enum place {
	PLACE_NONE,	/* this machine has no such place */
	PLACE_OFFLINE,	/* no CPU is online by which it could be reached */
	PLACE_UNSERVED, /* of a power domain that the driver does not offer now */
	PLACE_REACHED,
};

/** An item, with all that the journal says of it. */
struct tracked {
	struct item item;
	struct item_value old;	/* before the change */
	struct item_value last; /* as the run left it, as far as that is known */
	struct item_value previous;
	struct item_value now;
	unsigned int line; /* of the file, that named it first */
	bool written;	   /* the run wrote it, and did not only disturb it */
	bool half_done;	   /* it may have @previous as well */
	bool known;	   /* @last is what the run left, or was about to write */
	bool pending;	   /* it was written, and may appear yet */
	bool unreadable;
	bool failed; /* of those unreadable: reading it failed */
	bool late;   /* of a CPU that was offline before: it goes away with it again */
	enum place place;
	enum finding finding;
	/* Of a level: what firmware set with the present one, once that was asked for. */
	struct level_effects effects;
	bool effects_asked;
};

/** The bits of an item that the interrupted run has to do with: those without a known meaning it
 * wrote as they were, and another process may have changed them since. */
uint64_t tracked_bits(const struct tracked *tracked);

struct isst_journal {
	struct isst_context *context;
	struct journal_text text;
	struct tracked *tracked; /* in the order in which the file names them first */
	size_t count;
	struct tracked **of_line; /* of each line of the text */
	struct tracked **sorted;  /* by item_compare() */
	bool smt_off;
	struct isst_cpuset *offline; /* CPUs that items of FOUND_OFFLINE are waiting for */
	struct isst_journal_item *listed;
	bool broken; /* judging it ended without memory */
	bool blind;  /* something could not be read that the item which is judged depends on */
	const char *why_unread; /* the first such failure, or that of an item */
};

/** Whether a finding is that of an item which has to wait until it can be reached. */
bool finding_waits(enum finding finding);

/** Whether a finding keeps the change from being rolled back unasked. */
bool finding_is_open(enum finding finding);

/**
 * Where an item of a journal is. @cpus: if not NULL, the CPUs of a place that is offline are added
 * to it; one that nothing is remembered of may be that of any CPU which was never seen. Returns
 * -ENOMEM, or an enum place.
 */
int item_place(struct isst_context *context, const struct item *item, struct isst_cpuset *cpus);

/** Whether an item is of a core that its domain, all of whose cores are known, does not have. */
bool item_is_of_no_core(const struct isst_context *context, const struct item *item);

/** Whether a value is one that an item can have, wherever it is. */
bool plausible(const struct item *item, struct item_value value);

/**
 * Whether the present value of an item that a level change disturbs is what the level change, or a
 * rollback that was cut off, makes of it.
 */
bool explained_by_level(struct isst_journal *journal, const struct tracked *tracked);

/** The same of what partitions that were being made, or removed, leave in between: they are several
 * files, and need the cpuset controller. */
bool explained_by_partition(const struct isst_journal *journal, const struct tracked *tracked);

#endif
