/* SPDX-License-Identifier: BSD-3-Clause */
#include "../process/xalloc.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* ---- Maps ---- */

/* Cells without a group of their own are set apart so that they can be counted. */
enum { CELLS_TOGETHER = 8 };

struct map_cell {
	const struct map_mark *mark;
	const struct report_node *group; /* NULL: none */
	bool numbered, changed;
	unsigned int number; /* of the first of its CPUs */
};

struct map_cells {
	struct map_cell *cells;
	size_t count;
};

struct map {
	const struct page *page;
	FILE *stream;
	size_t place_width, number_width;
	const struct map_mark *marks; /* the list that the cells are of; NULL: there are none */
	const struct map_mark *last;  /* of the list */
	bool *used;		      /* which of the list */
	bool grouped;		      /* cells have groups of their own */
};

/* The columns behind that of places. */
static const char FIRST_CPU[] = "CPU", CORES[] = "cores, a letter for each",
		  MODULES[] = "modules of cores, a letter for each core";

/* ---- Cells ---- */

static const struct report_node *find_marked(const struct report_node *branch)
{
	const struct report_node *leaf = branch->first;

	while (leaf && !leaf->key->marks)
		leaf = leaf->next;
	return leaf;
}

static void add_cell(struct map_cells *cells, const struct report_node *branch,
		     const struct report_node *group)
{
	const struct report_node *marked = find_marked(branch);
	const struct map_mark *mark = marked->key->marks;
	struct map_cell *cell;

	cells->cells = xreallocarray(cells->cells, cells->count + 1, sizeof(*cell));
	cell = &cells->cells[cells->count++];
	while (mark->value &&
	       (marked->kind == NODE_UNKNOWN || strcmp(mark->value, marked->text) != 0))
		mark++;
	*cell = (struct map_cell){ .mark = mark, .group = group, .changed = marked->changed };
	for (const struct report_node *leaf = branch->first; leaf && !cell->numbered;
	     leaf = leaf->next)
		cell->numbered = leaf->kind == NODE_CPU_RANGES &&
				 isst_cpuset_next(leaf->cpus, 0, &cell->number);
}

/** Adds the cells below a node. @group: the branch around them; NULL: the unit itself */
static void collect(struct map_cells *cells, const struct report_node *node,
		    const struct report_node *group)
{
	for (const struct report_node *child = node->first; child; child = child->next) {
		if (child->kind != NODE_BRANCH)
			continue;
		if (find_marked(child))
			add_cell(cells, child, group);
		else
			collect(cells, child, child);
	}
}

/* ---- Lines ---- */

/** The length of the cells from one on that stay together. */
static size_t group_length(const struct map_cells *cells, size_t first)
{
	size_t length = 1, most = cells->cells[first].group ? SIZE_MAX : CELLS_TOGETHER;

	while (first + length < cells->count && length < most &&
	       cells->cells[first + length].group == cells->cells[first].group)
		length++;
	return length;
}

static void write_mark(const struct map *map, const struct map_mark *mark, bool changed)
{
	unsigned int style = changed ? STYLE_CHANGED : mark->style;

	map->used[mark - map->marks] = true;
	style_begin(map->page, style, map->stream);
	fputc(mark->letter, map->stream);
	style_end(map->page, style, map->stream);
}

/** Ends a line of cells; below those that changed there is a mark. */
static void end_line(const struct map *map, const struct map_cells *cells, size_t first, size_t end)
{
	fputc('\n', map->stream);
	while (end > first && !cells->cells[end - 1].changed)
		end--;
	if (end == first)
		return;
	fprintf(map->stream, "%*s", (int)(map->place_width + 2 + map->number_width + 1), "");
	for (size_t i = first; i < end;) {
		size_t group = i + group_length(cells, i);

		fputc(' ', map->stream);
		for (; i < group && i < end; i++)
			fputc(cells->cells[i].changed ? '^' : ' ', map->stream);
	}
	fputc('\n', map->stream);
}

static void write_cells(const struct map *map, const char *place, const struct map_cells *cells)
{
	size_t start = map->place_width + 2 + map->number_width + 1, column = 0, first = 0;

	for (size_t i = 0; i < cells->count;) {
		size_t length = group_length(cells, i);

		if (column > 0 && column + 1 + length > map->page->columns) {
			end_line(map, cells, first, i);
			first = i;
			column = 0;
		}
		if (column == 0) {
			fprintf(map->stream, "%-*s  ", (int)map->place_width, i == 0 ? place : "");
			if (cells->cells[i].numbered)
				fprintf(map->stream, "%*u ", (int)map->number_width,
					cells->cells[i].number);
			else
				fprintf(map->stream, "%*s ", (int)map->number_width, "");
			column = start;
		}
		fputc(' ', map->stream);
		for (size_t end = i + length; i < end; i++)
			write_mark(map, cells->cells[i].mark, cells->cells[i].changed);
		column += 1 + length;
	}
	end_line(map, cells, first, cells->count);
}

/** What each mark means that was used, in as many lines as it takes. */
static void write_legend(const struct map *map)
{
	size_t column = 0;

	fputc('\n', map->stream);
	for (const struct map_mark *mark = map->marks; mark <= map->last; mark++) {
		size_t length = 2 + strlen(mark->meaning);

		if (!map->used[mark - map->marks])
			continue;
		if (column > 0 && column + 2 + length > map->page->columns) {
			fputc('\n', map->stream);
			column = 0;
		}
		if (column > 0)
			column += (size_t)fprintf(map->stream, ", ");
		write_mark(map, mark, false);
		fprintf(map->stream, " %s", mark->meaning);
		column += length;
	}
	fputc('\n', map->stream);
}

/** The columns' names; what does not fit on the line stands below. */
static void write_heading(const struct map *map)
{
	const char *text = map->grouped ? MODULES : CORES;
	size_t start = map->place_width + 2 + map->number_width + 2;
	bool fits = start + strlen(text) <= map->page->columns;
	size_t length = fits ? strlen(text) : strcspn(text, ",") + 1;

	fprintf(map->stream, "\n%*s", (int)map->place_width + 2, "");
	style_begin(map->page, STYLE_BOLD, map->stream);
	fprintf(map->stream, "%*s  %.*s", (int)map->number_width, FIRST_CPU, (int)length, text);
	if (!fits)
		fprintf(map->stream, "\n%*s%s", (int)start, "", text + length + 1);
	style_end(map->page, STYLE_BOLD, map->stream);
	fputc('\n', map->stream);
}

/* ---- Units ---- */

/** Measures what stands before the cells of each unit, or writes them. */
static void visit_units(struct map *map, const struct report *report, bool write)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		struct map_cells cells = { 0 };
		char *name;

		if (entry->kind != ENTRY_UNIT || entry->steps == 0)
			continue;
		collect(&cells, entry->root, NULL);
		name = screen_place(report, entry);
		if (write && cells.count > 0)
			write_cells(map, name, &cells);
		else if (cells.count > 0 && strlen(name) > map->place_width)
			map->place_width = strlen(name);
		for (size_t i = 0; i < cells.count; i++) {
			size_t width = (size_t)snprintf(NULL, 0, "%u", cells.cells[i].number);

			if (cells.cells[i].numbered && width > map->number_width)
				map->number_width = width;
			map->grouped |= cells.cells[i].group != NULL;
		}
		free(name);
		free(cells.cells);
	}
}

/** The list of marks of a report; NULL if it has none. */
static const struct map_mark *find_list(const struct report_node *node)
{
	const struct map_mark *marks = node->key ? node->key->marks : NULL;

	for (const struct report_node *child = node->first; child && !marks; child = child->next)
		marks = find_list(child);
	return marks;
}

/** Writes the map and its legend, if the report has marks. */
static void write_map(const struct report *report, const struct page *page, FILE *stream)
{
	struct map map = { .page = page, .stream = stream, .number_width = strlen(FIRST_CPU) };

	for (const struct report_entry *entry = report->first; entry && !map.marks;
	     entry = entry->next)
		if (entry->kind == ENTRY_UNIT)
			map.marks = find_list(entry->root);
	if (!map.marks)
		return;
	for (map.last = map.marks; map.last->value;)
		map.last++;
	map.used = xcalloc((size_t)(map.last - map.marks) + 1, sizeof(*map.used));
	visit_units(&map, report, false);
	write_heading(&map);
	visit_units(&map, report, true);
	write_legend(&map);
	free(map.used);
}

/* ---- Screens ---- */

/** The next key, by the order of the key table, of branches that are rows; NULL behind the last. */
static const struct key *next_key(const struct report *report, const struct key *before)
{
	const struct key *next = NULL;

	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		if (entry->kind != ENTRY_UNIT || entry->steps == 0)
			continue;
		for (const struct report_node *node = entry->root->first; node; node = node->next)
			if (screen_key_is_row(node) && (!before || node->key > before) &&
			    (!next || node->key < next))
				next = node->key;
	}
	return next;
}

void render_screen(const struct report *report, const struct page *page, bool messages,
		   FILE *stream)
{
	const struct key *key = NULL;
	bool absent_known = false;

	for (const struct report_entry *entry = report->first; entry; entry = entry->next)
		if (entry->kind == ENTRY_UNIT && entry->steps == 0)
			render_nodes(entry->root->first, 1, page, stream);
	screen_table_print(report, NULL, page, &absent_known, stream);
	while ((key = next_key(report, key)) != NULL)
		screen_table_print(report, key, page, &absent_known, stream);
	write_map(report, page, stream);
	if (messages)
		render_messages(report, page, stream);
}
