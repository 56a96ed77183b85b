/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables: rows are units of a report, or branches of them, columns are leaves with a heading. Rows
 * that differ only in places and CPUs are one. */
#include "../../common/memory_stream.h"
#include "../../common/numbered.h"
#include "../process/xalloc.h"
#include "../text/wrap.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* Columns before those of the table: the place, and the index. */
enum { PLACE, INDEX, FIRST };
/* Of a row below its place, and of a list below its row; a terminal shows so much of a list. */
enum { INDENT = 2, LIST_INDENT = 4, LIST_LINES = 4 };

static const char ABSENT[] = "-";

/** A cell is a text, or CPUs; without both the row has no such leaf. */
struct cell {
	char *text;
	struct isst_cpuset *cpus;
	bool changed; /* is marked */
	unsigned int style;
};

struct row {
	struct table *table;
	const struct report_entry *unit;
	const struct report_node *branch;
	struct cell *cells; /* one for each column */
};

struct table {
	const struct key *key;	    /* of the branches that are rows; NULL: units are */
	const struct key **columns; /* in the order of the key table */
	bool *right;		    /* of each column: numbers, which end below each other */
	size_t column_count;
	struct row *rows;
	size_t row_count;
	struct folds folds; /* rows that differ in more than places and CPUs */
	const struct page *page;
	bool *absent_known; /* its legend is on the screen */
	FILE *stream;
	size_t columns_shown, rows_shown; /* the first row is that of headings */
	char **texts;
	size_t *widths;
	size_t gap;	   /* between columns */
	size_t first, end; /* which ones are written now, behind place and index */
	bool places_apart; /* on lines of their own */
};

/* ---- Places ---- */

static const struct report_step *find_place(const struct report_entry *unit, const char *word)
{
	for (size_t i = 0; i < unit->steps; i++)
		if (unit->path[i].key->place && strcmp(unit->path[i].key->place, word) == 0)
			return &unit->path[i];
	return NULL;
}

/** Whether a step alone distinguishes a unit from another, as no step that is always shown does. */
static bool is_needed(const struct report *report, const struct report_entry *unit,
		      const struct report_step *step)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		const struct report_step *other = find_place(entry, step->key->place);
		bool same = other && other->index != step->index;

		for (size_t i = 0; i < unit->steps && same; i++) {
			const struct report_step *own = &unit->path[i];

			same = !own->key->place || own->key->optional ||
			       ((other = find_place(entry, own->key->place)) != NULL &&
				other->index == own->index);
		}
		if (same)
			return true;
	}
	return false;
}

char *screen_place(const struct report *report, const struct report_entry *unit)
{
	struct memory_stream memory;
	const char *separator = "";

	xcall(memory_stream_open(&memory));
	for (const struct report_step *step = unit->path; step < unit->path + unit->steps; step++) {
		if (!step->key->place || (step->key->optional && !is_needed(report, unit, step)))
			continue;
		fprintf(memory.stream, "%s%s %u", separator, step->key->place, step->index);
		separator = ", ";
	}
	return xcheck(memory_stream_text(&memory));
}

/** Whether a place has all numbers of its last step: no unit is at it but for that one. */
static bool has_all(const struct fold *place, const struct report *report)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		const struct report_step *step = NULL;
		size_t i = 0;

		while (i < place->name_count &&
		       (step = find_place(entry, place->names[i].word)) != NULL &&
		       isst_cpuset_has(place->names[i].numbers, step->index))
			i++;
		/* A whole package is at none. */
		if (step && i + 1 == place->name_count)
			return false;
	}
	return true;
}

/** Leaves out the last step of a place. */
static void shorten(struct fold *place)
{
	isst_cpuset_free(place->names[--place->name_count].numbers);
}

static char *name_place(const struct fold *place)
{
	struct memory_stream memory;

	xcall(memory_stream_open(&memory));
	for (size_t i = 0; i < place->name_count; i++) {
		char *name = xcheck(name_numbers(place->names[i].word, place->names[i].numbers));

		fprintf(memory.stream, "%s%s", i > 0 ? ", " : "", name);
		free(name);
	}
	return xcheck(memory_stream_text(&memory));
}

/* ---- Columns and rows ---- */

/** Whether rows are about what their index counts, in the first place: their heading is none. */
static bool is_by_index(const struct table *table)
{
	return table->key && !*table->key->heading;
}

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

static size_t find_column(const struct table *table, const struct key *key)
{
	size_t column = 0;

	while (column < table->column_count && table->columns[column] != key)
		column++;
	return column;
}

/** Begins the row of a branch, if it has cells, and adds new columns. */
static void begin_row(struct table *table, const struct report_entry *unit,
		      const struct report_node *branch)
{
	bool any = table->key;

	for (const struct report_node *leaf = branch->first; leaf; leaf = leaf->next) {
		any |= is_cell(leaf);
		if (!is_cell(leaf) || find_column(table, leaf->key) < table->column_count)
			continue;
		table->columns = xreallocarray(table->columns, table->column_count + 1,
					       sizeof(*table->columns));
		table->columns[table->column_count++] = leaf->key;
	}
	if (!any)
		return;
	table->rows = xreallocarray(table->rows, table->row_count + 1, sizeof(*table->rows));
	table->rows[table->row_count++] = (struct row){ table, unit, branch, NULL };
}

static void fill_cell(struct cell *cell, const struct report_node *leaf)
{
	char *text, *before = cell->text;

	/* A branch stands with all others of its key. */
	if (cell->cpus || (before && leaf->kind != NODE_BRANCH))
		return;
	if (!before) {
		cell->changed = leaf->changed;
		cell->style = wording_style(leaf);
	}
	if (leaf->kind == NODE_CPU_RANGES) {
		cell->cpus = xcheck(isst_cpuset_new());
		xcall(isst_cpuset_add_set(cell->cpus, leaf->cpus));
		return;
	}
	cell->text = wording_of_cell(leaf);
	if (before) {
		text = xasprintf("%s %s", before, cell->text);
		free(before);
		free(cell->text);
		cell->text = text;
	}
}

static void fill_row(struct table *table, struct row *row)
{
	row->cells = xcalloc(table->column_count + 1, sizeof(*row->cells));
	for (const struct report_node *leaf = row->branch->first; leaf; leaf = leaf->next) {
		size_t column = find_column(table, leaf->key);

		if (!is_cell(leaf))
			continue;
		table->right[column] |= leaf->kind == NODE_NUMBER && !leaf->key->cell;
		fill_cell(&row->cells[column], leaf);
	}
}

/* ---- Rows that are one ---- */

static void join_cpus(void *data, void *other)
{
	struct row *row = data, *more = other;

	for (size_t i = 0; i < row->table->column_count; i++) {
		struct cell *cell = &row->cells[i];

		if (cell->cpus) {
			xcall(isst_cpuset_add_set(cell->cpus, more->cells[i].cpus));
		} else {
			cell->cpus = more->cells[i].cpus;
			more->cells[i].cpus = NULL;
		}
	}
}

/** Adds a row, or joins it with one at the same place: a line that is its place, and then all that
 * has to be the same. A mark stands where something changed, and nowhere else. */
static void fold_row(struct table *table, const struct report *report, struct row *row)
{
	char *text = screen_place(report, row->unit);
	struct memory_stream memory;

	xcall(memory_stream_open(&memory));
	fprintf(memory.stream, "%s\n", text);
	free(text);
	if (table->key && table->key->index_heading)
		fprintf(memory.stream, "%u", row->branch->index);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct cell *cell = &row->cells[i];

		fprintf(memory.stream, "\n%s%s", cell->changed ? "\1" : "",
			cell->text ? cell->text : "");
	}
	text = xcheck(memory_stream_text(&memory));
	xcall(folds_add(&table->folds, row, "%s", text));
	free(text);
}

static const struct row *row_at(const struct table *table, size_t i)
{
	return table->folds.all[i].data;
}

static void sort_rows(struct table *table)
{
	struct fold *all = table->folds.all;

	for (size_t i = 1; i < table->folds.count; i++) {
		unsigned int index = row_at(table, i)->branch->index;
		struct fold fold = all[i];
		size_t at = i;

		for (; at > 0 && row_at(table, at - 1)->branch->index > index; at--)
			all[at] = all[at - 1];
		all[at] = fold;
	}
}

static void make_table(struct table *table, const struct report *report)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		if (entry->kind != ENTRY_UNIT || entry->steps == 0)
			continue;
		if (!table->key)
			begin_row(table, entry, entry->root);
		for (const struct report_node *node = entry->root->first; node && table->key;
		     node = node->next)
			if (node->kind == NODE_BRANCH && node->key == table->key)
				begin_row(table, entry, node);
	}
	if (table->column_count > 0)
		qsort(table->columns, table->column_count, sizeof(*table->columns), compare_keys);
	table->right = xcalloc(table->column_count + 1, sizeof(*table->right));
	for (size_t i = 0; i < table->row_count; i++)
		fill_row(table, &table->rows[i]);
	for (size_t i = 0; i < table->row_count; i++)
		fold_row(table, report, &table->rows[i]);
	xcall(folds_join(&table->folds, &(struct folds){ .all = NULL }));
	if (report->whole) {
		bool whole = is_by_index(table);

		for (size_t i = 0; i < table->folds.count; i++) {
			struct fold *place = &table->folds.all[i];

			/* Steps at the end that have all of their numbers are left out. */
			while (place->name_count > 1 && has_all(place, report))
				shorten(place);
			whole = whole && place->name_count == 1 && has_all(place, report);
		}
		for (size_t i = 0; i < table->folds.count && whole; i++)
			shorten(&table->folds.all[i]);
	}
	if (is_by_index(table))
		sort_rows(table);
}

/* ---- Widths of columns, and what gets lines of its own ---- */

static char **text_at(const struct table *table, size_t row, size_t column)
{
	return &table->texts[row * table->columns_shown + column];
}

static char *cell_text(const struct cell *cell)
{
	char *text, *marked;

	if (cell->cpus && isst_cpuset_count(cell->cpus) > 0)
		text = xcheck(isst_cpuset_to_list(cell->cpus));
	else
		text = xstrdup(cell->text ? cell->text : ABSENT);
	if (!cell->changed)
		return text;
	marked = xasprintf("%c%s", CHANGED_MARK, text);
	free(text);
	return marked;
}

static void fill(const struct table *table)
{
	bool has_index = table->key && table->key->index_heading;

	for (size_t row = 0; row < table->rows_shown; row++) {
		const struct row *from = row > 0 ? row_at(table, row - 1) : NULL;

		for (size_t column = 0; column < table->columns_shown; column++) {
			char **text = text_at(table, row, column), number[16] = "";

			if (column == INDEX && from && has_index)
				snprintf(number, sizeof(number), "%u", from->branch->index);
			if (column == INDEX)
				*text = xstrdup(from || !has_index ? number
								   : table->key->index_heading);
			else if (column == PLACE)
				*text = from ? name_place(&table->folds.all[row - 1])
					     : xstrdup(table->key ? table->key->heading : "");
			else
				*text = from ? cell_text(&from->cells[column - FIRST])
					     : xstrdup(table->columns[column - FIRST]->heading);
		}
	}
}

/** The cell in a row and column; NULL: it is a heading, a place or an index. */
static const struct cell *cell_at(const struct table *table, size_t row, size_t column)
{
	return row > 0 && column >= FIRST ? &row_at(table, row - 1)->cells[column - FIRST] : NULL;
}

/** Whether a cell is a list of CPUs in the last column, which may have lines of its own. */
static bool is_list(const struct table *table, size_t row, size_t column)
{
	const struct cell *cell = cell_at(table, row, column);

	return cell && cell->cpus && column + 1 == table->columns_shown;
}

static bool is_written(const struct table *table, size_t column)
{
	return (column < FIRST || (column >= table->first && column < table->end)) &&
	       table->widths[column] > 0;
}

static size_t last_column(const struct table *table)
{
	size_t start = table->places_apart ? INDENT : 0;

	for (size_t column = table->places_apart; column + 1 < table->end; column++)
		if (is_written(table, column))
			start += table->widths[column] + table->gap;
	return start;
}

/** Whether all but lists fits into the page, if need be with columns close to each other. */
static bool fits(struct table *table)
{
	for (table->gap = 2; table->gap > 0; table->gap--)
		if (last_column(table) + table->widths[table->end - 1] <= table->page->columns)
			return true;
	table->gap = 1;
	return false;
}

static unsigned int style_of(const struct table *table, size_t row, size_t column)
{
	const struct cell *cell = cell_at(table, row, column);

	if (row == 0 && column == PLACE && table->key)
		return table->key->style;
	if (!cell)
		return 0;
	return cell->changed ? STYLE_CHANGED : cell->style;
}

/** Headings that are close to each other stay apart; on a narrow page all have one spelling. */
static char heading_letter(const struct table *table, char letter)
{
	bool narrow = table->gap == 1 || table->page->columns < DEFAULT_COLUMNS;

	return letter == ' ' && narrow ? '_' : letter;
}

static void write_text(const struct table *table, size_t row, size_t column, const char *text,
		       size_t length)
{
	unsigned int weight = row == 0 && length > 0 ? STYLE_BOLD : 0;
	unsigned int style = style_of(table, row, column);

	style_begin(table->page, weight, table->stream);
	style_begin(table->page, style, table->stream);
	for (size_t i = 0; i < length; i++)
		fputc(row == 0 && column >= FIRST ? heading_letter(table, text[i]) : text[i],
		      table->stream);
	style_end(table->page, style | weight, table->stream);
}

/** Writes a list on lines of its own, cut on terminals alone. */
static void write_list(const struct table *table, size_t row)
{
	size_t width = table->page->columns - LIST_INDENT, length,
	       column = table->columns_shown - 1;
	const char *text = *text_at(table, row, column);

	for (unsigned int line = 0; *text; line++) {
		fputc('\n', table->stream);
		fprintf(table->stream, "%*s", LIST_INDENT, "");
		if (table->page->width > 0 && line == LIST_LINES) {
			fprintf(table->stream, "... (%zu CPUs)",
				isst_cpuset_count(cell_at(table, row, column)->cpus));
			return;
		}
		length = wrap_list_break(text, strlen(text), width);
		if (length == 0)
			length = strlen(text);
		write_text(table, row, column, text, length);
		text += length;
	}
}

/** Writes a cell behind blanks. Returns how many are between it and the next one. */
static size_t write_cell(const struct table *table, size_t row, size_t column, size_t blanks)
{
	const char *text = *text_at(table, row, column);
	size_t length = strlen(text), width = table->widths[column];
	size_t rest = width > length ? width - length : 0;
	bool right = column == INDEX || (column >= FIRST && table->right[column - FIRST]);

	if (!is_written(table, column))
		return blanks;
	fprintf(table->stream, "%*s", (int)(right ? blanks + rest : blanks), "");
	write_text(table, row, column, text, length);
	return (right ? 0 : rest) + table->gap;
}

static void write_row(const struct table *table, size_t row)
{
	size_t last = table->end - 1, blanks = table->places_apart ? INDENT : 0;
	const char *place = *text_at(table, row, PLACE);

	if (table->places_apart && *place) {
		write_text(table, row, PLACE, place, strlen(place));
		fputc('\n', table->stream);
	}
	for (size_t column = table->places_apart; column < last; column++)
		blanks = write_cell(table, row, column, blanks);
	if (is_list(table, row, last) &&
	    last_column(table) + strlen(*text_at(table, row, last)) > table->page->columns)
		write_list(table, row);
	else
		write_cell(table, row, last, blanks);
	fputc('\n', table->stream);
}

/** Writes the table; by index with as many columns as fit, and then with the next ones. */
static void write_parts(struct table *table)
{
	size_t least = is_by_index(table) ? 1 : table->columns_shown;

	for (; table->first < table->columns_shown; table->first = table->end) {
		if (table->first > FIRST)
			fputc('\n', table->stream);
		table->end = table->columns_shown;
		while (!fits(table) && table->end > table->first + least)
			table->end--;
		for (size_t row = 0; row < table->rows_shown; row++)
			write_row(table, row);
	}
}

/** Writes the legend of columns and marks. */
static void write_legend(const struct table *table)
{
	bool legend = false, absent = false, unknown = false;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct key *key = table->columns[i];
		bool meant = key->legend && !key->legend_of;

		for (size_t row = 1; row < table->rows_shown; row++) {
			const char *text = *text_at(table, row, FIRST + i);

			absent |= strcmp(text, ABSENT) == 0;
			unknown |= strchr(text, '?') != NULL;
			meant |= key->legend_of && strcmp(text, key->legend_of) == 0;
		}
		if (meant) {
			fputs(legend ? "" : "\n", table->stream);
			for (const char *letter = key->heading; *letter; letter++)
				fputc(heading_letter(table, *letter), table->stream);
			fputs(": ", table->stream);
			wrap_line(key->legend, table->page->columns,
				  strlen(key->heading) + strlen(": "), table->stream);
			fputc('\n', table->stream);
		}
		legend |= meant;
	}
	if (absent && !*table->absent_known)
		fprintf(table->stream, "%s%s: none, or not supported\n", legend ? "" : "\n",
			ABSENT);
	*table->absent_known |= absent;
	if (legend && unknown)
		fputs("?: not known\n", table->stream);
}

void screen_table_print(const struct report *report, const struct key *key, const struct page *page,
			bool *absent_known, FILE *stream)
{
	struct table table = { .key = key,
			       .folds = { .join = join_cpus },
			       .page = page,
			       .absent_known = absent_known,
			       .stream = stream,
			       .first = FIRST };

	make_table(&table, report);
	if (table.row_count > 0)
		fputc('\n', stream);
	if (table.row_count > 0 && table.column_count > 0) {
		table.columns_shown = table.end = FIRST + table.column_count;
		table.rows_shown = table.folds.count + 1;
		table.texts = xcalloc(table.rows_shown * table.columns_shown, sizeof(*table.texts));
		table.widths = xcalloc(table.columns_shown, sizeof(*table.widths));
		fill(&table);
		for (size_t row = 0; row < table.rows_shown; row++)
			for (size_t column = 0; column < table.columns_shown; column++) {
				size_t length = strlen(*text_at(&table, row, column));

				if (length > table.widths[column] && !is_list(&table, row, column))
					table.widths[column] = length;
			}
		table.places_apart = !fits(&table) && !is_by_index(&table);
		write_parts(&table);
		write_legend(&table);
	}
	for (size_t i = 0; i < table.rows_shown * table.columns_shown; i++)
		free(table.texts[i]);
	free(table.texts);
	free(table.widths);
	for (size_t i = 0; i < table.row_count; i++) {
		struct row *row = &table.rows[i];

		for (size_t k = 0; k < table.column_count; k++) {
			free(row->cells[k].text);
			isst_cpuset_free(row->cells[k].cpus);
		}
		free(row->cells);
	}
	folds_clear(&table.folds);
	free(table.rows);
	free(table.columns);
	free(table.right);
}
