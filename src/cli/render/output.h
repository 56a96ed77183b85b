/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_OUTPUT_H
#define ISST_CLI_OUTPUT_H

#include "../arguments/options.h"
#include "../process/exit_status.h"
#include "../process/nowait_stream.h"
#include "../report/report.h"
#include "../text/json.h"

#include <stdio.h>

/* ---- Pages ---- */

enum { DEFAULT_COLUMNS = 80 };

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
	/** Makes a document of JSON. */
	struct json *(*make)(const struct report *report, bool messages);
	/** Writes anything else. */
	void (*print)(const struct report *report, const struct page *page, bool messages,
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
void render_text(const struct report *report, const struct page *page, bool messages, FILE *stream);
void render_screen(const struct report *report, const struct page *page, bool messages,
		   FILE *stream);
void render_openmetrics(const struct report *report, const struct page *page, bool messages,
			FILE *stream);
void render_nfd(const struct report *report, const struct page *page, bool messages, FILE *stream);

/** Writes a report; errors of the stream stay in the stream. */
void render_report(const struct report *report, enum output_format format, const struct page *page,
		   bool messages, FILE *stream);

/** Writes one value of json-v2 by its path. @problem: why there is none, to be freed; NULL: there
 * is one. */
void render_value(const struct report *report, const char *path, FILE *stream, char **problem);

/** Writes a node, its siblings and all below. @level: from 1 on; @page: what changed is marked
 * there; NULL: nothing is. */
void render_nodes(const struct report_node *node, unsigned int level, const struct page *page,
		  FILE *stream);

/** The place of a unit, `package 0, power domain 1`, without optional steps that distinguish none.
 * To be freed. */
char *screen_place(const struct report *report, const struct report_entry *unit);

static inline bool screen_key_is_row(const struct report_node *node)
{
	return node->kind == NODE_BRANCH && node->key->heading && !node->key->cell;
}

/** Writes the table of a key (NULL: of units), if it has rows. Narrow pages have places and lists
 * on lines of their own; terminals cut lists. @absent_known: whether the screen has the legend of
 * empty cells. */
void screen_table_print(const struct report *report, const struct key *key, const struct page *page,
			bool *absent_known, FILE *stream);

/* What changed is marked, on a page with colours also by inverse. */
#define CHANGED_MARK '*'

/** The messages alone, in lines of the page if it is a terminal's. */
void render_messages(const struct report *report, const struct page *page, FILE *stream);

/* ---- Output ---- */

struct output {
	const char *program; /* the name that the program was run by */
	bool reference;	     /* as the kernel tree's tool: results on standard error */
	enum output_format format;
	const char *get;	   /* the path of the only value that is written; NULL: all are */
	enum colour_choice colour; /* of screens */
	const char *path;	   /* of --out; NULL: none */
	FILE *file;		   /* the opened @path; NULL: it is not, or is written as a whole */
	struct report_header header; /* of messages without a report: the command alone */
	bool plain; /* a result is a file of its own: text without a banner, on standard output */
	bool changing;	 /* the machine is to be changed: that counts, not what is reported of it */
	bool changed;	 /* the machine was changed as asked: reported where the result is lost */
	bool untargeted; /* the CPUs that --cpu names are not there */
	int write_error; /* errno of the first write of the result that failed */
	bool closed[3];	 /* standard streams that the caller had closed */
	/* In place of standard output and standard error; NULL: they may be waited for. */
	struct nowait_stream *nowait_output, *nowait_messages;
	bool file_limit_killed; /* before that was changed, a file that may not grow */
};

void output_start(struct output *output, const char *argv0);

/** Creates --out unless it is open, without waiting. @wait: only opens a FIFO, and waits for its
 * reader: without the lock. Returns 0 or a negative errno. */
int output_open(struct output *output, bool wait);

/** Reports why output_open() failed (@error, 0: it did not). Returns the exit status. */
enum exit_status output_refuse_path(struct output *output, int error);

/** All of that, for commands that take no lock. */
enum exit_status output_open_at_once(struct output *output);

/** From here to output_may_wait() readers do not hold up the run, which changes the machine. */
void output_must_not_wait(struct output *output);

/** The change is over: writes what was kept, as long as that may take. */
void output_may_wait(struct output *output);
FILE *output_result(const struct output *output);
FILE *output_trace(const struct output *output);

/** Where progress is printed; NULL: it is part of the document. */
FILE *output_progress(const struct output *output);

/** The stream for what must be seen at once while the run does not wait; NULL: it may. */
struct nowait_stream *output_nowait(const struct output *output);

/** Writes the banner, if any: tool, processor, emulated machine (NULL: real). Beside documents
 * @note names a machine chosen by the environment. */
void output_banner(struct output *output, unsigned int model, const char *emulated, bool note);
enum exit_status output_report(struct output *output, struct report *report,
			       enum exit_status status);

/** Writes and empties a report, a document as one line. Returns the status as above. */
enum exit_status output_event(struct output *output, struct report *report,
			      enum exit_status status);

/** Writes why a run does not even begin. Returns the status that the program ends with. */
enum exit_status output_refusal(struct output *output, struct report *report,
				enum exit_status status);

/** The same by a message. */
enum exit_status output_problem(struct output *output, const char *problem,
				enum exit_status status);

/** Writes plain text to standard output. Returns the exit status. */
enum exit_status output_text(struct output *output, const char *text, size_t size);
void output_close(struct output *output);

#endif
