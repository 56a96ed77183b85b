/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../common/printable.h"
#include "../text/wrap.h"
#include "output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/** The first level is indented by one space, all others by two for each level above. */
static size_t indent(unsigned int level, FILE *stream)
{
	return (size_t)fprintf(stream, "%*s", level == 1 ? 1 : (int)(2 * (level - 1)), "");
}

static void write_line(const struct report_node *node, unsigned int level, const struct page *page,
		       FILE *stream)
{
	struct wrap wrap = { .stream = stream, .columns = page ? page->columns : 0 };
	char *name = wording_of_key(node), *value = NULL;

	if (node->kind != NODE_BRANCH)
		value = wording_of_value(node);
	wrap.column = indent(level, stream);
	wrap.indent = wrap.column + 2;
	wrap.column += (size_t)fprintf(stream, "%s%s%s", name,
				       node->marked && node->key->mark ? node->key->mark : "",
				       value ? ":" : "");
	/* Terminals would break numbers: lists and masks of CPUs are broken behind commas. */
	if (value && page && page->width > 0 && node->cpus)
		wrap_words(&wrap, value, strlen(value));
	else if (value)
		write_printable(value, "", stream);
	fputc('\n', stream);
	free(name);
	free(value);
}

/** A sentence may be several lines, such as those of a platform file. */
static void write_sentence(const struct report_node *node, const char *sentence,
			   const struct page *page, FILE *stream)
{
	unsigned int style = node->changed ? STYLE_CHANGED : wording_style(node);

	style_begin(page, style, stream);
	if (page && node->changed)
		fputc(CHANGED_MARK, stream);
	if (page && (node->key->wrapped || (page->width > 0 && node->cpus)))
		wrap_line(sentence, page->columns, node->changed, stream);
	else
		write_printable(sentence, "\n\t", stream);
	style_end(page, style, stream);
	fputc('\n', stream);
}

void render_nodes(const struct report_node *node, unsigned int level, const struct page *page,
		  FILE *stream)
{
	for (; node; node = node->next) {
		char *sentence;

		if ((node->kind == NODE_UNKNOWN && !node->key->sentence) || node->hidden)
			continue;
		sentence = wording_of_sentence(node);
		if (!sentence)
			write_line(node, level, page, stream);
		else if (*sentence)
			write_sentence(node, sentence, page, stream);
		free(sentence);
		render_nodes(node->first, level + 1, page, stream);
	}
}

static void write_unit(const struct report_entry *unit, const struct page *page, FILE *stream)
{
	unsigned int level = 1;

	for (size_t i = 0; i < unit->steps; i++, level++) {
		char *name = wording_of_path(&unit->path[i], 1);

		indent(level, stream);
		fprintf(stream, "%s\n", name);
		free(name);
	}
	render_nodes(unit->root->first, level, page, stream);
}

static void write_message(const struct report_entry *entry, const struct page *page, FILE *stream)
{
	size_t column = 0;

	if (entry->kind == ENTRY_PROGRESS)
		return;
	if (entry->kind != ENTRY_REMARK)
		column += (size_t)fprintf(stream, "%s: ", wording_of_message(entry));
	if (page)
		wrap_line(entry->message, page->columns, column, stream);
	else
		write_printable(entry->message, "", stream);
	fputc('\n', stream);
}

void render_text(const struct report *report, const struct page *page, bool messages, FILE *stream)
{
	const struct page *lines = page->width > 0 ? page : NULL;

	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		if (entry->kind == ENTRY_UNIT)
			write_unit(entry, lines, stream);
		else if (messages)
			write_message(entry, lines, stream);
	}
}

void render_messages(const struct report *report, const struct page *page, FILE *stream)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		if (entry->kind != ENTRY_UNIT)
			write_message(entry, page->width > 0 ? page : NULL, stream);
	}
}

/* ---- Pages ---- */

/* Less is no width that anything can be laid out for. */
enum { LEAST_COLUMNS = 40 };

struct page page_of(FILE *stream, enum colour_choice colour)
{
	struct page page = { .columns = DEFAULT_COLUMNS, .colour = colour == COLOUR_ALWAYS };
	/* Unwanted by the user, or the terminal has none (no-color.org). */
	const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");
	int descriptor = fileno(stream);
	struct winsize size;

	if (descriptor < 0 || !isatty(descriptor))
		return page;
	if (colour == COLOUR_AUTO)
		page.colour = !(unwanted && *unwanted) && terminal && strcmp(terminal, "dumb") != 0;
	if (ioctl(descriptor, TIOCGWINSZ, &size) != 0)
		return page;
	page.width = size.ws_col;
	page.height = size.ws_row;
	if (size.ws_col > 0)
		page.columns = size.ws_col < LEAST_COLUMNS ? LEAST_COLUMNS : size.ws_col;
	return page;
}

void style_begin(const struct page *page, unsigned int style, FILE *stream)
{
	if (page && page->colour && style)
		fprintf(stream, "\033[%um", style);
}

void style_end(const struct page *page, unsigned int style, FILE *stream)
{
	if (page && page->colour && style)
		fputs("\033[0m", stream);
}

/* ---- Frames ---- */

#define HOME "\033[H"
/* To be written before the text: behind the last column they would erase that. */
#define ERASE_LINE "\033[K"
#define ERASE_REST "\033[J"

static size_t sequence_length(const char *text)
{
	size_t length = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	while (text[length] && (text[length] < '@' || text[length] > '~'))
		length++;
	return length + (text[length] != '\0');
}

/** Writes the beginning of a line that fits; sequences take no place, and are all written. */
static void write_frame_line(const char *line, size_t length, unsigned int width, FILE *stream)
{
	unsigned int column = 0;

	for (size_t i = 0; i < length;) {
		size_t bytes = sequence_length(line + i);

		if (bytes == 0) {
			/* A character of UTF-8. */
			bytes = 1;
			while (i + bytes < length &&
			       ((unsigned char)line[i + bytes] & 0xc0) == 0x80)
				bytes++;
			column++;
		}
		if (column <= width || line[i] == '\033')
			fwrite(line + i, 1, bytes, stream);
		i += bytes;
	}
}

unsigned int frame_write(const char *text, const struct page *page, FILE *stream)
{
	const unsigned int width = page->width ? page->width : UINT_MAX;
	const size_t height = page->height ? page->height : SIZE_MAX;
	size_t lines = 0, shown, line = 0;

	for (const char *c = text; *c; c++)
		lines += *c == '\n' || !c[1];
	shown = lines <= height ? lines : height - 1;
	fputs(HOME, stream);
	for (; line < shown; line++) {
		size_t length = strcspn(text, "\n");

		fputs(line > 0 ? "\r\n" ERASE_LINE : ERASE_LINE, stream);
		write_frame_line(text, length, width, stream);
		text += length + (text[length] != '\0');
	}
	if (shown < lines) {
		char more[64];

		snprintf(more, sizeof(more), "... %zu more lines", lines - shown);
		fputs(line++ > 0 ? "\r\n" ERASE_LINE : ERASE_LINE, stream);
		write_frame_line(more, strlen(more), width, stream);
	}
	if (line < height)
		fputs(line > 0 ? "\r\n" ERASE_REST : ERASE_REST, stream);
	return (unsigned int)line;
}
