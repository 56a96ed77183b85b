/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a captured machine (docs/internals/captured-machines.md), as lines and as tables. */
#include "base/array.h"
#include "base/error_name.h"
#include "common/hash.h"
#include "common/number.h"
#include "emulator/capture/capture.h"
#include "emulator/model/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Files as lines, and messages about them ---- */

int capture_error(const struct captured_file *file, unsigned int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_line_error(file->capture->error, file->path,
		       line		      ? line
		       : file->line_count > 0 ? file->line_count
					      : 1,
		       format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/** A line that does not have its form. */
static int form_error(const struct captured_file *file, unsigned int line, const char *expected)
{
	enum { SHOWN = 96 };
	const char *text = file->lines[line - 1];

	return capture_error(file, line, "found \"%.*s\"%s, expected %s", SHOWN, text,
			     strlen(text) > SHOWN ? "..." : "", expected);
}

/** What stands in two lines, and may be in one only. */
static int again_error(const struct captured_file *file, unsigned int one, unsigned int other,
		       const char *what)
{
	return capture_error(file, one > other ? one : other, "found %s again, first in line %u",
			     what, one > other ? other : one);
}

/** @expected: what is missing without the file; NULL: the file may be missing. */
static int read_lines(struct capture *capture, const char *name, const char *expected,
		      struct captured_file *file)
{
	unsigned int line = 1;
	size_t size;
	int result;

	file->capture = capture;
	if (asprintf(&file->path, "%s/%s", capture->directory, name) < 0) {
		file->path = NULL;
		return -ENOMEM;
	}
	result = text_read(AT_FDCWD, file->path, &file->text, &size);
	if (result == -ENOENT || result == -ENOTDIR)
		return expected ? set_error(capture->error, -EINVAL,
					    "%s: found no such file, expected %s", file->path,
					    expected)
				: 0;
	if (result)
		return result == -ENOMEM ? result
					 : set_error(capture->error, -EINVAL,
						     "%s cannot be read: %s", file->path,
						     result == -EINVAL ? "it is a special file"
								       : strerror(-result));
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

/** The same, and gives each line that is neither empty nor a comment to @parse. */
static int parse_lines(struct capture *capture, const char *name, const char *expected,
		       struct captured_file *file,
		       int (*parse)(struct capture *capture, char *text, unsigned int line))
{
	int result = read_lines(capture, name, expected, file);

	for (unsigned int i = 0; i < file->line_count && !result; i++)
		if (*file->lines[i] && *file->lines[i] != '#')
			result = parse(capture, file->lines[i], i + 1);
	return result;
}

/* The numbers of lines: 0 is decimal, or hexadecimal with 0x. */
static const struct {
	unsigned char bits, base;
} number_kinds[] = {
	['b'] = { 1, 0 },   ['c'] = { 8, 0 },	['i'] = { 15, 0 }, ['m'] = { 32, 16 },
	['n'] = { 32, 0 },  ['p'] = { 14, 0 },	['s'] = { 16, 0 }, ['u'] = { 32, 10 },
	['w'] = { 32, 16 }, ['x'] = { 64, 16 }, ['a'] = { 32, 0 },
};
enum { WORD_DIGITS = 8 };

/** The numbers of @form, in which % and a letter stands for one: a is an answer, a number or E and
 * an error (*@error), w is a word of eight digits. A blank is some white space. Returns what is
 * behind it; NULL: the text has another form. */
static const char *scan(const char *text, const char *form, uint64_t *number, int *error)
{
	char digits[24];
	size_t length;

	for (; *form; form++) {
		if (*form != '%' && *form != ' ') {
			if (*text++ != *form)
				return NULL;
			continue;
		}
		length = *form == ' ' ? strspn(text, " \t") : strcspn(text, " \t:|/");
		if (length == 0 || length >= sizeof(digits))
			return NULL;
		memcpy(digits, text, length);
		digits[length] = '\0';
		text += length;
		if (*form == ' ')
			continue;
		form++;
		*number = 0;
		if (*form == 'a' && *digits == 'E') {
			*error = -error_number(digits + (digits[1] >= '0' && digits[1] <= '9'));
			if (!*error)
				return NULL;
		} else if ((*form == 'w' && length != WORD_DIGITS) ||
			   number_parse(digits, number_kinds[(unsigned char)*form].base,
					UINT64_MAX >>
						(64 - number_kinds[(unsigned char)*form].bits),
					number)) {
			return NULL;
		}
		number++;
	}
	return text;
}

/* ---- cpuinfo: the processors, and in which package and core each CPU is ---- */

enum { HIGHEST_CPU = 1 << 20 };

/* What a processor must have; texts, without a maximum, are those of the first one. */
static const struct {
	const char *name;
	unsigned int max;
	size_t place; /* in struct captured_cpu; of texts in struct capture */
} cpuinfo_keys[] = {
	{ "processor", HIGHEST_CPU, offsetof(struct captured_cpu, number) },
	{ "vendor_id", 0, offsetof(struct capture, vendor) },
	{ "cpu family", 0x10e, offsetof(struct captured_cpu, family) },
	{ "model", 0xff, offsetof(struct captured_cpu, model) },
	{ "model name", 0, offsetof(struct capture, model_name) },
	{ "stepping", 0xf, offsetof(struct captured_cpu, stepping) },
	{ "physical id", HIGHEST_ID, offsetof(struct captured_cpu, package) },
	{ "core id", HIGHEST_CPU, offsetof(struct captured_cpu, core_id) },
};
enum { CPUINFO_KEYS = sizeof(cpuinfo_keys) / sizeof(*cpuinfo_keys) };

/** `key : value`; each processor begins with the first key. */
static int parse_processor_line(struct capture *capture, char *text, unsigned int line)
{
	char *colon = strchr(text, ':'), *value = colon ? trim(colon + 1) : NULL;
	struct captured_cpu *cpu;
	uint64_t number = 0;
	size_t i = 0;

	if (!colon)
		return form_error(&capture->cpuinfo, line, "\"key : value\"");
	*colon = '\0';
	while (i < CPUINFO_KEYS && strcmp(cpuinfo_keys[i].name, trim(text)) != 0)
		i++;
	if (i == CPUINFO_KEYS)
		return 0;
	if (cpuinfo_keys[i].max ? number_parse(value, 10, cpuinfo_keys[i].max, &number) != 0
				: *value == '\0')
		return capture_error(&capture->cpuinfo, line,
				     cpuinfo_keys[i].max
					     ? "found \"%s\" for \"%s\", expected a number 0..%u"
					     : "found \"%s\" for \"%s\", expected a text",
				     value, text, cpuinfo_keys[i].max);
	if (i == 0) {
		if (ARRAY_GROW(capture->cpus, capture->cpu_count))
			return -ENOMEM;
		capture->cpus[capture->cpu_count++] = (struct captured_cpu){ .line = line };
	}
	cpu = capture->cpu_count ? &capture->cpus[capture->cpu_count - 1] : NULL;
	if (!cpu || cpu->keys >> i & 1)
		return capture_error(&capture->cpuinfo, line,
				     "found \"%s\"%s, expected \"processor\" first", text,
				     cpu ? " again" : "");
	cpu->keys |= 1U << i;
	if (cpuinfo_keys[i].max)
		*(unsigned int *)((char *)cpu + cpuinfo_keys[i].place) = (unsigned int)number;
	else if (capture->cpu_count == 1)
		*(char **)((char *)capture + cpuinfo_keys[i].place) = value;
	return 0;
}

static const char in_every[] = "one in every captured machine";

static int read_cpuinfo(struct capture *capture)
{
	const struct captured_file *file = &capture->cpuinfo;
	int result = parse_lines(capture, "proc/cpuinfo", in_every, &capture->cpuinfo,
				 parse_processor_line);

	if (result)
		return result;
	if (capture->cpu_count == 0)
		return capture_error(file, 0,
				     "found no processor, expected one for each online CPU");
	for (size_t i = 0; i < capture->cpu_count; i++) {
		const struct captured_cpu *cpu = &capture->cpus[i], *first = capture->cpus;

		for (size_t key = 0; key < CPUINFO_KEYS; key++)
			if (!(cpu->keys >> key & 1))
				return capture_error(file, cpu->line,
						     "found a processor without \"%s\", expected "
						     "that too",
						     cpuinfo_keys[key].name);
		if (cpu->family != first->family || cpu->model != first->model)
			return capture_error(file, cpu->line,
					     "found a processor of family %u, model %u, expected "
					     "%u and %u as of the first one",
					     cpu->family, cpu->model, first->family, first->model);
	}
	qsort(capture->cpus, capture->cpu_count, sizeof(*capture->cpus), compare_numbers);
	for (size_t i = 1; i < capture->cpu_count; i++)
		if (capture->cpus[i].number == capture->cpus[i - 1].number)
			return again_error(file, capture->cpus[i - 1].line, capture->cpus[i].line,
					   "a processor");
	return 0;
}

ssize_t capture_cpu(const struct capture *capture, unsigned int number)
{
	const struct captured_cpu key = { .number = number };
	const struct captured_cpu *cpu = bsearch(&key, capture->cpus, capture->cpu_count,
						 sizeof(key), compare_numbers);

	return cpu ? cpu - capture->cpus : -1;
}

/* ---- MSRs, and answers of driver and firmware ---- */

/** `ADDRESS:CPU|VALUE CPU|VALUE ...`, with a value of every CPU. */
static int parse_msr_line(struct capture *capture, char *text, unsigned int line)
{
	const struct captured_file *file = &capture->msr_file;
	uint64_t address, number[2];
	const char *rest = scan(text, "%m:", &address, NULL);
	size_t count = 0;

	while (rest && *rest) {
		rest = scan(rest + strspn(rest, " \t"), "%u|%x", number, NULL);
		if (!rest)
			break;
		if (capture_cpu(capture, (unsigned int)number[0]) < 0)
			return capture_error(file, line,
					     "found a value of CPU %u for MSR 0x%x, expected only "
					     "CPUs of proc/cpuinfo",
					     (unsigned int)number[0], (unsigned int)address);
		if (ARRAY_GROW(capture->answers, capture->answer_count))
			return -ENOMEM;
		capture->answers[capture->answer_count++] = (struct captured_answer){
			.kind = ANSWER_MSR,
			.request = { address, number[0] },
			.value = number[1],
			.line = line,
		};
		count++;
	}
	if (!rest)
		return form_error(file, line,
				  "ADDRESS:CPU|VALUE ..., hexadecimal but for the CPUs");
	if (count != capture->cpu_count)
		return capture_error(
			file, line,
			"found values of %zu CPUs for MSR 0x%x, expected one of every CPU of "
			"proc/cpuinfo",
			count, (unsigned int)address);
	capture->msr_count++;
	return 0;
}

/** The last number but of the driver is the answer, the others are the request. */
static const struct {
	const char *form;
	unsigned int count;
} answer_kinds[] = {
	[ANSWER_MAILBOX] = { "mailbox %i %i %c/%c %p %n -> %a", 6 },
	[ANSWER_MMIO] = { "mmio %i %i %s -> %a", 3 },
	[ANSWER_INSTANCES] = { "instances %c -> %a", 1 },
	[ANSWER_DRIVER] = { "driver -> %s %s %s %b %b", 0 },
	[ANSWER_NO_DRIVER] = { "no-driver", 0 },
};
static const char answer_forms[] =
	"driver, no-driver, mailbox, mmio or instances with their numbers, such as \"mailbox 0 0 "
	"0x7f/0x01 0x0 0x0 -> 0x2\" (isst-platform(5))";

static int parse_answer_line(struct capture *capture, char *text, unsigned int line)
{
	struct captured_answer answer = { .kind = ANSWER_MAILBOX, .line = line };
	uint64_t *number = answer.request;
	const char *rest = NULL;

	for (; answer.kind <= ANSWER_NO_DRIVER; answer.kind++) {
		memset(number, 0, sizeof(answer.request));
		rest = scan(text, answer_kinds[answer.kind].form, number, &answer.error);
		if (rest && !*rest)
			break;
	}
	if (answer.kind > ANSWER_NO_DRIVER ||
	    (answer.kind == ANSWER_DRIVER && (number[2] < 1 || number[2] > 64)) ||
	    (answer.kind == ANSWER_MMIO && number[2] % 4 != 0))
		return form_error(&capture->answer_file, line, answer_forms);
	if (answer.kind >= ANSWER_DRIVER) {
		if (capture->driver.line)
			return again_error(&capture->answer_file, line, capture->driver.line,
					   "the driver");
		capture->driver = (struct captured_driver){
			.line = line,
			.present = answer.kind == ANSWER_DRIVER,
			.api_version = (unsigned int)number[0],
			.driver_version = (unsigned int)number[1],
			.max_commands = (unsigned int)number[2],
			.mailbox = number[3],
			.mmio = number[4],
		};
		return 0;
	}
	answer.value = number[answer_kinds[answer.kind].count];
	number[answer_kinds[answer.kind].count] = 0;
	if (ARRAY_GROW(capture->answers, capture->answer_count))
		return -ENOMEM;
	capture->answers[capture->answer_count++] = answer;
	return 0;
}

static int compare_answers(const void *left, const void *right)
{
	const struct captured_answer *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	for (size_t i = 0; i < REQUEST_NUMBERS; i++)
		if (a->request[i] != b->request[i])
			return a->request[i] < b->request[i] ? -1 : 1;
	return 0;
}

const struct captured_answer *capture_answer(const struct capture *capture,
					     const struct captured_answer *request)
{
	return capture->answer_count ? bsearch(request, capture->answers, capture->answer_count,
					       sizeof(*request), compare_answers)
				     : NULL;
}

const struct captured_answer *capture_domain_answer(const struct capture *capture,
						    enum answer_kind kind,
						    const struct platform_domain *domain,
						    uint32_t command, uint32_t parameter,
						    uint32_t data)
{
	struct captured_answer request = {
		.kind = kind,
		.request = { domain->package, domain->die, command >> 8, command & 0xff, parameter,
			     data },
	};

	if (kind == ANSWER_MMIO) {
		request.request[2] = command;
		request.request[3] = 0;
	}
	return capture_answer(capture, &request);
}

const struct captured_answer *capture_msr(const struct capture *capture, uint32_t address,
					  unsigned int cpu)
{
	return capture_answer(capture, &(struct captured_answer){ .kind = ANSWER_MSR,
								  .request = { address, cpu } });
}

const struct captured_answer *capture_domain_msr(const struct platform *platform,
						 const struct platform_domain *domain,
						 uint32_t address)
{
	const struct captured_answer *msr = NULL;

	for (size_t i = 0; i < platform->cpu_count && !msr; i++)
		if (&platform->domains[platform->cpus[i].domain] == domain)
			msr = capture_msr(platform->capture, address, platform->cpus[i].number);
	return msr;
}

/** Only what `platform capture` has written has answers of firmware. */
static int read_answers(struct capture *capture)
{
	int result = parse_lines(capture, "msr/msr.txt", in_every, &capture->msr_file,
				 parse_msr_line);

	if (!result)
		result = parse_lines(capture, "isst/answers.txt", NULL, &capture->answer_file,
				     parse_answer_line);
	if (result)
		return result;
	if (capture->answer_count > 0)
		qsort(capture->answers, capture->answer_count, sizeof(*capture->answers),
		      compare_answers);
	for (size_t i = 1; i < capture->answer_count; i++) {
		const struct captured_answer *a = &capture->answers[i - 1], *b = a + 1;

		if (compare_answers(a, b) == 0)
			return a->kind == ANSWER_MSR ? again_error(&capture->msr_file, a->line,
								   b->line, "the same MSR of a CPU")
						     : again_error(&capture->answer_file, a->line,
								   b->line, "the same request");
	}
	return 0;
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
	char *path = text + 3, *value = strlen(text) > 3 ? strchr(path, '|') : NULL;

	if ((strncmp(text, "ro|", 3) != 0 && strncmp(text, "rw|", 3) != 0) || !value ||
	    value[1] == '\0')
		return form_error(&capture->entry_file, line, "ro|PATH|VALUE or rw|PATH|VALUE");
	*value++ = '\0';
	if (!is_kernel_path(path))
		return form_error(&capture->entry_file, line,
				  "the path of a file below /sys or /proc");
	if (ARRAY_GROW(capture->entries, capture->entry_count))
		return -ENOMEM;
	capture->entries[capture->entry_count++] = (struct captured_entry){ path, value, line };
	return 0;
}

const struct captured_entry *capture_entry(const struct capture *capture, const char *format, ...)
{
	char path[256];
	const struct captured_entry key = { .path = path };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	return capture->entry_count ? bsearch(&key, capture->entries, capture->entry_count,
					      sizeof(key), compare_texts)
				    : NULL;
}

unsigned int capture_number(const struct capture *capture, const struct captured_entry *entry,
			    unsigned int max, unsigned int otherwise, int *result)
{
	uint64_t value = otherwise;

	if (entry && number_parse(entry->value, 10, max, &value))
		*result = capture_error(&capture->entry_file, entry->line,
					"found \"%s\" in %s, expected a number 0..%u", entry->value,
					entry->path, max);
	return (unsigned int)value;
}

unsigned int capture_cpu_number(const struct capture *capture, unsigned int cpu, const char *name,
				unsigned int max, unsigned int otherwise, int *result)
{
	return capture_number(capture, capture_entry(capture, CPU_DIRECTORY "/cpu%u/%s", cpu, name),
			      max, otherwise, result);
}

int capture_set(const struct capture *capture, const char *path, struct isst_cpuset **set)
{
	const struct captured_entry *entry = capture_entry(capture, "%s", path);
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

static int read_entries(struct capture *capture)
{
	int result = parse_lines(capture, "sys/inlinefiles.txt", in_every, &capture->entry_file,
				 parse_entry_line);

	if (result)
		return result;
	if (capture->entry_count > 0)
		qsort(capture->entries, capture->entry_count, sizeof(*capture->entries),
		      compare_texts);
	for (size_t i = 1; i < capture->entry_count; i++) {
		const struct captured_entry *a = &capture->entries[i - 1], *b = a + 1;

		if (strcmp(a->path, b->path) == 0)
			return again_error(&capture->entry_file, a->line, b->line, a->path);
	}
	return 0;
}

/* ---- Registers as debugfs prints them: a header for each instance, then lines of eight 32-bit
 * words, the lower half of a register first ---- */

enum { WORDS = 8 };

static const char instance_form[] = "TPMI Instance:%u offset:%x";
static const char words_form[] = "an offset, \":\" and eight words of eight hexadecimal digits";

/** ` 00000020: 00ff0000 00000000 ...`; only the last line of an instance may be shorter. */
static int parse_words(struct captured_dump *dump, const char *text, unsigned int line)
{
	struct captured_instance *instance = &dump->instances[dump->count - 1];
	size_t expected = instance->count * sizeof(uint64_t);
	uint64_t offset, value[WORDS];
	const char *rest = scan(text, "%w:", &offset, NULL);
	unsigned int count = 0;

	while (rest && *rest)
		rest = count < WORDS ? scan(rest, " %w", &value[count++], NULL) : NULL;
	if (!rest || count == 0 || count % 2 != 0)
		return form_error(&dump->file, line, words_form);
	if (offset != expected || instance->count % (WORDS / 2) != 0)
		return capture_error(&dump->file, line,
				     "found offset 0x%x, expected 0x%zx: lines of instance %zu are "
				     "missing or damaged",
				     (unsigned int)offset, expected, dump->count - 1);
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
	uint64_t number[2];
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
	result = read_lines(capture, name, "the registers of Speed Select", file);
	free(name);
	for (unsigned int i = 0; i < file->line_count && !result; i++) {
		const char *line = file->lines[i], *rest = scan(line, instance_form, number, NULL);

		if (rest && !*rest && number[0] == dump->count) {
			if (ARRAY_GROW(dump->instances, dump->count))
				return -ENOMEM;
			dump->instances[dump->count++] =
				(struct captured_instance){ .line = i + 1, .offset = number[1] };
		} else if (*line && (dump->count == 0 || *line == *instance_form)) {
			result = capture_error(file, i + 1,
					       "found \"%s\", expected \"TPMI Instance:%zu "
					       "offset:0x...\"",
					       line, dump->count);
		} else if (*line) {
			result = parse_words(dump, line, i + 1);
		}
	}
	if (!result && dump->count == 0)
		result = capture_error(file, 0,
				       "found no instance, expected \"TPMI Instance:0 "
				       "offset:0x...\"");
	/* All instances of a device have one size. */
	for (size_t i = 0; i < dump->count && !result; i++) {
		const struct captured_instance *instance = &dump->instances[i];

		if (instance->count == 0 || instance->count != dump->instances[0].count)
			result = capture_error(
				file, i + 1 < dump->count ? instance[1].line - 1 : 0,
				"found %zu bytes of registers of instance %zu, expected %zu%s",
				instance->count * sizeof(uint64_t), i,
				i ? dump->instances[0].count * sizeof(uint64_t) : sizeof(uint64_t),
				i ? " as of instance 0" : " or more");
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

/* ---- All of them ---- */

int capture_read_files(struct capture *capture)
{
	int result = read_cpuinfo(capture);

	if (!result)
		result = read_answers(capture);
	if (!result)
		result = read_entries(capture);
	return result ? result : read_dumps(capture);
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
	for (size_t i = 0; i < capture->dump_count; i++) {
		struct captured_dump *dump = &capture->dumps[i];

		for (size_t j = 0; j < dump->count; j++)
			free(dump->instances[j].registers);
		free(dump->instances);
		free(dump->address);
		free_file(&dump->file);
	}
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
