/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of the change at work: lines appended before and after each step. What comes of them is
 * recovery.c's business.
 */
#include "transaction/journal.h"
#include "base/array.h"
#include "base/machine.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "common/number.h"
#include "transaction/steps.h"

#include <ctype.h>
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
	int meaning = error == -EFBIG ? -EFBIG : -EIO;

	if (error == -EACCES || error == -EPERM)
		meaning = -EPERM;
	return message_error(&change->context->messages, meaning,
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
	return message_error(&change->context->messages,
			     error == -EACCES || error == -EPERM ? -EPERM : -EIO,
			     "%s/" FILE_NAME " cannot be removed: %s; run `isst journal discard`",
			     change->context->runtime.path, runtime_file_strerror(error));
}

void change_end_journal(struct isst_change *change)
{
	if (journal_end(change))
		change_warn(change, ISST_WARNING_JOURNAL_KEPT, "%s", isst_error(change->context));
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
	return message_error(&context->messages, error == -EACCES ? -EPERM : -EIO,
			     "%s/" FILE_NAME " cannot be removed: %s", context->runtime.path,
			     runtime_file_strerror(error));
}

/* ---- Items as lines of text ---- */

/* A line is: kind package die domain index level old written [shown], where texts have '~'
 * in place of blanks. */
enum { COLUMNS = 8 };

void item_lines_clear(struct item_lines *saved)
{
	free(saved->items);
	*saved = (struct item_lines){ 0 };
}

static void print_value(FILE *stream, const struct item *item, struct item_value value)
{
	if (item_kinds[item->kind].format != AS_TEXT) {
		fprintf(stream, " %" PRIu64, value.number);
		return;
	}
	putc(' ', stream);
	for (const char *c = value.text ? value.text : "absent"; *c; c++)
		putc(*c == ' ' ? '~' : *c, stream);
}

void item_line_print(FILE *stream, const struct item_line *saved)
{
	const struct item *item = &saved->item;

	fprintf(stream, "%s %u %u %u %u %u", item_kinds[item->kind].name, item->package, item->die,
		item->domain, item->index, saved->level);
	print_value(stream, item, saved->old);
	print_value(stream, item, saved->written);
	if (saved->other_owner)
		fprintf(stream, " %" PRIu64, saved->shown);
	putc('\n', stream);
}

static int parse_value(struct isst_context *context, const struct item *item, char *word,
		       struct item_value *value)
{
	if (item_kinds[item->kind].format != AS_TEXT)
		return number_parse(word, 10, UINT64_MAX, &value->number) ? -EINVAL : 0;
	for (char *c = word; *c; c++)
		if (*c == '~')
			*c = ' ';
	return item_value_set_text(context, value, word);
}

int item_line_parse(struct isst_context *context, char *line, struct item_line *saved)
{
	unsigned int *const numbers[] = { &saved->item.package, &saved->item.die,
					  &saved->item.domain, &saved->item.index, &saved->level };
	char *words[COLUMNS];
	int error;

	for (size_t i = 0; i < COLUMNS; i++) {
		words[i] = strsep(&line, " ");
		if (!words[i])
			return -EINVAL;
	}
	*saved = (struct item_line){ .item.kind = item_kind_of(words[0]), .other_owner = line };
	if (saved->item.kind == ITEM_KINDS || (line && !item_is_limit(&saved->item)))
		return -EINVAL;
	if (line && number_parse(line, 10, CPUFREQ_NO_LIMIT, &saved->shown))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t number;

		if (number_parse(words[i + 1], 10, UINT32_MAX, &number))
			return -EINVAL;
		*numbers[i] = (unsigned int)number;
	}
	item_normalize(context, &saved->item);
	error = parse_value(context, &saved->item, words[6], &saved->old);
	return error ? error : parse_value(context, &saved->item, words[7], &saved->written);
}

/** Want of descriptors means nothing for a file. */
static bool is_want_of_descriptors(int error)
{
	return error == -EMFILE || error == -ENFILE;
}

/* The last line of a file that is replaced as a whole. */
#define END "end\n"

/* The first line, without the boot and its end. */
#define HEADER "isst %.*s %u boot "

int item_lines_header(struct isst_context *context, const char *name, unsigned int version,
		      char **header)
{
	const char *boot_id;
	int error = kernel_files_boot_id(&context->files, &boot_id), answer = context->files.answer;

	*header = NULL;
	if (error && error != -ENOMEM)
		return message_error(
			&context->messages, is_want_of_descriptors(answer) ? answer : -EIO,
			"the current boot cannot be identified, so it is unknown whether a reset "
			"has discarded earlier changes: %s",
			error == -ENOENT ? BOOT_ID_FILE " is missing or empty"
					 : isst_error(context));
	/* A staged file has the line of the file which it replaces. */
	if (!error &&
	    asprintf(header, HEADER "%s\n", (int)strcspn(name, "."), name, version, boot_id) < 0) {
		*header = NULL;
		error = -ENOMEM;
	}
	return error;
}

int item_lines_replace_text(struct isst_context *context, const char *name, unsigned int version,
			    const char *text)
{
	char *header, *content;
	int error = item_lines_header(context, name, version, &header);

	if (error)
		return error;
	if (asprintf(&content, "%s%s" END, header, text) < 0)
		content = NULL;
	free(header);
	if (!content)
		return -ENOMEM;
	error = runtime_file_replace(&context->runtime, name, content);
	free(content);
	if (!error || error == -ENOMEM)
		return error;
	return message_error(&context->messages,
			     error == -EACCES || error == -EPERM ? -EPERM : -EIO,
			     "cannot write %s/%s: %s", context->runtime.path, name,
			     runtime_file_strerror(error));
}

/** What is missing in a damaged file would not be restored, and no later run would know. */
int item_lines_refuse(struct isst_context *context, const char *name, size_t line, const char *how)
{
	static const struct {
		const char *name, *meaning;
	} FILES[] = {
		{ "journal",
		  "no change is made until the file is removed with `isst journal discard`, "
		  "which leaves the machine as it is" },
		{ BOOT_STATE_FILE, "the state after boot is unknown until the next boot" },
		{ APPLIED_FILE, "it is unknown when a configuration was applied last, until one is "
				"applied" },
	};
	const char *meaning = "no saved settings are restored, and cpusets of cgroup v1 do not get "
			      "CPUs back; if the file is removed, `disable --auto` runs without "
			      "saved settings";

	for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++)
		if (strcmp(name, FILES[i].name) == 0)
			meaning = FILES[i].meaning;
	return message_error(&context->messages, -EIO, "%s/%s:%zu is %s: %s",
			     context->machine->runtime_directory, name, line, how, meaning);
}

/** Returns the length of the first line of a file of this version and boot; -ENOENT for one of
 * another boot, or whose first line was never completed; or another negative errno with a message.
 */
static int check_header(struct isst_context *context, const char *name, unsigned int version,
			const char *text)
{
	char *header = NULL;
	int result = item_lines_header(context, name, version, &header);
	size_t prefix;

	if (result || !header)
		return result;
	/* The boot is behind the last blank. */
	prefix = (size_t)(strrchr(header, ' ') + 1 - header);
	if (!strchr(text, '\n'))
		result = -ENOENT;
	else if (strncmp(text, header, strlen(header)) == 0)
		result = (int)strlen(header);
	else if (strncmp(text, header, prefix) != 0)
		result = message_error(
			&context->messages, -EIO,
			"%s/%s has a format that this version does not support: use the version "
			"that wrote it, or remove it%s",
			context->machine->runtime_directory, name,
			strcmp(name, "journal") == 0 ? " by `isst journal discard`" : "");
	for (size_t i = prefix; result == 0; i++) {
		bool alike = isxdigit((unsigned char)header[i]) ? isxdigit((unsigned char)text[i])
								: header[i] == text[i];

		/* That of another boot has the same form. */
		if (!alike)
			result = item_lines_refuse(context, name, 1, "damaged");
		else if (header[i] == '\n')
			result = -ENOENT;
	}
	free(header);
	return result;
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

/** Takes the end off the lines of a file. Returns false where it is missing. */
static bool cut_end(char *lines)
{
	size_t length = strlen(lines), size = strlen(END);
	char *end = length >= size ? lines + length - size : NULL;

	if (!end || strcmp(end, END) != 0 || (end > lines && end[-1] != '\n'))
		return false;
	*end = '\0';
	return true;
}

int item_lines_read_text(struct isst_context *context, const char *name, unsigned int version,
			 bool whole, char **text, char **lines)
{
	int error, length = 0;
	bool has_nul;

	/* There mostly is none. */
	*text = NULL;
	if (runtime_file_is_missing(&context->runtime, name))
		return -ENOENT;
	error = runtime_file_read(&context->runtime, name, text);
	has_nul = error == -EBADMSG;
	if (has_nul)
		error = 0;
	if (error && error != -ENOENT && error != -ENOMEM)
		error = message_error(&context->messages,
				      is_want_of_descriptors(error)	    ? error
				      : error == -EACCES || error == -EPERM ? -EPERM
									    : -EIO,
				      "cannot read %s/%s: %s", context->runtime.path, name,
				      runtime_file_strerror(error));
	/* One of another boot is none, whatever it holds. */
	if (has_nul && !strchr(*text, '\n'))
		error = item_lines_refuse(context, name, 1, "damaged");
	if (!error && whole && !strchr(*text, '\n'))
		error = item_lines_refuse(context, name, 1, "damaged");
	if (!error)
		length = check_header(context, name, version, *text);
	if (length < 0)
		error = length;
	if (!error && (has_nul || (whole && !cut_end(*text + length))))
		error = item_lines_refuse(context, name, count_lines(*text) + 1, "damaged");
	if (!error) {
		*lines = *text + length;
	} else {
		free(*text);
		*text = NULL;
	}
	return error;
}
