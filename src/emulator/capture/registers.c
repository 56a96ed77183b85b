/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TPMI register dumps of a capture, one of each package, as debugfs prints them: a header for
 * each instance, then lines of eight 32-bit words, the lower half of a register first. What the
 * registers mean is not known here.
 */
#include "base/array.h"
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 8, WORD_DIGITS = 8 };

static const char instance_word[] = "TPMI Instance:", offset_word[] = " offset:";

static int parse_header(struct captured_dump *dump, const struct captured_text *line)
{
	const struct captured_file *file = &dump->file;
	char *number = line->text + strlen(instance_word), *offset = strstr(number, offset_word);
	struct captured_instance *instance;
	uint64_t value, place;

	if (offset)
		*offset = '\0';
	if (!offset || isst_parse_number(number, 10, UINT8_MAX, &value) ||
	    isst_parse_number(offset + strlen(offset_word), 16, UINT64_MAX, &place)) {
		if (offset)
			*offset = ' ';
		return captured_error(file, line->number,
				      "found \"%s\", expected \"TPMI Instance:N offset:0x...\"",
				      line->text);
	}
	if (value != dump->count)
		return captured_error(file, line->number,
				      "found instance %llu, expected instance %zu",
				      (unsigned long long)value, dump->count);
	if (ARRAY_GROW(dump->instances, dump->count))
		return -ENOMEM;
	instance = &dump->instances[dump->count++];
	*instance = (struct captured_instance){
		.number = (unsigned int)value,
		.line = line->number,
		.offset = place,
	};
	return 0;
}

static bool parse_word(const char *text, uint32_t *word)
{
	uint64_t value;

	if (strlen(text) != WORD_DIGITS || isst_parse_number(text, 16, UINT32_MAX, &value))
		return false;
	*word = (uint32_t)value;
	return true;
}

/** ` 00000020: 00ff0000 00000000 ...`; only the last line of an instance may be shorter. */
static int parse_words(struct captured_dump *dump, const struct captured_text *line)
{
	const struct captured_file *file = &dump->file;
	struct captured_instance *instance = &dump->instances[dump->count - 1];
	char *colon = strchr(line->text, ':'), *rest = NULL, *word;
	size_t expected = instance->count * sizeof(uint64_t);
	uint32_t offset, value[WORDS];
	unsigned int count = 0;

	if (colon)
		*colon = '\0';
	if (!colon || !parse_word(trim(line->text), &offset))
		return captured_error(file, line->number,
				      "found \"%s\", expected an offset, \":\" and eight words of "
				      "eight hexadecimal digits",
				      line->text);
	if (offset != expected || instance->count % (WORDS / 2) != 0)
		return captured_error(file, line->number,
				      "found offset 0x%x, expected 0x%zx: lines of instance %u are "
				      "missing or damaged",
				      offset, expected, instance->number);
	for (word = strtok_r(colon + 1, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		if (count == WORDS || !parse_word(word, &value[count++]))
			return captured_error(file, line->number,
					      "found \"%s\", expected at most eight words of eight "
					      "hexadecimal digits",
					      word);
	if (count == 0 || count % 2 != 0)
		return captured_error(file, line->number,
				      "found %u words, expected registers of two words each",
				      count);
	for (unsigned int i = 0; i < count; i += 2) {
		if (ARRAY_GROW(instance->registers, instance->count))
			return -ENOMEM;
		instance->registers[instance->count++] = value[i] | (uint64_t)value[i + 1] << 32;
	}
	return 0;
}

/** All instances of a device have one size. */
static int check_sizes(const struct captured_dump *dump)
{
	const struct captured_file *file = &dump->file;

	if (dump->count == 0)
		return captured_error(
			file, captured_end(file),
			"found no instance, expected \"TPMI Instance:0 offset:0x...\"");
	for (size_t i = 0; i < dump->count; i++) {
		const struct captured_instance *instance = &dump->instances[i];
		unsigned int last = i + 1 < dump->count ? instance[1].line - 1 : captured_end(file);

		if (instance->count == 0)
			return captured_error(file, instance->line,
					      "found instance %u without registers, expected some",
					      instance->number);
		if (instance->count != dump->instances[0].count)
			return captured_error(file, last,
					      "found %zu bytes of registers of instance %u, "
					      "expected %zu as of instance 0",
					      instance->count * sizeof(uint64_t), instance->number,
					      dump->instances[0].count * sizeof(uint64_t));
	}
	return 0;
}

static int read_dump(struct capture *capture, const char *device)
{
	struct captured_dump *dump;
	char *name;
	int result;

	if (ARRAY_GROW(capture->dumps, capture->dump_count))
		return -ENOMEM;
	dump = &capture->dumps[capture->dump_count++];
	*dump = (struct captured_dump){ .address = strdup(device + strlen(CAPTURE_DEVICE)) };
	if (!dump->address || asprintf(&name, CAPTURE_DEBUGFS "/%s/" CAPTURE_REGISTERS, device) < 0)
		return -ENOMEM;
	result = captured_file_read(capture, name, &dump->file);
	free(name);
	if (result == -ENOENT)
		return set_error(capture->error, -EINVAL,
				 "%s: found no such file, expected the registers of Speed Select",
				 dump->file.path);
	for (size_t i = 0; i < dump->file.line_count && !result; i++) {
		const struct captured_text *line = &dump->file.lines[i];

		if (strncmp(line->text, instance_word, strlen(instance_word)) == 0)
			result = parse_header(dump, line);
		else if (*trim(line->text) == '\0')
			continue;
		else if (dump->count == 0)
			result = captured_error(
				&dump->file, line->number,
				"found \"%s\", expected \"TPMI Instance:0 offset:0x...\"",
				line->text);
		else
			result = parse_words(dump, line);
	}
	return result ? result : check_sizes(dump);
}

/* PCI addresses, all of one length, sort as their numbers do. */
static int compare_dumps(const void *left, const void *right)
{
	const struct captured_dump *a = left, *b = right;

	return strcmp(a->address, b->address);
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
		if (strncmp(entry->d_name, CAPTURE_DEVICE, strlen(CAPTURE_DEVICE)) == 0)
			result = read_dump(capture, entry->d_name);
	if (stream)
		closedir(stream);
	if (!result && capture->dump_count > 1)
		qsort(capture->dumps, capture->dump_count, sizeof(*capture->dumps), compare_dumps);
	return result;
}
