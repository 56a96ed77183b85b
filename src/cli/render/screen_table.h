/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of a screen: their rows are the units of a report, or branches of these; their columns the
 * leaves that have a heading in the key table. Rows that differ in nothing but their places and
 * CPUs are one. Must not know what the tables are about.
 */
#ifndef ISST_CLI_SCREEN_TABLE_H
#define ISST_CLI_SCREEN_TABLE_H

#include "render.h"
#include "screen_places.h"

#include <stdio.h>

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
