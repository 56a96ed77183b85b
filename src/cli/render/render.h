/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_RENDER_H
#define ISST_CLI_RENDER_H

#include "../arguments/options.h"
#include "../report/report.h"
#include "../text/json.h"

#include <stdio.h>

/* ---- Pages ---- */

struct page {
	unsigned int columns;
	bool colour;
	/* Of a terminal, what it shows at once; 0: anything. It may be narrower than @columns. */
	unsigned int width, height;
};

enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/** The page of a stream, 80 columns without a terminal. COLOUR_AUTO respects NO_COLOR. */
struct page page_of(FILE *stream, enum colour_choice colour);

/** Text in between stands out on a page with colours. @style: STYLE_..., 0: none */
void style_begin(const struct page *page, unsigned int style, FILE *stream);
void style_end(const struct page *page, unsigned int style, FILE *stream);

/** Writes lines over what a terminal shows, cut to its width and height. Returns their number. */
unsigned int frame_write(const char *text, const struct page *page, FILE *stream);

/* ---- Formats ---- */

/** Has one of the functions, with messages included where @messages. */
struct renderer {
	const char *name; /* as the option --format takes it */
	/** Makes a document of JSON; NULL without memory. */
	struct json *(*make)(const struct report *report, bool messages);
	/** Writes anything else. Returns 0 or -ENOMEM. */
	int (*print)(const struct report *report, const struct page *page, bool messages,
		     FILE *stream);
	/** True if one result is one document, in which messages must have a place. */
	bool document;
	/** The result is a file for another program, without messages; --out replaces it as a
	 * whole. */
	bool file;
	/** The flag of the commands that have the format; 0: all have it. */
	unsigned int commands;
};

extern const struct renderer renderers[FORMATS];

/** Raised where a name goes away, or changes its meaning. */
enum { JSON_V2_SCHEMA_VERSION = 1 };

struct json *make_json(const struct report *report, bool messages);
struct json *make_json_v2(const struct report *report, bool messages);
struct json *make_facts(const struct report *report, bool messages);
int render_text(const struct report *report, const struct page *page, bool messages, FILE *stream);
int render_screen(const struct report *report, const struct page *page, bool messages,
		  FILE *stream);
int render_openmetrics(const struct report *report, const struct page *page, bool messages,
		       FILE *stream);
int render_nfd(const struct report *report, const struct page *page, bool messages, FILE *stream);

/** Writes a report. Returns 0 or -ENOMEM; errors of the stream stay in the stream. */
int render_report(const struct report *report, enum output_format format, const struct page *page,
		  bool messages, FILE *stream);

/** Writes one value of json-v2 by its path. @problem: why there is none, to be freed. Returns 0 or
 * -ENOMEM. */
int render_value(const struct report *report, const char *path, FILE *stream, char **problem);

/** The lines of nodes that have sentences, with marks of changes. Returns 0 or -ENOMEM. */
int render_sentences(const struct report_node *first, const struct page *page, FILE *stream);

/* What changed is marked, on a page with colours also by inverse. */
#define CHANGED_MARK '*'

/** The messages alone, in lines of the page if it is a terminal's. */
void render_messages(const struct report *report, const struct page *page, FILE *stream);

#endif
