/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads performance limit reasons from debugfs. */
#include "sysfs/limit_reasons.h"
#include "base/array.h"
#include "base/messages.h"
#include "common/number.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DEBUGFS[] = "/sys/kernel/debug";

const char *const limit_words[LIMIT_WORDS] = {
	[LIMIT_FREQUENCY] = "FREQUENCY",
	[LIMIT_CURRENT] = "CURRENT",
	[LIMIT_POWER] = "POWER",
	[LIMIT_THERMAL] = "THERMAL",
	[LIMIT_PLATFORM] = "PLATFORM",
	[LIMIT_MCP] = "MCP",
	[LIMIT_RAS] = "RAS",
	[LIMIT_MISC] = "MISC",
	[LIMIT_QOS] = "QOS",
	[LIMIT_DFC] = "DFC",
};

unsigned int limit_word_of(const char *word, size_t length)
{
	unsigned int number = 0;

	while (number < LIMIT_WORDS) {
		size_t coarse = strlen(limit_words[number]);

		if (length >= coarse && memcmp(word, limit_words[number], coarse) == 0 &&
		    (length == coarse || word[coarse] == '_'))
			break;
		number++;
	}
	return number;
}

uint64_t limit_words_of(const char *words)
{
	uint64_t found = 0;

	while (*words) {
		size_t length = strcspn(words, " ");

		if (length > 0)
			found |= UINT64_C(1) << limit_word_of(words, length);
		words += length;
		words += strspn(words, " ");
	}
	return found;
}

void limit_reasons_clear(struct limit_reasons *reasons)
{
	for (size_t i = 0; i < reasons->count; i++)
		free(reasons->lines[i].words);
	free(reasons->lines);
	*reasons = (struct limit_reasons){ 0 };
}

struct reader {
	struct kernel_files *files;
	const struct isst_cpuset *online;
	struct limit_reasons *reasons;
	const char *device; /* that is read */
};

/** Adds a line of an online CPU or of all; `none` is no word. */
static int add_line(const struct reader *reader, const char *path, char *text)
{
	struct limit_line line = { 0 };
	struct limit_reasons *reasons = reader->reasons;
	char *rest = text, *word = strsep(&rest, " ");
	uint64_t number = 0;
	int error;

	line.of_domain = strcmp(word, "cpus") == 0;
	if (!line.of_domain &&
	    (strncmp(word, "cpu", 3) != 0 || number_parse(word + 3, 10, UINT_MAX - 1, &number)))
		return message_error(reader->files->messages, -EIO,
				     "%s: " CONTENT " is neither 'cpus' nor a CPU", path,
				     CONTENT_OF(word));
	line.cpu = (unsigned int)number;
	if (!line.of_domain && !isst_cpuset_has(reader->online, line.cpu))
		return 0;
	error = ARRAY_GROW(reasons->lines, reasons->count);
	if (error)
		return error;
	line.words = strdup(rest && strcmp(rest, "none") != 0 ? rest : "");
	if (!line.words)
		return -ENOMEM;
	reasons->lines[reasons->count++] = line;
	return 0;
}

static int add_file(void *data, const char *domain)
{
	const struct reader *reader = data;
	const char *path = kernel_files_path(reader->files, "%s/%s/plr/%s/status", DEBUGFS,
					     reader->device, domain);
	char *text, *rest, *line;
	int error = kernel_files_text(reader->files, path, &text);

	reader->reasons->found = true;
	if (error)
		return error == -ENOENT ? 0 : error;
	rest = text;
	while (!error && (line = strsep(&rest, "\n")) != NULL)
		error = *line ? add_line(reader, path, line) : 0;
	free(text);
	return error;
}

static int read_device(void *data, const char *device)
{
	struct reader *reader = data;
	int error;

	reader->device = device;
	error = kernel_files_each(reader->files,
				  kernel_files_path(reader->files, "%s/%s/plr", DEBUGFS, device),
				  "domain", add_file, reader);
	return error == -ENOENT ? 0 : error;
}

int limit_reasons_read(struct kernel_files *files, const struct isst_cpuset *online,
		       struct limit_reasons *reasons)
{
	struct reader reader = { files, online, reasons, NULL };
	int error;

	*reasons = (struct limit_reasons){ 0 };
	error = kernel_files_each(files, DEBUGFS, "tpmi-", read_device, &reader);
	return error || reasons->found ? error : -ENOENT;
}
