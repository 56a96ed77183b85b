/* SPDX-License-Identifier: BSD-3-Clause */
/* The cpuinfo of a recording: what the processors are, and in which package and core each CPU is.
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

static int parse_line(struct recording *recording, const struct recorded_text *line,
		      struct block *block)
{
	const struct recorded_file *file = &recording->cpuinfo;
	char *colon = strchr(line->text, ':'), *key, *value;
	uint64_t number = 0;

	if (!colon)
		return recorded_error(file, line->number, "found \"%s\", expected \"key : value\"",
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
			return recorded_error(file, line->number,
					      "found \"%s\" again, expected an empty line before "
					      "the next processor",
					      key);
		if (most[i] && isst_parse_number(value, 10, most[i], &number))
			return recorded_error(file, line->number,
					      "found \"%s\" for \"%s\", expected a number 0..%u",
					      value, key, most[i]);
		if (*value == '\0')
			return recorded_error(file, line->number,
					      "found nothing for \"%s\", expected a text", key);
		block->known[i] = true;
		block->number[i] = (unsigned int)number;
		block->text[i] = value;
		break;
	}
	return 0;
}

/** What all processors of a machine have in common is taken from the first one. */
static int take_identity(struct recording *recording, const struct block *block)
{
	if (recording->cpu_count == 0) {
		recording->vendor = block->text[CAPTURE_VENDOR];
		recording->model_name = block->text[CAPTURE_NAME];
		recording->family = block->number[CAPTURE_FAMILY];
		recording->model = block->number[CAPTURE_MODEL];
		recording->stepping = block->number[CAPTURE_STEPPING];
		return 0;
	}
	if (block->number[CAPTURE_FAMILY] != recording->family ||
	    block->number[CAPTURE_MODEL] != recording->model)
		return recorded_error(&recording->cpuinfo, block->line,
				      "found a processor of family %u, model %u, expected %u and "
				      "%u as of the first one",
				      block->number[CAPTURE_FAMILY], block->number[CAPTURE_MODEL],
				      recording->family, recording->model);
	return 0;
}

static int finish_block(struct recording *recording, struct block *block)
{
	const struct recorded_file *file = &recording->cpuinfo;
	int result;

	if (!block->line)
		return 0;
	for (unsigned int i = 0; i < KEYS; i++)
		if (!block->known[i])
			return recorded_error(file, block->line,
					      "found a processor without \"%s\", expected that too",
					      capture_cpuinfo_keys[i]);
	result = take_identity(recording, block);
	if (result)
		return result;
	if (ARRAY_GROW(recording->cpus, recording->cpu_count))
		return -ENOMEM;
	recording->cpus[recording->cpu_count++] = (struct recorded_cpu){
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
	const struct recorded_cpu *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

ssize_t recording_cpu(const struct recording *recording, unsigned int number)
{
	const struct recorded_cpu key = { .number = number };
	const struct recorded_cpu *cpu = bsearch(&key, recording->cpus, recording->cpu_count,
						 sizeof(key), compare_cpus);

	return cpu ? cpu - recording->cpus : -1;
}

static int check_cpus(const struct recording *recording)
{
	for (size_t i = 1; i < recording->cpu_count; i++)
		if (recording->cpus[i].number == recording->cpus[i - 1].number)
			return recorded_error(&recording->cpuinfo, recording->cpus[i].line,
					      "found processor %u again, expected each once",
					      recording->cpus[i].number);
	return 0;
}

int recording_read_cpuinfo(struct recording *recording)
{
	struct recorded_file *file = &recording->cpuinfo;
	struct block block = { 0 };
	int result = recorded_file_require(recording, CAPTURE_CPUINFO, file);

	for (size_t i = 0; i < file->line_count && !result; i++) {
		if (*trim(file->lines[i].text) == '\0')
			result = finish_block(recording, &block);
		else
			result = parse_line(recording, &file->lines[i], &block);
	}
	if (!result)
		result = finish_block(recording, &block);
	if (result)
		return result;
	if (recording->cpu_count == 0)
		return recorded_error(file, recorded_end(file),
				      "found no processor, expected one for each online CPU");
	qsort(recording->cpus, recording->cpu_count, sizeof(*recording->cpus), compare_cpus);
	return check_cpus(recording);
}
