/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of the change at work: lines appended before and after each step. What comes of them is
 * recovery.c's business.
 */
#include "transaction/journal.h"
#include "base/array.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "common/number.h"
#include "transaction/steps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_NAME "journal"

static const char *const ROLES[JOURNAL_ROLES] = { [JOURNAL_ITEM] = "item",
						  [JOURNAL_FOOTPRINT] = "footprint",
						  [JOURNAL_BECAME] = "became",
						  [JOURNAL_AFTER] = "after" };

/* ---- Writing ---- */

static int append(struct isst_change *change, const char *text)
{
	if (change->journal < 0) {
		int descriptor = runtime_file_append(&change->context->runtime, FILE_NAME, false);

		if (descriptor < 0)
			return descriptor;
		change->journal = descriptor;
	}
	return runtime_file_write(&change->context->runtime, change->journal, text);
}

static int refuse_to_go_on(struct isst_change *change, int error)
{
	return message_error(&change->context->messages, runtime_file_result(error),
			     "%s/" FILE_NAME
			     " cannot be written: %s; without a journal nothing is changed",
			     change->context->runtime.path, runtime_file_strerror(error));
}

/** Appends what was put together. @error: it could not be begun. */
static int append_text(struct isst_change *change, struct memory_stream *text, int error)
{
	if (!error)
		error = memory_stream_close(text);
	if (!error) {
		error = text->size > 0 ? append(change, text->text) : 0;
		free(text->text);
	}
	return error ? refuse_to_go_on(change, error) : 0;
}

int journal_reopen(struct isst_change *change, const struct journal_text *text)
{
	int error = append(change, "");

	/* Half a line would spoil those that follow. */
	if (!error && text->cut_off && ftruncate(change->journal, (off_t)text->whole))
		error = -errno;
	return error ? refuse_to_go_on(change, error) : 0;
}

/** Opens a new journal. One that is not empty is that of a rollback that is not complete. */
static int open_new(struct isst_change *change)
{
	int error, created = runtime_file_append(&change->context->runtime, FILE_NAME, true);
	struct stat status;

	if (created >= 0) {
		change->journal = created;
		return 0;
	}
	error = created == -EEXIST ? append(change, "") : created;
	if (!error && fstat(change->journal, &status))
		error = -errno;
	if (error)
		return refuse_to_go_on(change, error);
	if (status.st_size == 0)
		return 0;
	close(change->journal);
	change->journal = -1;
	return message_error(
		&change->context->messages, -EIO,
		"an earlier change could not be rolled back as a whole: " JOURNAL_KEPT);
}

static void print_item(FILE *stream, const struct step *step, enum journal_role role,
		       const struct item_line *line)
{
	fprintf(stream, "%zu %s ", step->position + 1, ROLES[role]);
	item_line_print(stream, line);
}

int journal_step(struct isst_change *change, struct step *step)
{
	const char *command = change->options.command;
	bool first = change->journal < 0;
	struct memory_stream text;
	struct timespec now;
	char *header = NULL;
	struct entry *entry;
	int error = first ? open_new(change) : 0;

	if (!error && first)
		error = item_lines_header(change->context, FILE_NAME, JOURNAL_VERSION, &header);
	if (error)
		return error;
	error = memory_stream_open(&text);
	if (!error && header) {
		/* Seconds since boot go on while the machine is suspended, and cannot be set. */
		if (clock_gettime(CLOCK_BOOTTIME, &now))
			now.tv_sec = 0;
		fprintf(text.stream, "%sbegun %" PRIu64 " %s\n", header, (uint64_t)now.tv_sec,
			command && !strchr(command, '\n') ? command : "");
	}
	free(header);
	for (size_t i = 0; !error && (entry = step_entry(step, i)); i++) {
		bool item = i < step->count;

		if (entry->state < (item ? ENTRY_NEEDED : ENTRY_KNOWN))
			continue;
		entry->journalled = entry->wanted;
		print_item(text.stream, step, item ? JOURNAL_ITEM : JOURNAL_FOOTPRINT,
			   &(struct item_line){ .item = entry->item,
						.old = entry->old,
						.written = item ? entry->wanted : entry->old });
	}
	return append_text(change, &text, error);
}

int journal_written(struct isst_change *change, const struct step *step)
{
	char line[32];
	int error;

	if (!item_kinds[step->kind].settling_ms)
		return 0;
	snprintf(line, sizeof(line), "%zu written\n", step->position + 1);
	error = append(change, line);
	return error ? refuse_to_go_on(change, error) : 0;
}

int journal_verified(struct isst_change *change, const struct step *step,
		     const struct item_access *disturbed, size_t count)
{
	struct memory_stream text;
	int error = memory_stream_open(&text);

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];
		const struct item_line line = { .item = entry->item,
						.old = entry->old,
						.written = entry->wanted,
						.other_owner = entry->other_owner,
						.shown = entry->shown };

		if (entry->state >= ENTRY_NEEDED &&
		    (entry->other_owner ||
		     !item_value_equal(&entry->item, entry->wanted, entry->journalled)))
			print_item(text.stream, step, JOURNAL_BECAME, &line);
	}
	for (size_t i = 0; i < count && !error; i++) {
		const struct item_line line = { .item = disturbed[i].item,
						.old = disturbed[i].value,
						.written = disturbed[i].value };

		if (!disturbed[i].failure.error && !disturbed[i].absent)
			print_item(text.stream, step, JOURNAL_AFTER, &line);
	}
	if (!error)
		fprintf(text.stream, "%zu verified\n", step->position + 1);
	return append_text(change, &text, error);
}

int journal_held(struct isst_change *change)
{
	char line[32];
	int error;

	snprintf(line, sizeof(line), "held %ld\n", (long)getpid());
	error = append(change, line);
	return error ? refuse_to_go_on(change, error) : 0;
}

void journal_rollback(struct isst_change *change)
{
	int error = change->journal < 0 ? 0 : append(change, "rollback\n");

	/* The steps that are there suffice, if less exactly. */
	if (error)
		message_trace(&change->context->messages, "%s/" FILE_NAME ": %s",
			      change->context->runtime.path, runtime_file_strerror(error));
}

void journal_done(struct isst_change *change)
{
	if (change->journal < 0 || append(change, "done\n") == 0)
		return;
	/* Where nothing more can be written, less can. */
	if (ftruncate(change->journal, 0))
		message_trace(&change->context->messages, "%s/" FILE_NAME " cannot be emptied: %s",
			      change->context->runtime.path, strerror(errno));
}

int journal_end(struct isst_change *change)
{
	int error;

	if (change->journal < 0)
		return 0;
	error = runtime_file_remove(&change->context->runtime, FILE_NAME);
	/* An empty one means nothing, also where it cannot be removed. */
	if (error && ftruncate(change->journal, 0) == 0)
		error = 0;
	close(change->journal);
	change->journal = -1;
	if (!error)
		return 0;
	return message_error(&change->context->messages, runtime_file_result(error),
			     "%s/" FILE_NAME " cannot be removed: %s; run `isst journal discard`",
			     change->context->runtime.path, runtime_file_strerror(error));
}

void change_end_journal(struct isst_change *change)
{
	if (journal_end(change))
		change_warn(change, ISST_MESSAGE_JOURNAL_KEPT, of_machine(), "%s",
			    isst_error(change->context));
}

/* ---- Reading ---- */

/** `STEP written`, `STEP verified`, or a step, a role and an item. */
static int parse_of_step(struct isst_context *context, struct journal_text *text, const char *first,
			 char *rest, unsigned int number)
{
	struct journal_line line = { .number = number };
	const char *word = strsep(&rest, " ");
	uint64_t step;
	int error;

	if (!word || number_parse(first, 10, UINT32_MAX, &step) || step == 0)
		return -EINVAL;
	line.step = (unsigned int)step;
	if (!rest && strcmp(word, "written") == 0) {
		text->written = line.step;
		return 0;
	}
	if (!rest && strcmp(word, "verified") == 0) {
		text->written = text->verified = line.step;
		return 0;
	}
	while (line.role < JOURNAL_ROLES && strcmp(word, ROLES[line.role]) != 0)
		line.role++;
	if (line.role == JOURNAL_ROLES || !rest)
		return -EINVAL;
	error = item_line_parse(context, rest, &line.saved);
	if (!error && ARRAY_GROW(text->lines, text->count))
		error = -ENOMEM;
	if (!error)
		text->lines[text->count++] = line;
	return error;
}

static int parse_line(struct isst_context *context, struct journal_text *text, char *line,
		      unsigned int number)
{
	char *rest = line;
	const char *first = strsep(&rest, " "), *seconds;
	uint64_t holder;

	if (rest && strcmp(first, "begun") == 0) {
		/* SECONDS COMMAND; the command may be empty. */
		seconds = strsep(&rest, " ");
		if (text->command || !rest || number_parse(seconds, 10, UINT64_MAX, &text->begun_s))
			return -EINVAL;
		text->command = strdup(rest);
		return text->command ? 0 : -ENOMEM;
	}
	if (rest && strcmp(first, "held") != 0)
		return parse_of_step(context, text, first, rest, number);
	if (rest) {
		if (number_parse(rest, 10, UINT32_MAX, &holder))
			return -EINVAL;
		text->held = true;
		text->holder = (unsigned int)holder;
	} else if (strcmp(first, "rollback") == 0) {
		text->rollback = true;
	} else if (strcmp(first, "done") == 0) {
		text->done = true;
	} else {
		return -EINVAL;
	}
	return 0;
}

/** Parses the lines behind the first one, of a file that begins at @content. */
static int parse(struct isst_context *context, const char *content, char *lines,
		 struct journal_text *text)
{
	int error = 0;

	for (unsigned int number = 2; *lines && !error; number++) {
		char *end = strchr(lines, '\n');

		/* The last line may be cut off: what it describes was not done yet. */
		text->cut_off = !end;
		if (!end)
			break;
		*end = '\0';
		error = parse_line(context, text, lines, number);
		if (error == -EINVAL)
			error = item_lines_refuse(context, FILE_NAME, number, "damaged");
		lines = end + 1;
	}
	text->whole = (size_t)(lines - content);
	return error;
}

int journal_text_read(struct isst_context *context, struct journal_text *text)
{
	char *content = NULL, *lines = NULL;
	int error = item_lines_read_text(context, FILE_NAME, JOURNAL_VERSION, false, &content,
					 &lines);

	*text = (struct journal_text){ 0 };
	if (!error)
		error = parse(context, content, lines, text);
	if (error)
		journal_text_clear(text);
	free(content);
	return error;
}

void journal_text_clear(struct journal_text *text)
{
	free(text->lines);
	free(text->command);
	*text = (struct journal_text){ 0 };
}

const char *journal_text_command(const struct journal_text *text)
{
	return text->command && *text->command ? text->command : "unknown command";
}

const char *journal_held_by(struct isst_context *context, unsigned int process)
{
	const char *before = context->messages.error, *command = NULL;
	struct timespec now, boot;
	struct journal_text text;
	char since[40] = "";
	struct tm parts;
	time_t begin;

	if (!journal_text_read(context, &text) && text.held && !text.done &&
	    text.holder == process) {
		if (text.begun_s && !clock_gettime(CLOCK_REALTIME, &now) &&
		    !clock_gettime(CLOCK_BOOTTIME, &boot) &&
		    (uint64_t)boot.tv_sec >= text.begun_s) {
			/* The same second whenever it is asked. */
			begin = now.tv_sec - boot.tv_sec - (now.tv_nsec < boot.tv_nsec) +
				(time_t)text.begun_s;
			if (gmtime_r(&begin, &parts))
				(void)strftime(since, sizeof(since), ", since %FT%TZ", &parts);
		}
		command = message_make(&context->messages, "%s%s", journal_text_command(&text),
				       since);
	}
	journal_text_clear(&text);
	context->messages.error = before;
	return command;
}

bool journal_is_missing(const struct isst_context *context)
{
	return runtime_file_is_missing(&context->runtime, FILE_NAME);
}

int journal_remove(struct isst_context *context)
{
	int error = runtime_file_discard(&context->runtime, FILE_NAME);

	if (!error)
		return 0;
	return message_error(&context->messages, runtime_file_result(error),
			     "%s/" FILE_NAME " cannot be removed: %s", context->runtime.path,
			     runtime_file_strerror(error));
}
