/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_SCREEN_H
#define ISST_CLI_SCREEN_H

#include "render.h"

/** Places such as `package 0, power domains 0-2`: the numbers of each step that is shown. */
struct screen_place {
	const struct key *keys[REPORT_PATH_STEPS];
	struct isst_cpuset *numbers[REPORT_PATH_STEPS];
	size_t steps;
};

/** The place of a unit, without optional steps that distinguish none. Returns 0 or -ENOMEM. */
int screen_place_make(struct screen_place *place, const struct report *report,
		      const struct report_entry *unit);
void screen_place_clear(struct screen_place *place);
char *screen_place_name(const struct screen_place *place);

static inline bool screen_key_is_row(const struct report_node *node)
{
	return node->kind == NODE_BRANCH && node->key->heading && !node->key->cell;
}

/** Writes the table of a key (NULL: of units), if it has rows. Narrow pages have places and lists
 * on lines of their own; terminals cut lists. Returns 0 or -ENOMEM. */
int screen_table_print(const struct report *report, const struct key *key, const struct page *page,
		       FILE *stream);

#endif
