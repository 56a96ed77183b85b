/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of the state after boot: a first line with the boot id, the text, and its end. */
#include "transaction/boot_state.h"
#include "base/machine.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "transaction/item_lines.h"
#include "transaction/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

/* The last line: the number of bytes before it makes sure that none is missing. */
#define END "\nend %zu\n"
/* In place of a text that could not be kept. */
#define LOST "lost\n"

static int read_file(struct isst_context *context, char **content, char **text)
{
	static const struct item_lines_format FORMAT = { .oldest = VERSION,
							 .newest = VERSION,
							 .whole = true };

	return item_lines_read_text(context, BOOT_STATE_FILE, &FORMAT, content, text);
}

/* ---- Writing ---- */

/** Writes the first line, a text and its end. Returns 0 or a negative errno, that of the boot id
 * with a message. */
static int replace(struct isst_context *context, const char *text, const char *end)
{
	struct memory_stream file = { 0 };
	char *header = NULL;
	int error = item_lines_header(context, BOOT_STATE_FILE, VERSION, &header);

	if (!error)
		error = memory_stream_open(&file);
	if (!error) {
		fprintf(file.stream, "%s%s%s", header, text, end);
		error = memory_stream_close(&file);
	}
	if (!error)
		error = runtime_file_replace(&context->runtime, BOOT_STATE_FILE, file.text);
	free(file.text);
	free(header);
	return error;
}

int boot_state_write(struct isst_context *context, const char *text, size_t size)
{
	struct messages *messages = &context->messages;
	int error;
	char *end;

	if (memchr(text, '\0', size))
		return message_error(messages, -EINVAL, "the state to be kept has a NUL byte");
	if (asprintf(&end, END, size) < 0)
		return -ENOMEM;
	messages->error = NULL;
	error = replace(context, text, end);
	free(end);
	if (!error || error == -ENOMEM || messages->error)
		return error;
	return message_error(messages, error == -EACCES || error == -EPERM ? -EPERM : -EIO,
			     "cannot write %s/" BOOT_STATE_FILE ": %s", context->runtime.path,
			     runtime_file_strerror(error));
}

/* ---- Reading ---- */

/** Cuts the end off a text. Returns whether it is there, and nothing is missing. */
static bool cut_end(char *text, size_t *size)
{
	size_t length = strlen(text);
	char *last, *end;
	bool whole;

	if (length == 0 || text[length - 1] != '\n')
		return false;
	text[length - 1] = '\0';
	last = strrchr(text, '\n');
	text[length - 1] = '\n';
	if (!last || asprintf(&end, END, (size_t)(last - text)) < 0)
		return false;
	whole = strcmp(last, end) == 0;
	free(end);
	if (whole) {
		*last = '\0';
		*size = (size_t)(last - text);
	}
	return whole;
}

static int refuse(struct isst_context *context, const char *text)
{
	size_t lines = 1;

	if (strcmp(text, LOST) == 0)
		return message_error(
			&context->messages, -EIO,
			"the state after boot is unknown: the first run that changed the machine "
			"could not keep what it found");
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	return item_lines_refuse(context, BOOT_STATE_FILE, lines, "damaged");
}

int boot_state_read(struct isst_context *context, char **text, size_t *size)
{
	char *content = NULL, *kept;
	int error = read_file(context, &content, &kept);

	*text = NULL;
	*size = 0;
	if (!error && !cut_end(kept, size))
		error = refuse(context, kept);
	if (!error) {
		*text = strdup(kept);
		error = *text ? 0 : -ENOMEM;
	}
	free(content);
	return error;
}

/* ---- Before the first write since boot ---- */

static int keep(struct isst_context *context)
{
	size_t size = 0;
	char *text = NULL;
	int error = context->boot_state(context, &text, &size);

	if (!error)
		error = boot_state_write(context, text, size);
	free(text);
	return error;
}

/** Whether something is kept: 1 or 0, or a negative errno with a message where that cannot be
 * looked at for lack of memory or descriptors. */
static int look(struct isst_context *context)
{
	const char *before = context->messages.error;
	char *content = NULL, *text;
	int error = read_file(context, &content, &text);

	free(content);
	context->messages.error = before;
	if (error == -ENOMEM || error == -EMFILE || error == -ENFILE)
		return message_error(&context->messages, error, "%s/" BOOT_STATE_FILE ": %s",
				     context->runtime.path, runtime_file_strerror(error));
	return error != -ENOENT;
}

/** Keeps the state, or marks it as unknown: what a later run finds must not be taken for it. */
static int keep_or_mark(struct isst_change *change)
{
	struct isst_context *context = change->context;
	struct messages *messages = &context->messages;
	size_t noticed = messages->notices.count;
	int error = keep(context);

	context->boot_state_kept = true;
	/* Of what the state does not describe. */
	for (size_t i = noticed; i < messages->notices.count && !error; i++)
		change_warn(change, "the state after boot: %s", messages->notices.texts[i]);
	if (!error)
		return 0;
	change_warn(change, "the state after boot is not kept: %s", message_why(messages, error));
	/* mutation: boot-state-lost */
	error = replace(context, LOST, "");
	if (!error)
		return 0;
	context->boot_state_kept = false;
	return message_error(messages, error == -ENOMEM ? error : -EIO,
			     "%s/" BOOT_STATE_FILE " can note neither the state after boot nor "
			     "that it is unknown: %s",
			     context->runtime.path, runtime_file_strerror(error));
}

int boot_state_keep(struct isst_change *change)
{
	struct isst_context *context = change->context;
	struct messages *messages = &context->messages;
	const char *before = messages->error;
	int kept, error;

	/* Not before each step: the lock is held since the first one, and looking costs a file. */
	if (change->boot_state_checked)
		return 0;
	change->boot_state_checked = true;
	if (!context->boot_state || context->boot_state_kept)
		return 0;
	kept = look(context);
	/* mutation: boot-state-once */
	if (kept)
		return kept < 0 ? kept : 0;
	messages->error = NULL;
	error = keep_or_mark(change);
	if (!error)
		messages->error = before;
	return error;
}
