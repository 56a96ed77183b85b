/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a context: errors, notices and the trace. Each text is kept once, until the
 * context is closed: polling a failing machine for months needs no more memory. */
#ifndef ISST_BASE_MESSAGES_H
#define ISST_BASE_MESSAGES_H

#include "isst.h"

#include <stdarg.h>

struct isst_failure;

/** A list of notices, each once; the texts belong to the messages. */
struct notices {
	const char **texts;
	size_t count;
};

struct messages {
	void *texts; /* all texts: a tree of tsearch(3) */
	struct notices notices;
	const char *error;     /* of the last call */
	unsigned int calls;    /* that began and did not end */
	bool lost;	       /* a text was lost for want of memory; reset by the reader */
	isst_log_function log; /* or NULL */
	void *log_data;
	int log_level;
};

/** Makes a message; equal texts are the same pointer. Without memory it is a fixed text. */
__attribute__((format(printf, 2, 0))) const char *
message_make_list(struct messages *messages, const char *format, va_list arguments);
__attribute__((format(printf, 2, 3))) const char *message_make(struct messages *messages,
							       const char *format, ...);

/** Names numbers as name_numbers() does. */
const char *message_numbers(struct messages *messages, const char *word,
			    const struct isst_cpuset *numbers);

/** Sets the message of the last error and returns @error, for `return message_error(...)`. */
__attribute__((format(printf, 3, 4))) int message_error(struct messages *messages, int error,
							const char *format, ...);

/** Each public call begins and ends with these: a failed call leaves a message of its own, another
 * one none. Within another call it restores @before, the result of message_begin(). message_end()
 * returns @error. */
const char *message_begin(struct messages *messages);
int message_end(struct messages *messages, const char *before, int error);

/** The message of an error, or else the text of the errno. */
const char *message_why(struct messages *messages, int error);

/** Adds a notice, once. */
__attribute__((format(printf, 2, 3))) void message_notice(struct messages *messages,
							  const char *format, ...);

/** Begins a new list of notices, and returns the former one, to be returned or freed. */
struct notices messages_take_notices(struct messages *messages);
void messages_put_notices(struct messages *messages, struct notices notices);
void notices_free(struct notices *notices);

/** Logs a line, if the log takes that level. */
void message_log(const struct messages *messages, int level, const char *line);

/** Logs a line at ISST_LOG_DEBUG; it is only formatted then. */
__attribute__((format(printf, 2, 3))) void message_trace(struct messages *messages,
							 const char *format, ...);

/** Notes a failure in a result: the first keeps its message, others are counted. */
__attribute__((format(printf, 4, 5))) void message_failure(struct messages *messages,
							   struct isst_failure *failure, int error,
							   const char *format, ...);

/** Adds another failure to a failure. */
void failure_join(struct isst_failure *failure, const struct isst_failure *other);

void messages_free(struct messages *messages);

#endif
