/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a captured machine (docs/internals/captured-machines.md), as lines and as tables. */
#include "base/array.h"
#include "base/error_name.h"
#include "common/hash.h"
#include "emulator/capture/capture.h"
#include "emulator/model/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files as lines, and messages about them ---- */

int capture_error(const struct capture *capture, const struct captured_file *file,
		  unsigned int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_line_error(capture->error, file->path, line, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

unsigned int captured_end(const struct captured_file *file)
{
	return file->line_count ? (unsigned int)file->line_count : 1;
}

/** @expected: what is missing without the file; NULL: the file may be missing (-ENOENT). */
static int read_file(struct capture *capture, const char *name, const char *expected,
		     struct captured_file *file)
{
	unsigned int line = 1;
	struct stat status;
	size_t size;
	int result;

	if (asprintf(&file->path, "%s/%s", capture->directory, name) < 0) {
		file->path = NULL;
		return -ENOMEM;
	}
	if (stat(file->path, &status) == 0 && !S_ISREG(status.st_mode))
		return capture_error(capture, file, 1,
				     "found a special file, expected a text file");
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
			return capture_error(capture, file, line,
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

/** Whether a line is empty or a comment. */
static bool is_skipped(const char *line)
{
	return *line == '\0' || *line == '#';
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
		return capture_error(capture, file, line, "found \"%s\", expected \"key : value\"",
				     text);
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
		return capture_error(capture, file, line,
				     "found \"%s\" again, expected an empty line before the next "
				     "processor",
				     text);
	if (cpuinfo_keys[i].max && isst_parse_number(value, 10, cpuinfo_keys[i].max, &number))
		return capture_error(capture, file, line,
				     "found \"%s\" for \"%s\", expected a number 0..%u", value,
				     text, cpuinfo_keys[i].max);
	if (*value == '\0')
		return capture_error(capture, file, line,
				     "found nothing for \"%s\", expected a text", text);
	block->number[i] = (unsigned int)number;
	block->text[i] = value;
	return 0;
}

/** What all processors of a machine have in common is taken from the first one. */
static int finish_block(struct capture *capture, struct block *block)
{
	const struct captured_file *file = &capture->cpuinfo;

	if (!block->line)
		return 0;
	for (unsigned int i = 0; i < CPUINFO_KEYS; i++)
		if (!block->text[i])
			return capture_error(capture, file, block->line,
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
		return capture_error(capture, file, block->line,
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

static int read_cpuinfo(struct capture *capture)
{
	struct captured_file *file = &capture->cpuinfo;
	struct block block = { 0 };
	int result = read_file(capture, "proc/cpuinfo", in_every, file);

	for (unsigned int i = 0; i < file->line_count && !result; i++)
		result = *file->lines[i]
				 ? parse_processor_line(capture, file->lines[i], i + 1, &block)
				 : finish_block(capture, &block);
	if (!result)
		result = finish_block(capture, &block);
	if (result)
		return result;
	if (capture->cpu_count == 0)
		return capture_error(capture, file, captured_end(file),
				     "found no processor, expected one for each online CPU");
	qsort(capture->cpus, capture->cpu_count, sizeof(*capture->cpus), compare_numbers);
	for (size_t i = 1; i < capture->cpu_count; i++)
		if (capture->cpus[i].number == capture->cpus[i - 1].number)
			return capture_error(capture, file, capture->cpus[i].line,
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
				capture, file, msr->line,
				"found \"%s\", expected CPU|VALUE with a hexadecimal value", word);
		index = capture_cpu(capture, (unsigned int)number);
		if (index < 0)
			return capture_error(capture, file, msr->line,
					     "found a value of CPU %u for MSR 0x%x, expected only "
					     "CPUs of proc/cpuinfo",
					     (unsigned int)number, msr->address);
		if (known[index])
			return capture_error(capture, file, msr->line,
					     "found CPU %u again for MSR 0x%x, expected each once",
					     (unsigned int)number, msr->address);
		known[index] = true;
		msr->values[index] = value;
	}
	for (size_t i = 0; i < capture->cpu_count; i++)
		if (!known[i])
			return capture_error(capture, file, msr->line,
					     "found no value of CPU %u for MSR 0x%x, expected one "
					     "of every CPU of proc/cpuinfo",
					     capture->cpus[i].number, msr->address);
	return 0;
}

static int read_msrs(struct capture *capture)
{
	struct captured_file *file = &capture->msr_file;
	int result = read_file(capture, "msr/msr.txt", in_every, file);

	for (unsigned int i = 0; i < file->line_count && !result; i++) {
		char *text = file->lines[i], *colon = strchr(text, ':');
		const struct captured_msr *same;
		struct captured_msr *msr;
		uint64_t address;
		bool *known;

		if (is_skipped(text))
			continue;
		if (colon)
			*colon = '\0';
		if (!colon || isst_parse_number(text, 16, UINT32_MAX, &address))
			return capture_error(capture, file, i + 1,
					     "found \"%.20s\", expected the hexadecimal address of "
					     "an MSR and \":\"",
					     text);
		same = capture_msr(capture, (uint32_t)address);
		if (same)
			return capture_error(capture, file, i + 1,
					     "found MSR 0x%x again, first in line %u",
					     same->address, same->line);
		if (ARRAY_GROW(capture->msrs, capture->msr_count))
			return -ENOMEM;
		msr = &capture->msrs[capture->msr_count++];
		*msr = (struct captured_msr){ (uint32_t)address, i + 1,
					      calloc(capture->cpu_count, sizeof(*msr->values)) };
		known = calloc(capture->cpu_count, sizeof(*known));
		result = msr->values && known ? parse_msr_values(capture, colon + 1, msr, known)
					      : -ENOMEM;
		free(known);
	}
	return result;
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
		return capture_error(capture, file, line,
				     "found \"%s\", expected ro|PATH|VALUE or rw|PATH|VALUE", text);
	path = text + 3;
	value = strchr(path, '|');
	if (!value || value[1] == '\0')
		return capture_error(capture, file, line,
				     "found \"%s\" without a value, expected %.2s|PATH|VALUE", text,
				     text);
	*value++ = '\0';
	if (!is_kernel_path(path))
		return capture_error(
			capture, file, line,
			"found \"%s\", expected the path of a file below /sys or /proc", path);
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
		return capture_error(capture, &capture->entry_file, entry->line,
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
	if (result == -ENOMEM || !(result || isst_cpuset_next(*set, HIGHEST_CPU + 1, &highest)))
		return result;
	return capture_error(capture, &capture->entry_file, entry->line,
			     "found \"%s\" in %s, expected a list of CPUs such as 0-3,8",
			     entry->value, entry->path);
}

static int read_entries(struct capture *capture)
{
	struct captured_file *file = &capture->entry_file;
	int result = read_file(capture, "sys/inlinefiles.txt", in_every, file);

	for (unsigned int i = 0; i < file->line_count && !result; i++)
		if (!is_skipped(file->lines[i]))
			result = parse_entry_line(capture, file->lines[i], i + 1);
	if (result)
		return result;
	if (capture->entry_count > 0)
		qsort(capture->entries, capture->entry_count, sizeof(*capture->entries),
		      compare_texts);
	for (size_t i = 1; i < capture->entry_count; i++) {
		const struct captured_entry *a = &capture->entries[i - 1], *b = a + 1;
		unsigned int first = a->line < b->line ? a->line : b->line;

		if (strcmp(a->path, b->path) == 0)
			return capture_error(capture, file, a->line + b->line - first,
					     "found %s again, first in line %u", a->path, first);
	}
	return 0;
}

/* ---- Registers as debugfs prints them: a header for each instance, then lines of eight 32-bit
 * words, the lower half of a register first ---- */

enum { WORDS = 8, WORD_DIGITS = 8 };

static const char instance_word[] = "TPMI Instance:", offset_word[] = "offset:";

static int parse_instance(struct capture *capture, struct captured_dump *dump, const char *text,
			  unsigned int line)
{
	struct captured_instance instance = { .line = line };
	uint64_t number;
	const char *offset = number_before(text + strlen(instance_word), ' ', 10, UINT8_MAX,
					   &number);

	if (!offset || strncmp(offset, offset_word, strlen(offset_word)) != 0 ||
	    isst_parse_number(offset + strlen(offset_word), 16, UINT64_MAX, &instance.offset))
		return capture_error(capture, &dump->file, line,
				     "found \"%s\", expected \"TPMI Instance:N offset:0x...\"",
				     text);
	if (number != dump->count)
		return capture_error(capture, &dump->file, line,
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
static int parse_words(struct capture *capture, struct captured_dump *dump, char *text,
		       unsigned int line)
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
		return capture_error(capture, file, line,
				     "found \"%s\", expected an offset, \":\" and eight words of "
				     "eight hexadecimal digits",
				     text);
	if (offset != expected || instance->count % (WORDS / 2) != 0)
		return capture_error(capture, file, line,
				     "found offset 0x%x, expected 0x%zx: lines of instance %zu are "
				     "missing or damaged",
				     (unsigned int)offset, expected, dump->count - 1);
	for (word = strtok_r(colon + 1, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		if (count == WORDS || !parse_word(word, &value[count++]))
			return capture_error(capture, file, line,
					     "found \"%s\", expected at most eight words of eight "
					     "hexadecimal digits",
					     word);
	if (count == 0 || count % 2 != 0)
		return capture_error(capture, file, line,
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
	result = read_file(capture, name, "the registers of Speed Select", file);
	free(name);
	for (unsigned int i = 0; i < file->line_count && !result; i++) {
		char *line = file->lines[i];

		if (strncmp(line, instance_word, strlen(instance_word)) == 0)
			result = parse_instance(capture, dump, line, i + 1);
		else if (*line && dump->count > 0)
			result = parse_words(capture, dump, line, i + 1);
		else if (*line)
			result = capture_error(
				capture, file, i + 1,
				"found \"%s\", expected \"TPMI Instance:0 offset:0x...\"", line);
	}
	if (!result && dump->count == 0)
		result = capture_error(capture, file, captured_end(file),
				       "found no instance, expected \"TPMI Instance:0 "
				       "offset:0x...\"");
	/* All instances of a device have one size. */
	for (size_t i = 0; i < dump->count && !result; i++) {
		const struct captured_instance *instance = &dump->instances[i];

		if (instance->count == 0)
			result = capture_error(
				capture, file, instance->line,
				"found instance %zu without registers, expected some", i);
		else if (instance->count != dump->instances[0].count)
			result = capture_error(
				capture, file,
				i + 1 < dump->count ? instance[1].line - 1 : captured_end(file),
				"found %zu bytes of registers of instance %zu, expected %zu as of "
				"instance 0",
				instance->count * sizeof(uint64_t), i,
				dump->instances[0].count * sizeof(uint64_t));
	}
	return result;
}

static int read_dumps(struct capture *capture)
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

/** The form of a line: a letter for each field; > is the arrow. Numbers may be decimal, or
 * hexadecimal with 0x. */
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

/** The highest number of a field. */
static unsigned int field_max(char letter)
{
	switch (letter) {
	case 'b':
		return 1;
	case 'i':
		return HIGHEST_ID;
	case 'n':
		return UINT8_MAX;
	case 'o': /* an offset, a multiple of 4 */
	case 's':
		return UINT16_MAX;
	case 'p':
		return 0x3fff;
	default: /* data, and an answer that is no error, of which the name or number follows E */
		return UINT32_MAX;
	}
}

static int parse_field(const struct capture *capture, unsigned int line, char letter,
		       const char *text, uint32_t *value, int *error)
{
	const struct captured_file *file = &capture->answer_file;
	const unsigned int max = field_max(letter);
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
		return capture_error(capture, file, line,
				     "found \"%s\", expected a command such as 0x7f/0x01", text);
	case 'o':
		return capture_error(capture, file, line,
				     "found the offset \"%s\", expected a multiple of 4 up to 0x%x",
				     text, max);
	case 'a':
		return capture_error(capture, file, line,
				     "found \"%s\", expected a number 0..%u or an error such as "
				     "ENXIO or E524",
				     text, max);
	default:
		return capture_error(capture, file, line, "found \"%s\", expected a number 0..%u",
				     text, max);
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
		return capture_error(capture, file, line, "found \"%s\" again, first in line %u",
				     answer_kinds[kind].keyword, driver->line);
	if (driver->line)
		return capture_error(
			capture, file, line, "found \"%s\", but \"%s\" stands in line %u",
			answer_kinds[kind].keyword, answer_kinds[before].keyword, driver->line);
	if (kind == ANSWER_DRIVER && (value[2] < 1 || value[2] > 64))
		return capture_error(capture, file, line,
				     "found batches of %u commands, expected 1..64", value[2]);
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
		return capture_error(capture, file, line,
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
		return capture_error(capture, file, line, "found other fields, expected \"%s\"",
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

const struct captured_answer *capture_mailbox(const struct capture *capture,
					      const struct platform_domain *domain,
					      uint32_t command, uint32_t parameter, uint32_t data)
{
	const struct captured_answer request = {
		.kind = ANSWER_MAILBOX,
		.package = domain->package,
		.die = domain->die,
		.command = command,
		.parameter = parameter,
		.data = data,
	};

	return capture_answer(capture, &request);
}

/** Only what `platform capture` has written has them. */
static int read_answers(struct capture *capture)
{
	struct captured_file *file = &capture->answer_file;
	int result = read_file(capture, "isst/answers.txt", NULL, file);

	if (result == -ENOENT)
		return 0;
	for (unsigned int i = 0; i < file->line_count && !result; i++)
		if (!is_skipped(file->lines[i]))
			result = parse_answer_line(capture, file->lines[i], i + 1);
	if (result)
		return result;
	if (capture->answer_count > 0)
		qsort(capture->answers, capture->answer_count, sizeof(*capture->answers),
		      compare_answers);
	for (size_t i = 1; i < capture->answer_count; i++) {
		const struct captured_answer *a = &capture->answers[i - 1], *b = a + 1;

		if (compare_answers(a, b) == 0)
			return capture_error(capture, file, a->line > b->line ? a->line : b->line,
					     "found the same request again, first in line %u",
					     a->line > b->line ? b->line : a->line);
	}
	return 0;
}

int capture_read_files(struct capture *capture)
{
	static int (*const readers[])(struct capture *) = { read_cpuinfo, read_msrs, read_entries,
							    read_dumps, read_answers };
	int result = 0;

	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers) && !result; i++)
		result = readers[i](capture);
	return result;
}
