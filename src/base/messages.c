/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages, notices and the trace of a context. */
#include "base/messages.h"
#include "base/array.h"
#include "base/result.h"
#include "common/numbered.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const OUT_OF_MEMORY = "out of memory";

static int compare_texts(const void *one, const void *other)
{
	return strcmp(one, other);
}

const char *message_make_list(struct messages *messages, const char *format, va_list arguments)
{
	char *text, **place;

	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	place = text ? tsearch(text, &messages->texts, compare_texts) : NULL;
	if (!place || *place != text)
		free(text);
	messages->lost |= !place;
	return place ? *place : OUT_OF_MEMORY;
}

const char *message_make(struct messages *messages, const char *format, ...)
{
	va_list arguments;
	const char *text;

	va_start(arguments, format);
	text = message_make_list(messages, format, arguments);
	va_end(arguments);
	return text;
}

const char *message_numbers(struct messages *messages, const char *word,
			    const struct isst_cpuset *numbers)
{
	char *name = name_numbers(word, numbers);
	const char *text = name ? message_make(messages, "%s", name) : OUT_OF_MEMORY;

	messages->lost |= !name;
	free(name);
	return text;
}

int message_error(struct messages *messages, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	messages->error = message_make_list(messages, format, arguments);
	va_end(arguments);
	return error;
}

const char *message_begin(struct messages *messages)
{
	const char *before = messages->error;

	messages->error = NULL;
	messages->calls++;
	return before;
}

const char *message_why(struct messages *messages, int error)
{
	if (messages->error && *messages->error)
		return messages->error;
	return error == -ENOMEM ? OUT_OF_MEMORY : message_make(messages, "%s", strerror(-error));
}

void message_log(const struct messages *messages, int level, const char *line)
{
	if (messages->log && level <= messages->log_level)
		messages->log(messages->log_data, level, line);
}

int message_end(struct messages *messages, const char *before, int error)
{
	messages->calls--;
	if (error)
		before = message_why(messages, error);
	else if (messages->calls == 0)
		before = NULL;
	messages->error = before;
	if (error)
		message_log(messages, ISST_LOG_ERROR, messages->error);
	return error;
}

void message_notice(struct messages *messages, const char *format, ...)
{
	struct notices *notices = &messages->notices;
	va_list arguments;
	const char *text;

	va_start(arguments, format);
	text = message_make_list(messages, format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < notices->count; i++)
		if (notices->texts[i] == text)
			return;
	if (!ARRAY_GROW(notices->texts, notices->count))
		notices->texts[notices->count++] = text;
	message_log(messages, ISST_LOG_NOTICE, text);
}

struct notices messages_take_notices(struct messages *messages)
{
	struct notices former = messages->notices;

	messages->notices = (struct notices){ 0 };
	return former;
}

void messages_put_notices(struct messages *messages, struct notices notices)
{
	notices_free(&messages->notices);
	messages->notices = notices;
}

void notices_free(struct notices *notices)
{
	free(notices->texts);
	*notices = (struct notices){ 0 };
}

void message_trace(struct messages *messages, const char *format, ...)
{
	va_list arguments;
	char *line;
	int length;

	if (!messages->log || messages->log_level < ISST_LOG_DEBUG)
		return;
	va_start(arguments, format);
	length = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	message_log(messages, ISST_LOG_DEBUG, line);
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
	failure->message = message_make_list(messages, format, arguments);
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
	tdestroy(messages->texts, free);
	notices_free(&messages->notices);
}
