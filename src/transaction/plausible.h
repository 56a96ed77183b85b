/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that an item can have. */
#ifndef ISST_TRANSACTION_PLAUSIBLE_H
#define ISST_TRANSACTION_PLAUSIBLE_H

#include "transaction/items.h"

/** Whether a value is one that an item can have, wherever it is. */
bool item_value_is_plausible(const struct item *item, struct item_value value);

#endif
