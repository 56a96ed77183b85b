/* SPDX-License-Identifier: BSD-3-Clause */
/* The text files of a capture: their lines, and what is in cpuinfo, the MSRs, and the kernel's
 * files. */
#include "base/array.h"
#include "common/hash.h"
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files as lines, and messages about them ---- */

int captured_error(const struct captured_file *file, unsigned int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_line_error(file->error, file->path, line, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

unsigned int captured_end(const struct captured_file *file)
{
	return file->line_count ? file->lines[file->line_count - 1].number : 1;
}

int captured_file_read(struct capture *capture, const char *name, struct captured_file *file)
{
	unsigned int line = 1, number = 0;
	struct stat status;
	size_t size;
	int result;

	file->error = capture->error;
	if (asprintf(&file->path, "%s/%s", capture->directory, name) < 0) {
		file->path = NULL;
		return -ENOMEM;
	}
	if (stat(file->path, &status) == 0 && !S_ISREG(status.st_mode))
		return captured_error(file, 1, "found a special file, expected a text file");
	result = text_read(AT_FDCWD, file->path, &file->text, &size);
	if (result == -ENOENT || result == -ENOTDIR)
		return -ENOENT;
	if (result == -ENOMEM)
		return result;
	if (result)
		return set_error(file->error, -EINVAL, "%s cannot be read: %s", file->path,
				 strerror(-result));
	file->hash = hash_bytes(HASH_START, file->text, size);
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)file->text[i];

		if (byte == '\n')
			line++;
		else if (byte != '\t' && byte != '\r' && (byte < 0x20 || byte == 0x7f))
			return captured_error(file, line,
					      "found the byte 0x%02x, expected a text file", byte);
	}
	/* An empty last line is none. */
	for (char *rest = file->text; rest && *rest;) {
		char *text = strsep(&rest, "\n");
		size_t length = strlen(text);

		if (ARRAY_GROW(file->lines, file->line_count))
			return -ENOMEM;
		if (length > 0 && text[length - 1] == '\r')
			text[length - 1] = '\0';
		file->lines[file->line_count++] = (struct captured_text){ text, ++number };
	}
	return 0;
}

/** The same for a file that every capture has: where it is not there is -EINVAL, with a message.
 */
static int captured_file_require(struct capture *capture, const char *name,
				 struct captured_file *file)
{
	int result = captured_file_read(capture, name, file);

	if (result != -ENOENT)
		return result;
	return set_error(capture->error, -EINVAL,
			 "%s: found no such file, expected one in every captured machine",
			 file->path);
}

int captured_each_line(struct capture *capture, const struct captured_file *file,
		       captured_line_reader *read)
{
	int result = 0;

	for (size_t i = 0; i < file->line_count && !result; i++)
		result = read(capture, &file->lines[i]);
	return result;
}

void captured_file_free(struct captured_file *file)
{
	free(file->path);
	free(file->text);
	free(file->lines);
}

/* ---- cpuinfo: the processors, and in which package and core each CPU is ---- */

enum { HIGHEST_CPU = 1 << 20 };

enum { CPUINFO_KEYS = CAPTURE_REQUIRED_KEYS };

/** Of those that are numbers. */
static const unsigned int highest_of_key[CPUINFO_KEYS] = {
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
	bool known[CPUINFO_KEYS];
	unsigned int number[CPUINFO_KEYS];
	char *text[CPUINFO_KEYS];
};

static int parse_processor_line(struct capture *capture, const struct captured_text *line,
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
	for (unsigned int i = 0; i < CPUINFO_KEYS; i++) {
		if (strcmp(capture_cpuinfo_keys[i], key) != 0)
			continue;
		if (block->known[i])
			return captured_error(file, line->number,
					      "found \"%s\" again, expected an empty line before "
					      "the next processor",
					      key);
		if (highest_of_key[i] && isst_parse_number(value, 10, highest_of_key[i], &number))
			return captured_error(file, line->number,
					      "found \"%s\" for \"%s\", expected a number 0..%u",
					      value, key, highest_of_key[i]);
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
static int finish_block(struct capture *capture, struct block *block)
{
	const struct captured_file *file = &capture->cpuinfo;

	if (!block->line)
		return 0;
	for (unsigned int i = 0; i < CPUINFO_KEYS; i++)
		if (!block->known[i])
			return captured_error(file, block->line,
					      "found a processor without \"%s\", expected that too",
					      capture_cpuinfo_keys[i]);
	if (capture->cpu_count == 0) {
		capture->vendor = block->text[CAPTURE_VENDOR];
		capture->model_name = block->text[CAPTURE_NAME];
		capture->family = block->number[CAPTURE_FAMILY];
		capture->model = block->number[CAPTURE_MODEL];
		capture->stepping = block->number[CAPTURE_STEPPING];
	}
	if (block->number[CAPTURE_FAMILY] != capture->family ||
	    block->number[CAPTURE_MODEL] != capture->model)
		return captured_error(file, block->line,
				      "found a processor of family %u, model %u, expected %u and "
				      "%u as of the first one",
				      block->number[CAPTURE_FAMILY], block->number[CAPTURE_MODEL],
				      capture->family, capture->model);
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

static int compare_captured_cpus(const void *left, const void *right)
{
	const struct captured_cpu *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

ssize_t capture_cpu(const struct capture *capture, unsigned int number)
{
	const struct captured_cpu key = { .number = number };
	const struct captured_cpu *cpu = bsearch(&key, capture->cpus, capture->cpu_count,
						 sizeof(key), compare_captured_cpus);

	return cpu ? cpu - capture->cpus : -1;
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
			result = parse_processor_line(capture, &file->lines[i], &block);
	}
	if (!result)
		result = finish_block(capture, &block);
	if (result)
		return result;
	if (capture->cpu_count == 0)
		return captured_error(file, captured_end(file),
				      "found no processor, expected one for each online CPU");
	qsort(capture->cpus, capture->cpu_count, sizeof(*capture->cpus), compare_captured_cpus);
	for (size_t i = 1; i < capture->cpu_count; i++)
		if (capture->cpus[i].number == capture->cpus[i - 1].number)
			return captured_error(file, capture->cpus[i].line,
					      "found processor %u again, expected each once",
					      capture->cpus[i].number);
	return 0;
}

/* ---- MSRs, each with a value of every CPU ---- */

/** `12|1f1f`: the value of one CPU. */
static int parse_msr_value(struct capture *capture, const char *word, struct captured_msr *msr)
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

static int parse_msr_line(struct capture *capture, const struct captured_text *line)
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
		result = parse_msr_value(capture, word, msr);
	for (size_t i = 0; i < capture->cpu_count && !result; i++)
		if (!msr->known[i])
			result = captured_error(
				file, msr->line,
				"found no value of CPU %u for MSR 0x%x, expected one "
				"of every CPU of proc/cpuinfo",
				capture->cpus[i].number, msr->address);
	return result;
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

	return result ? result : captured_each_line(capture, file, parse_msr_line);
}

/* ---- The kernel's files, by path ---- */

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

static int parse_entry_line(struct capture *capture, const struct captured_text *line)
{
	const struct captured_file *file = &capture->entry_file;
	struct captured_entry entry = { .line = line->number };
	char *text = trim(line->text), *path, *value;

	if (*text == '\0' || *text == CAPTURE_COMMENT)
		return 0;
	path = strchr(text, CAPTURE_FILE_BAR);
	if (path)
		*path = '\0';
	entry.writable = strcmp(text, capture_file_modes[true]) == 0;
	if (path && !entry.writable && strcmp(text, capture_file_modes[false]) != 0) {
		*path = CAPTURE_FILE_BAR;
		path = NULL;
	}
	if (!path)
		return captured_error(file, line->number,
				      "found \"%s\", expected ro|PATH|VALUE or rw|PATH|VALUE",
				      text);
	*path++ = CAPTURE_FILE_BAR;
	value = strchr(path, CAPTURE_FILE_BAR);
	if (!value || value[1] == '\0')
		return captured_error(file, line->number,
				      "found \"%s\" without a value, expected %.2s|PATH|VALUE",
				      text, text);
	*value++ = '\0';
	if (!is_kernel_path(path))
		return captured_error(file, line->number,
				      "found \"%s\", expected the path of a file below /sys or "
				      "/proc",
				      path);
	entry.path = path;
	entry.value = value;
	if (ARRAY_GROW(capture->entries, capture->entry_count))
		return -ENOMEM;
	capture->entries[capture->entry_count++] = entry;
	return 0;
}

static int compare_entries(const void *left, const void *right)
{
	const struct captured_entry *a = left, *b = right;

	return strcmp(a->path, b->path);
}

const struct captured_entry *capture_entry(const struct capture *capture, const char *path)
{
	const struct captured_entry key = { .path = path };

	if (capture->entry_count == 0)
		return NULL;
	return bsearch(&key, capture->entries, capture->entry_count, sizeof(key), compare_entries);
}

const struct captured_entry *capture_cpu_entry(const struct capture *capture, unsigned int cpu,
					       const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", cpu, name);
	return capture_entry(capture, path);
}

int capture_number(const struct capture *capture, const struct captured_entry *entry,
		   unsigned int max, unsigned int *number)
{
	uint64_t value;

	if (!entry)
		return -ENOENT;
	if (isst_parse_number(entry->value, 10, max, &value))
		return captured_error(&capture->entry_file, entry->line,
				      "found \"%s\" in %s, expected a number 0..%u", entry->value,
				      entry->path, max);
	*number = (unsigned int)value;
	return 0;
}

int capture_list(const struct capture *capture, const struct captured_entry *entry,
		 struct isst_cpuset *set)
{
	unsigned int highest;
	int result;

	if (!entry)
		return -ENOENT;
	result = isst_cpuset_add_list(set, entry->value, NULL);
	if (result == -ENOMEM)
		return result;
	if (result || isst_cpuset_next(set, (1 << 20) + 1, &highest))
		return captured_error(&capture->entry_file, entry->line,
				      "found \"%s\" in %s, expected a list of CPUs such as 0-3,8",
				      entry->value, entry->path);
	return 0;
}

int capture_read_entries(struct capture *capture)
{
	struct captured_file *file = &capture->entry_file;
	int result = captured_file_require(capture, CAPTURE_FILES, file);

	if (!result)
		result = captured_each_line(capture, file, parse_entry_line);
	if (result)
		return result;
	if (capture->entry_count > 0)
		qsort(capture->entries, capture->entry_count, sizeof(*capture->entries),
		      compare_entries);
	for (size_t i = 1; i < capture->entry_count; i++) {
		const struct captured_entry *a = &capture->entries[i - 1], *b = a + 1;
		unsigned int first = a->line < b->line ? a->line : b->line;

		if (strcmp(a->path, b->path) == 0)
			return captured_error(file, a->line + b->line - first,
					      "found %s again, first in line %u", a->path, first);
	}
	return 0;
}

int capture_set(const struct capture *capture, const char *path, struct isst_cpuset **set)
{
	int result;

	*set = isst_cpuset_new();
	result = *set ? capture_list(capture, capture_entry(capture, path), *set) : -ENOMEM;
	return result == -ENOENT ? 0 : result;
}
