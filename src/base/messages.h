/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The messages of a context: errors, notices, and the trace. A message lives until the
 * context is closed, and each text is kept once: who polls a failing machine for months gets the
 * same texts again, not more of them. Knows no hardware.
 */
#ifndef ISST_BASE_MESSAGES_H
#define ISST_BASE_MESSAGES_H

#include "isst.h"

#include <stdarg.h>

struct isst_failure;

/** A list of notices, each once; the texts are those of the messages. */
struct notices {
	const char **texts;
	size_t count;
};

struct messages {
	char **texts; /* all that were made, each once: a hash table with open addressing */
	size_t count, space;
	struct notices notices; /* those of them that are notices */
	const char *error;	/* the last error */
	bool lost;		/* a text could not be made, without memory; reset by who asks */
	/* Where the log goes, unless NULL, and how much of it. */
	isst_log_function log;
	void *log_data;
	int log_level;
};

/**
 * Makes a message that lives as long as @messages: the same text is the same pointer. Without
 * memory a fixed text instead.
 */
__attribute__((format(printf, 2, 0))) const char *
message_make_list(struct messages *messages, const char *format, va_list arguments);
__attribute__((format(printf, 2, 3))) const char *message_make(struct messages *messages,
							       const char *format, ...);

/** Sets the message of the last error and returns @error, for `return message_error(...)`. */
__attribute__((format(printf, 3, 4))) int message_error(struct messages *messages, int error,
							const char *format, ...);

/**
 * What a call of the library's interface begins and ends with: a call that fails always leaves a
 * message, its own, and one that succeeds the message of the last one that failed.
 * message_begin() returns what message_end() takes as @before; that returns @error.
 */
const char *message_begin(struct messages *messages);
int message_end(struct messages *messages, const char *before, int error);

/** The message of an error; where none was made, the text of the errno. */
const char *message_why(struct messages *messages, int error);

/** Adds a notice, unless it is among them already. */
__attribute__((format(printf, 2, 3))) void message_notice(struct messages *messages,
							  const char *format, ...);

/** Begins a new list of notices, and returns the former one: to be restored or freed. */
struct notices messages_take_notices(struct messages *messages);
/** Puts a list back in place of the one that was begun. */
void messages_put_notices(struct messages *messages, struct notices notices);
/** Frees a list; its texts live on. */
void notices_free(struct notices *notices);

/** A line of the log, where that takes lines of such a level. */
void message_log(const struct messages *messages, int level, const char *line);

/** A line of the log at its lowest level; nothing is formatted where that is not wanted. */
__attribute__((format(printf, 2, 3))) void message_trace(struct messages *messages,
							 const char *format, ...);

/** Notes a failure in a result: the first one keeps its message, later ones are counted. */
__attribute__((format(printf, 4, 5))) void message_failure(struct messages *messages,
							   struct isst_failure *failure, int error,
							   const char *format, ...);

/** Adds what failed elsewhere to a failure. */
void failure_join(struct isst_failure *failure, const struct isst_failure *other);

void messages_free(struct messages *messages);

#endif
