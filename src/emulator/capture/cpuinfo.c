/* SPDX-License-Identifier: BSD-3-Clause */
/* The cpuinfo of a capture: what the processors are, and in which package and core each CPU is.
 */
#include "base/array.h"
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HIGHEST_CPU = 1 << 20 };

enum { KEYS = CAPTURE_REQUIRED_KEYS };

/** Of those that are numbers. */
static const unsigned int most[KEYS] = {
	[CAPTURE_PROCESSOR] = HIGHEST_CPU,
	[CAPTURE_FAMILY] = 0x10e,
	[CAPTURE_MODEL] = 0xff,
	[CAPTURE_STEPPING] = 0xf,
	[CAPTURE_PACKAGE] = HIGHEST_ID,
	[CAPTURE_CORE] = HIGHEST_CPU,
};

/** The lines about one processor. */
struct block {
	unsigned int line; /* of the first one; 0: none yet */
	bool known[KEYS];
	unsigned int number[KEYS];
	char *text[KEYS];
};

static int parse_line(struct capture *capture, const struct captured_text *line,
		      struct block *block)
{
	const struct captured_file *file = &capture->cpuinfo;
	char *colon = strchr(line->text, ':'), *key, *value;
	uint64_t number = 0;

	if (!colon)
		return captured_error(file, line->number, "found \"%s\", expected \"key : value\"",
				      line->text);
	*colon = '\0';
	key = trim(line->text);
	value = trim(colon + 1);
	if (!block->line)
		block->line = line->number;
	for (unsigned int i = 0; i < KEYS; i++) {
		if (strcmp(capture_cpuinfo_keys[i], key) != 0)
			continue;
		if (block->known[i])
			return captured_error(file, line->number,
					      "found \"%s\" again, expected an empty line before "
					      "the next processor",
					      key);
		if (most[i] && isst_parse_number(value, 10, most[i], &number))
			return captured_error(file, line->number,
					      "found \"%s\" for \"%s\", expected a number 0..%u",
					      value, key, most[i]);
		if (*value == '\0')
			return captured_error(file, line->number,
					      "found nothing for \"%s\", expected a text", key);
		block->known[i] = true;
		block->number[i] = (unsigned int)number;
		block->text[i] = value;
		break;
	}
	return 0;
}

/** What all processors of a machine have in common is taken from the first one. */
static int take_identity(struct capture *capture, const struct block *block)
{
	if (capture->cpu_count == 0) {
		capture->vendor = block->text[CAPTURE_VENDOR];
		capture->model_name = block->text[CAPTURE_NAME];
		capture->family = block->number[CAPTURE_FAMILY];
		capture->model = block->number[CAPTURE_MODEL];
		capture->stepping = block->number[CAPTURE_STEPPING];
		return 0;
	}
	if (block->number[CAPTURE_FAMILY] != capture->family ||
	    block->number[CAPTURE_MODEL] != capture->model)
		return captured_error(&capture->cpuinfo, block->line,
				      "found a processor of family %u, model %u, expected %u and "
				      "%u as of the first one",
				      block->number[CAPTURE_FAMILY], block->number[CAPTURE_MODEL],
				      capture->family, capture->model);
	return 0;
}

static int finish_block(struct capture *capture, struct block *block)
{
	const struct captured_file *file = &capture->cpuinfo;
	int result;

	if (!block->line)
		return 0;
	for (unsigned int i = 0; i < KEYS; i++)
		if (!block->known[i])
			return captured_error(file, block->line,
					      "found a processor without \"%s\", expected that too",
					      capture_cpuinfo_keys[i]);
	result = take_identity(capture, block);
	if (result)
		return result;
	if (ARRAY_GROW(capture->cpus, capture->cpu_count))
		return -ENOMEM;
	capture->cpus[capture->cpu_count++] = (struct captured_cpu){
		.number = block->number[CAPTURE_PROCESSOR],
		.package = block->number[CAPTURE_PACKAGE],
		.core_id = block->number[CAPTURE_CORE],
		.line = block->line,
	};
	*block = (struct block){ 0 };
	return 0;
}

static int compare_cpus(const void *left, const void *right)
{
	const struct captured_cpu *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

ssize_t capture_cpu(const struct capture *capture, unsigned int number)
{
	const struct captured_cpu key = { .number = number };
	const struct captured_cpu *cpu = bsearch(&key, capture->cpus, capture->cpu_count,
						 sizeof(key), compare_cpus);

	return cpu ? cpu - capture->cpus : -1;
}

static int check_cpus(const struct capture *capture)
{
	for (size_t i = 1; i < capture->cpu_count; i++)
		if (capture->cpus[i].number == capture->cpus[i - 1].number)
			return captured_error(&capture->cpuinfo, capture->cpus[i].line,
					      "found processor %u again, expected each once",
					      capture->cpus[i].number);
	return 0;
}

int capture_read_cpuinfo(struct capture *capture)
{
	struct captured_file *file = &capture->cpuinfo;
	struct block block = { 0 };
	int result = captured_file_require(capture, CAPTURE_CPUINFO, file);

	for (size_t i = 0; i < file->line_count && !result; i++) {
		if (*trim(file->lines[i].text) == '\0')
			result = finish_block(capture, &block);
		else
			result = parse_line(capture, &file->lines[i], &block);
	}
	if (!result)
		result = finish_block(capture, &block);
	if (result)
		return result;
	if (capture->cpu_count == 0)
		return captured_error(file, captured_end(file),
				      "found no processor, expected one for each online CPU");
	qsort(capture->cpus, capture->cpu_count, sizeof(*capture->cpus), compare_cpus);
	return check_cpus(capture);
}
