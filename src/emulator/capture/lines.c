/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a capture as lines, and messages about them. What they mean is not known here. */
#include "base/array.h"
#include "common/hash.h"
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/** Cuts the text into lines; an empty last one is none. */
static int cut_lines(struct captured_file *file)
{
	char *rest = file->text;
	unsigned int number = 0;

	while (rest && *rest) {
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

static int check_bytes(const struct captured_file *file, size_t size)
{
	unsigned int line = 1;

	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)file->text[i];

		if (byte == '\n')
			line++;
		else if (byte != '\t' && byte != '\r' && (byte < 0x20 || byte == 0x7f))
			return captured_error(file, line,
					      "found the byte 0x%02x, expected a text file", byte);
	}
	return 0;
}

int captured_file_read(struct capture *capture, const char *name, struct captured_file *file)
{
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
	result = check_bytes(file, size);
	return result ? result : cut_lines(file);
}

int captured_file_require(struct capture *capture, const char *name, struct captured_file *file)
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
