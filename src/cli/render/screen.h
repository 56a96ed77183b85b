/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a screen, made from a report and the key table. Must not know what they are about.
 */
#ifndef ISST_CLI_SCREEN_H
#define ISST_CLI_SCREEN_H

#include "render.h"

/** One or several places, `package 0, power domains 0-2`: of each step that is shown its numbers.
 */
struct screen_place {
	const struct key *keys[REPORT_PATH_STEPS];
	struct isst_cpuset *numbers[REPORT_PATH_STEPS];
	size_t steps;
};

/** The place of a unit, without optional steps in which no units differ alone. To be cleared.
 * Returns 0 or -ENOMEM. */
int screen_place_make(struct screen_place *place, const struct report *report,
		      const struct report_entry *unit);
void screen_place_clear(struct screen_place *place);

/** What a place is called; to be freed, NULL without memory. */
char *screen_place_name(const struct screen_place *place);

/** Whether a node is a row of a table. */
static inline bool screen_key_is_row(const struct report_node *node)
{
	return node->kind == NODE_BRANCH && node->key->heading && !node->key->cell;
}

/**
 * Writes the table whose rows have a key, behind an empty line; nothing if there are none. On a
 * page that is too narrow places and lists have lines of their own; only on a terminal long lists
 * are cut.
 *
 * @key: NULL: of units
 * Returns 0 or -ENOMEM.
 */
int screen_table_print(const struct report *report, const struct key *key, const struct page *page,
		       FILE *stream);

#endif
