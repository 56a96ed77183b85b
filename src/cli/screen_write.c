/* SPDX-License-Identifier: BSD-3-Clause */
/* Lays tables out: widths of columns, lists of CPUs in several lines, what does not fit. */
#include "screen_table.h"

#include "../common/memory_stream.h"

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
	size_t columns, rows; /* the first row is that of headings */
	char **texts;
	size_t *widths;
	size_t gap; /* between columns */
	bool has_index;
};

static char **text_at(const struct layout *layout, size_t row, size_t column)
{
	return &layout->texts[row * layout->columns + column];
}

static char *cell_text(const struct screen_cell *cell)
{
	if (cell->cpus && isst_cpuset_count(cell->cpus) > 0)
		return isst_cpuset_to_list(cell->cpus);
	return strdup(cell->text ? cell->text : ABSENT);
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

/** Writes the last column, in several lines if it has to be. */
static void write_last(const struct layout *layout, const char *text, bool list, FILE *stream)
{
	size_t width = layout->widths[layout->columns - 1], rest = width - strlen(CUT), length;
	unsigned int lines = list ? LIST_LINES : 1;

	for (unsigned int line = 1; strlen(text) > width && line < lines; line++) {
		length = screen_list_break(text, width);
		fprintf(stream, "%.*s\n", (int)length, text);
		pad(width_before_last(layout), stream);
		text += length;
	}
	if (strlen(text) <= width)
		fprintf(stream, "%s\n", text);
	else
		fprintf(stream, "%.*s%s\n", (int)(list ? screen_list_break(text, rest) : rest),
			text, CUT);
}

static void write_row(const struct layout *layout, size_t row, FILE *stream)
{
	size_t last = layout->columns - 1;

	for (size_t column = 0; column < last; column++) {
		const char *text = *text_at(layout, row, column);
		size_t width = layout->widths[column], blanks = width - strlen(text);
		bool right = column == INDEX ||
			     (column >= FIRST && layout->table->right[column - FIRST]);

		if (width == 0)
			continue;
		pad(right ? blanks : 0, stream);
		fputs(text, stream);
		pad((right ? 0 : blanks) + layout->gap, stream);
	}
	if (layout->table->right[last - FIRST] &&
	    strlen(*text_at(layout, row, last)) < layout->widths[last])
		pad(layout->widths[last] - strlen(*text_at(layout, row, last)), stream);
	write_last(layout, *text_at(layout, row, last),
		   row > 0 && layout->table->rows[row - 1].cells[last - FIRST].cpus, stream);
}

int screen_table_write(const struct screen_table *table, unsigned int width, FILE *stream)
{
	struct layout layout = { .table = table,
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
		measure(&layout, width);
		for (size_t row = 0; row < layout.rows; row++)
			write_row(&layout, row, stream);
	}
	for (size_t i = 0; layout.texts && i < layout.rows * layout.columns; i++)
		free(layout.texts[i]);
	free(layout.texts);
	free(layout.widths);
	return error;
}
