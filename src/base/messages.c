/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages, notices and the trace of a context. */
#include "base/messages.h"
#include "isst.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const OUT_OF_MEMORY = "out of memory";

/** Makes room for one more pointer in an array that grows by doubling. Returns false without
 * memory. */
static bool grow(void **array, size_t count, size_t *space)
{
	size_t wanted = *space ? *space * 2 : 8;
	void *larger;

	if (count < *space)
		return true;
	larger = reallocarray(*array, wanted, sizeof(void *));
	if (!larger)
		return false;
	*array = larger;
	*space = wanted;
	return true;
}

__attribute__((format(printf, 2, 0))) static const char *make(struct messages *messages,
							      const char *format, va_list arguments)
{
	char *text;

	if (!grow((void **)&messages->texts, messages->count, &messages->space))
		return OUT_OF_MEMORY;
	if (vasprintf(&text, format, arguments) < 0)
		return OUT_OF_MEMORY;
	messages->texts[messages->count++] = text;
	return text;
}

const char *message_make(struct messages *messages, const char *format, ...)
{
	va_list arguments;
	const char *text;

	va_start(arguments, format);
	text = make(messages, format, arguments);
	va_end(arguments);
	return text;
}

int message_error(struct messages *messages, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	messages->error = make(messages, format, arguments);
	va_end(arguments);
	return error;
}

void message_notice(struct messages *messages, const char *format, ...)
{
	va_list arguments;
	const char *text;

	va_start(arguments, format);
	text = make(messages, format, arguments);
	va_end(arguments);
	if (grow((void **)&messages->notices, messages->notice_count, &messages->notice_space))
		messages->notices[messages->notice_count++] = text;
}

void message_trace(struct messages *messages, const char *format, ...)
{
	va_list arguments;
	char *line;
	int length;

	if (!messages->debug)
		return;
	va_start(arguments, format);
	length = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	messages->debug(messages->debug_data, line);
	free(line);
}

void message_failure(struct messages *messages, struct isst_failure *failure, int error,
		     const char *format, ...)
{
	va_list arguments;

	if (failure->error) {
		failure->more++;
		return;
	}
	failure->error = error;
	va_start(arguments, format);
	failure->message = make(messages, format, arguments);
	va_end(arguments);
}

void failure_join(struct isst_failure *failure, const struct isst_failure *other)
{
	if (!other->error)
		return;
	if (failure->error)
		failure->more += other->more + 1;
	else
		*failure = *other;
}

void messages_free(struct messages *messages)
{
	for (size_t i = 0; i < messages->count; i++)
		free(messages->texts[i]);
	free(messages->texts);
	free(messages->notices);
}
