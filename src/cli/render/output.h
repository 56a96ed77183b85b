/* SPDX-License-Identifier: BSD-3-Clause */
/* Which stream carries results, messages, banner and trace, by the program's name, the format and
 * --out: the manual page has the table, under OUTPUT. */
#ifndef ISST_CLI_OUTPUT_H
#define ISST_CLI_OUTPUT_H

#include "../process/exit_status.h"
#include "../process/nowait_stream.h"
#include "render.h"

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

/** Sets up the output of a program run by the name @argv0. */
void output_start(struct output *output, const char *argv0);

/** Opens --out if it is a FIFO, and waits for its reader, as any program does that writes to one:
 * not while holding the lock. Returns STATUS_DONE, or a status after reporting an error. */
enum exit_status output_wait_for_reader(struct output *output);

/** Creates or truncates --out unless it is open already, without waiting for the reader of a FIFO.
 * Returns 0 or a negative errno. */
int output_open(struct output *output);

/** Reports why output_open() failed; once the lock is released. @error: 0: it did not. Returns what
 * the program ends with. */
enum exit_status output_refuse_path(struct output *output, int error);

/** All of that, for commands that take no lock. */
enum exit_status output_open_at_once(struct output *output);

/** The machine is going to be changed: until output_may_wait() a reader that does not read does not
 * hold up the run. What it does not take is kept; where standard output is no terminal the banner
 * is written with the result. Returns 0 or a negative errno. */
int output_must_not_wait(struct output *output);

/** The change is over: writes what was kept, as long as that may take. */
void output_may_wait(struct output *output);

/** Where results go. */
FILE *output_result(const struct output *output);

/** Where trace lines go. */
FILE *output_trace(const struct output *output);

/** Where progress is printed; NULL: it is part of the document. */
FILE *output_progress(const struct output *output);

/** The stream of what has to be seen at once while the run must not wait, never where a document
 * is; NULL where it may wait. */
struct nowait_stream *output_nowait(const struct output *output);

/** Writes the banner where there is one: tool and processor, and the @emulated machine (NULL: the
 * real one). A document has none: that the environment chose an emulated machine (@note) is a
 * message beside it then. */
void output_banner(struct output *output, unsigned int model, const char *emulated, bool note);

/** Writes the results and messages of a run that ends with @status. Returns the status that the
 * program ends with: a result that cannot be written is a failure. */
enum exit_status output_report(struct output *output, struct report *report,
			       enum exit_status status);

/** Writes a report as one of many, each at once, and a document as one line; empties it. Returns
 * the status: a result that cannot be written is a failure. */
enum exit_status output_event(struct output *output, struct report *report,
			      enum exit_status status);

/** Writes why a run does not even begin. Returns the status that the program ends with. */
enum exit_status output_refusal(struct output *output, struct report *report,
				enum exit_status status);

/** The same by a message. @problem: NULL without memory. */
enum exit_status output_problem(struct output *output, const char *problem,
				enum exit_status status);

/** Writes a text that is no report to standard output. Returns the status that the program ends
 * with. */
enum exit_status output_text(struct output *output, const char *text, size_t size);

void output_close(struct output *output);

#endif
