/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of the change at work: one line for each item, appended before the step that touches
 * it. */
#include "transaction/journal.h"
#include "base/machine.h"
#include "base/runtime_file.h"
#include "transaction/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define FILE_NAME "journal"

static const char *directory_of(const struct isst_change *change)
{
	return change->context->machine->runtime_directory;
}

/**
 * The lines of a step. The disturbed items stand before the written ones: a recovery goes through
 * the journal backwards and has to restore them last.
 */
static bool print_step(FILE *stream, const struct step *step)
{
	bool good = true;

	for (size_t i = 0; i < step->footprint_count && good; i++)
		if (step->footprint[i].recorded)
			good = saved_item_print(
				stream, &(struct saved_item){ .item = step->footprint[i].item,
							      .old = step->footprint[i].old,
							      .written = step->footprint[i].old });
	for (size_t i = 0; i < step->count && good; i++)
		if (step->entries[i].needed)
			good = saved_item_print(
				stream, &(struct saved_item){ .item = step->entries[i].item,
							      .old = step->entries[i].old,
							      .written = step->entries[i].wanted });
	return good;
}

static char *format_step(const char *header, const struct step *step)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	bool good = stream && fputs(header, stream) >= 0 && print_step(stream, step);

	if (stream && fclose(stream))
		good = false;
	if (!good) {
		free(text);
		return NULL;
	}
	return text;
}

static int append(struct isst_change *change, const char *text)
{
	size_t size = strlen(text);
	ssize_t written;

	if (change->journal < 0) {
		int descriptor = runtime_file_append(directory_of(change), FILE_NAME);

		if (descriptor < 0)
			return descriptor;
		change->journal = descriptor;
	}
	written = write(change->journal, text, size);
	if (written < 0)
		return -errno;
	return (size_t)written == size ? 0 : -ENOSPC;
}

int journal_step(struct isst_change *change, const struct step *step)
{
	struct messages *messages = &change->context->messages;
	char *text, *header = NULL;
	int error = change->journal < 0 ? saved_header(change->context, FILE_NAME, &header) : 0;

	if (error)
		return error;
	text = format_step(header ? header : "", step);
	error = text ? append(change, text) : -ENOMEM;
	free(header);
	free(text);
	if (!error)
		return 0;
	return message_error(messages, error == -EACCES || error == -EPERM ? -EPERM : -EIO,
			     "%s/" FILE_NAME
			     " cannot be written: %s; without a journal nothing is changed",
			     directory_of(change), runtime_file_strerror(error));
}

void journal_end(struct isst_change *change)
{
	int error;

	if (change->journal < 0)
		return;
	close(change->journal);
	change->journal = -1;
	error = runtime_file_remove(directory_of(change), FILE_NAME);
	if (error)
		change_warn(change,
			    "%s/" FILE_NAME " cannot be removed: %s; the next run will take this "
			    "change back",
			    directory_of(change), strerror(-error));
}

static bool step_has(const struct step *step, const struct item *item)
{
	for (size_t i = 0; i < step->count; i++)
		if (item_is(&step->entries[i].item, item))
			return true;
	return false;
}

/**
 * Makes the steps that a journal tells of, as if they had been begun. Lines of one kind that follow
 * each other are one step; but an item that comes again belongs to a later one, with another old
 * value.
 */
static void rebuild(struct isst_change *change, const struct saved_items *saved)
{
	struct step *step = NULL;

	for (size_t i = 0; i < saved->count && !change->broken; i++) {
		const struct saved_item *item = &saved->items[i];
		struct entry *entry;

		if (!step || step->kind != item->item.kind || step_has(step, &item->item))
			step = change_step(change, item->item.kind);
		step_set(step, item->item, WHOLE_VALUE, item->written.number);
		if (change->broken)
			return;
		step->begun = true;
		entry = &step->entries[step->count - 1];
		entry->recorded = entry->needed = true;
		entry->old = item->old;
		entry->wanted = item->written;
	}
}

/** All that differs after an undo that failed, as one text: nobody asks for the list of a change of
 * long ago. */
static char *join_differences(const struct isst_change *change)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	const char *difference;
	bool failed = !stream;

	for (size_t i = 0; !failed && (difference = isst_change_difference(change, i)); i++)
		failed = fprintf(stream, "%s%s", i ? "; " : "", difference) < 0;
	if (stream && fclose(stream))
		failed = true;
	if (!failed)
		return text;
	free(text);
	return NULL;
}

static int recover(struct isst_context *context, const struct saved_items *saved)
{
	struct isst_change_options options = { .command = "recovery" };
	struct isst_change *change;
	int error = isst_change_new(context, &options, &change);

	if (error)
		return error;
	rebuild(change, saved);
	error = change->broken ? -ENOMEM : change_undo(change);
	if (error == -ENOTRECOVERABLE) {
		char *differences = join_differences(change);

		message_error(
			&context->messages, error,
			"an earlier run died in the middle of a change, and its change could not be "
			"taken back as a whole: %s",
			differences ? differences : "out of memory");
		free(differences);
	}
	if (!error)
		message_notice(
			&context->messages,
			"an earlier run died in the middle of a change; what it had done was taken "
			"back");
	isst_change_free(change);
	return error;
}

int journal_recover(struct isst_context *context)
{
	const char *directory = context->machine->runtime_directory;
	struct saved_items saved;
	int error = saved_items_read(context, FILE_NAME, &saved);

	if (error == -ENOENT) {
		/* Another boot's: the machine was reset since, and there is nothing to take back.
		 */
		runtime_file_remove(directory, FILE_NAME);
		return 0;
	}
	if (error)
		return error;
	if (saved.count > 0)
		error = recover(context, &saved);
	/* Where the undo could not even be tried to its end, the next run tries again. */
	if (!error || error == -ENOTRECOVERABLE)
		runtime_file_remove(directory, FILE_NAME);
	saved_items_clear(&saved);
	return error;
}

/** Whether some run is changing the machine now: then the journal is that run's own. */
static bool change_at_work(const struct isst_context *context)
{
	int descriptor = open(context->machine->lock_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool busy = descriptor < 0 || flock(descriptor, LOCK_SH | LOCK_NB) != 0;

	if (descriptor >= 0)
		close(descriptor);
	return busy;
}

void journal_tell(struct isst_context *context)
{
	const char *error = context->messages.error;
	struct saved_items saved;

	if (saved_items_read(context, FILE_NAME, &saved) == 0 && saved.count > 0 &&
	    !change_at_work(context))
		message_notice(
			&context->messages,
			"an earlier run died in the middle of a change; the next run that changes "
			"something takes back what it had done");
	saved_items_clear(&saved);
	/* Who may not read the journal is not told of it: this run does not need it. */
	context->messages.error = error;
}
