/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_SCREEN_H
#define ISST_CLI_SCREEN_H

#include "output.h"

/** The place of a unit, `package 0, power domain 1`, without optional steps that distinguish none.
 * To be freed. */
char *screen_place(const struct report *report, const struct report_entry *unit);

static inline bool screen_key_is_row(const struct report_node *node)
{
	return node->kind == NODE_BRANCH && node->key->heading && !node->key->cell;
}

/** Writes the table of a key (NULL: of units), if it has rows. Narrow pages have places and lists
 * on lines of their own; terminals cut lists. @absent_known: whether the screen has the legend of
 * empty cells. */
void screen_table_print(const struct report *report, const struct key *key, const struct page *page,
			bool *absent_known, FILE *stream);

#endif
