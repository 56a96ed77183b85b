/* SPDX-License-Identifier: BSD-3-Clause */
/* The MSRs of a capture, each with a value of every CPU. */
#include "base/array.h"
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** `12|1f1f`: the value of one CPU. */
static int parse_value(struct capture *capture, const char *word, struct captured_msr *msr)
{
	const struct captured_file *file = &capture->msr_file;
	unsigned int cpu;
	uint64_t value;
	ssize_t index;

	if (!capture_parse_msr_value(word, &cpu, &value))
		return captured_error(file, msr->line,
				      "found \"%s\", expected CPU|VALUE with a hexadecimal value",
				      word);
	index = capture_cpu(capture, cpu);
	if (index < 0)
		return captured_error(file, msr->line,
				      "found a value of CPU %u for MSR 0x%x, expected only CPUs of "
				      "proc/cpuinfo",
				      cpu, msr->address);
	if (msr->known[index])
		return captured_error(file, msr->line,
				      "found CPU %u again for MSR 0x%x, expected each once", cpu,
				      msr->address);
	msr->known[index] = true;
	msr->values[index] = value;
	return 0;
}

static int check_complete(const struct capture *capture, const struct captured_msr *msr)
{
	for (size_t i = 0; i < capture->cpu_count; i++)
		if (!msr->known[i])
			return captured_error(&capture->msr_file, msr->line,
					      "found no value of CPU %u for MSR 0x%x, expected one "
					      "of every CPU of proc/cpuinfo",
					      capture->cpus[i].number, msr->address);
	return 0;
}

static int add_msr(struct capture *capture, uint32_t address, unsigned int line)
{
	const struct captured_msr *same = capture_msr(capture, address);
	struct captured_msr *msr;

	if (same)
		return captured_error(&capture->msr_file, line,
				      "found MSR 0x%x again, first in line %u", address,
				      same->line);
	if (ARRAY_GROW(capture->msrs, capture->msr_count))
		return -ENOMEM;
	msr = &capture->msrs[capture->msr_count++];
	*msr = (struct captured_msr){
		.address = address,
		.line = line,
		.values = calloc(capture->cpu_count, sizeof(*msr->values)),
		.known = calloc(capture->cpu_count, sizeof(*msr->known)),
	};
	return msr->values && msr->known ? 0 : -ENOMEM;
}

static int parse_line(struct capture *capture, const struct captured_text *line)
{
	const struct captured_file *file = &capture->msr_file;
	char *text = trim(line->text), *colon = strchr(text, CAPTURE_MSR_COLON), *rest = NULL,
	     *word;
	struct captured_msr *msr;
	uint32_t address;
	int result;

	if (*text == '\0' || *text == CAPTURE_COMMENT)
		return 0;
	if (colon)
		*colon = '\0';
	if (!colon || !capture_parse_msr(text, &address))
		return captured_error(file, line->number,
				      "found \"%.20s\", expected the hexadecimal address of an MSR "
				      "and \":\"",
				      text);
	result = add_msr(capture, address, line->number);
	if (result)
		return result;
	msr = &capture->msrs[capture->msr_count - 1];
	for (word = strtok_r(colon + 1, " \t", &rest); word && !result;
	     word = strtok_r(NULL, " \t", &rest))
		result = parse_value(capture, word, msr);
	return result ? result : check_complete(capture, msr);
}

const struct captured_msr *capture_msr(const struct capture *capture, uint32_t address)
{
	for (size_t i = 0; i < capture->msr_count; i++)
		if (capture->msrs[i].address == address)
			return &capture->msrs[i];
	return NULL;
}

int capture_read_msrs(struct capture *capture)
{
	struct captured_file *file = &capture->msr_file;
	int result = captured_file_require(capture, CAPTURE_MSRS, file);

	return result ? result : captured_each_line(capture, file, parse_line);
}
