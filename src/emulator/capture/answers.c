/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a captured machine that hold registers, and answers of driver and firmware. */
#include "base/array.h"
#include "base/error_name.h"
#include "emulator/capture/capture.h"
#include "emulator/model/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Registers as debugfs prints them: a header for each instance, then lines of eight 32-bit
 * words, the lower half of a register first ---- */

enum { WORDS = 8, WORD_DIGITS = 8 };

static const char instance_word[] = "TPMI Instance:", offset_word[] = "offset:";

static int parse_instance(struct captured_dump *dump, const char *text, unsigned int line)
{
	struct captured_instance instance = { .line = line };
	uint64_t number;
	const char *offset = number_before(text + strlen(instance_word), ' ', 10, UINT8_MAX,
					   &number);

	if (!offset || strncmp(offset, offset_word, strlen(offset_word)) != 0 ||
	    isst_parse_number(offset + strlen(offset_word), 16, UINT64_MAX, &instance.offset))
		return capture_error(&dump->file, line,
				     "found \"%s\", expected \"TPMI Instance:N offset:0x...\"",
				     text);
	if (number != dump->count)
		return capture_error(&dump->file, line,
				     "found instance %llu, expected instance %zu",
				     (unsigned long long)number, dump->count);
	if (ARRAY_GROW(dump->instances, dump->count))
		return -ENOMEM;
	dump->instances[dump->count++] = instance;
	return 0;
}

static bool parse_word(const char *text, uint64_t *word)
{
	return strlen(text) == WORD_DIGITS && isst_parse_number(text, 16, UINT32_MAX, word) == 0;
}

/** ` 00000020: 00ff0000 00000000 ...`; only the last line of an instance may be shorter. */
static int parse_words(struct captured_dump *dump, char *text, unsigned int line)
{
	const struct captured_file *file = &dump->file;
	struct captured_instance *instance = &dump->instances[dump->count - 1];
	char *colon = strchr(text, ':'), *rest = NULL, *word;
	size_t expected = instance->count * sizeof(uint64_t);
	uint64_t offset, value[WORDS];
	unsigned int count = 0;

	if (colon)
		*colon = '\0';
	if (!colon || !parse_word(text, &offset))
		return capture_error(file, line,
				     "found \"%s\", expected an offset, \":\" and eight words of "
				     "eight hexadecimal digits",
				     text);
	if (offset != expected || instance->count % (WORDS / 2) != 0)
		return capture_error(file, line,
				     "found offset 0x%x, expected 0x%zx: lines of instance %zu are "
				     "missing or damaged",
				     (unsigned int)offset, expected, dump->count - 1);
	for (word = strtok_r(colon + 1, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		if (count == WORDS || !parse_word(word, &value[count++]))
			return capture_error(file, line,
					     "found \"%s\", expected at most eight words of eight "
					     "hexadecimal digits",
					     word);
	if (count == 0 || count % 2 != 0)
		return capture_error(file, line,
				     "found %u words, expected registers of two words each", count);
	for (unsigned int i = 0; i < count; i += 2) {
		if (ARRAY_GROW(instance->registers, instance->count))
			return -ENOMEM;
		instance->registers[instance->count++] = value[i] | value[i + 1] << 32;
	}
	return 0;
}

static int read_dump(struct capture *capture, const char *device)
{
	struct captured_dump *dump;
	struct captured_file *file;
	char *name;
	int result;

	if (ARRAY_GROW(capture->dumps, capture->dump_count))
		return -ENOMEM;
	dump = &capture->dumps[capture->dump_count++];
	*dump = (struct captured_dump){ .address = strdup(device + strlen("tpmi-")) };
	file = &dump->file;
	if (!dump->address ||
	    asprintf(&name, CAPTURE_DEBUGFS "/%s/tpmi-id-05/mem_dump", device) < 0)
		return -ENOMEM;
	result = captured_file_read(capture, name, "the registers of Speed Select", file);
	free(name);
	for (unsigned int i = 0; i < file->line_count && !result; i++) {
		char *line = file->lines[i];

		if (strncmp(line, instance_word, strlen(instance_word)) == 0)
			result = parse_instance(dump, line, i + 1);
		else if (*line && dump->count > 0)
			result = parse_words(dump, line, i + 1);
		else if (*line)
			result = capture_error(
				file, i + 1,
				"found \"%s\", expected \"TPMI Instance:0 offset:0x...\"", line);
	}
	if (!result && dump->count == 0)
		result = capture_error(file, captured_end(file),
				       "found no instance, expected \"TPMI Instance:0 "
				       "offset:0x...\"");
	/* All instances of a device have one size. */
	for (size_t i = 0; i < dump->count && !result; i++) {
		const struct captured_instance *instance = &dump->instances[i];

		if (instance->count == 0)
			result = capture_error(
				file, instance->line,
				"found instance %zu without registers, expected some", i);
		else if (instance->count != dump->instances[0].count)
			result = capture_error(
				file,
				i + 1 < dump->count ? instance[1].line - 1 : captured_end(file),
				"found %zu bytes of registers of instance %zu, expected %zu as of "
				"instance 0",
				instance->count * sizeof(uint64_t), i,
				dump->instances[0].count * sizeof(uint64_t));
	}
	return result;
}

int capture_read_dumps(struct capture *capture)
{
	struct dirent *entry;
	char *path;
	DIR *stream;
	int result = 0;

	if (asprintf(&path, "%s/" CAPTURE_DEBUGFS, capture->directory) < 0)
		return -ENOMEM;
	stream = opendir(path);
	if (!stream && errno != ENOENT && errno != ENOTDIR)
		result = set_error(capture->error, -EINVAL, "%s cannot be read: %s", path,
				   strerror(errno));
	free(path);
	while (stream && !result && (entry = readdir(stream)))
		if (strncmp(entry->d_name, "tpmi-", strlen("tpmi-")) == 0)
			result = read_dump(capture, entry->d_name);
	if (stream)
		closedir(stream);
	/* PCI addresses, all of one length, sort as their numbers do. */
	if (!result && capture->dump_count > 1)
		qsort(capture->dumps, capture->dump_count, sizeof(*capture->dumps), compare_texts);
	return result;
}

/* ---- Answers of driver and firmware: `KEYWORD FIELD... -> FIELD...` ---- */

/** A letter for each field; > is the arrow. Numbers are decimal, or hexadecimal with 0x. */
static const struct {
	const char *keyword, *form, *syntax;
} answer_kinds[] = {
	[ANSWER_DRIVER] = { "driver", ">sssbb",
			    "driver -> API-VERSION DRIVER-VERSION MAX-COMMANDS MAILBOX MMIO" },
	[ANSWER_NO_DRIVER] = { "no-driver", "", "no-driver" },
	[ANSWER_MAILBOX] = { "mailbox", "iicpd>a",
			     "mailbox PACKAGE DIE COMMAND/SUB-COMMAND PARAMETER DATA -> ANSWER or "
			     "error" },
	[ANSWER_MMIO] = { "mmio", "iio>a", "mmio PACKAGE DIE OFFSET -> VALUE or error" },
	[ANSWER_INSTANCES] = { "instances", "n>a", "instances SOCKET -> MASK or error" },
};
enum { ANSWER_KINDS = sizeof(answer_kinds) / sizeof(*answer_kinds), MOST_FIELDS = 6 };

/* The highest number of a field; an answer that is an error is E and its name or number. */
static const unsigned int field_max[] = {
	['a'] = UINT32_MAX, ['b'] = 1,		['d'] = UINT32_MAX, ['i'] = HIGHEST_ID,
	['n'] = UINT8_MAX,  ['o'] = UINT16_MAX, ['p'] = 0x3fff,	    ['s'] = UINT16_MAX,
};

static int parse_field(const struct capture *capture, unsigned int line, char letter,
		       const char *text, uint32_t *value, int *error)
{
	const struct captured_file *file = &capture->answer_file;
	const unsigned int max = field_max[(unsigned char)letter];
	uint64_t number = 0, sub = 0;
	const char *rest;
	bool good;

	*error = 0;
	if (letter == 'c') {
		/* 0x7f/0x01: command << 8 | sub-command */
		rest = number_before(text, '/', 16, UINT8_MAX, &number);
		good = rest && isst_parse_number(rest, 16, UINT8_MAX, &sub) == 0;
		number = number << 8 | sub;
	} else if (letter == 'a' && *text == 'E') {
		*error = -error_number(text + (text[1] >= '0' && text[1] <= '9'));
		good = *error;
	} else {
		good = isst_parse_number(text, 0, max, &number) == 0 &&
		       (letter != 'o' || number % 4 == 0);
	}
	*value = (uint32_t)number;
	if (good)
		return 0;
	switch (letter) {
	case 'c':
		return capture_error(file, line,
				     "found \"%s\", expected a command such as 0x7f/0x01", text);
	case 'o':
		return capture_error(file, line,
				     "found the offset \"%s\", expected a multiple of 4 up to 0x%x",
				     text, max);
	case 'a':
		return capture_error(file, line,
				     "found \"%s\", expected a number 0..%u or an error such as "
				     "ENXIO or E524",
				     text, max);
	default:
		return capture_error(file, line, "found \"%s\", expected a number 0..%u", text,
				     max);
	}
}

/** There is one driver, or none and no device. */
static int take_driver(struct capture *capture, enum answer_kind kind, unsigned int line,
		       const uint32_t *value)
{
	const struct captured_file *file = &capture->answer_file;
	const struct captured_driver *driver = &capture->driver;
	const enum answer_kind before = driver->present ? ANSWER_DRIVER : ANSWER_NO_DRIVER;

	if (driver->line && before == kind)
		return capture_error(file, line, "found \"%s\" again, first in line %u",
				     answer_kinds[kind].keyword, driver->line);
	if (driver->line)
		return capture_error(file, line, "found \"%s\", but \"%s\" stands in line %u",
				     answer_kinds[kind].keyword, answer_kinds[before].keyword,
				     driver->line);
	if (kind == ANSWER_DRIVER && (value[2] < 1 || value[2] > 64))
		return capture_error(file, line, "found batches of %u commands, expected 1..64",
				     value[2]);
	/* All zeros without a driver. */
	capture->driver = (struct captured_driver){
		.line = line,
		.present = kind == ANSWER_DRIVER,
		.api_version = value[0],
		.driver_version = value[1],
		.max_commands = value[2],
		.mailbox = value[3],
		.mmio = value[4],
	};
	return 0;
}

static int parse_answer_line(struct capture *capture, char *text, unsigned int line)
{
	const struct captured_file *file = &capture->answer_file;
	struct captured_answer answer = { .line = line };
	uint32_t value[MOST_FIELDS] = { 0 };
	unsigned int kind = 0, count = 0;
	char *rest = NULL, *word = strtok_r(text, " \t", &rest);
	const char *form;
	int result;

	while (kind < ANSWER_KINDS && strcmp(answer_kinds[kind].keyword, word) != 0)
		kind++;
	if (kind == ANSWER_KINDS)
		return capture_error(file, line,
				     "found \"%s\", expected driver, no-driver, mailbox, mmio or "
				     "instances",
				     word);
	for (form = answer_kinds[kind].form; (word = strtok_r(NULL, " \t", &rest)); form++) {
		if (!*form || (*form == '>') != (strcmp(word, "->") == 0))
			break;
		if (*form == '>')
			continue;
		result = parse_field(capture, line, *form, word, &value[count++], &answer.error);
		if (result)
			return result;
	}
	if (*form || word)
		return capture_error(file, line, "found other fields, expected \"%s\"",
				     answer_kinds[kind].syntax);
	answer.kind = (enum answer_kind)kind;
	if (kind == ANSWER_DRIVER || kind == ANSWER_NO_DRIVER)
		return take_driver(capture, answer.kind, line, value);
	answer.package = value[0];
	answer.value = value[count - 1];
	if (kind != ANSWER_INSTANCES) {
		answer.die = value[1];
		answer.command = value[2];
	}
	if (kind == ANSWER_MAILBOX) {
		answer.parameter = value[3];
		answer.data = value[4];
	}
	if (ARRAY_GROW(capture->answers, capture->answer_count))
		return -ENOMEM;
	capture->answers[capture->answer_count++] = answer;
	return 0;
}

static int compare_answers(const void *left, const void *right)
{
	const struct captured_answer *a = left, *b = right;
	const uint32_t of_a[] = { a->kind, a->package, a->die, a->command, a->parameter, a->data };
	const uint32_t of_b[] = { b->kind, b->package, b->die, b->command, b->parameter, b->data };

	for (size_t i = 0; i < sizeof(of_a) / sizeof(*of_a); i++)
		if (of_a[i] != of_b[i])
			return of_a[i] < of_b[i] ? -1 : 1;
	return 0;
}

const struct captured_answer *capture_answer(const struct capture *capture,
					     const struct captured_answer *request)
{
	if (capture->answer_count == 0)
		return NULL;
	return bsearch(request, capture->answers, capture->answer_count, sizeof(*request),
		       compare_answers);
}

const struct captured_answer *capture_domain_answer(const struct capture *capture,
						    enum answer_kind kind,
						    const struct platform_domain *domain,
						    uint32_t command, uint32_t parameter,
						    uint32_t data)
{
	const struct captured_answer request = {
		.kind = kind,
		.package = domain->package,
		.die = domain->die,
		.command = command,
		.parameter = parameter,
		.data = data,
	};

	return capture_answer(capture, &request);
}

/** Only what `platform capture` has written has them. */
int capture_read_answers(struct capture *capture)
{
	struct captured_file *file = &capture->answer_file;
	int result = captured_lines_read(capture, "isst/answers.txt", NULL, file,
					 parse_answer_line);

	if (result)
		return result == -ENOENT ? 0 : result;
	if (capture->answer_count > 0)
		qsort(capture->answers, capture->answer_count, sizeof(*capture->answers),
		      compare_answers);
	for (size_t i = 1; i < capture->answer_count; i++) {
		const struct captured_answer *a = &capture->answers[i - 1], *b = a + 1;

		if (compare_answers(a, b) == 0)
			return capture_error(file, a->line > b->line ? a->line : b->line,
					     "found the same request again, first in line %u",
					     a->line > b->line ? b->line : a->line);
	}
	return 0;
}
