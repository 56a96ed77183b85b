/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a captured machine (docs/internals/captured-machines.md), as lines and as tables. */
#include "base/array.h"
#include "common/hash.h"
#include "emulator/capture/capture.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Files as lines, and messages about them ---- */

int capture_error(const struct captured_file *file, unsigned int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_line_error(file->capture->error, file->path, line, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

unsigned int captured_end(const struct captured_file *file)
{
	return file->line_count ? (unsigned int)file->line_count : 1;
}

int captured_file_read(struct capture *capture, const char *name, const char *expected,
		       struct captured_file *file)
{
	unsigned int line = 1;
	struct stat status;
	size_t size;
	int result;

	file->capture = capture;
	if (asprintf(&file->path, "%s/%s", capture->directory, name) < 0) {
		file->path = NULL;
		return -ENOMEM;
	}
	if (stat(file->path, &status) == 0 && !S_ISREG(status.st_mode))
		return capture_error(file, 1, "found a special file, expected a text file");
	result = text_read(AT_FDCWD, file->path, &file->text, &size);
	if ((result == -ENOENT || result == -ENOTDIR) && expected)
		return set_error(capture->error, -EINVAL, "%s: found no such file, expected %s",
				 file->path, expected);
	if (result == -ENOENT || result == -ENOTDIR || result == -ENOMEM)
		return result == -ENOMEM ? result : -ENOENT;
	if (result)
		return set_error(capture->error, -EINVAL, "%s cannot be read: %s", file->path,
				 strerror(-result));
	/* A sum: dumps are read in any order. */
	capture->hash += hash_bytes(hash_string(HASH_START, name), file->text, size);
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)file->text[i];

		if (byte == '\n')
			line++;
		else if (byte != '\t' && byte != '\r' && (byte < 0x20 || byte == 0x7f))
			return capture_error(file, line,
					     "found the byte 0x%02x, expected a text file", byte);
	}
	/* An empty last line is none. */
	for (char *rest = file->text; rest && *rest;) {
		if (ARRAY_GROW(file->lines, file->line_count))
			return -ENOMEM;
		file->lines[file->line_count++] = trim(strsep(&rest, "\n"));
	}
	return 0;
}

int captured_lines_read(struct capture *capture, const char *name, const char *expected,
			struct captured_file *file,
			int (*parse)(struct capture *capture, char *text, unsigned int line))
{
	int result = captured_file_read(capture, name, expected, file);

	for (unsigned int i = 0; i < file->line_count && !result; i++)
		if (*file->lines[i] && *file->lines[i] != '#')
			result = parse(capture, file->lines[i], i + 1);
	return result;
}

static void free_file(struct captured_file *file)
{
	free(file->path);
	free(file->text);
	free(file->lines);
}

void capture_free(struct capture *capture)
{
	if (!capture)
		return;
	for (size_t i = 0; i < capture->msr_count; i++)
		free(capture->msrs[i].values);
	for (size_t i = 0; i < capture->dump_count; i++) {
		struct captured_dump *dump = &capture->dumps[i];

		for (size_t j = 0; j < dump->count; j++)
			free(dump->instances[j].registers);
		free(dump->instances);
		free(dump->address);
		free_file(&dump->file);
	}
	free(capture->msrs);
	free(capture->dumps);
	free(capture->cpus);
	free(capture->entries);
	free(capture->answers);
	free_file(&capture->cpuinfo);
	free_file(&capture->msr_file);
	free_file(&capture->entry_file);
	free_file(&capture->answer_file);
	free(capture->directory);
	free(capture);
}

/* ---- cpuinfo: the processors, and in which package and core each CPU is ---- */

enum { HIGHEST_CPU = 1 << 20 };

enum { PROCESSOR, VENDOR, FAMILY, MODEL, NAME, STEPPING, PACKAGE, CORE, CPUINFO_KEYS };
static const struct {
	const char *name;
	unsigned int max; /* 0: it is a text */
} cpuinfo_keys[CPUINFO_KEYS] = {
	[PROCESSOR] = { "processor", HIGHEST_CPU },
	[VENDOR] = { "vendor_id", 0 },
	[FAMILY] = { "cpu family", 0x10e },
	[MODEL] = { "model", 0xff },
	[NAME] = { "model name", 0 },
	[STEPPING] = { "stepping", 0xf },
	[PACKAGE] = { "physical id", HIGHEST_ID },
	[CORE] = { "core id", HIGHEST_CPU },
};

/** The lines about one processor. */
struct block {
	unsigned int line; /* of the first one; 0: none yet */
	unsigned int number[CPUINFO_KEYS];
	char *text[CPUINFO_KEYS];
};

static int parse_processor_line(struct capture *capture, char *text, unsigned int line,
				struct block *block)
{
	const struct captured_file *file = &capture->cpuinfo;
	char *colon = strchr(text, ':'), *value;
	unsigned int i = 0;
	uint64_t number = 0;

	if (!colon)
		return capture_error(file, line, "found \"%s\", expected \"key : value\"", text);
	*colon = '\0';
	text = trim(text);
	value = trim(colon + 1);
	if (!block->line)
		block->line = line;
	while (i < CPUINFO_KEYS && strcmp(cpuinfo_keys[i].name, text) != 0)
		i++;
	if (i == CPUINFO_KEYS)
		return 0;
	if (block->text[i])
		return capture_error(file, line,
				     "found \"%s\" again, expected an empty line before the next "
				     "processor",
				     text);
	if (cpuinfo_keys[i].max && isst_parse_number(value, 10, cpuinfo_keys[i].max, &number))
		return capture_error(file, line, "found \"%s\" for \"%s\", expected a number 0..%u",
				     value, text, cpuinfo_keys[i].max);
	if (*value == '\0')
		return capture_error(file, line, "found nothing for \"%s\", expected a text", text);
	block->number[i] = (unsigned int)number;
	block->text[i] = value;
	return 0;
}

/** What all processors of a machine have in common is taken from the first one. */
static int finish_block(struct capture *capture, struct block *block)
{
	if (!block->line)
		return 0;
	for (unsigned int i = 0; i < CPUINFO_KEYS; i++)
		if (!block->text[i])
			return capture_error(&capture->cpuinfo, block->line,
					     "found a processor without \"%s\", expected that too",
					     cpuinfo_keys[i].name);
	if (capture->cpu_count == 0) {
		capture->vendor = block->text[VENDOR];
		capture->model_name = block->text[NAME];
		capture->family = block->number[FAMILY];
		capture->model = block->number[MODEL];
		capture->stepping = block->number[STEPPING];
	}
	if (block->number[FAMILY] != capture->family || block->number[MODEL] != capture->model)
		return capture_error(&capture->cpuinfo, block->line,
				     "found a processor of family %u, model %u, expected %u and %u "
				     "as of the first one",
				     block->number[FAMILY], block->number[MODEL], capture->family,
				     capture->model);
	if (ARRAY_GROW(capture->cpus, capture->cpu_count))
		return -ENOMEM;
	capture->cpus[capture->cpu_count++] = (struct captured_cpu){
		.number = block->number[PROCESSOR],
		.package = block->number[PACKAGE],
		.core_id = block->number[CORE],
		.line = block->line,
	};
	*block = (struct block){ 0 };
	return 0;
}

ssize_t capture_cpu(const struct capture *capture, unsigned int number)
{
	const struct captured_cpu key = { .number = number };
	const struct captured_cpu *cpu = bsearch(&key, capture->cpus, capture->cpu_count,
						 sizeof(key), compare_numbers);

	return cpu ? cpu - capture->cpus : -1;
}

static const char in_every[] = "one in every captured machine";

int capture_read_cpuinfo(struct capture *capture)
{
	struct captured_file *file = &capture->cpuinfo;
	struct block block = { 0 };
	int result = captured_file_read(capture, "proc/cpuinfo", in_every, file);

	for (unsigned int i = 0; i < file->line_count && !result; i++)
		result = *file->lines[i]
				 ? parse_processor_line(capture, file->lines[i], i + 1, &block)
				 : finish_block(capture, &block);
	if (!result)
		result = finish_block(capture, &block);
	if (result)
		return result;
	if (capture->cpu_count == 0)
		return capture_error(file, captured_end(file),
				     "found no processor, expected one for each online CPU");
	qsort(capture->cpus, capture->cpu_count, sizeof(*capture->cpus), compare_numbers);
	for (size_t i = 1; i < capture->cpu_count; i++)
		if (capture->cpus[i].number == capture->cpus[i - 1].number)
			return capture_error(file, capture->cpus[i].line,
					     "found processor %u again, expected each once",
					     capture->cpus[i].number);
	return 0;
}

/* ---- MSRs, each with a value of every CPU: `ADDRESS:CPU|VALUE CPU|VALUE ...` ---- */

const struct captured_msr *capture_msr(const struct capture *capture, uint32_t address)
{
	for (size_t i = 0; i < capture->msr_count; i++)
		if (capture->msrs[i].address == address)
			return &capture->msrs[i];
	return NULL;
}

static int parse_msr_values(struct capture *capture, char *text, const struct captured_msr *msr,
			    bool *known)
{
	const struct captured_file *file = &capture->msr_file;
	char *rest = NULL;

	for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		uint64_t number, value;
		const char *behind = number_before(word, '|', 10, UINT32_MAX, &number);
		ssize_t index;

		if (!behind || isst_parse_number(behind, 16, UINT64_MAX, &value))
			return capture_error(
				file, msr->line,
				"found \"%s\", expected CPU|VALUE with a hexadecimal value", word);
		index = capture_cpu(capture, (unsigned int)number);
		if (index < 0)
			return capture_error(file, msr->line,
					     "found a value of CPU %u for MSR 0x%x, expected only "
					     "CPUs of proc/cpuinfo",
					     (unsigned int)number, msr->address);
		if (known[index])
			return capture_error(file, msr->line,
					     "found CPU %u again for MSR 0x%x, expected each once",
					     (unsigned int)number, msr->address);
		known[index] = true;
		msr->values[index] = value;
	}
	for (size_t i = 0; i < capture->cpu_count; i++)
		if (!known[i])
			return capture_error(file, msr->line,
					     "found no value of CPU %u for MSR 0x%x, expected one "
					     "of every CPU of proc/cpuinfo",
					     capture->cpus[i].number, msr->address);
	return 0;
}

static int parse_msr_line(struct capture *capture, char *text, unsigned int line)
{
	const struct captured_file *file = &capture->msr_file;
	char *colon = strchr(text, ':');
	const struct captured_msr *same;
	struct captured_msr *msr;
	uint64_t address;
	bool *known;
	int result;

	if (colon)
		*colon = '\0';
	if (!colon || isst_parse_number(text, 16, UINT32_MAX, &address))
		return capture_error(file, line,
				     "found \"%.20s\", expected the hexadecimal address of an MSR "
				     "and \":\"",
				     text);
	same = capture_msr(capture, (uint32_t)address);
	if (same)
		return capture_error(file, line, "found MSR 0x%x again, first in line %u",
				     same->address, same->line);
	if (ARRAY_GROW(capture->msrs, capture->msr_count))
		return -ENOMEM;
	msr = &capture->msrs[capture->msr_count++];
	*msr = (struct captured_msr){ (uint32_t)address, line,
				      calloc(capture->cpu_count, sizeof(*msr->values)) };
	known = calloc(capture->cpu_count, sizeof(*known));
	result = msr->values && known ? parse_msr_values(capture, colon + 1, msr, known) : -ENOMEM;
	free(known);
	return result;
}

int capture_read_msrs(struct capture *capture)
{
	return captured_lines_read(capture, "msr/msr.txt", in_every, &capture->msr_file,
				   parse_msr_line);
}

/* ---- The kernel's files, by path: `MODE|PATH|VALUE` ---- */

/** Where a file of the kernel can be, and nowhere else: it is made below the emulated root. */
static bool is_kernel_path(const char *path)
{
	if (strncmp(path, "/sys/", 5) != 0 && strncmp(path, "/proc/", 6) != 0)
		return false;
	for (const char *part = path; part; part = strchr(part + 1, '/'))
		if (part[1] == '/' || part[1] == '\0' ||
		    (part[1] == '.' && (part[2] == '/' || part[2] == '\0' || part[2] == '.')))
			return false;
	return true;
}

static int parse_entry_line(struct capture *capture, char *text, unsigned int line)
{
	const struct captured_file *file = &capture->entry_file;
	char *path, *value;

	if (strncmp(text, "ro|", 3) != 0 && strncmp(text, "rw|", 3) != 0)
		return capture_error(file, line,
				     "found \"%s\", expected ro|PATH|VALUE or rw|PATH|VALUE", text);
	path = text + 3;
	value = strchr(path, '|');
	if (!value || value[1] == '\0')
		return capture_error(file, line,
				     "found \"%s\" without a value, expected %.2s|PATH|VALUE", text,
				     text);
	*value++ = '\0';
	if (!is_kernel_path(path))
		return capture_error(
			file, line, "found \"%s\", expected the path of a file below /sys or /proc",
			path);
	if (ARRAY_GROW(capture->entries, capture->entry_count))
		return -ENOMEM;
	capture->entries[capture->entry_count++] = (struct captured_entry){ path, value, line };
	return 0;
}

const struct captured_entry *capture_entry(const struct capture *capture, const char *path)
{
	const struct captured_entry key = { .path = path };

	if (capture->entry_count == 0)
		return NULL;
	return bsearch(&key, capture->entries, capture->entry_count, sizeof(key), compare_texts);
}

const struct captured_entry *capture_cpu_entry(const struct capture *capture, unsigned int cpu,
					       const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%u/%s", cpu, name);
	return capture_entry(capture, path);
}

int capture_number(const struct capture *capture, const struct captured_entry *entry,
		   unsigned int max, unsigned int *number)
{
	uint64_t value;

	if (!entry)
		return -ENOENT;
	if (isst_parse_number(entry->value, 10, max, &value))
		return capture_error(&capture->entry_file, entry->line,
				     "found \"%s\" in %s, expected a number 0..%u", entry->value,
				     entry->path, max);
	*number = (unsigned int)value;
	return 0;
}

int capture_set(const struct capture *capture, const char *path, struct isst_cpuset **set)
{
	const struct captured_entry *entry = capture_entry(capture, path);
	unsigned int highest;
	int result;

	*set = isst_cpuset_new();
	result = *set ? 0 : -ENOMEM;
	if (!result && entry)
		result = isst_cpuset_add_list(*set, entry->value, NULL);
	if (!entry || result == -ENOMEM ||
	    !(result || isst_cpuset_next(*set, HIGHEST_CPU + 1, &highest)))
		return result;
	return capture_error(&capture->entry_file, entry->line,
			     "found \"%s\" in %s, expected a list of CPUs such as 0-3,8",
			     entry->value, entry->path);
}

int capture_read_entries(struct capture *capture)
{
	int result = captured_lines_read(capture, "sys/inlinefiles.txt", in_every,
					 &capture->entry_file, parse_entry_line);

	if (result)
		return result;
	if (capture->entry_count > 0)
		qsort(capture->entries, capture->entry_count, sizeof(*capture->entries),
		      compare_texts);
	for (size_t i = 1; i < capture->entry_count; i++) {
		const struct captured_entry *a = &capture->entries[i - 1], *b = a + 1;
		unsigned int first = a->line < b->line ? a->line : b->line;

		if (strcmp(a->path, b->path) == 0)
			return capture_error(&capture->entry_file, a->line + b->line - first,
					     "found %s again, first in line %u", a->path, first);
	}
	return 0;
}
