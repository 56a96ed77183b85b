/* SPDX-License-Identifier: BSD-3-Clause */
/* What making and undoing a change share. */
#ifndef ISST_TRANSACTION_UNDO_H
#define ISST_TRANSACTION_UNDO_H

#include "transaction/change.h"

void change_differs(struct isst_change *change, const struct item *item, struct item_value now,
		    struct item_value old);
void change_differs_unread(struct isst_change *change, const struct item *item, const char *why);
/** Forgets the differences: the rollback is tried again. */
void change_forget_differences(struct isst_change *change);

/** Whether CPUs went on- or offline, so that the topology is another. */
bool change_touches_cpus(const struct isst_change *change);

/** One line in the machine's system log. */
void change_log(struct isst_change *change, const struct item *item, struct item_value from,
		struct item_value to, const char *result);

/* ---- Limits of cpufreq that are not shown while turbo is off (revealed.c) ---- */

/** Looks whether a limit that read as @old, and was not written since, was hidden then and is @now.
 * Returns 0 or a negative errno, where that cannot be told. */
int limit_is_revealed(struct isst_context *context, const struct item *item, uint64_t old,
		      uint64_t now, bool *revealed);

/** What the kernel makes of a limit within the range of the processor; as cpufreq_clamp(). */
int limit_clamp(struct isst_context *context, const struct item *item, uint64_t limit,
		uint64_t *shown);

/** Whether @now is what is shown of a limit, the processor's own where that goes no further, of a
 * lower one the upper one where that is below it, and nothing that the change wrote is left to be
 * overwritten. */
bool limit_is_concealed(const struct isst_change *change, const struct item *item, uint64_t limit,
			uint64_t now);

/** Takes @now for what an item was before the change, where it is a limit that was hidden and that
 * the change has not written. Returns whether it is. */
bool change_reveal(struct isst_change *change, const struct item *item, struct item_value old,
		   struct item_value now);

#endif
