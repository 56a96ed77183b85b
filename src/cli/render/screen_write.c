/* SPDX-License-Identifier: BSD-3-Clause */
/* Lays tables out: widths of columns, and what gets lines of its own. */
#include "../../common/memory_stream.h"
#include "../text/wrap.h"
#include "screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Columns before those of the table: the place, and the index. */
enum { PLACE, INDEX, FIRST };
/* Of a row below its place, and of a list below its row; a terminal shows so much of a list. */
enum { INDENT = 2, LIST_INDENT = 4, LIST_LINES = 4 };

static const char ABSENT[] = "-";

/** A table as texts. */
struct layout {
	const struct screen_table *table;
	const struct page *page;
	size_t columns, rows; /* the first row is that of headings */
	char **texts;
	size_t *widths;
	size_t gap;	   /* between columns */
	size_t first, end; /* which ones are written now, behind place and index */
	FILE *stream;
	bool has_index;
	bool places_apart; /* on lines of their own */
};

static char **text_at(const struct layout *layout, size_t row, size_t column)
{
	return &layout->texts[row * layout->columns + column];
}

static char *cell_text(const struct screen_cell *cell)
{
	char *text, *marked;

	if (cell->cpus && isst_cpuset_count(cell->cpus) > 0)
		text = isst_cpuset_to_list(cell->cpus);
	else
		text = strdup(cell->text ? cell->text : ABSENT);
	if (!text || !cell->changed)
		return text;
	if (asprintf(&marked, "%c%s", CHANGED_MARK, text) < 0)
		marked = NULL;
	free(text);
	return marked;
}

static char *index_text(const struct layout *layout, const struct screen_row *row)
{
	char *text;

	if (!layout->has_index)
		return strdup("");
	return asprintf(&text, "%u", row->index) < 0 ? NULL : text;
}

static char *heading_of(const struct layout *layout, size_t column)
{
	const struct key *key = layout->table->key;

	if (column == PLACE)
		return strdup(key ? key->heading : "");
	if (column == INDEX)
		return strdup(layout->has_index ? key->index_heading : "");
	return strdup(layout->table->columns[column - FIRST]->heading);
}

static int fill(const struct layout *layout)
{
	bool complete = true;

	for (size_t row = 0; row < layout->rows; row++) {
		const struct screen_row *from = row > 0 ? &layout->table->rows[row - 1] : NULL;

		for (size_t column = 0; column < layout->columns; column++) {
			char **text = text_at(layout, row, column);

			if (!from)
				*text = heading_of(layout, column);
			else if (column == PLACE)
				*text = screen_place_name(&from->place);
			else if (column == INDEX)
				*text = index_text(layout, from);
			else
				*text = cell_text(&from->cells[column - FIRST]);
			complete = complete && *text;
		}
	}
	return complete ? 0 : -ENOMEM;
}

/** The cell in a row and column; NULL: it is a heading, a place or an index. */
static const struct screen_cell *cell_at(const struct layout *layout, size_t row, size_t column)
{
	return row > 0 && column >= FIRST ? &layout->table->rows[row - 1].cells[column - FIRST]
					  : NULL;
}

/** Whether a cell is a list of CPUs in the last column, which may have lines of its own. */
static bool is_list(const struct layout *layout, size_t row, size_t column)
{
	const struct screen_cell *cell = cell_at(layout, row, column);

	return cell && cell->cpus && column + 1 == layout->columns;
}

static bool is_written(const struct layout *layout, size_t column)
{
	return (column < FIRST || (column >= layout->first && column < layout->end)) &&
	       layout->widths[column] > 0;
}

/** Where the last column begins. */
static size_t last_column(const struct layout *layout)
{
	size_t start = layout->places_apart ? INDENT : 0;

	for (size_t column = layout->places_apart; column + 1 < layout->end; column++)
		if (is_written(layout, column))
			start += layout->widths[column] + layout->gap;
	return start;
}

/** Whether all but lists fits into the page, if need be with columns close to each other. */
static bool fits(struct layout *layout)
{
	for (layout->gap = 2; layout->gap > 0; layout->gap--)
		if (last_column(layout) + layout->widths[layout->end - 1] <= layout->page->columns)
			return true;
	layout->gap = 1;
	return false;
}

/** Sets the widths; where the table is too wide places get lines of their own. */
static void measure(struct layout *layout)
{
	for (size_t row = 0; row < layout->rows; row++)
		for (size_t column = 0; column < layout->columns; column++) {
			size_t length = strlen(*text_at(layout, row, column));

			if (length > layout->widths[column] && !is_list(layout, row, column))
				layout->widths[column] = length;
		}
	layout->places_apart = !fits(layout) && !screen_table_is_by_index(layout->table);
}

static void pad(size_t count, FILE *stream)
{
	fprintf(stream, "%*s", (int)count, "");
}

/** How a cell stands out on a page with colours. */
static unsigned int style_of(const struct layout *layout, size_t row, size_t column)
{
	const struct screen_cell *cell = cell_at(layout, row, column);

	if (row == 0 && column == PLACE && layout->table->key)
		return layout->table->key->style;
	if (!cell)
		return 0;
	return cell->changed ? STYLE_CHANGED : cell->style;
}

/** Writes text of a cell, or a part of it. */
static void write_text(const struct layout *layout, size_t row, size_t column, const char *text,
		       size_t length)
{
	unsigned int weight = row == 0 && length > 0 ? STYLE_BOLD : 0;
	unsigned int style = style_of(layout, row, column);

	style_begin(layout->page, weight, layout->stream);
	style_begin(layout->page, style, layout->stream);
	fwrite(text, 1, length, layout->stream);
	style_end(layout->page, style | weight, layout->stream);
}

/** Writes a list on lines of its own. On a terminal, which it would fill, it is cut: it is whole in
 * a pipe or file. */
static void write_list(const struct layout *layout, size_t row)
{
	size_t width = layout->page->columns - LIST_INDENT, length, column = layout->columns - 1;
	const char *text = *text_at(layout, row, column);

	for (unsigned int line = 0; *text; line++) {
		fputc('\n', layout->stream);
		pad(LIST_INDENT, layout->stream);
		if (layout->page->width > 0 && line == LIST_LINES) {
			fprintf(layout->stream, "... (%zu CPUs)",
				isst_cpuset_count(cell_at(layout, row, column)->cpus));
			return;
		}
		length = wrap_list_break(text, strlen(text), width);
		if (length == 0)
			length = strlen(text);
		write_text(layout, row, column, text, length);
		text += length;
	}
}

/** Writes a cell behind blanks. Returns how many are between it and the next one. */
static size_t write_cell(const struct layout *layout, size_t row, size_t column, size_t blanks)
{
	const char *text = *text_at(layout, row, column);
	size_t length = strlen(text), width = layout->widths[column];
	size_t rest = width > length ? width - length : 0;
	bool right = column == INDEX || (column >= FIRST && layout->table->right[column - FIRST]);

	if (!is_written(layout, column))
		return blanks;
	pad(right ? blanks + rest : blanks, layout->stream);
	write_text(layout, row, column, text, length);
	return (right ? 0 : rest) + layout->gap;
}

static void write_row(const struct layout *layout, size_t row)
{
	size_t last = layout->end - 1, blanks = layout->places_apart ? INDENT : 0;
	const char *place = *text_at(layout, row, PLACE);

	if (layout->places_apart && *place) {
		write_text(layout, row, PLACE, place, strlen(place));
		fputc('\n', layout->stream);
	}
	for (size_t column = layout->places_apart; column < last; column++)
		blanks = write_cell(layout, row, column, blanks);
	if (is_list(layout, row, last) &&
	    last_column(layout) + strlen(*text_at(layout, row, last)) > layout->page->columns)
		write_list(layout, row);
	else
		write_cell(layout, row, last, blanks);
	fputc('\n', layout->stream);
}

/** Writes the table; by index with as many columns as fit, and then with the next ones. */
static void write_parts(struct layout *layout)
{
	size_t least = screen_table_is_by_index(layout->table) ? 1 : layout->columns;

	for (; layout->first < layout->columns; layout->first = layout->end) {
		if (layout->first > FIRST)
			fputc('\n', layout->stream);
		layout->end = layout->columns;
		while (!fits(layout) && layout->end > layout->first + least)
			layout->end--;
		for (size_t row = 0; row < layout->rows; row++)
			write_row(layout, row);
	}
}

/** Writes what columns and marks mean, below tables that have such columns. */
static void write_legend(const struct layout *layout)
{
	const struct screen_table *table = layout->table;
	bool legend = false, absent = false, unknown = false;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct key *key = table->columns[i];
		bool meant = key->legend && !key->legend_of;

		for (size_t row = 1; row < layout->rows; row++) {
			const char *text = *text_at(layout, row, FIRST + i);

			absent |= strcmp(text, ABSENT) == 0;
			unknown |= strchr(text, '?') != NULL;
			meant |= key->legend_of && strcmp(text, key->legend_of) == 0;
		}
		if (meant) {
			size_t column = (size_t)fprintf(layout->stream,
							"%s%s: ", legend ? "" : "\n", key->heading);

			wrap_line(key->legend, layout->page->columns, column, layout->stream);
			fputc('\n', layout->stream);
		}
		legend |= meant;
	}
	if (legend && absent)
		fputs("-: none\n", layout->stream);
	if (legend && unknown)
		fputs("?: not known\n", layout->stream);
}

int screen_table_write(const struct screen_table *table, const struct page *page, FILE *stream)
{
	struct layout layout = { .table = table,
				 .page = page,
				 .stream = stream,
				 .columns = FIRST + table->column_count,
				 .first = FIRST,
				 .end = FIRST + table->column_count,
				 .rows = table->row_count + 1,
				 .has_index = table->key && table->key->index_heading };
	int error = -ENOMEM;

	if (table->row_count == 0 || table->column_count == 0)
		return 0;
	layout.texts = calloc(layout.rows * layout.columns, sizeof(*layout.texts));
	layout.widths = calloc(layout.columns, sizeof(*layout.widths));
	if (layout.texts && layout.widths)
		error = fill(&layout);
	if (!error) {
		measure(&layout);
		write_parts(&layout);
		write_legend(&layout);
	}
	for (size_t i = 0; layout.texts && i < layout.rows * layout.columns; i++)
		free(layout.texts[i]);
	free(layout.texts);
	free(layout.widths);
	return error;
}
