/* SPDX-License-Identifier: BSD-3-Clause */
/* What a change that was interrupted left behind, compared with what is there now. */
#ifndef ISST_TRANSACTION_RECOVERY_H
#define ISST_TRANSACTION_RECOVERY_H

#include "transaction/journal.h"

/** What an item of a journal is now. */
enum finding {
	FOUND_OLD,	 /* as before the change */
	FOUND_WRITTEN,	 /* as the interrupted run left it */
	FOUND_UNCERTAIN, /* by that run or by another process: the journal does not say which */
	FOUND_MOVED,	 /* changed since, by another process */
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
	enum finding finding;
	/* Of a level: what firmware set with the present one, once that was asked for. */
	struct level_effects effects;
	bool effects_asked;
};

struct isst_journal {
	struct isst_context *context;
	struct journal_text text;
	struct tracked *tracked;
	size_t count;
	struct isst_journal_item *listed;
};

/** Whether a value is one that an item of this machine can have. Returns 0, or -EINVAL. */
int plausible(struct isst_context *context, const struct item *item, struct item_value value);

/**
 * Whether the present value of an item that a level change disturbs is what the level change, or a
 * rollback that was cut off, makes of it.
 */
bool explained_by_level(struct isst_journal *journal, const struct tracked *tracked);

/** The same of what partitions that were being made, or removed, leave in between: they are several
 * files, and need the cpuset controller. */
bool explained_by_partition(const struct isst_journal *journal, const struct tracked *tracked);

#endif
