/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of the kernel in a capture, by path. */
#include "base/array.h"
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_below(const char *path, const char *directory)
{
	return strncmp(path, directory, strlen(directory)) == 0;
}

/** Where a file of the kernel can be, and nowhere else: it is made below the emulated root. */
static bool is_kernel_path(const char *path)
{
	if (!is_below(path, "/sys/") && !is_below(path, "/proc/"))
		return false;
	for (const char *part = path; part; part = strchr(part + 1, '/'))
		if (part[1] == '/' || part[1] == '\0' ||
		    (part[1] == '.' && (part[2] == '/' || part[2] == '\0' || part[2] == '.')))
			return false;
	return true;
}

static bool has_mode(const char *text, bool writable)
{
	const char *mode = capture_file_modes[writable];
	size_t length = strlen(mode);

	return strncmp(text, mode, length) == 0 && text[length] == CAPTURE_FILE_BAR;
}

static int parse_line(struct capture *capture, const struct captured_text *line)
{
	const struct captured_file *file = &capture->entry_file;
	struct captured_entry entry = { .line = line->number };
	char *text = trim(line->text), *path, *value;

	if (*text == '\0' || *text == CAPTURE_COMMENT)
		return 0;
	entry.writable = has_mode(text, true);
	if (!entry.writable && !has_mode(text, false))
		return captured_error(file, line->number,
				      "found \"%s\", expected ro|PATH|VALUE or rw|PATH|VALUE",
				      text);
	path = strchr(text, CAPTURE_FILE_BAR) + 1;
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

static int check_repetition(const struct capture *capture)
{
	for (size_t i = 1; i < capture->entry_count; i++) {
		const struct captured_entry *a = &capture->entries[i - 1];
		const struct captured_entry *b = &capture->entries[i];
		unsigned int first = a->line < b->line ? a->line : b->line;

		if (strcmp(a->path, b->path) == 0)
			return captured_error(&capture->entry_file, a->line + b->line - first,
					      "found %s again, first in line %u", a->path, first);
	}
	return 0;
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
		result = captured_each_line(capture, file, parse_line);
	if (result)
		return result;
	if (capture->entry_count > 0)
		qsort(capture->entries, capture->entry_count, sizeof(*capture->entries),
		      compare_entries);
	return check_repetition(capture);
}

int capture_set(const struct capture *capture, const char *path, struct isst_cpuset **set)
{
	int result;

	*set = isst_cpuset_new();
	result = *set ? capture_list(capture, capture_entry(capture, path), *set) : -ENOMEM;
	return result == -ENOENT ? 0 : result;
}
