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

static char out_of_memory[] = "out of memory";
static const struct isst_message OUT_OF_MEMORY = { .text = out_of_memory, .error = -ENOMEM };

static int compare_texts(const void *one, const void *other)
{
	const struct isst_message *message = one, *than = other;

	return strcmp(message->text, than->text);
}

static void free_message(void *data)
{
	struct isst_message *message = data;

	if (!message)
		return;
	isst_cpuset_free((struct isst_cpuset *)message->place.cpus);
	free(message->text);
	free(message);
}

static bool is_anywhere(const struct message_place *place)
{
	return !place->domain && !place->in_package && !place->cpus && !place->of_cpu;
}

/** Gives a message that has no place yet one. Returns 0 or -ENOMEM. */
static int place_message(struct isst_message *message, const struct message_place *place)
{
	struct isst_cpuset *cpus = NULL;
	int error = 0;

	if (is_anywhere(place) || !is_anywhere(&message->place))
		return 0;
	if (place->cpus || place->of_cpu) {
		cpus = isst_cpuset_new();
		error = cpus ? isst_cpuset_add_set(cpus, place->cpus) : -ENOMEM;
	}
	if (!error && place->of_cpu)
		error = isst_cpuset_add(cpus, place->cpu, place->cpu);
	if (error) {
		isst_cpuset_free(cpus);
		return error;
	}
	message->place = *place;
	message->place.cpus = cpus;
	return 0;
}

const struct isst_message *message_new(struct messages *messages, struct message_place place,
				       const char *format, va_list arguments)
{
	struct isst_message *message = calloc(1, sizeof(*message)), **found = NULL;

	if (message && vasprintf(&message->text, format, arguments) < 0)
		message->text = NULL;
	if (message && message->text)
		found = tsearch(message, &messages->all, compare_texts);
	if (!found || *found != message)
		free_message(message);
	if (found && place_message(*found, &place) == 0)
		return *found;
	messages->lost = true;
	return found ? *found : &OUT_OF_MEMORY;
}

const char *message_make(struct messages *messages, const char *format, ...)
{
	va_list arguments;
	const char *text;

	va_start(arguments, format);
	text = message_new(messages, of_machine(), format, arguments)->text;
	va_end(arguments);
	return text;
}

const char *message_make_at(struct messages *messages, struct message_place place,
			    const char *format, ...)
{
	va_list arguments;
	const char *text;

	va_start(arguments, format);
	text = message_new(messages, place, format, arguments)->text;
	va_end(arguments);
	return text;
}

const struct isst_message *message_find(const struct messages *messages, const char *text)
{
	const struct isst_message sought = { .text = (char *)text };
	struct isst_message *const *found = text ? tfind(&sought, &messages->all, compare_texts)
						 : NULL;

	return found ? *found : NULL;
}

struct message_place of_text(const struct messages *messages, const char *text)
{
	const struct isst_message *message = message_find(messages, text);

	return message ? message->place : of_machine();
}

void message_mark(const struct isst_message *message, int code, int level, int error)
{
	struct isst_message *marked = (struct isst_message *)message;

	if (message == &OUT_OF_MEMORY)
		return;
	marked->code = code;
	marked->level = level;
	marked->error = error;
}

int message_list_add(struct message_list *list, const struct isst_message *message)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] == message)
			return 0;
	if (ARRAY_GROW(list->items, list->count))
		return -ENOMEM;
	list->items[list->count++] = message;
	return 0;
}

const struct isst_message *message_at(const struct message_list *list, size_t index)
{
	return index < list->count ? list->items[index] : NULL;
}

void message_list_free(struct message_list *list)
{
	free(list->items);
	*list = (struct message_list){ 0 };
}

const char *message_numbers(struct messages *messages, const char *word,
			    const struct isst_cpuset *numbers)
{
	char *name = name_numbers(word, numbers);
	const char *text = name ? message_make(messages, "%s", name) : out_of_memory;

	messages->lost |= !name;
	free(name);
	return text;
}

static int set_error(struct messages *messages, struct message_place place, int error,
		     const char *format, va_list arguments)
{
	const struct isst_message *message = message_new(messages, place, format, arguments);

	message_mark(message, message->code, ISST_LOG_ERROR, error);
	messages->error = message->text;
	return error;
}

int message_error(struct messages *messages, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_error(messages, of_machine(), error, format, arguments);
	va_end(arguments);
	return error;
}

int message_error_at(struct messages *messages, struct message_place place, int error,
		     const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_error(messages, place, error, format, arguments);
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
	return error == -ENOMEM ? out_of_memory : message_make(messages, "%s", strerror(-error));
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

void message_notice(struct messages *messages, struct message_place place, const char *format, ...)
{
	const size_t count = messages->notices.count;
	const struct isst_message *message;
	va_list arguments;

	va_start(arguments, format);
	message = message_new(messages, place, format, arguments);
	va_end(arguments);
	message_mark(message, message->code, ISST_LOG_NOTICE, 0);
	if (message_list_add(&messages->notices, message) || messages->notices.count > count)
		message_log(messages, ISST_LOG_NOTICE, message->text);
}

struct message_list messages_take_notices(struct messages *messages)
{
	struct message_list former = messages->notices;

	messages->notices = (struct message_list){ 0 };
	return former;
}

void messages_put_notices(struct messages *messages, struct message_list notices)
{
	message_list_free(&messages->notices);
	messages->notices = notices;
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

void message_failure(struct messages *messages, struct isst_failure *failure,
		     struct message_place place, int error, const char *format, ...)
{
	va_list arguments;

	if (failure->error) {
		failure->more++;
		return;
	}
	failure->error = error;
	va_start(arguments, format);
	failure->message = message_new(messages, place, format, arguments)->text;
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
	tdestroy(messages->all, free_message);
	message_list_free(&messages->notices);
}
