/* SPDX-License-Identifier: BSD-3-Clause */
/* Small helpers on text that several files of the emulator need; nothing of machines. */
#include "emulator/model/text.h"

#include "common/number.h"
#include "isst.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int text_read_pipe(int file, char **content, size_t *size)
{
	size_t space = 4096, used = 0;
	char *buffer = malloc(space);
	ssize_t length = 1;

	while (buffer && length > 0) {
		length = read(file, buffer + used, space - used - 1);
		if (length < 0 && errno == EINTR) {
			length = 1;
			continue;
		}
		if (length < 0 || used > TEXT_MOST) {
			int result = length < 0 ? -errno : -EFBIG;

			free(buffer);
			return result;
		}
		used += (size_t)length;
		if (space - used == 1) {
			char *larger = realloc(buffer, space *= 2);

			if (!larger)
				free(buffer);
			buffer = larger;
		}
	}
	if (!buffer)
		return -ENOMEM;
	buffer[used] = '\0';
	*content = buffer;
	*size = used;
	return 0;
}

int text_read_open(int file, char **content, size_t *size)
{
	struct stat status;

	if (fstat(file, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return S_ISREG(status.st_mode) ? text_read_pipe(file, content, size) : -EINVAL;
}

int text_read(int directory, const char *path, char **content, size_t *size)
{
	int file = openat(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int result;

	if (file < 0)
		return -errno;
	result = text_read_open(file, content, size);
	close(file);
	return result;
}

char *trim(char *text)
{
	static const char space[] = " \t\r\n";
	size_t length;

	text += strspn(text, space);
	length = strlen(text);
	while (length > 0 && strchr(space, text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

int set_error(char **error, int code, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return code;
	va_start(arguments, format);
	if (vasprintf(error, format, arguments) < 0)
		*error = NULL;
	va_end(arguments);
	return code;
}

int set_line_error(char **error, const char *file, unsigned int line, const char *format,
		   va_list arguments)
{
	char *what;

	if (!error || *error || vasprintf(&what, format, arguments) < 0)
		return -EINVAL;
	set_error(error, -EINVAL, "%s:%u: %s", file, line, what);
	free(what);
	return -EINVAL;
}

const char *number_before(const char *text, char separator, unsigned int base, uint64_t max,
			  uint64_t *number)
{
	const char *end = strchr(text, separator);
	char digits[16] = "";

	if (!end || (size_t)(end - text) >= sizeof(digits))
		return NULL;
	memcpy(digits, text, (size_t)(end - text));
	return number_parse(digits, base, max, number) ? NULL : end + 1;
}

int compare_numbers(const void *left, const void *right)
{
	const unsigned int a = *(const unsigned int *)left, b = *(const unsigned int *)right;

	return (a > b) - (a < b);
}

int compare_texts(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}
