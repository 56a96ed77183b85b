/* SPDX-License-Identifier: BSD-3-Clause */
/* Renderers: write a report in a format. They must know nothing of Speed Select. */
#ifndef ISST_CLI_RENDER_H
#define ISST_CLI_RENDER_H

#include "report.h"

#include <stdio.h>

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMATS };

/** What text is laid out for. */
struct page {
	unsigned int columns;
	bool colour;
};

struct renderer {
	const char *name; /* as the option --format takes it */
	/** Writes the report, messages included where @messages. Returns 0 or -ENOMEM; errors of
	 * the stream stay in the stream. */
	int (*render)(const struct report *report, bool messages, FILE *stream);
	/** The same of a report that is a screen; NULL: as any other. */
	int (*render_screen)(const struct report *report, const struct page *page, bool messages,
			     FILE *stream);
	/** True if one result is one document, in which messages must have a place. */
	bool document;
};

extern const struct renderer renderers[FORMATS];

int render_text(const struct report *report, bool messages, FILE *stream);
int render_screen(const struct report *report, const struct page *page, bool messages,
		  FILE *stream);
int render_json(const struct report *report, bool messages, FILE *stream);

/** The lines of nodes that have sentences, as text has them. Returns 0 or -ENOMEM. */
int render_sentences(const struct report_node *first, FILE *stream);

/** The messages alone, as lines. */
void render_messages(const struct report *report, FILE *stream);

/** Writes text as a JSON string, quotes included; what is no UTF-8 becomes U+FFFD. */
void render_json_string(const char *text, FILE *stream);

#endif
