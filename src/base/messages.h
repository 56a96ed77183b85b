/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a context says: the messages of errors and notices, kept until the context is closed, and
 * the trace. Knows no hardware.
 */
#ifndef ISST_BASE_MESSAGES_H
#define ISST_BASE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

struct isst_failure;

struct messages {
	char **texts; /* all that were made */
	size_t count, space;
	const char **notices; /* those of them that are notices */
	size_t notice_count, notice_space;
	const char *error; /* the last error */
	void (*debug)(void *data, const char *line);
	void *debug_data;
};

/** Makes a message that lives as long as @messages; without memory a fixed text instead. */
__attribute__((format(printf, 2, 3))) const char *message_make(struct messages *messages,
							       const char *format, ...);

/** Sets the message of the last error and returns @error, for `return message_error(...)`. */
__attribute__((format(printf, 3, 4))) int message_error(struct messages *messages, int error,
							const char *format, ...);

__attribute__((format(printf, 2, 3))) void message_notice(struct messages *messages,
							  const char *format, ...);

/** A line of the trace; nothing is formatted when nobody listens. */
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
