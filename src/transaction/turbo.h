/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether turbo is on, which another process may switch at any time. While it is off the kernel
 * shows all limits of cpufreq from the base frequency up alike, so that what a limit is can be seen
 * only as long as nothing was switched.
 */
#ifndef ISST_TRANSACTION_TURBO_H
#define ISST_TRANSACTION_TURBO_H

#include "sysfs/cpufreq.h"
#include "transaction/change.h"

/** Whether turbo is on while a change is planned and its baseline read. Returns 0, or an error with
 * a message: -EIO if it was switched since this change first asked. */
int change_turbo_state(struct isst_change *change, enum turbo_state *state);

/** Fails as above, where the change writes limits. */
int change_check_turbo(struct isst_change *change);

/** Notes which limits of a step may not be what they read as: they are written in any case. */
int step_find_concealed(struct isst_change *change, struct step *step);

/** Whether a limit that reads as @now is what was written, as turbo is off. */
bool limit_is_hidden(struct isst_context *context, const struct item *item, uint64_t written,
		     uint64_t now);

/** Whether a limit that read as @old, and was not written since, was hidden then. Returns 0, or a
 * negative errno where that is unknown. */
int limit_is_revealed(struct isst_context *context, const struct item *item, uint64_t old,
		      uint64_t now, bool *revealed);

/** What the kernel makes of a limit within the range of the processor; as cpufreq_clamp(). */
int limit_clamp(struct isst_context *context, const struct item *item, uint64_t limit,
		uint64_t *shown);

/** What a limit reads as: within that range, and the lower one no higher than the upper one.
 * Returns 0, or a negative errno with a message: -EIO for a CPU that went offline. */
int limit_shown(struct isst_context *context, const struct item *item, uint64_t limit,
		uint64_t *shown);

/** Whether @now is what the kernel shows of a limit, within the range of the processor and of a
 * lower one up to the upper one, and nothing that the change wrote is left to be overwritten. */
bool limit_is_concealed(const struct isst_change *change, const struct item *item, uint64_t limit,
			uint64_t now);

/** Takes @now for the old value of a limit that was hidden and not written. Returns whether it is.
 */
bool change_reveal(struct isst_change *change, const struct item *item, struct item_value old,
		   struct item_value now);

/** Notes that the tighter limit of another owner holds one that was written at @now. If that was so
 * before, the user had none. */
void change_note_held(struct isst_change *change, struct entry *entry, struct item_value now);

/** Whether another owner holds a limit at @now, whose old value was written again. */
bool limit_is_held(const struct entry *entry, uint64_t now);

#endif
