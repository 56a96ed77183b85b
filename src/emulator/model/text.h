/* SPDX-License-Identifier: BSD-3-Clause */
/* Small helpers on text that several files of the emulator need; nothing of machines. */
#ifndef EMULATOR_TEXT_H
#define EMULATOR_TEXT_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The whole content of a file below @directory, with a NUL behind it; to be freed. Returns 0 or a
 * negative errno: -EINVAL for what is not a file with an end, such as a FIFO, which would have to
 * be waited for, and -EFBIG for one of more than TEXT_MOST bytes. */
int text_read(int directory, const char *path, char **content, size_t *size);
/** The same of a file that is open; @file stays open. */
int text_read_open(int file, char **content, size_t *size);
/** The same of what may be a pipe as well, which is waited for. */
int text_read_pipe(int file, char **content, size_t *size);
/* More than any file of rules, platform file or file of a captured machine needs. */
enum { TEXT_MOST = 64 << 20 };

/** Cuts white space off both ends, in place. */
char *trim(char *text);

/** The number in front of @separator. Returns what is behind it, NULL without one. */
const char *number_before(const char *text, char separator, unsigned int base, uint64_t max,
			  uint64_t *number);

/** The @size bytes of a number that hold a small one, in either order of bytes. */
static inline void *low_bytes(uint64_t *number, size_t size)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return (char *)number + (big ? sizeof(*number) - size : 0);
}

/* For qsort() and bsearch() of structs that begin with an unsigned int or a char *. */
int compare_numbers(const void *left, const void *right);
int compare_texts(const void *left, const void *right);

/** Sets *@error (NULL without memory) where @error is not NULL; returns @code. */
int set_error(char **error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Sets *@error to `FILE:LINE: ...` unless it is set already; returns -EINVAL. */
int set_line_error(char **error, const char *file, unsigned int line, const char *format,
		   va_list arguments) __attribute__((format(printf, 4, 0)));

#endif
