/* SPDX-License-Identifier: BSD-3-Clause */
/* The MSRs of a recording, each with a value of every CPU. */
#include "base/array.h"
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** `12|1f1f`: the value of one CPU. */
static int parse_value(struct recording *recording, const char *word, struct recorded_msr *msr)
{
	const struct recorded_file *file = &recording->msr_file;
	unsigned int cpu;
	uint64_t value;
	ssize_t index;

	if (!capture_parse_msr_value(word, &cpu, &value))
		return recorded_error(file, msr->line,
				      "found \"%s\", expected CPU|VALUE with a hexadecimal value",
				      word);
	index = recording_cpu(recording, cpu);
	if (index < 0)
		return recorded_error(file, msr->line,
				      "found a value of CPU %u for MSR 0x%x, expected only CPUs of "
				      "proc/cpuinfo",
				      cpu, msr->address);
	if (msr->known[index])
		return recorded_error(file, msr->line,
				      "found CPU %u again for MSR 0x%x, expected each once", cpu,
				      msr->address);
	msr->known[index] = true;
	msr->values[index] = value;
	return 0;
}

static int check_complete(const struct recording *recording, const struct recorded_msr *msr)
{
	for (size_t i = 0; i < recording->cpu_count; i++)
		if (!msr->known[i])
			return recorded_error(&recording->msr_file, msr->line,
					      "found no value of CPU %u for MSR 0x%x, expected one "
					      "of every CPU of proc/cpuinfo",
					      recording->cpus[i].number, msr->address);
	return 0;
}

static int add_msr(struct recording *recording, uint32_t address, unsigned int line)
{
	const struct recorded_msr *same = recording_msr(recording, address);
	struct recorded_msr *msr;

	if (same)
		return recorded_error(&recording->msr_file, line,
				      "found MSR 0x%x again, first in line %u", address,
				      same->line);
	if (ARRAY_GROW(recording->msrs, recording->msr_count))
		return -ENOMEM;
	msr = &recording->msrs[recording->msr_count++];
	*msr = (struct recorded_msr){
		.address = address,
		.line = line,
		.values = calloc(recording->cpu_count, sizeof(*msr->values)),
		.known = calloc(recording->cpu_count, sizeof(*msr->known)),
	};
	return msr->values && msr->known ? 0 : -ENOMEM;
}

static int parse_line(struct recording *recording, const struct recorded_text *line)
{
	const struct recorded_file *file = &recording->msr_file;
	char *text = trim(line->text), *colon = strchr(text, CAPTURE_MSR_COLON), *rest = NULL,
	     *word;
	struct recorded_msr *msr;
	uint32_t address;
	int result;

	if (*text == '\0' || *text == CAPTURE_COMMENT)
		return 0;
	if (colon)
		*colon = '\0';
	if (!colon || !capture_parse_msr(text, &address))
		return recorded_error(file, line->number,
				      "found \"%.20s\", expected the hexadecimal address of an MSR "
				      "and \":\"",
				      text);
	result = add_msr(recording, address, line->number);
	if (result)
		return result;
	msr = &recording->msrs[recording->msr_count - 1];
	for (word = strtok_r(colon + 1, " \t", &rest); word && !result;
	     word = strtok_r(NULL, " \t", &rest))
		result = parse_value(recording, word, msr);
	return result ? result : check_complete(recording, msr);
}

const struct recorded_msr *recording_msr(const struct recording *recording, uint32_t address)
{
	for (size_t i = 0; i < recording->msr_count; i++)
		if (recording->msrs[i].address == address)
			return &recording->msrs[i];
	return NULL;
}

int recording_read_msrs(struct recording *recording)
{
	struct recorded_file *file = &recording->msr_file;
	int result = recorded_file_require(recording, CAPTURE_MSRS, file);

	return result ? result : recorded_each_line(recording, file, parse_line);
}
