/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes what could not be read, and what was not looked at. */
#include "base/array.h"
#include "explain/survey.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int add_text(struct survey_texts *list, const char *text)
{
	int error;

	for (size_t i = 0; i < list->count; i++)
		if (list->texts[i] == text)
			return 0;
	error = ARRAY_GROW(list->texts, list->count);
	if (!error)
		list->texts[list->count++] = text;
	return error;
}

int survey_note_failure(struct survey *survey, const struct isst_failure *failure)
{
	if (!failure->error || failure->error == -EOPNOTSUPP)
		return 0;
	survey->denied |= failure->error == -EPERM;
	return add_text(failure->error == -EPERM ? &survey->notes : &survey->unread,
			failure->message);
}

int survey_note_file(struct survey *survey, int error)
{
	const struct isst_failure failure = { .error = error,
					      .message = isst_error(survey->context) };

	if (error == -ENOMEM)
		return error;
	return error == -ENOENT ? 0 : survey_note_failure(survey, &failure);
}

int survey_note(struct survey *survey, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length, error = -ENOMEM;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return error;
	error = add_text(&survey->notes, message_make(&survey->context->messages, "%s", text));
	free(text);
	return error;
}
