/* SPDX-License-Identifier: BSD-3-Clause */
/* Renderers: write a report in a format. They must know nothing of Speed Select. */
#ifndef ISST_CLI_RENDER_H
#define ISST_CLI_RENDER_H

#include "../arguments/format.h"
#include "../report/report.h"

#include <stdio.h>

/** What text is laid out for. */
struct page {
	unsigned int columns;
	bool colour;
	/* Of a terminal, what it shows at once; 0: anything. It may be narrower than @columns. */
	unsigned int width, height;
};

struct renderer {
	const char *name; /* as the option --format takes it */
	/** Writes the report, messages included where @messages. Returns 0 or -ENOMEM; errors of
	 * the stream stay in the stream. */
	int (*render)(const struct report *report, bool messages, FILE *stream);
	/** The same, laid out for a page: in place of the other one. */
	int (*render_page)(const struct report *report, const struct page *page, bool messages,
			   FILE *stream);
	/** True if one result is one document, in which messages must have a place. */
	bool document;
	/** True if a result is a file of its own for another program: without banner and messages,
	 * and --out replaces the file as a whole. */
	bool file;
	/** The flag of the commands that have the format; 0: all have it. */
	unsigned int commands;
};

extern const struct renderer renderers[FORMATS];

int render_text(const struct report *report, const struct page *page, bool messages, FILE *stream);
int render_screen(const struct report *report, const struct page *page, bool messages,
		  FILE *stream);
int render_json(const struct report *report, bool messages, FILE *stream);

int render_openmetrics(const struct report *report, bool messages, FILE *stream);
int render_nfd(const struct report *report, bool messages, FILE *stream);
int render_facts(const struct report *report, bool messages, FILE *stream);

/** The lines of nodes that have sentences, as text has them, with marks of those that changed.
 * Returns 0 or -ENOMEM. */
int render_sentences(const struct report_node *first, const struct page *page, FILE *stream);

/* What changed is marked, on a page with colours also by inverse. */
#define CHANGED_MARK '*'

/** The messages alone, in lines of the page if it is a terminal's. */
void render_messages(const struct report *report, const struct page *page, FILE *stream);

#endif
