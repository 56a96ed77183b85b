/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of items in the terms of settings, and as text. */
#ifndef ISST_STATE_VALUES_H
#define ISST_STATE_VALUES_H

#include "state/wanted.h"

#include <stdio.h>

/** Puts into a setting what the value of an item, whose bits are those of @item, means. */
void wanted_value_to_setting(const struct wanted_item *item, uint64_t value,
			     struct setting *setting);

/** A value as a statement has it; *@text is to be freed. Returns 0 or -ENOMEM. */
int wanted_value_text(const struct wanted_item *item, uint64_t value, char **text);

/** What messages call a subject: `level`, `CLOS 2 max`. @index: that of the item. */
void subject_write(FILE *stream, enum subject subject, unsigned int index);

#endif
