/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of the last applied configuration: boot id, a line for each value, its end. */
#include "state/applied.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "common/number.h"
#include "features/planning.h"
#include "transaction/journal.h"
#include "transaction/saved_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

/* ---- Writing ---- */

/** The name of a file can be anything: a newline in it is no end of a line. */
static void print_source(FILE *stream, const char *source)
{
	fputs("source ", stream);
	for (; source && *source; source++) {
		if (*source == '\n' || *source == '\\')
			fputc('\\', stream);
		fputc(*source == '\n' ? 'n' : *source, stream);
	}
	fputc('\n', stream);
}

/** What print_source() printed; in place. */
static void restore_source(char *source)
{
	char *to = source;

	for (; *source; source++) {
		if (*source == '\\' && source[1] != '\0')
			*to++ = *++source == 'n' ? '\n' : *source;
		else
			*to++ = *source;
	}
	*to = '\0';
}

int applied_write(struct isst_context *context, const struct applied *applied)
{
	struct memory_stream lines = { 0 };
	int error = memory_stream_open(&lines);

	if (!error) {
		fprintf(lines.stream, "time %" PRId64 "\nresult %s\nsha256 %s\n", applied->time_s,
			applied->succeeded ? "success" : "failed", applied->digest);
		print_source(lines.stream, applied->source);
		error = memory_stream_close(&lines);
	}
	if (!error)
		error = item_lines_replace_text(context, APPLIED_FILE, VERSION, lines.text);
	free(lines.text);
	return error;
}

int applied_forget(struct isst_context *context)
{
	int error = runtime_file_discard(&context->runtime, APPLIED_FILE);

	if (!error)
		error = settings_discard(context);
	if (!error)
		return 0;
	return message_error(&context->messages, runtime_file_result(error),
			     "cannot remove what %s has of changes before: %s",
			     context->runtime.path, runtime_file_strerror(error));
}

/* ---- Reading ---- */

/** The value of the next line, which has that name; NULL: it is another line, or none. */
static char *next_value(char **lines, const char *name)
{
	size_t length = strlen(name);
	char *line = *lines, *end = strchr(line, '\n');

	if (!end || strncmp(line, name, length) != 0 || line[length] != ' ')
		return NULL;
	*end = '\0';
	*lines = end + 1;
	return line + length + 1;
}

/** Returns 0, -ENOMEM, or -EINVAL and *@line that is not right. */
static int parse_record(char *lines, struct applied *applied, size_t *line)
{
	static const char *const NAMES[] = { "time", "result", "sha256", "source" };
	enum { TIME, RESULT, DIGEST, SOURCE, VALUES };
	const char *values[VALUES];
	uint64_t seconds = 0;

	for (size_t i = 0; i < VALUES; i++) {
		*line = i + 2;
		values[i] = next_value(&lines, NAMES[i]);
		if (!values[i] || (i == TIME && number_parse(values[i], 10, INT64_MAX, &seconds)) ||
		    (i == RESULT && strcmp(values[i], "success") != 0 &&
		     strcmp(values[i], "failed") != 0) ||
		    (i == DIGEST && (strlen(values[i]) != SHA256_DIGITS ||
				     strspn(values[i], "0123456789abcdef") != SHA256_DIGITS)))
			return -EINVAL;
	}
	++*line;
	if (*lines)
		return -EINVAL;
	applied->time_s = (int64_t)seconds;
	applied->succeeded = strcmp(values[RESULT], "success") == 0;
	memcpy(applied->digest, values[DIGEST], sizeof(applied->digest));
	if (!*values[SOURCE])
		return 0;
	applied->source = strdup(values[SOURCE]);
	if (!applied->source)
		return -ENOMEM;
	restore_source(applied->source);
	return 0;
}

int applied_read(struct isst_context *context, struct applied *applied)
{
	char *text = NULL, *lines = NULL;
	size_t line = 1;
	int error;

	*applied = (struct applied){ 0 };
	error = item_lines_read_text(context, APPLIED_FILE, VERSION, true, &text, &lines);
	if (!error)
		error = parse_record(lines, applied, &line);
	if (error == -EINVAL)
		error = item_lines_refuse(context, APPLIED_FILE, line, "damaged");
	free(text);
	return error;
}

void applied_clear(struct applied *applied)
{
	free(applied->source);
	*applied = (struct applied){ 0 };
}
