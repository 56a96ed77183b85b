/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a screen, made from a report and the key table. Must not know what they are about.
 */
#ifndef ISST_CLI_SCREEN_H
#define ISST_CLI_SCREEN_H

#include "render.h"

/* ---- How places of units are called: `package 0, power domains 0-2` ---- */

/** One or several places: of each step that is shown its numbers. */
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

/** Whether two are the same but for the numbers of a step, or, with @step the number of steps, as a
 * whole: then both are one with the numbers of both. */
bool screen_place_joins(const struct screen_place *one, const struct screen_place *other,
			size_t step);
/** Adds the numbers of another one. Returns 0 or -ENOMEM. */
int screen_place_join(struct screen_place *place, const struct screen_place *other);

/** Leaves out the last step, but not the first, where a place has all of its numbers, and then the
 * one before. Needs a report that leaves no place of the machine out. */
void screen_place_shorten(struct screen_place *place, const struct report *report);
/** Whether a place that was shortened is all of them. */
bool screen_place_is_whole(const struct screen_place *place, const struct report *report);

/** What a place is called; to be freed, NULL without memory. */
char *screen_place_name(const struct screen_place *place);

/* ---- Tables: rows are units or branches of these, columns the leaves with a heading ---- */

/** A cell is a text, or CPUs; without both the row has no such leaf. */
struct screen_cell {
	char *text;
	struct isst_cpuset *cpus;
	bool changed; /* is marked */
	unsigned int style;
};

struct screen_row {
	struct screen_place place;
	unsigned int index;	   /* of its branch */
	struct screen_cell *cells; /* one for each column */
};

struct screen_table {
	const struct key *key;	    /* of the branches that are rows; NULL: units are */
	const struct key **columns; /* in the order of the key table */
	bool *right;		    /* of each column: numbers, which end below each other */
	size_t column_count;
	struct screen_row *rows;
	size_t row_count;
};

/** Makes the table whose rows have that key. To be cleared. Returns 0 or -ENOMEM. */
int screen_table_make(struct screen_table *table, const struct report *report,
		      const struct key *key);
void screen_table_clear(struct screen_table *table);

/** Whether rows are about what their index counts, in the first place: their heading is none. */
static inline bool screen_table_is_by_index(const struct screen_table *table)
{
	return table->key && !*table->key->heading;
}

/** Whether the key is that of rows of a table. */
static inline bool screen_key_is_row(const struct report_node *node)
{
	return node->kind == NODE_BRANCH && node->key->heading && !node->key->cell;
}

/** Writes a table. On a page that is too narrow places and lists have lines of their own; only on a
 * terminal long lists are cut. Returns 0 or -ENOMEM. */
int screen_table_write(const struct screen_table *table, const struct page *page, FILE *stream);

#endif
