/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of text that name items and their values. */
#include "transaction/item_lines.h"
#include "base/array.h"
#include "base/machine.h"
#include "base/runtime_file.h"
#include "common/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
			&context->messages, runtime_file_result(answer),
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
	return message_error(&context->messages, runtime_file_result(error),
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
		error = message_error(&context->messages, runtime_file_result(error),
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
