/* SPDX-License-Identifier: BSD-3-Clause */
/* Items that a step is not to change, and that firmware may move with it all the same. */
#ifndef ISST_TRANSACTION_WRITE_BACK_H
#define ISST_TRANSACTION_WRITE_BACK_H

#include "transaction/change.h"

/** Whether a step may move a level that it is not to change. */
bool step_keeps_level(const struct step *step);

/** Whether the level of an item's domain was to be kept, and moved with a step that was made: then
 * what the step wrote may not be there, and is written once more. */
bool step_moved_level(const struct step *step, const struct item *item);

/** Warns of what firmware would change with the steps of a change that is not made: levels, as far
 * as it can be read which were requested last, and classes. Returns 0 or -ENOMEM. */
int change_warn_of_side_effects(struct isst_change *change);

/**
 * Adds steps right behind a step that was made: they write back what it moved, with a warning.
 * Behind a level that is written back the step itself is repeated. Returns 0, or -EIO with a
 * message where a repeated step moved something once more.
 */
int step_write_back(struct step *step);

#endif
