/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the command share. */
#ifndef TESTS_CLI_CHECK_H
#define TESTS_CLI_CHECK_H

#include "support/check.h"

#include "common/memory_stream.h"

#include "cli/command_table.h"
#include "cli/render/output.h"
#include "cli/request_read.h"

#include <errno.h>

/* Cleared and freed at the end of the block. */
#define autorequest __attribute__((cleanup(request_clear)))
#define autoreport __attribute__((cleanup(free_report)))

static inline void free_report(struct report **report)
{
	report_free(*report);
}

static inline FILE *open_memory(struct memory_stream *memory)
{
	assert_int_equal(memory_stream_open(memory), 0);
	return memory->stream;
}

/** Ends what was written to memory. */
static inline void assert_written(struct memory_stream *memory, const char *expected)
{
	char *text = memory_stream_text(memory);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

/** The report as the renderer writes it; to be freed. */
static inline char *rendered(const struct report *report, enum output_format format, bool messages)
{
	const struct page page = { .columns = 80 };
	struct memory_stream memory;

	render_report(report, format, &page, messages, open_memory(&memory));
	return memory_stream_text(&memory);
}

static inline void assert_rendered(const struct report *report, enum output_format format,
				   const char *expected)
{
	char *text = rendered(report, format, true);

	assert_string_equal(text, expected);
	free(text);
}

/** The same of a document without its line ends, and what they are indented by. */
static inline void assert_document(const struct report *report, enum output_format format,
				   const char *expected)
{
	char *text = rendered(report, format, true), *end = text;

	for (const char *from = text; *from; from++) {
		if (*from != '\n') {
			*end++ = *from;
			continue;
		}
		from += strspn(from + 1, " ");
		if (end[-1] == ',')
			*end++ = ' ';
	}
	*end = '\0';
	assert_string_equal(text, expected);
	free(text);
}

/** Reads a command line as the program of that name does, its words separated by single blanks; a
 * word '' is empty. */
static inline int read_line_as(struct request *request, bool reference, const char *line,
			       char **problem)
{
	/* What requests point to lives as long as the test program. */
	static char copies[64][256], *vectors[64][32];
	static size_t used;
	char *copy = copies[used % 64], **argv = vectors[used % 64];
	int argc = 0;

	used++;
	assert_true(strlen(line) < sizeof(copies[0]));
	strcpy(copy, line);
	argv[argc++] = (char *)"isst";
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = strcmp(word, "''") == 0 ? (char *)"" : word;
	argv[argc] = NULL;
	*problem = request_read(request, reference, argc, argv);
	return *problem ? -EINVAL : 0;
}

static inline int read_line(struct request *request, const char *line, char **problem)
{
	return read_line_as(request, false, line, problem);
}

static inline void assert_refused_as(bool reference, const char *line, const char *message)
{
	struct request request;
	char *problem;

	if (read_line_as(&request, reference, line, &problem) == 0)
		fail_msg("accepted: %s", line);
	assert_non_null(problem);
	assert_string_equal(problem, message);
	free(problem);
	request_clear(&request);
}

static inline void assert_refused(const char *line, const char *message)
{
	assert_refused_as(false, line, message);
}

static inline void assert_accepted_as(bool reference, struct request *request, const char *line)
{
	char *problem;

	if (read_line_as(request, reference, line, &problem) != 0)
		fail_msg("refused: %s: %s", line, problem);
	assert_null(problem);
}

static inline void assert_accepted(struct request *request, const char *line)
{
	assert_accepted_as(false, request, line);
}

#endif
