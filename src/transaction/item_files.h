/* SPDX-License-Identifier: BSD-3-Clause */
/* Items that the kernel holds. */
#ifndef ISST_TRANSACTION_ITEM_FILES_H
#define ISST_TRANSACTION_ITEM_FILES_H

#include "transaction/items.h"

/** Errors as in kernel_files.h. ITEM_ONLINE cannot be read so: one file has all of them. */
int item_file_read(struct isst_context *context, const struct item *item, struct item_value *value);
int item_file_write(struct isst_context *context, const struct item *item, struct item_value value);

/** Why an item cannot be reached whose file is not there for now: @otherwise, unless it is a limit
 * of a CPU that went offline. Leaves the message of before. */
const char *item_why_gone(struct isst_context *context, const struct item *item,
			  const char *otherwise);

/**
 * Whether a scaling limit that reads as none has a number all the same: that at which the range of
 * the CPU ends by now, since turbo went off or the base frequency moved.
 */
bool item_is_limit_at_edge(struct isst_context *context, const struct item *item, uint64_t khz);

/** Whether the caller may write an item, as far as that can be seen beforehand. Returns 0 or -EPERM
 * with a message. */
int item_check_writable(struct isst_context *context, const struct item *item);

/** Whether the kernel would take the present value of an item again; *@why: if not, the reason,
 * else NULL. The context's. Errors as in kernel_files.h. */
int item_check_restorable(struct isst_context *context, const struct item *item, const char **why);

/** What holds an item at @now, where a higher or lower value was written: the file of another
 * limit. NULL where that is not known. The context's. */
const char *item_clipped_by(struct isst_context *context, const struct item *item,
			    struct item_value now);

#endif
