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

/* In place of a text that could not be kept. */
#define LOST "lost\n"

int boot_state_write(struct isst_context *context, const char *text)
{
	return item_lines_replace_text(context, BOOT_STATE_FILE, VERSION, text);
}

int boot_state_read(struct isst_context *context, char **text)
{
	char *content = NULL, *kept;
	int error = item_lines_read_text(context, BOOT_STATE_FILE, VERSION, true, &content, &kept);

	*text = NULL;
	if (!error && strcmp(kept, LOST) == 0) {
		error = message_error(
			&context->messages, -EIO,
			"the state after boot is unknown: the first run that changed the machine "
			"could not keep what it found");
	} else if (!error) {
		*text = strdup(kept);
		error = *text ? 0 : -ENOMEM;
	}
	free(content);
	return error;
}

/* ---- Before the first write since boot ---- */

/** Keeps the state, or marks it as unknown: what a later run finds must not be taken for it. @kept:
 * the state, to which CPUs that were seen since are added, or NULL; it stays as it is if that
 * fails, and later runs try again, though they may find values that were changed. */
static int keep_or_mark(struct isst_change *change, const char *kept)
{
	struct isst_context *context = change->context;
	struct messages *messages = &context->messages;
	size_t noticed = messages->notices.count;
	char *text = NULL;
	int error = context->boot_state(context, kept, &text);

	if (!error && text)
		error = boot_state_write(context, text);
	free(text);
	if (!error) {
		/* Of what the state does not describe. */
		for (size_t i = noticed; i < messages->notices.count; i++)
			change_warn(change, ISST_WARNING_BOOT_STATE, "the state after boot: %s",
				    messages->notices.texts[i]);
		return 0;
	}
	change_warn(change, ISST_WARNING_BOOT_STATE, "%s: %s",
		    kept ? "CPUs that were seen since are not added to the state after boot"
			 : "the state after boot is not kept",
		    message_why(messages, error));
	if (kept)
		return 0;
	messages->error = NULL;
	error = boot_state_write(context, LOST);
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
	error = boot_state_read(context, &kept);
	messages->error = before;
	if (error && runtime_file_is_shortage(error))
		return message_error(messages, error, "%s/" BOOT_STATE_FILE ": %s",
				     context->runtime.path, runtime_file_strerror(error));
	context->boot_state_kept = true;
	context->boot_state_cpus = seen;
	messages->error = NULL;
	/* One that is unreadable, or marked as unknown, stays so. */
	error = kept || error == -ENOENT ? keep_or_mark(change, kept) : 0;
	free(kept);
	if (!error)
		messages->error = before;
	return error;
}
