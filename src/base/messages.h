/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a context: errors, notices and the trace. Each is kept once, by its text, until
 * the context is closed: polling a failing machine for months needs no more memory. */
#ifndef ISST_BASE_MESSAGES_H
#define ISST_BASE_MESSAGES_H

#include "base/place.h"

#include <stdarg.h>

/** What a message is about; all 0: the machine, or nothing in particular. The domain is one that
 * lasts as long as the messages: not of a discovery that may fail yet. */
struct message_place {
	const struct isst_domain *domain;
	bool in_package; /* without a domain: the package @package */
	unsigned int package;
	const struct isst_cpuset *cpus; /* or NULL */
	bool of_cpu;			/* the CPU @cpu alone */
	unsigned int cpu;
};

struct isst_message {
	char *text;
	struct message_place place; /* the set is the message's, and has the CPU as well */
	int code;		    /* enum isst_message_code, or 0 */
	int level;		    /* enum isst_log_level, of the last use */
	int error;		    /* a negative errno, or 0 */
};

/** A list of messages, each once. */
struct message_list {
	const struct isst_message **items;
	size_t count;
};

struct messages {
	void *all; /* by their texts: a tree of tsearch(3) */
	struct message_list notices;
	const char *error;     /* of the last call */
	unsigned int calls;    /* that began and did not end */
	bool lost;	       /* a text was lost for want of memory; reset by the reader */
	isst_log_function log; /* or NULL */
	void *log_data;
	int log_level;
};

/* ---- Places ---- */

static inline struct message_place of_machine(void)
{
	return (struct message_place){ .domain = NULL };
}

static inline struct message_place of_domain(const struct isst_domain *domain)
{
	return (struct message_place){ .domain = domain };
}

static inline struct message_place of_package(unsigned int package)
{
	return (struct message_place){ .in_package = true, .package = package };
}

/** @domain: NULL: several, or not known */
static inline struct message_place of_cpus(const struct isst_domain *domain,
					   const struct isst_cpuset *cpus)
{
	return (struct message_place){ .domain = domain, .cpus = cpus };
}

static inline struct message_place of_cpu(const struct isst_domain *domain, unsigned int cpu)
{
	return (struct message_place){ .domain = domain, .of_cpu = true, .cpu = cpu };
}

/** The place of the message with a text, such as the cause of another one. */
struct message_place of_text(const struct messages *messages, const char *text);

/* ---- Messages ---- */

/** Makes a message; of equal texts it is the same. Without memory it is a fixed one. */
__attribute__((format(printf, 3, 0))) const struct isst_message *
message_new(struct messages *messages, struct message_place place, const char *format,
	    va_list arguments);
/** The same, of which only the text matters. */
__attribute__((format(printf, 2, 3))) const char *message_make(struct messages *messages,
							       const char *format, ...);
__attribute__((format(printf, 3, 4))) const char *
message_make_at(struct messages *messages, struct message_place place, const char *format, ...);

/** The message with a text, or NULL. */
const struct isst_message *message_find(const struct messages *messages, const char *text);

/** Sets the code of a message, its level, and the error that it explains. */
void message_mark(const struct isst_message *message, int code, int level, int error);

/** Adds a message, once. Returns 0 or -ENOMEM. */
int message_list_add(struct message_list *list, const struct isst_message *message);
const struct isst_message *message_at(const struct message_list *list, size_t index);
void message_list_free(struct message_list *list);

/** Names numbers as name_numbers() does. */
const char *message_numbers(struct messages *messages, const char *word,
			    const struct isst_cpuset *numbers);

/** Sets the message of the last error and returns @error, for `return message_error(...)`. A text
 * that is there already has its place. */
__attribute__((format(printf, 3, 4))) int message_error(struct messages *messages, int error,
							const char *format, ...);
__attribute__((format(printf, 4, 5))) int message_error_at(struct messages *messages,
							   struct message_place place, int error,
							   const char *format, ...);

/** Each public call begins and ends with these: a failed call leaves a message of its own, another
 * one none. Within another call it restores @before, the result of message_begin(). message_end()
 * returns @error. */
const char *message_begin(struct messages *messages);
int message_end(struct messages *messages, const char *before, int error);

/** The message of an error, or else the text of the errno. */
const char *message_why(struct messages *messages, int error);

/** Adds a notice, once. */
__attribute__((format(printf, 3, 4))) void
message_notice(struct messages *messages, struct message_place place, const char *format, ...);

/** Begins a new list of notices, and returns the former one, to be returned or freed. */
struct message_list messages_take_notices(struct messages *messages);
void messages_put_notices(struct messages *messages, struct message_list notices);

/** Logs a line, if the log takes that level. */
void message_log(const struct messages *messages, int level, const char *line);

/** Logs a line at ISST_LOG_DEBUG; it is only formatted then. */
__attribute__((format(printf, 2, 3))) void message_trace(struct messages *messages,
							 const char *format, ...);

/** Notes a failure in a result: the first keeps its message, others are counted. */
__attribute__((format(printf, 5, 6))) void message_failure(struct messages *messages,
							   struct isst_failure *failure,
							   struct message_place place, int error,
							   const char *format, ...);

/** Adds another failure to a failure. */
void failure_join(struct isst_failure *failure, const struct isst_failure *other);

void messages_free(struct messages *messages);

#endif
