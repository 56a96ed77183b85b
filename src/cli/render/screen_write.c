/* SPDX-License-Identifier: BSD-3-Clause */
/* Lays tables out: widths of columns, lists of CPUs in several lines, what does not fit. */
#include "../../common/memory_stream.h"
#include "screen_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Columns before those of the table: the place, and the index. */
enum { PLACE, INDEX, FIRST };
/* A list of CPUs that is longer is cut: other formats have it as a whole. */
enum { LIST_LINES = 2, LIST_COLUMNS = 24 };

static const char ABSENT[] = "-", CUT[] = "...";

/** A table as texts. */
struct layout {
	const struct screen_table *table;
	const struct page *page;
	size_t columns, rows; /* the first row is that of headings */
	char **texts;
	size_t *widths;
	size_t gap; /* between columns */
	FILE *stream;
	bool has_index;
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

/** The width of all columns but the last one, with what is between them. */
static size_t width_before_last(const struct layout *layout)
{
	size_t width = 0;

	for (size_t column = 0; column + 1 < layout->columns; column++)
		if (layout->widths[column] > 0)
			width += layout->widths[column] + layout->gap;
	return width;
}

/** Whether the last column is one of CPUs, which can be broken. */
static bool has_list(const struct layout *layout)
{
	for (size_t row = 0; row < layout->table->row_count; row++)
		if (layout->table->rows[row].cells[layout->columns - 1 - FIRST].cpus)
			return true;
	return false;
}

/** Sets the widths; where the table is too wide columns move together first, and then the last one
 * becomes narrower. */
static void measure(struct layout *layout, unsigned int width)
{
	size_t *last = &layout->widths[layout->columns - 1], before, least;

	for (size_t row = 0; row < layout->rows; row++)
		for (size_t column = 0; column < layout->columns; column++) {
			size_t length = strlen(*text_at(layout, row, column));

			if (length > layout->widths[column])
				layout->widths[column] = length;
		}
	layout->gap = 2;
	least = *last;
	if (has_list(layout) && least > LIST_COLUMNS)
		least = LIST_COLUMNS;
	if (width_before_last(layout) + least > width)
		layout->gap = 1;
	before = width_before_last(layout);
	least = strlen(*text_at(layout, 0, layout->columns - 1)) + sizeof(CUT);
	if (before + *last > width)
		*last = before + least < width ? width - before : least;
}

static void pad(size_t count, FILE *stream)
{
	fprintf(stream, "%*s", (int)count, "");
}

size_t screen_list_break(const char *text, size_t width)
{
	size_t length = strlen(text), comma = 0;

	if (length <= width)
		return length;
	for (size_t i = 0; i < width; i++)
		if (text[i] == ',')
			comma = i + 1;
	return comma > 0 ? comma : width;
}

/** Whether the cell in a row and column changed; row 0 is that of headings. */
static bool is_changed(const struct layout *layout, size_t row, size_t column)
{
	return row > 0 && column >= FIRST &&
	       layout->table->rows[row - 1].cells[column - FIRST].changed;
}

/** Writes text of a cell, or a part of it. */
static void write_text(const struct layout *layout, size_t row, size_t column, const char *text,
		       size_t length)
{
	bool inverse = layout->page->colour && is_changed(layout, row, column);

	fprintf(layout->stream, "%s%.*s%s", inverse ? CHANGED_BEGIN : "", (int)length, text,
		inverse ? CHANGED_END : "");
}

/** Writes the last column, in several lines if it has to be. */
static void write_last(const struct layout *layout, size_t row)
{
	size_t column = layout->columns - 1, width = layout->widths[column];
	size_t rest = width - strlen(CUT), length;
	const char *text = *text_at(layout, row, column);
	bool list = row > 0 && layout->table->rows[row - 1].cells[column - FIRST].cpus;
	unsigned int lines = list ? LIST_LINES : 1;

	for (unsigned int line = 1; strlen(text) > width && line < lines; line++) {
		length = screen_list_break(text, width);
		write_text(layout, row, column, text, length);
		fputc('\n', layout->stream);
		pad(width_before_last(layout), layout->stream);
		text += length;
	}
	if (strlen(text) <= width) {
		write_text(layout, row, column, text, strlen(text));
	} else {
		write_text(layout, row, column, text, list ? screen_list_break(text, rest) : rest);
		fputs(CUT, layout->stream);
	}
	fputc('\n', layout->stream);
}

static void write_row(const struct layout *layout, size_t row)
{
	size_t last = layout->columns - 1;

	for (size_t column = 0; column < last; column++) {
		const char *text = *text_at(layout, row, column);
		size_t width = layout->widths[column], blanks = width - strlen(text);
		bool right = column == INDEX ||
			     (column >= FIRST && layout->table->right[column - FIRST]);

		if (width == 0)
			continue;
		pad(right ? blanks : 0, layout->stream);
		write_text(layout, row, column, text, strlen(text));
		pad((right ? 0 : blanks) + layout->gap, layout->stream);
	}
	if (layout->table->right[last - FIRST] &&
	    strlen(*text_at(layout, row, last)) < layout->widths[last])
		pad(layout->widths[last] - strlen(*text_at(layout, row, last)), layout->stream);
	write_last(layout, row);
}

int screen_table_write(const struct screen_table *table, const struct page *page, FILE *stream)
{
	struct layout layout = { .table = table,
				 .page = page,
				 .stream = stream,
				 .columns = FIRST + table->column_count,
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
		measure(&layout, page->columns);
		for (size_t row = 0; row < layout.rows; row++)
			write_row(&layout, row);
	}
	for (size_t i = 0; layout.texts && i < layout.rows * layout.columns; i++)
		free(layout.texts[i]);
	free(layout.texts);
	free(layout.widths);
	return error;
}
