/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of the state after boot: a first line with the boot id, the text, and its end. */
#include "transaction/boot_state.h"
#include "base/runtime_file.h"
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

/* ---- Writing ---- */

int boot_state_write(struct isst_context *context, const char *text, size_t size)
{
	struct messages *messages = &context->messages;
	char *content;
	int error;

	if (memchr(text, '\0', size))
		return message_error(messages, -EINVAL, "the state to be kept has a NUL byte");
	if (asprintf(&content, "%s" END, text, size) < 0)
		return -ENOMEM;
	error = item_lines_replace_text(context, BOOT_STATE_FILE, VERSION, content);
	free(content);
	return error;
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

int boot_state_read(struct isst_context *context, char **text, size_t *size)
{
	char *content = NULL, *kept;
	size_t lines = 1;
	int error = item_lines_read_text(context, BOOT_STATE_FILE, VERSION, true, &content, &kept);

	*text = NULL;
	*size = 0;
	if (!error && cut_end(kept, size)) {
		*text = strdup(kept);
		error = *text ? 0 : -ENOMEM;
	} else if (!error && strcmp(kept, LOST) == 0) {
		error = message_error(
			&context->messages, -EIO,
			"the state after boot is unknown: the first run that changed the machine "
			"could not keep what it found");
	} else if (!error) {
		for (const char *at = kept; (at = strchr(at, '\n')); at++)
			lines++;
		error = item_lines_refuse(context, BOOT_STATE_FILE, lines, "damaged");
	}
	free(content);
	return error;
}

/* ---- Before the first write since boot ---- */

/** Keeps the state; @kept: what is kept already. */
static int keep(struct isst_context *context, const char *kept)
{
	size_t size = 0;
	char *text = NULL;
	int error = context->boot_state(context, kept, &text, &size);

	if (!error && text)
		error = boot_state_write(context, text, size);
	free(text);
	return error;
}

/** Returns 1 where something is kept, in *@kept, to be freed, unless it is unreadable or marked as
 * unknown; 0 where nothing is; or a negative errno with a message: memory or descriptors are short.
 */
static int look(struct isst_context *context, char **kept)
{
	const char *before = context->messages.error;
	char *content = NULL, *text;
	size_t size;
	int error = item_lines_read_text(context, BOOT_STATE_FILE, VERSION, true, &content, &text);

	*kept = NULL;
	context->messages.error = before;
	if (!error && cut_end(text, &size)) {
		*kept = strdup(text);
		error = *kept ? 0 : -ENOMEM;
	}
	free(content);
	if (error == -ENOMEM || error == -EMFILE || error == -ENFILE)
		return message_error(&context->messages, error, "%s/" BOOT_STATE_FILE ": %s",
				     context->runtime.path, runtime_file_strerror(error));
	return error != -ENOENT;
}

/** Reports notices that were made since as those of the state after boot. */
static void warn_of_notices(struct isst_change *change, size_t from)
{
	const struct notices *notices = &change->context->messages.notices;

	for (size_t i = from; i < notices->count; i++)
		change_warn(change, ISST_WARNING_BOOT_STATE, "the state after boot: %s",
			    notices->texts[i]);
}

/** Keeps the state, or marks it as unknown: what a later run finds must not be taken for it. @kept:
 * the state, to which CPUs that were seen since are added, or NULL; it stays as it is if that
 * fails, and later runs try again, though they may find values that were changed. */
static int keep_or_mark(struct isst_change *change, const char *kept)
{
	struct isst_context *context = change->context;
	struct messages *messages = &context->messages;
	size_t noticed = messages->notices.count;
	int error = keep(context, kept);

	if (!error) {
		/* Of what the state does not describe. */
		warn_of_notices(change, noticed);
		return 0;
	}
	if (kept && error == -EINTR)
		return message_error(messages, error, "interrupted");
	change_warn(change, ISST_WARNING_BOOT_STATE, "%s: %s",
		    kept ? "CPUs that were seen since are not added to the state after boot"
			 : "the state after boot is not kept",
		    message_why(messages, error));
	if (kept)
		return 0;
	messages->error = NULL;
	error = item_lines_replace_text(context, BOOT_STATE_FILE, VERSION, LOST);
	if (!error)
		return 0;
	context->boot_state_kept = false;
	return message_error(messages, error == -ENOMEM ? error : -EIO,
			     "neither the state after boot nor that it is unknown can be noted: %s",
			     message_why(messages, error));
}

int boot_state_keep(struct isst_change *change)
{
	struct isst_context *context = change->context;
	struct messages *messages = &context->messages;
	const char *before = messages->error;
	/* CPUs that have been online. */
	size_t seen = context->topology->cpu_count + context->topology->unreachable_count;
	char *kept;
	int error;

	/* Not before each step: the lock is held since the first one, and looking costs a file. */
	if (change->boot_state_checked)
		return 0;
	change->boot_state_checked = true;
	if (!context->boot_state || (context->boot_state_kept && context->boot_state_cpus == seen))
		return 0;
	error = look(context, &kept);
	if (error < 0)
		return error;
	context->boot_state_kept = true;
	context->boot_state_cpus = seen;
	messages->error = NULL;
	error = !error || kept ? keep_or_mark(change, kept) : 0;
	free(kept);
	if (!error)
		messages->error = before;
	return error;
}
