/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes tables of a report: columns, rows, and rows that are one. */
#include "../../common/memory_stream.h"
#include "../../common/numbered.h"
#include "../report/wording.h"
#include "../text/cpu_list.h"
#include "screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Places ---- */

/** The step of a unit with that key; NULL if there is none. */
static const struct report_step *find_step(const struct report_entry *unit, const struct key *key)
{
	for (size_t i = 0; i < unit->steps; i++)
		if (unit->path[i].key == key)
			return &unit->path[i];
	return NULL;
}

/** Whether two units are the same by the steps that always are shown. */
static bool is_same_without(const struct report_entry *one, const struct report_entry *other)
{
	for (size_t i = 0; i < one->steps; i++) {
		const struct key *key = one->path[i].key;
		const struct report_step *step = find_step(other, key);

		if (key->place && !key->optional && (!step || step->index != one->path[i].index))
			return false;
	}
	return true;
}

/** Whether two units differ in a step alone. */
static bool is_needed(const struct report *report, const struct report_entry *unit,
		      const struct report_step *step)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		const struct report_step *other;

		if (entry->kind != ENTRY_UNIT || entry->steps == 0)
			continue;
		other = find_step(entry, step->key);
		if (other && other->index != step->index && is_same_without(unit, entry))
			return true;
	}
	return false;
}

int screen_place_make(struct screen_place *place, const struct report *report,
		      const struct report_entry *unit)
{
	*place = (struct screen_place){ 0 };
	for (size_t i = 0; i < unit->steps; i++) {
		const struct report_step *step = &unit->path[i];
		size_t at = place->steps;

		if (!step->key->place || (step->key->optional && !is_needed(report, unit, step)))
			continue;
		place->keys[at] = step->key;
		place->numbers[at] = isst_cpuset_new();
		place->steps++;
		if (!place->numbers[at] ||
		    isst_cpuset_add(place->numbers[at], step->index, step->index))
			return -ENOMEM;
	}
	return 0;
}

void screen_place_clear(struct screen_place *place)
{
	for (size_t i = 0; i < place->steps; i++)
		isst_cpuset_free(place->numbers[i]);
	*place = (struct screen_place){ 0 };
}

bool screen_place_joins(const struct screen_place *one, const struct screen_place *other,
			size_t step)
{
	if (one->steps != other->steps)
		return false;
	for (size_t i = 0; i < one->steps; i++)
		if (one->keys[i] != other->keys[i] ||
		    (i != step && !cpus_are_same(one->numbers[i], other->numbers[i])))
			return false;
	return true;
}

int screen_place_join(struct screen_place *place, const struct screen_place *other)
{
	int error = 0;

	for (size_t i = 0; i < place->steps && !error; i++)
		error = isst_cpuset_add_set(place->numbers[i], other->numbers[i]);
	return error;
}

/** Whether a unit is at a place but for the last step of that; a whole package is at none. */
static bool is_beside(const struct screen_place *place, const struct report_entry *unit)
{
	size_t i = 0;

	while (i < place->steps) {
		const struct report_step *step = find_step(unit, place->keys[i]);

		if (!step)
			return false;
		if (!isst_cpuset_has(place->numbers[i], step->index))
			break;
		i++;
	}
	return i + 1 == place->steps;
}

/** Whether a place has all numbers of its last step. */
static bool has_all(const struct screen_place *place, const struct report *report)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next)
		if (entry->kind == ENTRY_UNIT && entry->steps > 0 && is_beside(place, entry))
			return false;
	return true;
}

void screen_place_shorten(struct screen_place *place, const struct report *report)
{
	while (place->steps > 1 && has_all(place, report))
		isst_cpuset_free(place->numbers[--place->steps]);
}

bool screen_place_is_whole(const struct screen_place *place, const struct report *report)
{
	return place->steps == 1 && has_all(place, report);
}

char *screen_place_name(const struct screen_place *place)
{
	struct memory_stream memory;
	bool complete = true;

	if (memory_stream_open(&memory))
		return NULL;
	for (size_t i = 0; i < place->steps; i++) {
		char *name = name_numbers(place->keys[i]->place, place->numbers[i]);

		complete = complete && name;
		fprintf(memory.stream, "%s%s", i > 0 ? ", " : "", name ? name : "");
		free(name);
	}
	if (memory_stream_close(&memory))
		return NULL;
	if (complete)
		return memory.text;
	free(memory.text);
	return NULL;
}

/* ---- Columns ---- */

static bool is_cell(const struct report_node *node)
{
	return node->key->heading && !screen_key_is_row(node);
}

static int compare_keys(const void *left, const void *right)
{
	const struct key *a = *(const struct key *const *)left,
			 *b = *(const struct key *const *)right;

	return (a > b) - (a < b);
}

static size_t find_column(const struct screen_table *table, const struct key *key)
{
	size_t column = 0;

	while (column < table->column_count && table->columns[column] != key)
		column++;
	return column;
}

/** Adds the columns of a row that are new. Returns 0 or -ENOMEM. */
static int add_columns(struct screen_table *table, const struct report_node *branch)
{
	for (const struct report_node *leaf = branch->first; leaf; leaf = leaf->next) {
		const struct key **columns;

		if (!is_cell(leaf) || find_column(table, leaf->key) < table->column_count)
			continue;
		columns = reallocarray(table->columns, table->column_count + 1, sizeof(*columns));
		if (!columns)
			return -ENOMEM;
		table->columns = columns;
		columns[table->column_count++] = leaf->key;
	}
	return 0;
}

/* ---- Rows ---- */

static bool has_cells(const struct report_node *branch)
{
	const struct report_node *leaf = branch->first;

	while (leaf && !is_cell(leaf))
		leaf = leaf->next;
	return leaf;
}

/** Adds a branch to the others of its key. Returns 0 or -ENOMEM. */
static int add_to_cell(struct screen_cell *cell, const struct report_node *branch)
{
	char *more = wording_of_cell(branch), *text = NULL;

	if (more && asprintf(&text, "%s %s", cell->text, more) < 0)
		text = NULL;
	free(more);
	free(cell->text);
	cell->text = text;
	return text ? 0 : -ENOMEM;
}

static int fill_cell(struct screen_cell *cell, const struct report_node *leaf)
{
	if (cell->text && leaf->kind == NODE_BRANCH)
		return add_to_cell(cell, leaf);
	if (cell->text || cell->cpus)
		return 0;
	cell->changed = leaf->changed;
	cell->style = wording_style(leaf);
	if (leaf->kind != NODE_CPU_RANGES) {
		cell->text = wording_of_cell(leaf);
		return cell->text ? 0 : -ENOMEM;
	}
	cell->cpus = isst_cpuset_new();
	return cell->cpus ? isst_cpuset_add_set(cell->cpus, leaf->cpus) : -ENOMEM;
}

static int add_row(struct screen_table *table, const struct report *report,
		   const struct report_entry *unit, const struct report_node *branch)
{
	struct screen_row *rows = reallocarray(table->rows, table->row_count + 1, sizeof(*rows));
	struct screen_row *row;
	int error;

	if (!rows)
		return -ENOMEM;
	table->rows = rows;
	row = &rows[table->row_count++];
	*row = (struct screen_row){ .index = branch->index };
	row->cells = calloc(table->column_count + 1, sizeof(*row->cells));
	error = row->cells ? screen_place_make(&row->place, report, unit) : -ENOMEM;
	for (const struct report_node *leaf = branch->first; leaf && !error; leaf = leaf->next) {
		size_t column = find_column(table, leaf->key);

		if (!is_cell(leaf))
			continue;
		table->right[column] |= leaf->kind == NODE_NUMBER && !leaf->key->cell;
		error = fill_cell(&row->cells[column], leaf);
	}
	return error;
}

/** Calls @visit for each branch that is a row. */
static int visit_rows(struct screen_table *table, const struct report *report,
		      int (*visit)(struct screen_table *table, const struct report *report,
				   const struct report_entry *unit,
				   const struct report_node *branch))
{
	int error = 0;

	for (const struct report_entry *entry = report->first; entry && !error;
	     entry = entry->next) {
		if (entry->kind != ENTRY_UNIT || entry->steps == 0)
			continue;
		if (!table->key && has_cells(entry->root))
			error = visit(table, report, entry, entry->root);
		for (const struct report_node *node = entry->root->first;
		     node && table->key && !error; node = node->next)
			if (node->kind == NODE_BRANCH && node->key == table->key)
				error = visit(table, report, entry, node);
	}
	return error;
}

static int visit_columns(struct screen_table *table, const struct report *report,
			 const struct report_entry *unit, const struct report_node *branch)
{
	(void)report;
	(void)unit;
	return add_columns(table, branch);
}

/* ---- Rows that are one ---- */

static bool has_same_cells(const struct screen_table *table, const struct screen_row *one,
			   const struct screen_row *other)
{
	if (table->key && table->key->index_heading && one->index != other->index)
		return false;
	for (size_t i = 0; i < table->column_count; i++) {
		const char *a = one->cells[i].text, *b = other->cells[i].text;

		if (!a != !b || (a && strcmp(a, b) != 0))
			return false;
		/* A mark stands where something changed, and nowhere else. */
		if (one->cells[i].changed != other->cells[i].changed)
			return false;
	}
	return true;
}

static void clear_row(const struct screen_table *table, struct screen_row *row)
{
	for (size_t i = 0; row->cells && i < table->column_count; i++) {
		free(row->cells[i].text);
		isst_cpuset_free(row->cells[i].cpus);
	}
	free(row->cells);
	screen_place_clear(&row->place);
}

static int join_rows(const struct screen_table *table, struct screen_row *row,
		     struct screen_row *other)
{
	int error = screen_place_join(&row->place, &other->place);

	for (size_t i = 0; i < table->column_count && !error; i++) {
		struct screen_cell *cell = &row->cells[i], *more = &other->cells[i];

		if (cell->cpus) {
			error = isst_cpuset_add_set(cell->cpus, more->cpus);
		} else {
			cell->cpus = more->cpus;
			more->cpus = NULL;
		}
	}
	return error;
}

/** Joins rows whose places differ in one step alone, or not at all. */
static int fold(struct screen_table *table, size_t step)
{
	size_t kept = 0;
	int error = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		struct screen_row *row = &table->rows[i];
		size_t k = 0;

		while (k < kept && (!has_same_cells(table, &table->rows[k], row) ||
				    !screen_place_joins(&table->rows[k].place, &row->place, step)))
			k++;
		if (k == kept || error) {
			table->rows[kept++] = *row;
			continue;
		}
		error = join_rows(table, &table->rows[k], row);
		clear_row(table, row);
	}
	table->row_count = kept;
	return error;
}

/** A table by index has no places where all rows are of the whole machine. */
static void shorten_places(struct screen_table *table, const struct report *report)
{
	bool whole = screen_table_is_by_index(table);

	for (size_t i = 0; i < table->row_count; i++) {
		screen_place_shorten(&table->rows[i].place, report);
		whole = whole && screen_place_is_whole(&table->rows[i].place, report);
	}
	for (size_t i = 0; i < table->row_count && whole; i++)
		screen_place_clear(&table->rows[i].place);
}

/** Orders rows by their index, and else as they are. */
static void sort_rows(struct screen_table *table)
{
	for (size_t i = 1; i < table->row_count; i++) {
		struct screen_row row = table->rows[i];
		size_t at = i;

		for (; at > 0 && table->rows[at - 1].index > row.index; at--)
			table->rows[at] = table->rows[at - 1];
		table->rows[at] = row;
	}
}

int screen_table_make(struct screen_table *table, const struct report *report,
		      const struct key *key)
{
	int error;

	*table = (struct screen_table){ .key = key };
	error = visit_rows(table, report, visit_columns);
	if (error)
		return error;
	if (table->column_count > 0)
		qsort(table->columns, table->column_count, sizeof(*table->columns), compare_keys);
	table->right = calloc(table->column_count + 1, sizeof(*table->right));
	error = table->right ? visit_rows(table, report, add_row) : -ENOMEM;
	/* The last step first: `package 0, power domains 0-2` before packages. */
	for (size_t step = REPORT_PATH_STEPS; step-- > 0 && !error;)
		error = fold(table, step);
	if (!error && report->whole)
		shorten_places(table, report);
	if (screen_table_is_by_index(table))
		sort_rows(table);
	return error;
}

void screen_table_clear(struct screen_table *table)
{
	for (size_t i = 0; i < table->row_count; i++)
		clear_row(table, &table->rows[i]);
	free(table->rows);
	free(table->columns);
	free(table->right);
	*table = (struct screen_table){ 0 };
}
